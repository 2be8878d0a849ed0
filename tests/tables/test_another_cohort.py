"""A table of a second cohort: columns, classes and numbers may be missing in it."""

import numpy as np
import pytest
from table_files import stored

from bicneuron.exceptions import TableError
from bicneuron.tables._encoding import Encoding

TEXT = (
    "id,b,town,a,class,months,died\n"
    "p1,1,Ulm,2,x,1.5,yes\np2,2,Bonn,3,,,no\np3,3,Ulm,4,Y,2,no\np4,4,Kiel,5,y,7,\np5,5,Ulm,6,x,3,yes\n"
)
# The second probe of TP53 has the highest mean.
GCT = (
    "#1.2\n4\t4\nName\tDescription\ts1\ts2\ts3\ts4\n"
    "TP53\tp53\t1\t2\t3\t4\nTP53\tp53\t5\t6\t\t8\nTP53\tp53\t3\t1\t2\t2\nMYC\t\t4\t5\t6\t7\n"
)
ELSEWHERE = {"another_cohort": True, "keep_missing": True}


def test_columns_that_are_not_there_are_left_out_with_a_note(table_of):
    table = table_of(TEXT, columns=["a", "b", "c", "d"], **ELSEWHERE)
    assert table.features.columns.tolist() == ["a", "b"]
    assert table.features.index.tolist() == ["p1", "p2", "p3", "p4", "p5"]
    assert "lacks 2 of the 4 columns that the model was fitted on: 'c', 'd'" in table.notes
    with pytest.raises(TableError, match=r"lacks 2 of the 2 columns .* add or rename them"):
        table_of(TEXT, columns=["c", "d"], **ELSEWHERE)


def test_names_in_another_case_are_matched_if_hardly_any_other_is_equal(table_of):
    genes = [f"GENE{j}" for j in range(6)]
    text = "id,gene0,Gene1,gene2,gene4,other,class\np1,1,2,3,4,5,x\np2,2,3,4,5,6,y\n"
    table = table_of(text, columns=genes, target="class", **ELSEWHERE)
    assert table.features.columns.tolist() == ["GENE0", "GENE1", "GENE2", "GENE4"]
    assert table.features.loc["p2"].tolist() == [2, 3, 4, 5]
    said = "4 columns are matched ignoring case, as 'gene0' is 'GENE0'"
    assert said in table.notes
    lacking = "lacks 2 of the 6 columns that the model was fitted on: 'GENE3', 'GENE5'"
    assert lacking in table.notes
    # A column with a role keeps its name.
    tied = table_of(text, columns=genes, target="class", covariates=["gene0"], **ELSEWHERE)
    assert tied.features.columns.tolist() == ["GENE1", "GENE2", "GENE4"]


def test_names_in_another_case_are_counted_where_they_are_not_matched(table_of):
    text = "id,a,B,c\np1,1,2,3\np2,2,3,4\n"
    equal = table_of(text, columns=["a", "b", "c"], **ELSEWHERE)
    assert equal.features.columns.tolist() == ["a", "c"], "two are equal as they are"
    (lacking,) = (note for note in equal.notes if note.startswith("lacks"))
    assert lacking.endswith("fitted on: 'b'; 1 would match if case is ignored")
    few = [*"ABCDEFGH"]
    said = "matched by name; 1 would match if case is ignored; add or rename them"
    with pytest.raises(TableError, match=said):
        table_of("id,a,x,y\np1,1,2,3\np2,2,3,4\n", columns=few, **ELSEWHERE)
    with pytest.raises(TableError, match=r"by name; add or rename them\.$"):  # which of both?
        table_of("id,Aa\np1,1\np2,2\n", columns=["aa", "AA"], **ELSEWHERE)


def test_a_model_that_names_no_columns_takes_all(table_of):
    table = table_of("id,A,B\np1,1,2\np2,2,3\n", encoder=Encoding(), **ELSEWHERE)
    assert table.features.columns.tolist() == ["A", "B"]


def test_a_table_that_lacks_columns_is_perhaps_another_cohort(table_of):
    with pytest.raises(TableError, match=r"bicneuron replicate MODEL TABLE -o page\.html\.$"):
        table_of(TEXT, columns=["a", "c"])
    with pytest.raises(TableError, match=r"add or rename them\.$"):
        table_of(TEXT, columns=["c", "d"])


def test_classes_and_numbers_may_have_gaps(table_of):
    options = {"columns": ["a"], "target": "class", "covariates": ["months", "died"]}
    table = table_of(TEXT, **options, **ELSEWHERE)
    assert table.labels.tolist() == ["x", None, "Y", "y", "x"]
    np.testing.assert_array_equal(table.covariates["months"], [1.5, np.nan, 2, 7, 3])
    np.testing.assert_array_equal(table.covariates["died"], [1, 0, 0, np.nan, 1])
    assert "cells without a value are kept as missing: 'months' (1), 'died' (1)" in table.notes


def test_a_column_with_a_role_is_no_feature(table_of):
    options = {"target": "class", "covariates": ["b"], "aside": {"strata": "town"}}
    table = table_of(TEXT, columns=["a", "b", "months"], **options, **ELSEWHERE)
    assert table.features.columns.tolist() == ["a", "months"]
    assert table.covariates["b"].tolist() == [1, 2, 3, 4, 5]


def test_classes_are_spelled_as_in_the_fit(table_of):
    fitted = table_of("a,class\n1,Xxx\n2,Yyy\n3,Yyy\n4,xxx\n5,Xxx\n", target="class")
    encoder = stored(fitted)
    text = TEXT.replace(",x,", ",XXX,")
    table = table_of(text, target="class", **{**ELSEWHERE, "encoder": encoder})
    assert table.labels.tolist() == ["Xxx", None, "Y", "y", "Xxx"]


def test_classes_are_merged_and_cut(table_of):
    options = {"columns": ["a"], **ELSEWHERE}
    merged = table_of(TEXT, target="class", merge={"Y": "y"}, **options)
    assert merged.labels.tolist() == ["x", None, "y", "y", "x"]
    fitted = table_of("a,class\n1,Xxx\n2,Yyy\n3,Yyy\n4,xxx\n5,Xxx\n", target="class")
    text = TEXT.replace(",x,", ",XXX,")
    again = {**ELSEWHERE, "encoder": stored(fitted), "merge": {"Y": "Yyy", "y": "Yyy"}}
    assert table_of(text, target="class", **again).labels.tolist() == [
        *("Xxx", None, "Yyy", "Yyy", "Xxx")
    ]
    cut = table_of(TEXT, target="months", cut={"months": [2]}, **options)
    assert cut.labels.tolist() == ["<2", None, ">=2", ">=2", ">=2"]
    with pytest.raises(TableError, match=r"cut 'months' into classes: --read cut=months="):
        table_of(TEXT, target="months", **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"target": "klass"}, "has no column 'klass' for the target. Did you mean 'class'"),
        ({"target": "id"}, "has a different value in each row"),
        ({"target": "months"}, "has a different value in each row"),
        ({"covariates": ["town"]}, "column 'town', row 1 (p1), is 'Ulm', which is not a finite"),
        ({"covariates": ["time"]}, "has no column 'time' for covariates"),
        ({"aside": {"groups": "class"}}, "column 'class' for groups lacks 1 of 5 values"),
    ],
)
def test_what_is_refused(table_of, options, said):
    with pytest.raises(TableError) as error:
        table_of(TEXT, columns=["a"], **options, **ELSEWHERE)
    assert said in str(error.value)


def test_one_class_beside_gaps_is_refused(table_of):
    text = TEXT.replace("Y", "x").replace(",y,", ",x,")
    with pytest.raises(TableError, match="target 'class' has one class, 'x'"):
        table_of(text, columns=["a"], target="class", **ELSEWHERE)
    with pytest.raises(TableError, match="target 'class' has no labels"):
        table_of(text.replace(",x,", ",,"), columns=["a"], target="class", **ELSEWHERE)


def test_another_platform_has_its_own_probes(table_of):
    encoder = stored(table_of(GCT, "t.gct", keep_missing=True))
    other = GCT.replace("\t3\t1\t2\t2", "\t30\t10\t20\t20").replace("\n4\t4\n", "\n3\t4\n")
    other = other.replace("TP53\tp53\t1\t2\t3\t4\n", "")
    options = {**ELSEWHERE, "encoder": encoder}
    assert table_of(other, "t.gct", **options).features["TP53"].tolist() == [30, 10, 20, 20]
    mean = stored(table_of(GCT, "t.gct", keep_missing=True, probes="mean"))
    options["encoder"] = mean
    assert table_of(other, "t.gct", **options).features["TP53"].tolist() == [17.5, 8, 20, 14]


def test_logarithms_are_those_of_the_fit_unless_said_otherwise(table_of):
    fitted = table_of("a,class\n1,x\n3,y\n7,y\n0,x\n15,x\n", target="class", log=True)
    options = {**ELSEWHERE, "encoder": stored(fitted)}
    text = "a\n1\n3\n7\n"
    assert table_of(text, **options).features["a"].tolist() == [1, 2, 3]
    assert table_of(text, log=False, **options).features["a"].tolist() == [1, 3, 7]
    options = {**ELSEWHERE, "columns": ["a"]}
    assert table_of(text, **options).features["a"].tolist() == [1, 3, 7]
    assert table_of(text, log=True, **options).features["a"].tolist() == [1, 2, 3]
