"""The study of the significance test: its tables, its figures, and what it writes."""

import csv
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import fisher_exact

from bicneuron.datasets import PlantedGroup, PlantedTable
from bicneuron.significance import Significance
from studies.__main__ import main
from studies._drawn_tables import TableKind
from studies.calibration import runs as _runs
from studies.calibration import tables as _tables
from studies.calibration.report import fewest_carriers
from studies.calibration.runs import CalibrationRun, plan, run_test
from studies.calibration.summary import null_figures, rejected
from studies.calibration.tables import calibration_tables, is_null, table_names

NULL = {"n_cases": 50, "n_controls": 50, "n_columns": 1000}


@pytest.fixture
def small(monkeypatch):
    """Small tables, few orders of the labels."""
    size = {"n_cases": 30, "n_controls": 30, "n_columns": 55}
    for name in ("POWER_SIZE", "COLON_POWER_SIZE"):
        monkeypatch.setattr(_tables, name, size)
    monkeypatch.setattr(_tables, "NULL_ROWS", 30)
    monkeypatch.setattr(_tables, "NULL_COLUMNS", 40)
    monkeypatch.setattr(_runs, "N_PERMUTATIONS", 199)


# --- from the command line to the files


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_command_finds_planted_groups_only(tmp_path):
    out = tmp_path / "out"
    arguments = ["calibration", "--datasets", "null-normal,shift-3-normal,find-wide-1"]
    arguments += ["--repeats", "1", "--jobs", "1", "--data", str(tmp_path), "--out", str(out)]
    assert main(arguments) == 0
    null, planted, wide = csv.DictReader((out / "calibration.csv").read_text().splitlines())
    assert (null["table"], null["n_tables"], null["n_rows"]) == ("null-normal", "1", "30")
    assert (null["rejected_05"], null["calibrated"], null["found"]) == ("0.0", "True", "")
    assert (planted["found"], planted["seen"], planted["bound_05"]) == ("1.0", "1.0", "")
    assert (wide["section"], wide["separate"], wide["tells_classes"]) == ("finding", "0.0", "1.0")
    text = (out / "calibration.md").read_text()
    for line in (
        "| independent normal columns | 30 x 40 | 1 | 0.000 | 0.000 | 0.704 | 0.000 |",
        "| shift 3 | 1.00 | 1.00 | 1.00 |",
        "| classes differ by 1 in 10 % of the columns | 1 | ",
    ):
        assert line in text
    assert "rows of colon" not in text


def test_names_and_sections_choose_tables_of_those_that_have_their_files(tmp_path):
    runs = plan(["null-normal", "base-normal"], 0, tmp_path, 3)
    assert [(run.table.name, run.index) for run in runs] == [
        (name, index) for name in ("null-normal", "base-normal") for index in range(3)
    ]
    message = r"has no colon\.csv\.gz, singh\.csv\.gz, subtypes/tomlins\.csv\.gz"
    with pytest.warns(UserWarning, match=message):
        runs = plan([], 0, tmp_path, None)
    numbers = {run.table.name: run.table.n_tables for run in runs}
    assert numbers["null-normal"] == numbers["find-group"] == 200
    assert numbers["base-normal"] == 20
    assert len(numbers) == 1 + 13 + 23, "three curves of five tables have one in common"
    for name, file in (("null-columns", "colon.csv.gz"), ("share-0.2-rows", "colon.csv.gz")):
        assert calibration_tables([name], tmp_path) == ([], [file])


# --- tables


def test_every_name_is_a_table_where_all_files_are(monkeypatch, rng, tmp_path):
    sets = {"colon": (62, 2000), "singh": (102, 339), "tomlins": (103, 2001)}
    monkeypatch.setattr(
        _tables, "load_expression", lambda name, data_home: rng.normal(size=sets[name])
    )
    names = [name for own in table_names().values() for name in own]
    tables, missing = calibration_tables(names, tmp_path)
    assert missing == []
    assert sorted(table.name for table in tables) == sorted(names)
    sizes = {}
    for table in tables:
        assert table.name in table_names()[table.section]
        made = table.make(random_state=0)
        assert made.X.size == table.size
        if table.section == "finding":
            has_group = "group" in table.settings or "wide" in table.settings
            assert bool(made.groups) == has_group
            continue
        has_group = table.section == "power" or table.settings.get("shift") is not None
        assert len(made.groups) == has_group
        assert not (is_null(table.name) and has_group)
        sizes[table.name] = made.X.shape
        keeps_rows = table.name.endswith(("-rows", *(f"-{name}" for name in sets)))
        assert table.settings.get("keep_rows", False) == keeps_rows
        cases = int(np.sum(made.y == "case"))
        assert cases == len(made.X) // 2
        if made.groups:
            rows, columns = made.groups[0]
            assert round(table.settings["share"] * cases) == len(rows)
            assert table.settings.get("n_signature", 10) == len(columns)
    nulls = [sizes[f"null-{kind}"] for kind in ("normal", "columns", "colon", "singh", "tomlins")]
    assert nulls == [(100, 1000), (100, 1000), (62, 1000), (102, 169), (103, 1000)]
    assert (sizes["base-rows"], sizes["share-0.1-normal"]) == ((62, 2000), (100, 2000))


def test_rows_of_real_tables_stay_together_and_columns_do_not(monkeypatch, rng, tmp_path):
    # Two columns of each pair are equal.
    X = np.repeat(rng.normal(size=(30, 6)), 2, axis=1)
    monkeypatch.setattr(_tables, "load_expression", lambda name, data_home: X)
    monkeypatch.setattr(_tables, "NULL_ROWS", 30)
    monkeypatch.setattr(_tables, "NULL_COLUMNS", 12)
    monkeypatch.setattr(_tables, "LARGEST_PART", 1.0)
    tables = {table.name: table for table in calibration_tables(table_names()["null"], tmp_path)[0]}

    def pairs(name):
        correlations = np.corrcoef(tables[name].make(random_state=0).X.T)
        return (np.sum(np.abs(correlations) > 0.99) - 12) / 2

    assert pairs("null-colon") == 6
    assert pairs("null-columns") == pairs("null-normal") == 0
    one, two = (tables["null-colon"].make(random_state=seed) for seed in (0, 1))
    assert not np.array_equal(one.y, two.y)


@pytest.mark.parametrize(("n", "n_patterns"), [(31, 1), (31, 20), (10, 2)])
def test_the_fewest_carriers_are_those_of_fisher(n, n_patterns):
    fewest = fewest_carriers(n, n_patterns)
    for k, is_enough in ((fewest - 1, False), (fewest, True)):
        p = fisher_exact([[k, n - k], [0, n]]).pvalue
        assert (n_patterns * p <= 0.05) == is_enough


# --- one table


class Pattern(NamedTuple):
    rows: list
    columns: list


def run_on(groups, patterns, p_values, monkeypatch, index=0, seed=0, section="power"):
    """The record of a table with these groups, whose test has this result; and its arguments."""
    given = {}
    p = np.array(p_values, dtype=float)

    def test(model, X, y, **options):
        given.update(options, y=y)
        return Significance(patterns, [], p, p, -p, -p, 999, 0.001)

    def make(random_state):
        given["table"] = random_state
        return PlantedTable(np.zeros((8, 3)), np.repeat(["case", "control"], 4), groups)

    monkeypatch.setattr(_runs, "significance_test", test)
    kind = TableKind(section, "base-normal", make, 1, 24, dict(NULL))
    return run_test(CalibrationRun(kind, index, seed)), given


def test_the_best_of_the_significant_patterns_counts(monkeypatch):
    group = PlantedGroup(np.arange(4), np.arange(2))
    patterns = [Pattern([0, 1, 2, 3], [0]), Pattern([0, 1, 6], [2]), Pattern([5], [0])]
    record, _ = run_on((group,), patterns, [0.051, 0.05, 0.001], monkeypatch)
    assert (record.n_patterns, record.smallest_p) == (3, 0.001)
    assert (record.jaccard, record.significant_jaccard) == (1, 2 / 5)
    record, _ = run_on((), patterns, [0.9, 0.2, 0.3], monkeypatch)
    assert (record.smallest_p, record.jaccard, record.significant_jaccard) == (0.2, None, None)
    record, _ = run_on((group,), [], [], monkeypatch)
    assert (record.smallest_p, record.jaccard, record.significant_jaccard) == (1, 0, 0)


def test_each_table_has_seeds_of_its_own(monkeypatch):
    seeds = []
    for index, seed in ((0, 0), (1, 0), (0, 1)):
        _, given = run_on((), [], [], monkeypatch, index, seed)
        assert given["n_permutations"] == 999
        seeds += [given["table"], given["random_state"]]
    assert len(set(seeds)) == 6


# --- figures


def test_figures_of_known_p_values():
    p_values = [0.01, 0.05, 0.051, 1.0]
    assert [rejected(p_values, level) for level in (0.01, 0.05, 0.1)] == [0.25, 0.5, 0.75]
    # Three standard errors of a rate of 0.05 among 100: 3 * sqrt(0.0475 / 100).
    figures = null_figures(np.arange(1, 101) / 100)
    assert_allclose(figures["bound_05"], 0.05 + 0.065383, atol=1e-6)
    # The distribution function of 1/n, ..., n/n is never above that of uniform values; nor is that
    # of p values that are too large.
    assert (figures["ks_p"], figures["calibrated"]) == (1, True)
    figures = null_figures([1.0] * 200)
    assert (figures["ks_p"], figures["calibrated"]) == (1, True)
    # Two values of 0.3: the distance is 1 - 0.3, reached if two uniform values are below 0.3.
    assert_allclose(null_figures([0.3, 0.3])["ks_p"], 0.3**2)


@pytest.mark.parametrize(
    ("p_values", "is_rate", "is_ks"),
    [
        # Three tables too many at 0.05, otherwise uniform.
        (np.r_[np.full(12, 0.05), np.linspace(0.13, 1, 88)], True, False),
        # None at 0.05, most below 0.3.
        (np.r_[np.full(50, 0.06), np.linspace(0.07, 1, 50)], False, True),
        # The least p of 20 independent patterns, without a correction.
        (1 - (1 - np.linspace(0.005, 0.995, 100)) ** (1 / 20), True, True),
    ],
)
def test_p_values_that_are_too_small_are_flagged(p_values, is_rate, is_ks):
    figures = null_figures(p_values)
    assert (rejected(p_values, 0.05) > figures["bound_05"]) == is_rate
    assert (figures["ks_p"] < 0.01) == is_ks
    assert figures["calibrated"] is False
