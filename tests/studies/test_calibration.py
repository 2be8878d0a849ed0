"""The study of the significance test: its tables, its figures, and what it writes."""

import csv
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import fisher_exact

from bicneuron.datasets import PlantedGroup, PlantedTable
from bicneuron.significance import Significance
from studies.__main__ import main
from studies._drawn_tables import TableKind
from studies.calibration import runs as _runs
from studies.calibration import tables as _tables
from studies.calibration.outcomes import draw_outcome, make_outcome_table
from studies.calibration.report import describe, fewest_carriers
from studies.calibration.runs import CalibrationRun, plan, run_test
from studies.calibration.summary import null_figures, rejected, summarise
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
    assert (numbers["outcome-group"], numbers["outcome-failing"]) == (200, 20)
    assert len(numbers) == 1 + 13 + 23 + 8, "three curves of five tables have one in common"
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
        if table.section == "outcome":
            (group,) = made.groups
            assert [len(group.rows), len(group.columns)] == table.settings["group"]
            continue
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
        return Significance(patterns, [], p, p, -p, -p, 999, 0.001, [])

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


# --- numbers and survival

INSIDE = np.arange(4000) < 1000


def drawn(name, seed=0, **settings):
    return draw_outcome(name, INSIDE, settings, np.random.RandomState(seed))


def test_shares_of_rows_are_censored_as_the_names_say():
    for name, share in (("20 % censored", 0.2), ("70 % censored", 0.7)):
        assert_allclose(np.mean(~drawn(name).event), share, atol=0.03)
    carriers = np.arange(4000) % 5 == 0
    hazard = draw_outcome("hazard", carriers, {"ratio": 3.0}, np.random.RandomState(0))
    assert_allclose(np.mean(~hazard.event), 0.3, atol=0.03)
    # Events for each unit of time; the follow-up has no part in them.
    rates = [hazard.event[own].sum() / hazard.time[own].sum() for own in (carriers, ~carriers)]
    assert_allclose(rates, [3, 1], rtol=0.1)
    unequal = drawn("unequal")
    rates = [unequal.event[own].sum() / unequal.time[own].sum() for own in (INSIDE, ~INSIDE)]
    assert_allclose(rates, [1, 1], rtol=0.1)
    assert np.mean(~unequal.event[INSIDE]) > 1.5 * np.mean(~unequal.event[~INSIDE])


def test_numbers_have_their_effects():
    values = drawn("normal", effect=1.0).values
    assert_allclose(values - drawn("normal").values, INSIDE, atol=1e-12)
    assert_array_equal(drawn("median", effect=1.0) == "high", values > np.median(values))
    assert len(np.unique(drawn("tied").values)) < 12
    later = drawn("normal", known="strata").values - drawn("normal").values
    assert_allclose(later, 1.5 * (np.arange(4000) % 5 < 2), atol=1e-12)
    of_patients = drawn("normal", known="groups").values.reshape(-1, 2)
    assert_allclose(np.corrcoef(of_patients.T)[0, 1], 0.5, atol=0.05)
    of_patients = drawn("20 % censored", known="groups")
    assert_array_equal(of_patients.time[::2], of_patients.time[1::2])


def outcome_record(monkeypatch, **settings):
    """The record of one small table."""
    monkeypatch.setattr(_runs, "N_PERMUTATIONS", 99)
    settings = {"n_rows": 60, "n_columns": 40, "group": [16, 8], "shift": 3.0, **settings}
    make = partial(make_outcome_table, settings)
    kind = TableKind("outcome", "outcome-group", make, 1, 2400, settings)
    return run_test(CalibrationRun(kind, 0, 0))


def test_a_group_is_tied_to_the_outcomes_that_know_of_it(monkeypatch):
    told = {"outcomes": ["normal", "median", "hazard"], "effect": 3.0, "ratio": 20.0}
    for p, jaccard in outcome_record(monkeypatch, **told).of_outcomes.values():
        assert (p, jaccard) == (0.01, 1.0)
    blocks = {"n_columns": 100, "structure": "blocks"}
    for known in ({}, {"known": "strata", **blocks}, {"known": "groups"}):
        names = ["tied", "20 % censored"]
        record = outcome_record(monkeypatch, outcomes=names, **known)
        assert [*record.of_outcomes] == names
        assert min(p for p, _ in record.of_outcomes.values()) > 0.01


def test_a_forest_fails_in_the_rows_with_flipped_labels(monkeypatch):
    record = outcome_record(monkeypatch, n_rows=200, group=[20, 8], outcomes=["loss"])
    p, jaccard = record.of_outcomes["loss"]
    assert p <= 0.05
    assert jaccard > 0.8


def test_the_report_says_what_is_not_as_it_should_be(monkeypatch):
    record = outcome_record(monkeypatch, outcomes=["normal"])
    tested = {"normal": (0.01, 1.0), "median": (0.01, 1.0), "hazard": (0.2, 0.0)}
    null = {"tied": (0.01, 0.0), "unequal": (1.0, 0.0)}
    named = (("outcome-group", tested), ("outcome-null-alone", null))
    records = [
        replace(record, dataset=name, of_outcomes=told) for name, told in named for _ in "12"
    ]
    lines = [line for line in describe(summarise(records)).splitlines() if "60 x 40" in line]
    words = [[cell.strip() for cell in line.split("|")[2:-1]] for line in lines]
    assert [(own[0], *own[3:]) for own in words] == [
        ("numbers with many ties", "1.000", "", "0.512", "**no**"),
        ("survival, carriers followed up a third as long", "0.000", "", "0.512", "yes"),
        ("normal numbers", "1.000", "0.70", "", "yes"),
        ("the same numbers, cut at the median", "1.000", "", "1.000", "**no**"),
        ("survival, hazard ratio 3, 30 % censored", "0.000", "0.65", "", "**no**"),
    ]


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
