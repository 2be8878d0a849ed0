"""The study of hidden groups: its tables, its measures, and what it writes."""

import csv
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron.datasets import PlantedGroup, PlantedTable
from reproduction._records import write_record
from reproduction.datasets._files import LabelledValues, write_table
from reproduction.exceptions import DatasetCorruptError, ExperimentError
from studies import _real_tables
from studies.__main__ import main
from studies._real_tables import SUBTYPE_SETS, load_subtypes
from studies._study import run_study
from studies.discovery import STUDY
from studies.discovery import own_tables as _own_tables
from studies.discovery import tables as _tables
from studies.discovery.hidden_table import HiddenTable
from studies.discovery.methods import METHODS, Method
from studies.discovery.report import describe
from studies.discovery.runs import DiscoveryRecord, DiscoveryRun, measure, plan, run_method
from studies.discovery.summary import summarise
from studies.discovery.tables import hidden_tables, table_names

N_GROUPS = {
    **dict.fromkeys((f"two-shifts-{b}" for b in ("normal", "columns", "rows")), 2),
    "block-overlapping": 2,
    "block-none": 0,
    "block-fabia": 10,
    "batch": 2,
    "sexes": 2,
}


@pytest.fixture
def small(monkeypatch):
    """Tables of a tenth of the size."""
    size = {"n_cases": 24, "n_controls": 24, "n_columns": 60}
    for name in ("SIZE", "LARGE_SIZE", "COLON_SIZE"):
        monkeypatch.setattr(_tables, name, size)
    monkeypatch.setattr(_tables, "UNPAST_SIZE", {"n_rows": 40, "n_columns": 260})
    block = {"n_rows": 60, "n_columns": 30, "block_rows": 30, "block_columns": 8}
    monkeypatch.setattr(_tables, "BLOCK_SIZE", block)
    monkeypatch.setattr(_tables, "FABIA_SIZE", {"n_rows": 40, "n_columns": 60})
    monkeypatch.setattr(_own_tables, "SIZE", {**_own_tables.SIZE, "n_columns": 80})
    make, batch = _own_tables.STRUCTURES["batch"]
    batch = {**batch, "n_batch_columns": 20}
    monkeypatch.setitem(_own_tables.STRUCTURES, "batch", (make, batch))


@pytest.fixture
def folder(tmp_path):
    """A data folder with one set of subtypes: in six columns each, BL and RMS are higher."""
    labels = np.repeat(["EWS", "BL", "RMS", "NB"], [14, 10, 12, 14])
    X = np.random.default_rng(0).normal(size=(50, 60))
    X[labels == "BL", :6] += 4
    X[labels == "RMS", 6:12] += 4
    names = [f"g{column}" for column in range(60)]
    write_table(LabelledValues(names, X, labels), tmp_path / "data" / "subtypes" / "khan.csv.gz")
    return tmp_path / "data"


def read_rows(out):
    return list(csv.DictReader((out / "discovery.csv").read_text().splitlines()))


# --- from the command line to the files


@pytest.mark.usefixtures("small")
def test_the_command_writes_a_table_of_each_section(folder, tmp_path, capsys):
    names = "shift-3-normal,none-normal,block-additive,khan"
    out = tmp_path / "out"
    arguments = ["discovery", "--datasets", names, "--repeats", "1", "--jobs", "1"]
    arguments += ["--data", str(folder), "--out", str(out)]
    assert main(arguments) == 0
    rows = read_rows(out)
    assert {row["table"] for row in rows} == set(names.split(","))
    by_place = {(row["table"], row["method"]): row for row in rows}
    ours = by_place["shift-3-normal", "SubgroupBiclustering"]
    assert float(ours["first_rows"]) >= 0.8
    assert float(ours["strength"]) > 0
    assert by_place["none-normal", "SubgroupBiclustering"]["first_rows"] == ""
    assert not {("none-normal", "k-means"), ("block-additive", "SDCBiclustering")} & {*by_place}
    additive = by_place["block-additive", "DifferenceBiclustering"]
    assert float(additive["first_rows"]) * float(additive["first_columns"]) >= 0.8
    assert additive["first_rows_relevance"] == additive["first_rows"], "one block"
    assert float(by_place["khan", "SubgroupBiclustering"]["first_ari"]) >= 0.8
    text = (out / "discovery.md").read_text()
    for method in METHODS:
        assert (f"| {method.name} |" in text) == (method.only_kind is None)

    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert main(arguments) == 0
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert main([*arguments, "--seed", "1"]) == 2
    assert "seed 0, not 1" in capsys.readouterr().err


@pytest.mark.usefixtures("small")
def test_the_command_looks_for_groups_of_any_share_and_distribution_and_takes_strata(tmp_path):
    names = "15-v-5,noise-mixed,sexes"
    arguments = ["discovery", "--datasets", names, "--repeats", "1", "--jobs", "1"]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    uses = {}
    for row in read_rows(tmp_path):
        uses.setdefault(row["table"], {})[row["method"].partition(", ")[2]] = row
    assert {table: tuple(own) for table, own in uses.items()} == {
        "15-v-5": ("carriers",),
        "noise-mixed": ("all classes", "no labels"),
        "sexes": ("all classes", "strata"),
    }
    assert float(uses["15-v-5"]["carriers"]["first_rows"]) >= 0.8
    assert uses["noise-mixed"]["no labels"]["first_rows"] == ""
    assert float(uses["noise-mixed"]["no labels"]["strong"]) == 0
    assert float(uses["sexes"]["strata"]["is_first"]) == 1
    # Among so few columns, two of the six may be in one pattern by chance.
    n_structural = {use: float(row["n_structural"]) for use, row in uses["sexes"].items()}
    assert n_structural["strata"] < n_structural["all classes"]
    assert "| sexes | labels and strata | 1.00 | " in (tmp_path / "discovery.md").read_text()


@pytest.mark.usefixtures("small")
def test_missing_files_are_told_and_the_rest_is_planned(folder):
    with pytest.warns(UserWarning, match=r"has no colon\.csv\.gz, subtypes/bhattacharjee"):
        runs = plan([], 0, folder, 1)
    tables = {run.table.name for run in runs}
    assert "khan" in tables
    assert not any(name.endswith(("-columns", "-rows")) for name in tables)
    with (
        pytest.warns(UserWarning, match=r"has no subtypes/su\.csv\.gz"),
        pytest.raises(ExperimentError, match="nothing to run"),
    ):
        run_study(STUDY, folder / "out", datasets=["su"], data_home=folder)


def test_names_and_sections_choose_tables(folder):
    assert {run.table.section for run in plan(["unpast"], 0, folder, None)} == {"unpast"}
    runs = plan(["khan", "none-normal"], 0, folder, 3)
    chosen = {("khan", 0), *(("none-normal", index) for index in range(3))}
    assert {(run.table.name, run.index) for run in runs} == chosen
    with pytest.raises(ExperimentError, match=r"unknown data set 'shift-2'\. Did you mean shift-2"):
        plan(["shift-2"], 0, folder, None)


# --- tables


@pytest.mark.usefixtures("small")
def test_every_name_is_a_table_where_all_files_are(monkeypatch, folder, rng):
    colon = 2 ** rng.normal(8, 1, (62, 70))
    monkeypatch.setattr(_real_tables, "load_dataset", lambda *_, **__: (colon, None))
    names = {name for own in table_names().values() for name in own}
    tables, missing = hidden_tables([*names], folder)
    others = {*SUBTYPE_SETS} - {"khan"}
    assert {*missing} == {f"subtypes/{name}.csv.gz" for name in others}
    assert {table.name for table in tables} == names - others
    for table in tables:
        assert table.name in table_names()[table.section]
        made = table.make(random_state=0)
        assert made.X.size == table.size
        assert (made.y is None) == (not table.has_labels)
        n_groups = {"null": 0, "noise": 0, "unpast": 4, "subtypes": 3}.get(table.section, 1)
        assert len(made.groups) == N_GROUPS.get(table.name, n_groups)
    kinds = {table.name: table.kind for table in tables}
    told = [kinds[name] for name in ("tight-rows", "coexpressed-200-normal", "two-shifts-columns")]
    assert told == ["tight", "coexpressed", "shift"]


def test_subtypes_are_hidden_among_the_cases(folder):
    table, names = load_subtypes(folder / "subtypes" / "khan.csv.gz", "khan")
    assert names == ("EWS", "BL", "RMS")
    assert [len(group.rows) for group in table.groups] == [14, 10, 12]
    assert_array_equal(np.flatnonzero(table.y == "control"), np.arange(36, 50))


def test_intensities_become_logarithms_and_other_files_are_refused(tmp_path):
    labels = np.array(["PR", "BR", "LU", "OV", "BL", "CO"])
    path = tmp_path / "su.csv.gz"
    write_table(LabelledValues(["g"], np.array([[8.0], [0.5], [1], [2], [4], [16]]), labels), path)
    table, _ = load_subtypes(path, "su")
    assert table.X.ravel().tolist() == [3, 0, 0, 1, 2, 4]
    assert table.y.tolist() == ["case"] * 5 + ["control"]
    with pytest.raises(DatasetCorruptError, match="has no row of class 'EWS'"):
        load_subtypes(path, "khan")
    path.write_bytes(b"no archive")
    with pytest.raises(DatasetCorruptError, match="cannot be read"):
        load_subtypes(path, "khan")


# --- measures


class Pattern(NamedTuple):
    rows: list
    columns: list
    kind: str
    strength: float = 1.0


GROUPS = (
    PlantedGroup(np.arange(4), np.arange(3)),
    PlantedGroup(np.arange(4, 6), np.arange(3, 6)),
)


NOTHING = ([9], [7])


def made_up(section, groups=GROUPS[:1], **changes):
    """A kind of table, and one of them, with ten cases and ten controls."""
    y = None if section == "unpast" else np.repeat(["case", "control"], 10)
    table = PlantedTable(np.zeros((20, 8)), y, groups)
    hidden = HiddenTable(
        section, "made-up", lambda random_state: table, 1, 160, n_columns=3, **changes
    )
    return table, hidden


def test_the_first_pattern_and_the_first_of_its_kind():
    table, hidden = made_up("planted", kind="tight")
    found = [
        Pattern([0, 1, 8, 9], [0], "shift"),
        Pattern([0, 1, 2, 3], [0, 1], "tight"),
        Pattern([0, 1, 2, 3], [0, 1, 2], "shift"),
    ]
    measures, groups = measure(found, table, hidden)
    values = [measures[f"{name}_rows"] for name in ("first", "kind", "five")]
    assert (values, groups) == ([2 / 6, 1, 1], {})
    assert [measures[f"{name}_columns"] for name in ("first", "kind", "five")] == [1 / 3, 2 / 3, 1]
    plain = [(pattern.rows, pattern.columns) for pattern in found]
    assert measure(plain, table, replace(hidden, kind="shift"))[0]["kind_rows"] == 2 / 6


@pytest.mark.parametrize(
    ("section", "groups", "found", "expected"),
    [
        (  # two groups are looked for within the first two
            "planted",
            GROUPS,
            [([4, 5], [3, 4, 5]), NOTHING, ([0, 1, 2, 3], [0, 1, 2])],
            {"first_rows": 0.5, "five_rows": 1, "ten_columns": 1},
        ),
        ("planted", GROUPS[:1], [NOTHING] * 7 + [GROUPS[0]], {"five_rows": 0, "ten_rows": 1}),
        (  # relevance is the share of the list that fits a group
            "blocks",
            GROUPS,
            [GROUPS[1], ([4, 5], [3]), ([8, 9], [7]), ([0, 1, 2, 3], [0, 1, 2])],
            {
                "all_rows": 1,
                "all_columns": 1,
                "first_rows_relevance": 1,
                "first_columns_relevance": (1 + 1 / 3) / 2,
                "all_rows_relevance": 3 / 4,
                "all_columns_relevance": (1 + 1 / 3 + 0 + 1) / 4,
            },
        ),
        ("blocks", GROUPS, [], {"all_rows": 0, "all_rows_relevance": 0, "first_columns": 0}),
    ],
)
def test_measures_of_lists(section, groups, found, expected):
    table, hidden = made_up(section, groups)
    measures, _ = measure(found, table, hidden)
    for name, value in expected.items():
        assert_allclose(measures[name], value, err_msg=name)


def test_groups_without_labels_are_weighted():
    table, hidden = made_up("unpast", GROUPS, group_names=("large", "small"))
    measures, groups = measure([GROUPS[0]], table, hidden)
    assert groups["large"] == 1 > 0 > groups["small"]
    assert_allclose(measures["weighted_ari"], (4 * 1 + 2 * groups["small"]) / 6)


def test_subtypes_are_compared_among_the_cases():
    table, hidden = made_up("subtypes", GROUPS, group_names=("A", "B"))
    found = [([4, 5, 15], []), *([([9], [])] * 9), ([0, 1, 2, 3], [])]
    measures, groups = measure(found, table, hidden)
    assert measures["first_ari"] == 1
    assert measures["any_ari"] == 1
    assert groups["B"] == 1
    assert groups["A"] < 0.2
    assert_allclose(measures["ten_ari"], (groups["A"] + 1) / 2)


def test_the_first_subtype_may_come_after_patterns_of_whole_classes():
    class Wide(NamedTuple):
        rows: list
        columns: list
        is_class_wide: bool = True

    table, hidden = made_up("subtypes", GROUPS, group_names=("A", "B"))
    found = [Wide([*range(10)], [0]), GROUPS[0]]
    measures, _ = measure(found, table, hidden)
    assert (measures["first_ari"], measures["first_part_ari"]) == (0, 1)
    assert measure(found[:1], table, hidden)[0]["first_part_ari"] == 0


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (slice(None), {"is_first": 0, "is_listed": 1, "rank": 3, "n_structural": 1}),
        (slice(2, None), {"is_first": 1, "is_listed": 1, "rank": 1, "n_structural": 0}),
        (slice(2), {"is_first": 0, "is_listed": 0, "n_structural": 1}),
    ],
)
def test_the_rank_of_a_group_beside_known_structure(chosen, expected):
    table, hidden = made_up("known-structure", GROUPS, has_structure=True)
    group, structure = GROUPS
    found = [structure, ([0, 1], [0]), ([0, 1, 2], [4]), group]
    assert measure(found[chosen], table, hidden)[0] == expected


def test_a_run_is_recorded_with_its_strength_and_keeps_its_numbers(tmp_path):
    def search(X, y, n_columns):
        assert n_columns == 3
        return [Pattern([0, 1, 2, 3], [0, 1, 2], "shift", 0.1 + 0.2)]

    _, hidden = made_up("planted")
    run = DiscoveryRun(hidden, 2, 0, Method("mine", search))
    record = run_method(run)
    place = record.protocol, record.dataset, record.model, record.fold
    assert place == ("planted", "made-up", "mine", 2)
    assert (record.n_patterns, record.strength) == (1, 0.1 + 0.2)
    assert record.measures["first_rows"] == 1
    write_record(tmp_path, record)
    assert run.read(tmp_path) == record
    nothing = run_method(DiscoveryRun(hidden, 0, 0, Method("none", lambda *_: [])))
    assert (nothing.n_patterns, nothing.strength, nothing.measures["ten_rows"]) == (0, None, 0)


def test_tables_depend_on_the_seed_and_their_number_and_not_on_the_method():
    seeds = []

    def make(random_state):
        seeds.append(random_state)
        return made_up("null", ())[0]

    _, hidden = made_up("null", ())
    hidden = replace(hidden, make=make)
    for name, index, seed in (("a", 0, 0), ("b", 0, 0), ("a", 1, 0), ("a", 0, 1)):
        run_method(DiscoveryRun(hidden, index, seed, Method(name, lambda *_: [])))
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 3


# --- what is shown


def record(section, table, method, fold=0, *, strength=None, groups=None, **measures):
    place = {"protocol": section, "dataset": table, "model": method, "fold": fold}
    found = {"n_patterns": 4, "strength": strength, "measures": measures, "groups": groups or {}}
    return DiscoveryRecord(**place, **found, seconds=float(fold), settings={}, versions={})


def jaccard(value):
    names = ("first", "kind", "five", "ten")
    return {f"{name}_{axis}": value for name in names for axis in ("rows", "columns")}


OURS, STRATA = "SubgroupBiclustering", "SubgroupBiclustering, strata"


def test_means_over_tables_and_the_range_of_strengths():
    rows = summarise(
        [
            record("null", "none-normal", OURS, 0, strength=3.0),
            record("planted", "shift-2-normal", "COPA", 0, **jaccard(0.25)),
            record("planted", "shift-2-normal", OURS, 1, strength=40.0, **jaccard(0.5)),
            record("planted", "shift-2-normal", OURS, 0, strength=60.0, **jaccard(1.0)),
            record("planted", "shift-2-normal", OURS, 5, **jaccard(0.0)),
        ]
    )
    assert [(row.table, row.method) for row in rows] == [
        *(("shift-2-normal", OURS), ("shift-2-normal", "COPA"), ("none-normal", OURS)),
    ]
    first = rows[0]
    assert (first.n_tables, first.first_rows, first.found) == (3, 0.5, 1 / 3)
    assert (first.strength, first.least_strength, first.largest_strength) == (50, 40, 60)
    assert (first.seconds, first.weighted_ari) == (1, None), "the median"
    text = describe(rows)
    assert {f"| {OURS} | 4; 3 to 3 |", f"| {OURS} | 4; 40 to 60 |"} <= {*text.splitlines()}
    assert "Hidden subtypes" not in text


def test_strengths_of_noise():
    method = f"{OURS}, no labels"
    strengths = [*map(float, range(1, 20)), 30.0]
    some = [
        record("noise", "noise-t3", method, fold, strength=strength)
        for fold, strength in enumerate(strengths)
    ]
    nothing = [replace(record("noise", "noise-t3", method, k), n_patterns=0) for k in range(380)]
    without = [record("null", "none-normal", "SDCBiclustering")]
    for records, high, largest, strong in (
        (some, 19, 30, 0.5),
        ([*some, *nothing], 0, 30, 10 / 400),
        (nothing, 0, None, 0),
        (without, None, None, None),
    ):
        (row,) = summarise(records)
        assert (row.high_strength, row.largest_strength, row.strong) == (high, largest, strong)


def subtypes(method, first, ten, best):
    measures = {"first_ari": first, "first_part_ari": first, "ten_ari": ten, "any_ari": best}
    tables = "khan", "su"
    return [record("subtypes", own, method, groups={"X": ten}, **measures) for own in tables]


@pytest.mark.parametrize(
    ("records", "lines"),
    [
        (  # the rank is a mean over the tables where the group is listed
            [
                record("known-structure", "batch", STRATA, 0, **own)
                for own in (
                    {"is_first": 0.0, "is_listed": 1.0, "rank": 3.0, "n_structural": 2.0},
                    {"is_first": 0.0, "is_listed": 0.0, "n_structural": 1.0},
                )
            ],
            ["| batch | labels and strata | 0.00 | 0.50 | 3.00 | 1.50 |"],
        ),
        (  # times of blocks are multiples of those of k-means; no block, nothing to recover
            [
                record("blocks", table, method, fold, **jaccard(0.5))
                for table, method, fold in (
                    *(("block-constant", OURS, 6), ("block-constant", "k-means", 2)),
                    *(("block-none", "k-means", 4), ("block-none", "SDCBiclustering", 1)),
                )
            ],
            [
                "| seconds | 2.00 | 4.00 |",
                f"| {OURS} | 3 | - |",
                "| SDCBiclustering | - | 0.25 |",
                "| k-means | 4.0 | 4.0 |",
                "| k-means | 0.50/0.50 |",
            ],
        ),
        (  # subtypes have a line for clusters chosen with the truth
            [*subtypes(OURS, 1.0, 0.5, 0.5), *subtypes("k-means", 0.1, 0.2, 0.3)],
            [
                f"| {OURS}, first | 1.00 | 1.00 | 1.00 |",
                "| k-means, best clusters chosen with the truth | 0.30 | 0.30 | 0.30 |",
                "- khan: X 0.50",
            ],
        ),
    ],
    ids=["ranks", "blocks", "subtypes"],
)
def test_lines_of_the_report(records, lines):
    text = describe(summarise(records))
    for line in lines:
        assert line in text
