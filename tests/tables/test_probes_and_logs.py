"""Several probes of a gene, names of genes, and raw intensities."""

import numpy as np
import pandas as pd
import pytest
from table_files import stored

from bicneuron.exceptions import TableError

# The second probe of TP53 has the highest mean.
GCT = (
    "#1.2\n4\t4\nName\tDescription\ts1\ts2\ts3\ts4\n"
    "TP53\tp53\t1\t2\t3\t4\nTP53\tp53\t5\t6\t\t8\nTP53\tp53\t3\t1\t2\t2\nMYC\t\t4\t5\t6\t7\n"
)
TALL = (
    "probe,symbol,about,s1,s2,s3\nA_1,TP53,tumour protein,1,2,3\nA_2,MYC,proto-oncogene,4,5,6\n"
    "A_3,TP53,tumour protein,7,8,9\nclass,,,x,y,x\n"
)


def test_the_probe_with_the_highest_mean_is_taken(table_of):
    table = table_of(GCT, "t.gct", keep_missing=True)
    assert table.features.columns.tolist() == ["TP53", "MYC"]
    np.testing.assert_array_equal(table.features["TP53"], [5, 6, np.nan, 8])
    assert "'TP53': of several probes the one with the highest mean taken" in table.notes
    # In a new table it is the same probe, whatever its mean there.
    encoder = stored(table)
    other = GCT.replace("\t3\t1\t2\t2", "\t30\t10\t20\t20")
    again = table_of(other, "t.gct", encoder=encoder, keep_missing=True)
    np.testing.assert_array_equal(again.features["TP53"], [5, 6, np.nan, 8])
    fewer = other.replace("TP53\tp53\t1\t2\t3\t4\n", "").replace("\n4\t4\n", "\n3\t4\n")
    with pytest.raises(TableError, match="has 2 probes of 'TP53', and the table of the fit had 3"):
        table_of(fewer, "t.gct", encoder=encoder)


def test_the_mean_of_all_probes(table_of):
    table = table_of(GCT, "t.gct", probes="mean")
    assert table.features["TP53"].tolist() == [3, 3, 2.5, 14 / 3]
    encoder = stored(table)
    again = table_of(GCT, "t.gct", encoder=encoder)
    assert again.features["TP53"].tolist() == [3, 3, 2.5, 14 / 3]


def test_what_is_said_about_probes(table_of):
    with pytest.raises(
        TableError, match="without --read strict=yes: 'TP53': of several probes the one"
    ):
        table_of(GCT, "t.gct", strict=True, keep_missing=True)
    with pytest.raises(ValueError, match="probes='median' must be one of highest, mean"):
        table_of(GCT, "t.gct", probes="median")
    with pytest.raises(TableError, match="several columns called 'a'"):
        table_of("a,a\n1,2\n1,3\n3,4\n", probes="mean")  # nothing says that these are genes


def test_another_column_names_the_genes(table_of):
    table = table_of(TALL, target="class")
    assert table.features.columns.tolist() == ["A_1", "A_2", "A_3"]
    assert any(
        "'symbol', 'about' left out, about genes; --read genes" in note for note in table.notes
    )
    named = table_of(TALL, target="class", genes="symbol")
    assert named.features.columns.tolist() == ["TP53", "MYC"]
    assert named.features["TP53"].tolist() == [7, 8, 9]
    # A new table may have the symbols alone.
    alone = "symbol,s8,s9\nMYC,1,2\nTP53,3,4\n"
    again = table_of(alone, genes="symbol", columns=["TP53", "MYC"])
    assert again.features.to_numpy().tolist() == [[3, 1], [4, 2]]
    gct = table_of(GCT, "t.gct", genes="Description", keep_missing=True)
    assert gct.features.columns.tolist() == ["p53", "MYC"], "one without a name keeps its own"
    with pytest.raises(
        TableError, match=r"no column 'gene' that names the genes.*'symbol', 'about'"
    ):
        table_of(TALL, target="class", genes="gene")


@pytest.fixture
def intensities():
    values = np.random.default_rng(0).lognormal(5, 1.5, (12, 120)).round(1)
    frame = pd.DataFrame(values, columns=[f"g{j}" for j in range(120)])
    return frame.assign(batch=["a", "b"] * 6, ill=["x", "y", "y"] * 4)


def test_raw_intensities_are_hinted_at(table_of, intensities):
    def hints(frame):
        table = table_of(frame.to_csv(index=False), target="ill")
        return [note for note in table.notes if "--read log=yes takes log2(x + 1) of all" in note]

    assert len(hints(intensities)) == 1
    genes = [f"g{j}" for j in range(120)]
    assert not hints(intensities.assign(**np.log2(intensities[genes] + 1)))
    assert not hints(intensities.assign(g3=-1.0 * np.arange(12)))
    assert not hints(intensities.drop(columns=genes[:30]))
    small = {gene: intensities[gene] / 1e4 for gene in genes[:100]}
    assert not hints(intensities.assign(**small)), "different measurements"


def test_logarithms_are_a_step(table_of, intensities):
    table = table_of(intensities.to_csv(index=False), target="ill", log=True)
    genes = [f"g{j}" for j in range(120)]
    np.testing.assert_array_equal(table.features[genes], np.log2(intensities[genes] + 1))
    assert table.features["batch = b"].tolist() == [0, 1] * 6, "numbers only"
    encoder = stored(table)
    again = table_of(intensities[::-1].to_csv(index=False), encoder=encoder)
    np.testing.assert_array_equal(again.features, table.features[::-1])
    bad = intensities.assign(g3=-0.5 * np.arange(12))
    for options in ({"log": True}, {"encoder": encoder}):
        with pytest.raises(
            TableError, match=r"'g3', row 2, is -0.5, and --read log=yes takes values of 0"
        ):
            table_of(bad.to_csv(index=False), **options)
