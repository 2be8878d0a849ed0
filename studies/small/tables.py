"""Tables in which the columns that tell the classes apart are known."""

from functools import partial
from typing import Any

from bicneuron.datasets import PlantedGroup, PlantedTable, make_subgroup, make_subgroups
from studies._drawn_tables import TableKind

PLANTED = "planted"
N_TABLES = 10
N_ROWS, N_COLUMNS = 100, 2000


def _demo(random_state: Any = None) -> PlantedTable:
    X, y, rows, columns = make_subgroup(random_state=random_state)
    return PlantedTable(X, y, (PlantedGroup(rows.nonzero()[0], columns.nonzero()[0]),))


def _shifted(shift: float, percent: int) -> TableKind:
    settings: dict[str, Any] = {"shift": shift, "share": percent / 100, "n_columns": N_COLUMNS}
    make = partial(make_subgroups, "shift", **settings)
    name = f"shift-{shift:g}-{percent}"
    return TableKind(PLANTED, name, make, N_TABLES, N_ROWS * N_COLUMNS, settings)


PLANTED_TABLES = (
    TableKind(PLANTED, "demo", _demo, N_TABLES, N_ROWS * 1000),
    *(_shifted(shift, percent) for shift in (2.0, 1.5) for percent in (30, 60, 90)),
)
