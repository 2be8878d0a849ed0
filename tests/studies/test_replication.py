"""The study of replication: its pairs of tables, its figures, and what it writes."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from studies.__main__ import main
from studies.replication import runs as _runs
from studies.replication import summary as _summary
from studies.replication import tables as _tables
from studies.replication.summary import rate
from studies.replication.tables import (
    Cohort,
    make_null,
    make_panel,
    make_planted,
    make_separate,
)


@pytest.fixture
def small(monkeypatch):
    """Small tables and few draws."""
    for module, name, value in (
        (_tables, "N_COLUMNS", 80),
        (_tables, "N_REAL", 1),
        (_runs, "N_DRAWS", {}),
        (_runs, "FEW_DRAWS", 39),
        (_runs, "N_PATTERNS", {"list": 5}),
        (_runs, "MANY_PATTERNS", 2),
        (_runs, "N_CUTS", 1),
        (_summary, "N_REAL", 1),
    ):
        monkeypatch.setattr(module, name, value)


def cohort(seed, n=60, p=70):
    """Tumours without the receptor differ in ten columns."""
    rng = np.random.default_rng(seed)
    er = (np.arange(n) % 3 > 0).astype(float)
    X = rng.normal(size=(n, p))
    X[:, :10] += 2.5 * (er == 0)[:, None]
    X = pd.DataFrame(X, columns=[f"gene{k}" for k in range(p)])
    clinic = pd.DataFrame({"er": er, "t.dmfs": rng.exponential(size=n), "e.dmfs": np.arange(n) % 2})
    clinic.loc[0, "er"] = np.nan
    return Cohort(X, clinic)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_command_finds_planted_groups_only(tmp_path, capsys):
    folder = tmp_path / "data" / "cohorts"
    folder.mkdir(parents=True)
    for seed, name in enumerate(_tables.COHORTS):
        made = cohort(seed)
        made.X.to_csv(folder / f"{name}.csv.gz")
        made.clinic.to_csv(folder / f"{name}_clinical.csv.gz")
    out = tmp_path / "out"
    kinds = "base,dropped,names,vdx-nki,group-17,normal-1.5,twenty"
    arguments = ["replication", "--datasets", kinds, "--repeats", "1", "--jobs", "1"]
    assert main([*arguments, "--data", str(folder.parent), "--out", str(out)]) == 0
    capsys.readouterr()
    report = (out / "replication.md").read_text()
    for line in (
        "| base | 1.00 | 1.00 |",
        "| vdx to nki | yes |",
        "| rows of the group dropped | 0.00 |",
        "| real patterns under wrong names | 1 |",
        "| group of 17 of 80 | 1 | 1.000 +- 0.000 | 1.00 |",
        "| normal gradient, 1.5 | 1 | 0.000 +- 0.000 | 1.00 |",
        "In 1 pairs, any other pattern is found again in 0.000, and all three are in 1",
    ):
        assert line in report
    records = list((out / "records").rglob("*.json"))
    assert len(records) == 7


@pytest.mark.parametrize(
    ("make", "own", "least"),
    [(partial(make_planted, shift=3.0), 10, 2), (partial(make_panel, share=0.6), 60, 1)],
    ids=["planted", "panel"],
)
def test_members_differ_in_the_planted_columns(make, own, least):
    pair = make(random_state=0)
    gaps = pair.second[pair.members].mean() - pair.second[~pair.members].mean()
    assert (gaps.iloc[:own] > least).all()
    assert gaps.iloc[own:].abs().mean() < 0.5
    assert list(pair.first.columns) == list(pair.second.columns)


def correlations(X):
    return np.corrcoef(X.to_numpy().T)


@pytest.mark.parametrize("name", list(_tables.SEPARATE))
def test_gradients_and_groups_of_twelve_columns(name):
    pair = make_separate(random_state=0, **_tables.SEPARATE[name])
    own = 20 * np.arange(12) if name == "group-apart" else np.arange(12)
    assert pair.first.shape == pair.second.shape == (80, 300)
    n_members = {"group-8": 8}.get(name, 17 if name.startswith("group") else 0)
    assert (0 if pair.members is None else pair.members.sum()) == n_members
    assert pair.first_members.sum() == 17
    among = correlations(pair.second.iloc[:, own])[np.triu_indices(12, 1)].mean()
    assert among > 0.15
    outside = np.setdiff1d(np.arange(300), own)[::23]
    assert abs(correlations(pair.second.iloc[:, outside])[np.triu_indices(13, 1)].mean()) < 0.15
    assert ("strata" in pair.labels) == (name == "batch")


@pytest.mark.parametrize("kind", ["names", "permuted", "noise"])
def test_null_pairs_share_columns_and_no_pattern(kind):
    cohorts = {name: cohort(seed) for seed, name in enumerate(_tables.COHORTS)}
    pair = make_null(random_state=0, cohorts=cohorts, kind=kind)
    assert set(pair.first.columns) == set(pair.second.columns)
    assert len(pair.first) == len(pair.second) == 30
    assert set(pair.labels) == {"y2", "outcome"}
    correlation = np.abs(np.corrcoef(pair.first[[f"gene{k}" for k in range(10)]].T))
    assert correlation[np.triu_indices(10, 1)].mean() < 0.3


def test_rates_have_errors_by_pairs():
    one = rate([[0.01, 0.02], [0.5, 0.5], []])
    assert one.share == 0.5
    assert one.n == 4
    assert_allclose(one.error, np.sqrt(1 + 1) / 4)
    assert not rate([[0.01] * 4 + [0.5] * 16] * 20).is_level
    assert rate([[], []]) is None
