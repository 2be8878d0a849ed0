"""``find --given``: groups of other tools in files as these tools write them, and in columns."""

import anndata
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pages import Page

from bicneuron.persistence import load_model
from bicneuron.tables import read_groups, read_table

pytestmark = pytest.mark.filterwarnings("default::bicneuron.exceptions.GivenGroupsWarning")
N_ROWS, N_GENES = 60, 40
IN_GROUP = np.arange(N_ROWS) % 4 == 1
GENES = [f"G{k:02}" for k in range(N_GENES)]
ROWS = pd.Index([f"S{k:02}" for k in range(N_ROWS)], name="sample")
MEMBERS, MARKERS = ROWS[IN_GROUP], GENES[:8]
# As UnPaSt 0.1.8 writes it.
HEADER = "#seed=42; pval=0.01; min_n_samples=5; b=kmeans; c=Louvain; directions=DOWN-UP; merge=1\n"
COLUMNS = "SNR n_genes n_samples genes samples direction genes_up genes_down gene_indexes"


@pytest.fixture(scope="module")
def cohort():
    random = np.random.default_rng(0)
    X = random.normal(size=(N_ROWS, N_GENES))
    X[np.ix_(IN_GROUP, range(8))] += 3.0
    status = np.where(IN_GROUP | (np.arange(N_ROWS) % 3 == 0), "ill", "well")
    clusters = np.where(IN_GROUP, "2", np.where(np.arange(N_ROWS) % 2, "0", "1"))
    frame = pd.DataFrame(X.round(3), ROWS, GENES)
    return frame.assign(status=status, leiden=np.where(np.arange(N_ROWS) < 58, clusters, None))


@pytest.fixture(scope="module")
def files(cohort, tmp_path_factory):
    """A folder with the table, and with its groups in the format of each tool."""
    folder = tmp_path_factory.mktemp("given")
    cohort.drop(columns="leiden").to_csv(folder / "table.csv")
    cohort.to_csv(folder / "with_clusters.csv")
    obs = cohort[["status", "leiden"]].assign(leiden=cohort["leiden"].astype("category"))
    cells = anndata.AnnData(cohort[GENES].to_numpy(), obs, pd.DataFrame(index=GENES))
    cells.write_h5ad(folder / "cells.h5ad")
    (folder / "sets.gmt").write_text("\t".join(["MARKERS", "of B cells", *MARKERS, "XIST"]) + "\n")
    line = [2.1, 8, 15, " ".join(MARKERS), " ".join(MEMBERS), "UP", " ".join(MARKERS), "", "0 1"]
    biclusters = pd.DataFrame([line, line], columns=COLUMNS.split()).rename_axis("id")
    biclusters.loc[1, "samples"] = " ".join(ROWS[:20])
    (folder / "biclusters.tsv").write_text(HEADER + biclusters.to_csv(sep="\t"))
    shuffled = cohort.sample(frac=1, random_state=0)
    shuffled[["leiden"]].to_csv(folder / "clusters.csv")
    usage = pd.DataFrame({"GEP1": np.where(IN_GROUP, 0.8, 0.1), "GEP2": 0.3}, ROWS)
    usage.to_csv(folder / "usage.tsv", sep="\t")
    usage.gt(0.5).astype(int).to_csv(folder / "flags.csv")
    return folder


@pytest.mark.parametrize(
    ("table", "given", "name"),
    [
        ("cells.h5ad", "leiden", "leiden 2"),
        ("with_clusters.csv", "leiden", "leiden 2"),
        ("table.csv", "clusters.csv", "leiden 2"),
        ("table.csv", "usage.tsv", "GEP1"),
        ("table.csv", "flags.csv", "GEP1"),
        ("table.csv", "biclusters.tsv", "bicluster 0"),
        ("table.csv", "sets.gmt", "MARKERS"),
    ],
)
def test_groups_of_each_tool_are_tested(answer_of, files, tmp_path, table, given, name):
    given = files / given if "." in given else given
    outputs = [word for file in ("p.json", "p.skops") for word in ("-o", tmp_path / file)]
    answer = answer_of(
        "find", files / table, "--given", given, "--target", "status", *outputs, "--jobs", "1"
    )
    assert f"{name}: 15 of " in answer["answer"]
    assert "The groups were given" in answer["answer"]
    findings = load_model(tmp_path / "p.skops")[-1]
    first = findings.patterns[0]
    assert (first.name, first.evidence.is_finding) == (name, True)
    expected = IN_GROUP.copy()
    expected[58:] &= "leiden" not in name  # NaN is no cluster
    assert_array_equal(np.isin(np.arange(N_ROWS), first.rows), expected)
    if name in ("bicluster 0", "MARKERS"):
        assert first.columns.tolist() == [*range(8)]
    used = read_table(files / table, aside={"given": given}).features if table[0] == "c" else None
    assert used is None or "leiden" not in used
    assert ("XIST" in str(answer["warnings"])) == (name == "MARKERS")


def test_page_lists_and_the_file_of_cells(run, files, tmp_path):
    kinds = ("html", "gmt", "rnk", "columns.csv", "h5ad", "csv")
    outputs = [word for kind in kinds for word in ("-o", tmp_path / f"groups.{kind}")]
    told = run("find", files / "cells.h5ad", "--given", "leiden", "--target", "status", *outputs)
    text = Page((tmp_path / "groups.html").read_text()).text
    assert "Pattern 1: leiden 2: 15 of " in text
    assert "The groups were given" in text
    assert "Groups were searched" not in text
    assert (
        (tmp_path / "groups.gmt")
        .read_text()
        .startswith(
            "pattern 1 higher\thigher in 15 carriers of leiden 2 than in the 45 other rows\t"
        )
    )
    columns = pd.read_csv(tmp_path / "groups.columns.csv")
    assert {*MARKERS} <= {*columns["column"]}
    ranked = pd.read_csv(tmp_path / "groups.rnk", sep="\t", header=None)
    assert {*ranked[0][:8]} == {*MARKERS}
    cells = anndata.read_h5ad(tmp_path / "groups.h5ad")
    assert cells.uns["bicneuron"]["name"].tolist()[0] == "leiden 2"
    assert_array_equal(
        np.flatnonzero(cells.obsm["bicneuron"].toarray()[:, 0]), IN_GROUP.nonzero()[0]
    )
    names = pd.read_csv(tmp_path / "groups.csv")["name"]
    assert sorted(names) == ["leiden 0", "leiden 1", "leiden 2"]
    assert "next: bicneuron replicate" not in told.out


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("none.csv", None, "--given {path} does not exist."),
        ("leidn", None, "has no column 'leidn' for given. Did you mean 'leiden'?"),
        ("status", None, "--given and --target both name 'status'; choose another column."),
        ("empty.gmt", "\n", "{path} is empty: it has no gene set."),
        ("a.gmt", "UP\tonly\n", "{path}, line 1: the set 'UP' needs a name, a description and"),
        ("b.gmt", "UP\t\tG01\nUP\t\tG02\n", "{path}, line 2: the set 'UP' is there twice"),
        ("c.gmt", "UP\t\tXIST\tMYC\n", "'UP' (0 rows); --given names 2 columns that X does"),
        ("one.csv", "sample\nS00\nS01\n", "{path} has one column; give names of rows, and"),
        ("two.csv", "sample,k\nS00,a\nS00,b\n", "{path} has several lines for 'S00'; give one"),
        ("mix.csv", "sample,k,m\nS00,a,.5\nS01,b,.2\n", "{path} has labels in 'k' beside other"),
        ("far.csv", "sample,k\nP1,a\nP2,b\nP3,a\n", "--given has 3 rows and X has 60; give one"),
        ("bic.tsv", "id\tsamples\tgenes\n0\tS00 S01\tG00\n", "'bicluster 0' (2 rows); give groups"),
    ],
)
def test_what_cannot_be_read_or_tested_is_refused(refused, files, tmp_path, name, content, reason):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    given = path if "." in name else name
    table = files / ("table.csv" if "." in name else "with_clusters.csv")
    arguments = ("--given", given, "--target", "status", "-o", tmp_path / "p.html")
    assert reason.format(path=path) in refused("find", table, *arguments)


def test_one_column_of_flags_is_a_group_and_of_numbers_are_labels(tmp_path):
    for word, kind in (
        ("1", "DataFrame"),
        ("yes", "DataFrame"),
        ("0.7", "DataFrame"),
        ("3", "Series"),
    ):
        path = tmp_path / "groups.csv"
        path.write_text(f"sample,k\nS00,{word}\nS01,0\nS02,\n".replace("yes\nS01,0", "yes\nS01,no"))
        assert type(read_groups(path)).__name__ == kind, word
