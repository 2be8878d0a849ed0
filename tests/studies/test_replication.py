"""The study of replication: its pairs of tables, its figures, and what it writes."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from studies.__main__ import main
from studies.replication import runs as _runs
from studies.replication import tables as _tables
from studies.replication.methods import balanced_accuracy
from studies.replication.report import describe
from studies.replication.runs import ReplicationRecord, plan
from studies.replication.summary import rate, summarise
from studies.replication.tables import Cohort, make_null, make_panel, make_planted, table_names


@pytest.fixture
def small(monkeypatch):
    """Small tables and few draws."""
    monkeypatch.setattr(_tables, "N_COLUMNS", 80)
    monkeypatch.setattr(_runs, "N_DRAWS", dict.fromkeys(_runs.N_DRAWS, 39))
    monkeypatch.setattr(_runs, "N_PATTERNS", 2)
    monkeypatch.setattr(_runs, "N_CUTS", 1)


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


@pytest.mark.usefixtures("small")
def test_the_command_finds_planted_groups_only(tmp_path, capsys):
    folder = tmp_path / "data" / "cohorts"
    folder.mkdir(parents=True)
    for seed, name in enumerate(_tables.COHORTS):
        made = cohort(seed)
        made.X.to_csv(folder / f"{name}.csv.gz")
        made.clinic.to_csv(folder / f"{name}_clinical.csv.gz")
    out = tmp_path / "out"
    kinds = "base,dropped,other,hazard-3,names,vdx-nki"
    arguments = ["replication", "--datasets", kinds, "--repeats", "1", "--jobs", "1"]
    assert main([*arguments, "--data", str(folder.parent), "--out", str(out)]) == 0
    capsys.readouterr()
    report = (out / "replication.md").read_text()
    assert "| base | 1.00 | 1.00 |" in report
    assert "| vdx to nki | yes |" in report
    assert "| rows of the group dropped | 0.00 |" in report
    assert "| real patterns under wrong names | 1 |" in report
    records = list((out / "records").rglob("*.json"))
    assert len(records) == 6


def test_without_files_the_made_up_tables_are_left(tmp_path):
    with pytest.warns(UserWarning, match=r"has no cohorts/vdx.csv.gz"):
        runs = plan([], 0, tmp_path, 1)
    names = {run.table.name for run in runs}
    assert names == {
        name for section in ("panels", "labels", "power") for name in table_names()[section]
    }


def test_members_of_planted_tables_differ_in_ten_columns():
    pair = make_planted(random_state=0, shift=3.0)
    gaps = pair.second[pair.members].mean() - pair.second[~pair.members].mean()
    assert (gaps.iloc[:10] > 2).all()
    assert gaps.iloc[10:].abs().mean() < 0.5
    assert_allclose(pair.members.mean(), 0.15)
    assert list(pair.first.columns) == list(pair.second.columns)


@pytest.mark.parametrize("distortion", ["rows", "columns", "batch"])
def test_distortions_leave_members_alone(distortion):
    plain, other = (make_planted(random_state=0, distortion=way) for way in (None, distortion))
    assert np.array_equal(plain.members, other.members)
    assert not np.allclose(plain.second, other.second)


def test_a_dropped_group_has_no_members():
    pair = make_planted(random_state=0, drop=True)
    assert pair.members is None
    assert len(pair.second) == 85


@pytest.mark.parametrize("axis", ["normal", "gamma", "other"])
def test_panels_without_the_group(axis):
    pair = make_panel(random_state=0, share=0.6, axis=axis)
    assert pair.members is None
    assert pair.second.shape == (100, 100)
    correlation = np.corrcoef(pair.second.to_numpy().T)
    assert (correlation[:60, :60].mean() > 0.3) == (axis != "other")


@pytest.mark.parametrize("kind", ["names", "permuted", "noise"])
def test_null_pairs_share_columns_and_no_pattern(kind):
    cohorts = {name: cohort(seed) for seed, name in enumerate(_tables.COHORTS)}
    pair = make_null(random_state=0, cohorts=cohorts, kind=kind)
    assert set(pair.first.columns) == set(pair.second.columns)
    assert len(pair.first) == len(pair.second) == 30
    assert set(pair.labels) == {"y2", "time", "event"}
    correlation = np.abs(np.corrcoef(pair.first[[f"gene{k}" for k in range(10)]].T))
    assert correlation[np.triu_indices(10, 1)].mean() < 0.3


def test_rates_have_errors_by_pairs():
    one = rate([[0.01, 0.02], [0.5, 0.5], []])
    assert one.share == 0.5
    assert one.n == 4
    assert_allclose(one.error, np.sqrt(1 + 1) / 4)
    assert not rate([[0.01] * 4 + [0.5] * 16] * 20).is_level
    assert rate([[], []]) is None


def record(**changed):
    values = {
        "protocol": "level",
        "dataset": "noise",
        "model": "replicate",
        "fold": 0,
        "p_values": {test: [] for test in _runs.P_VALUES},
        "found": [False],
        "nulls": ["random columns"],
        "judged": None,
        "judged_outcome": None,
        "accuracy": {},
        "seconds": 1.0,
        "settings": {},
        "versions": {},
    }
    return ReplicationRecord(**{**values, **changed})


def test_rates_above_the_level_are_bold():
    bad = {test: [] for test in _runs.P_VALUES} | {"together": [0.01] * 20}
    text = describe(summarise([record(p_values=bad, fold=k) for k in range(2)]))
    assert "**1.000 +- 0.000**" in text
    assert "A planted group" not in text


def test_balanced_accuracy():
    members = np.array([True, True, False, False])
    assert balanced_accuracy(members, members) == 1
    assert balanced_accuracy(np.array([True, False, False, False]), members) == 0.75
