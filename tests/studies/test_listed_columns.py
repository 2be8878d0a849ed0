"""The study of listed columns: its tables, one run, and its figures."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bicneuron.datasets import PlantedGroup
from reproduction._records import write_record
from studies import columns
from studies._study import write_study
from studies.columns import make_table, plan, run_table, summarise, tied_columns

SIZE = {"n_cases": 30, "n_controls": 30, "n_columns": 60, "n_signature": 5, "share": 0.5}


@pytest.fixture(scope="module")
def record():
    """One table, in which the group is clear."""
    (run,) = plan(["normal-2-0.5"], 0, None, 1)
    clear = replace(
        run.table,
        make=lambda **given: make_table(kind="normal", colon=None, **given, shift=3.0, **SIZE),
    )
    clear.settings["shift"] = 3.0
    return run_table(replace(run, table=clear))


def test_a_run_counts_planted_and_false_columns_and_is_read_again(record, tmp_path):
    assert record.n_findings == 1
    assert record.planted == record.naive_planted == record.intervals == 5
    assert record.listed >= 5
    assert record.false <= record.listed - record.planted
    assert 0 < record.covered <= 5
    assert record.flaw() is None
    assert replace(record, false=9).flaw() == "holds more columns than are listed"
    (run,) = plan(["normal-2-0.5"], 0, None, 1)
    run.table.settings["shift"] = 3.0
    write_record(tmp_path, record)
    assert run.read(tmp_path) == record


def test_a_column_is_tied_by_what_the_group_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    X[:, 1] += X[:, 0]
    group = PlantedGroup(np.arange(50), np.array([0]))
    X[:50] += [5.0, 0.0, 5.0, 0.0]
    assert tied_columns(X, group).tolist() == [True, True, False, False]


def test_shares_are_means_over_tables(record, tmp_path):
    tables = [
        replace(record, dataset="normal-2-0.3", listed=10, planted=8, false=1),
        replace(record, dataset="normal-2-0.5", listed=0, planted=0, false=0, n_findings=0),
    ]
    row, whole = summarise(tables)
    assert (row.tables, row.n_tables, row.findings) == ("normal, shift 2", 2, 0.5)
    assert_allclose([row.false, row.false_error], [0.05, 0.05])
    assert_allclose([row.others, row.power], [0.1, 0.4])
    assert row.is_level
    assert whole.tables == "all made tables"
    (bad, _) = summarise([replace(record, listed=6, planted=5, false=1)] * 3)
    assert not bad.is_level
    text = write_study(columns.STUDY, tables, tmp_path)[0].read_text()
    assert "| normal, shift 2 | 2 | 0.50 | 0.050 ± 0.050 | 0.100 | 0.40 ± 0.40 |" in text
