"""The tables of the study, each with known groups that methods do not get."""

from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

from bicneuron._core._arrays import FloatArray
from bicneuron.datasets import PlantedTable, make_subgroups
from reproduction.datasets import get_data_home
from reproduction.exceptions import DatasetNotFoundError
from studies._drawn_tables import digest
from studies._real_tables import (
    SUBTYPE_SETS,
    expression_file,
    load_expression,
    load_subtypes,
    subtype_file,
)
from studies.discovery.block_tables import (
    BLOCK_KINDS,
    LABELLED_KINDS,
    make_block_table,
)
from studies.discovery.fabia import make_fabia_blocks
from studies.discovery.hidden_table import HiddenTable
from studies.discovery.own_tables import own_table_names, own_tables
from studies.discovery.unpast_scenarios import make_unpast_scenario

# How many tables are drawn of each kind.
N_PLANTED, N_NULL, N_UNPAST, N_BLOCKS = 10, 50, 5, 10
SIZE = {"n_cases": 50, "n_controls": 50, "n_columns": 2000}
LARGE_SIZE = {**SIZE, "n_cases": 100, "n_controls": 100}
COLON_SIZE = {**SIZE, "n_cases": 31, "n_controls": 31}
UNPAST_SIZE = {"n_rows": 200, "n_columns": 10_000}
BLOCK_SIZE = {"n_rows": 300, "n_columns": 80, "block_rows": 60, "block_columns": 12}
FABIA_SIZE: dict[str, Any] = {"n_rows": 100, "n_columns": 1000}
# The number of columns that rivals get: the mean over the blocks.
FABIA_COLUMNS = 110
N_SIGNATURE = 10
SCENARIOS: tuple[Literal["A", "B", "C"], ...] = ("A", "B", "C")
UNPAST_SIGNATURES = (5, 50)
# The columns that rivals report of a subtype; there is no true number.
SUBTYPE_COLUMNS = 20
BACKGROUNDS = ("normal", "columns", "rows")
KINDS: dict[str, dict[str, Any]] = {
    "shift-3": {"kind": "shift", "shift": 3.0},
    "shift-2": {"kind": "shift", "shift": 2.0},
    "shift-1.5": {"kind": "shift", "shift": 1.5},
    "shift-1": {"kind": "shift", "shift": 1.0},
    "two-shifts": {"kind": "two_shifts", "shift": 2.0},
    "tight": {"kind": "tight"},
    "coexpressed": {"kind": "coexpressed"},
    "none": {"kind": "none"},
}
LARGE = "coexpressed-200"


def hidden_tables(
    names: Collection[str], data_home: Path | None
) -> tuple[list[HiddenTable], list[str]]:
    """Tables of these names that can be made with the files there are, and the missing files."""
    folder = get_data_home(data_home)
    missing = []
    tables = [*_planted("normal", None), *_unpast(), *_blocks(), *own_tables()]
    if any(name.endswith(("-columns", "-rows")) for name in names):
        try:
            colon = load_expression("colon", data_home)
        except DatasetNotFoundError:
            missing.append(expression_file("colon"))
        else:
            tables += [*_planted("columns", colon), *_planted("rows", colon)]
    for name in SUBTYPE_SETS:
        path = subtype_file(folder, name)
        if name in names and path.is_file():
            tables.append(_subtypes(path, name))
        elif name in names:
            missing.append(expression_file(name))
    return [table for table in tables if table.name in names], missing


def table_names() -> dict[str, list[str]]:
    """Names of all tables by section, whether there are files or not."""
    kinds = [kind for kind in KINDS if kind != "none"]
    return {
        "planted": [
            *(f"{kind}-normal" for kind in (*kinds, LARGE)),
            *(f"{kind}-{background}" for background in BACKGROUNDS[1:] for kind in kinds),
        ],
        "null": [f"none-{background}" for background in BACKGROUNDS],
        "unpast": [f"{letter}-{size}" for letter in SCENARIOS for size in UNPAST_SIGNATURES],
        "blocks": [*(f"block-{kind}" for kind in BLOCK_KINDS), "block-fabia"],
        "subtypes": [*SUBTYPE_SETS],
        **own_table_names(),
    }


def _planted(background: str, source: FloatArray | None) -> Iterator[HiddenTable]:
    size = COLON_SIZE if background == "rows" else SIZE
    chosen = {kind: {**own, **size} for kind, own in KINDS.items()}
    if background == "normal":
        chosen[LARGE] = {**KINDS["coexpressed"], **LARGE_SIZE}
    for name, own in chosen.items():
        settings = {**own, "n_signature": N_SIGNATURE, "keep_rows": background == "rows"}
        is_null = own["kind"] == "none"
        yield HiddenTable(
            section="null" if is_null else "planted",
            name=f"{name}-{background}",
            make=partial(make_subgroups, background=source, **settings),
            n_tables=N_NULL if is_null else N_PLANTED,
            n_columns=N_SIGNATURE,
            size=(own["n_cases"] + own["n_controls"]) * own["n_columns"],
            settings={**settings, "background": digest(source)},
            kind=own["kind"] if own["kind"] in ("tight", "coexpressed") else "shift",
        )


def _unpast() -> Iterator[HiddenTable]:
    for letter in SCENARIOS:
        for n_signature in UNPAST_SIGNATURES:
            settings: dict[str, Any] = {"n_signature": n_signature, **UNPAST_SIZE}
            yield HiddenTable(
                section="unpast",
                name=f"{letter}-{n_signature}",
                make=partial(make_unpast_scenario, letter, **settings),
                n_tables=N_UNPAST,
                n_columns=n_signature,
                size=UNPAST_SIZE["n_rows"] * UNPAST_SIZE["n_columns"],
                settings=settings,
                has_labels=False,
                group_names=("5 %", "10 %", "25 %", "50 %"),
            )


def _blocks() -> Iterator[HiddenTable]:
    for kind in BLOCK_KINDS:
        yield HiddenTable(
            section="blocks",
            name=f"block-{kind}",
            make=partial(make_block_table, kind, **BLOCK_SIZE),
            n_tables=N_BLOCKS,
            n_columns=BLOCK_SIZE["block_columns"],
            size=BLOCK_SIZE["n_rows"] * BLOCK_SIZE["n_columns"],
            settings={**BLOCK_SIZE},
            has_labels=kind in LABELLED_KINDS,
        )
    yield HiddenTable(
        section="blocks",
        name="block-fabia",
        make=partial(make_fabia_blocks, **FABIA_SIZE),
        n_tables=N_BLOCKS,
        n_columns=FABIA_COLUMNS,
        size=FABIA_SIZE["n_rows"] * FABIA_SIZE["n_columns"],
        settings={**FABIA_SIZE},
        has_labels=False,
    )


def _subtypes(path: Path, name: str) -> HiddenTable:
    table, names = load_subtypes(path, name)
    return HiddenTable(
        section="subtypes",
        name=name,
        make=partial(_same, table),
        n_tables=1,
        n_columns=SUBTYPE_COLUMNS,
        size=table.X.size,
        settings={"data": digest(table.X)},
        group_names=names,
    )


def _same(table: PlantedTable, random_state: int) -> PlantedTable:
    return table
