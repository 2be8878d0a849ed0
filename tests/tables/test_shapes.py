"""Genes in rows, samples in columns, and classes in another file."""

import gzip

import pytest

from bicneuron.exceptions import TableError

GCT = "#1.2\n2\t3\nName\tDescription\ts1\ts2\ts3\nTP53\tna\t1\t2\t3.5\nBRCA1\tna\t4\t5\t6\n"
GCT_3 = (
    "#1.3\n2\t3\t1\t2\nid\tnote\ts1\ts2\ts3\nclass\tna\tx\ty\tx\nage\tna\t50\t60\t70\n"
    "TP53\ta\t1\t2\t3.5\nBRCA1\tb\t4\t5\t6\n"
)
SERIES = (
    '!Series_title\t"A study"\n!Series_geo_accession\t"GSE1"\n\n'
    '!Sample_title\t"one"\t"two"\t"three"\n'
    '!Sample_characteristics_ch1\t"disease: x"\t"disease: y"\t"disease: x"\n'
    '!Sample_characteristics_ch1\t"age: 50"\t"sex: f"\t"age: 70"\n'
    '!series_matrix_table_begin\n"ID_REF"\t"GSM1"\t"GSM2"\t"GSM3"\n'
    '"1007_s_at"\t1\t2\t3.5\n"1053_at"\t4\t5\t6\n!series_matrix_table_end\n'
)
GENES = "gene,s1,s2,s3\nTP53,1,2,3.5\nBRCA1,4,5,6\n"
PHENOTYPE = "sample;class;batch\ns3;x;b\ns1;x;a\ns2;y;a\ns9;y;b\n"
VALUES = [[1, 4], [2, 5], [3.5, 6]]


def check(table, rows=("s1", "s2", "s3"), columns=("TP53", "BRCA1")):
    assert table.features.index.tolist() == list(rows)
    assert table.features.columns.tolist() == list(columns)
    assert table.features.to_numpy().tolist() == VALUES
    assert table.labels.tolist() == ["x", "y", "x"]


@pytest.fixture
def phenotype(tmp_path):
    path = tmp_path / "pheno.csv"
    path.write_text(PHENOTYPE)
    return {"phenotype": path, "id_column": "sample", "target": "class"}


def test_gct(table_of, phenotype):
    table = table_of(GCT, "t.gct", **phenotype)
    check(table)
    assert "pheno.csv: 1 rows of no sample left out" in table.notes
    check(table_of(GCT_3, "t.gct", target="class"))
    check(table_of(gzip.compress(GCT_3.encode()), "t.gct.gz", target="class"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "is not a GCT file: its first line is not #1.2"),
        ("#1.2\nx\n", "line 2 does not state its size"),
        (GCT.replace("BRCA1\tna\t4\t5\t6\n", ""), "line 2 says 2 genes and 3 samples"),
        (GCT.replace("\t6\n", "\n"), "is cut or damaged"),
    ],
)
def test_bad_gct(table_of, text, said):
    with pytest.raises(TableError, match=said):
        table_of(text, "t.gct")


@pytest.mark.parametrize("name", ["GSE1_series_matrix.txt", "GSE1_series_matrix.txt.gz"])
def test_a_series_matrix(table_of, name):
    content = SERIES.encode()
    table = table_of(gzip.compress(content) if name.endswith(".gz") else content, name)
    assert table.labels is None
    table = table_of(
        gzip.compress(content) if name.endswith(".gz") else content, name, target="disease"
    )
    check(table, ("GSM1", "GSM2", "GSM3"), ("1007_s_at", "1053_at"))
    with pytest.raises(TableError, match="target 'age' lacks 1 of 3 labels"):
        table_of(SERIES, "s.txt", target="age", strict=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SERIES[:200], "is cut: it has no !series_matrix_table_begin"),
        (SERIES[:-10], "is cut: it has no !series_matrix_table_end"),
        (SERIES.replace('"1007_s_at"\t1\t2\t3.5\n"1053_at"\t4\t5\t6\n', ""), "has no data, only"),
        (SERIES.replace("\t6\n", "\n"), "its lines differ in length"),
    ],
)
def test_a_bad_series_matrix(table_of, text, said):
    with pytest.raises(TableError, match=said):
        table_of(text, "s.txt")


def test_the_target_says_which_way_round_a_table_is(table_of):
    text = GENES + "class,x,y,x\n"
    table = table_of(text, target="class")
    check(table)
    said = "rows and columns exchanged, 'class' found in rows; if not: --read transpose=no"
    assert said in table.notes
    with pytest.raises(TableError, match="has no column 'class' for the target"):
        table_of(text, target="class", transpose=False)
    assert "row names: the names of the columns" in table.notes
    check(table_of(text, target="class", transpose=True))
    again = table_of(GENES, columns=["TP53", "BRCA1"])
    assert again.features.to_numpy().tolist() == VALUES
    usual = table_of("class,a\nx,1\ny,2\nclass,3\ny,3\n", target="class")
    assert usual.features.columns.tolist() == ["a"], "a column is looked for first"
    with pytest.raises(
        TableError, match="states the names of its rows; leave out --read transpose=yes"
    ):
        table_of(GCT, "t.gct", transpose=True)


def test_the_ids_of_a_phenotype_say_it_too(table_of, phenotype):
    table = table_of(GENES, **phenotype)
    check(table)
    assert "pheno.csv: joined by 'sample'" in table.notes
    usual = "id,TP53,BRCA1\ns1,1,4\ns2,2,5\ns3,3.5,6\n"
    check(table_of(usual, **phenotype))
    aside = table_of(GENES, **phenotype, aside={"strata": "batch"})
    assert aside.aside["strata"].tolist() == ["a", "a", "b"]


def test_a_target_that_is_nowhere_may_be_in_another_file(table_of, phenotype):
    elsewhere = "If the classes are in another file, name it with --phenotype FILE."
    with pytest.raises(TableError, match=rf"no column 'tissue' .* {elsewhere}$"):
        table_of(GENES, target="tissue")
    with pytest.raises(TableError, match=r"Did you mean 'gene'\?$"):
        table_of(GENES, target="Gene")
    with pytest.raises(TableError, match=r"There are: 'class', 'batch', 'TP53', 'BRCA1'\.$"):
        table_of(GENES, **{**phenotype, "target": "tissue"})


@pytest.mark.parametrize(
    "text", [GENES, "id,TP53,BRCA1\ns1,1,4\ns2,2,5\ns3,3.5,6\n", GCT], ids=["genes", "rows", "gct"]
)
def test_the_column_of_ids_is_guessed_if_it_is_the_only_one(table_of, phenotype, text):
    del phenotype["id_column"]
    table = table_of(text, "t.gct" if text is GCT else "t.csv", **phenotype)
    check(table)
    said = "pheno.csv: joined by 'sample', which holds the names of samples; if not: --id"
    assert said in table.notes


def test_a_column_of_ids_and_nothing_else_is_taken_first(table_of, phenotype):
    """Although another column holds more of them, besides others."""
    text = "patient,relative,TP53\ns1,s2,1\ns2,s3,2\ns1,s9,3\ns2,zz,4\n"
    table = table_of(text, **phenotype)
    assert table.features.index.tolist() == ["s1", "s2", "s1", "s2"]
    assert table.labels.tolist() == ["x", "y", "x", "y"]


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (
            PHENOTYPE.replace("s", "p"),
            {"id_column": None},
            r"say with --id which column holds the ids of the samples\.",
        ),
        (
            "sample;partner;class\ns3;s1;x\ns1;s2;x\ns2;s3;y\n",
            {"id_column": None},
            "say with --id which column holds the ids of the samples; 'sample', 'partner' do",
        ),
        ("sample;class\ns3;x\ns1;x\ns1;y\n", {"id_column": None}, "say with --id which column"),
        (PHENOTYPE, {"id_column": "nr"}, "has no column 'nr'. There are: 'sample', 'class'"),
        (PHENOTYPE + "s1;y;a\n", {}, "has several rows for 's1'; keep one of each"),
        (PHENOTYPE.replace("s2;y;a\n", ""), {}, "no row for 1 of 3 samples of .*: 's2'"),
        (
            PHENOTYPE.replace("s", "p"),
            {"id_column": "pample"},
            "has none of the ids of .* 'p1', 'p",
        ),
        (PHENOTYPE, {"target": "klass"}, "no column 'klass' for the target. Did you mean 'class'"),
    ],
)
def test_a_phenotype_that_does_not_fit(table_of, phenotype, text, options, said):
    phenotype["phenotype"].write_text(text)
    with pytest.raises(TableError, match=said):
        table_of(GENES, **{**phenotype, **options})
