"""The study of hidden groups: its tables, its measures, and what it writes."""

import csv
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bicneuron.datasets import PlantedGroup, PlantedTable
from reproduction.datasets._files import LabelledValues, write_table
from reproduction.exceptions import ExperimentError
from studies import _real_tables
from studies.__main__ import main
from studies._real_tables import SUBTYPE_SETS
from studies._study import run_study
from studies.discovery import STUDY
from studies.discovery import own_tables as _own_tables
from studies.discovery import tables as _tables
from studies.discovery.hidden_table import HiddenTable
from studies.discovery.methods import METHODS
from studies.discovery.runs import DiscoveryRecord, measure, plan
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


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_command_writes_a_table_of_each_section(tmp_path, capsys):
    names = "shift-3-normal,block-additive,15-v-5,sexes"
    out = tmp_path / "out"
    arguments = ["discovery", "--datasets", names, "--repeats", "1", "--jobs", "1"]
    arguments += ["--data", str(tmp_path), "--out", str(out)]
    assert main(arguments) == 0
    rows = read_rows(out)
    assert {row["table"] for row in rows} == set(names.split(","))
    by_place = {(row["table"], row["method"]): row for row in rows}
    ours = by_place["shift-3-normal", "SubgroupBiclustering"]
    assert float(ours["first_rows"]) >= 0.8
    assert float(ours["strength"]) > 0
    assert ("block-additive", "SDCBiclustering") not in by_place, "it needs labels"
    additive = by_place["block-additive", "DifferenceBiclustering"]
    assert float(additive["first_rows"]) * float(additive["first_columns"]) >= 0.8
    assert additive["first_rows_relevance"] == additive["first_rows"], "one block"
    assert float(by_place["15-v-5", "SubgroupBiclustering, carriers"]["first_rows"]) >= 0.8
    with_strata, without = (
        by_place["sexes", f"SubgroupBiclustering, {use}"] for use in ("strata", "all classes")
    )
    assert float(with_strata["is_first"]) == 1
    # Among so few columns, two of the six may be in one pattern by chance.
    assert float(with_strata["n_structural"]) < float(without["n_structural"])
    text = (out / "discovery.md").read_text()
    assert "| sexes | labels and strata | 1.00 | " in text
    for method in METHODS:
        assert (f"| {method.name} |" in text) == (method.only_kind is None)

    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert main(arguments) == 0
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert main([*arguments, "--seed", "1"]) == 2
    assert "seed 0, not 1" in capsys.readouterr().err


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


def test_subtypes_are_compared_among_the_cases():
    table, hidden = made_up("subtypes", GROUPS, group_names=("A", "B"))
    found = [([4, 5, 15], []), *([([9], [])] * 9), ([0, 1, 2, 3], [])]
    measures, groups = measure(found, table, hidden)
    assert measures["first_ari"] == 1
    assert measures["any_ari"] == 1
    assert groups["B"] == 1
    assert groups["A"] < 0.2
    assert_allclose(measures["ten_ari"], (groups["A"] + 1) / 2)


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


# --- what is shown


def record(section, table, method, fold=0, *, strength=None, groups=None, **measures):
    place = {"protocol": section, "dataset": table, "model": method, "fold": fold}
    found = {"n_patterns": 4, "strength": strength, "measures": measures, "groups": groups or {}}
    return DiscoveryRecord(**place, **found, seconds=float(fold), settings={}, versions={})


OURS = "SubgroupBiclustering"


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
