"""Tables for the miner of groups alone: those where it could miss groups, or invent them."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bicneuron.datasets import PlantedTable
from studies.discovery.distributions import DISTRIBUTIONS, make_distribution
from studies.discovery.hidden_table import HiddenTable
from studies.discovery.known_structure import make_batch, make_sexes
from studies.discovery.shares import make_shared_group

# How many tables are drawn of each kind.
N_SHARES, N_NOISE, N_DISTRIBUTIONS, N_STRUCTURES = 10, 100, 10, 10
SIZE: dict[str, Any] = {"n_cases": 50, "n_controls": 50, "n_columns": 2000}
# Twenty columns are numeric, and ten are binary.
MIXED_SIZE: dict[str, Any] = {**SIZE, "n_columns": 30}
# Cases and controls of a group.
SHARES = ((15, 0), (15, 5), (15, 7), (25, 9), (40, 0), (45, 0))
SHARES_COLUMNS = 12
GROUP = {"group_rows": 15, "group_columns": 10}
MIXED_GROUP = {**GROUP, "group_columns": 8}
NO_GROUP = {"group_rows": 0, "group_columns": 0}
# Columns of the hidden group beside known structure.
STRUCTURE_COLUMNS = 10
STRUCTURES: dict[str, tuple[Callable[..., PlantedTable], dict[str, Any]]] = {
    "batch": (make_batch, {"n_batch_columns": 200, "batch_share": 0.8}),
    "sexes": (make_sexes, {"n_sex_columns": 6, "sex_shift": 4.0}),
}
SHIFT = 2.0


def own_table_names() -> dict[str, list[str]]:
    """Names of the tables by section."""
    return {
        "shares": [_share_name(*carriers) for carriers in SHARES],
        "noise": [f"noise-{name}" for name in DISTRIBUTIONS],
        "distributions": [f"group-{name}" for name in DISTRIBUTIONS],
        "known-structure": [*STRUCTURES],
    }


def own_tables() -> Iterator[HiddenTable]:
    """Tables of all sections."""
    for carriers in SHARES:
        yield _shared_group(*carriers)
    for distribution in DISTRIBUTIONS:
        size, group = (MIXED_SIZE, MIXED_GROUP) if distribution == "mixed" else (SIZE, GROUP)
        yield _distribution("noise", f"noise-{distribution}", distribution, {**NO_GROUP, **size})
        yield _distribution(
            "distributions", f"group-{distribution}", distribution, {**group, **size}
        )
    for name in STRUCTURES:
        yield _structure(name)


def _shared_group(case_carriers: int, control_carriers: int) -> HiddenTable:
    settings = {
        "case_carriers": case_carriers,
        "control_carriers": control_carriers,
        "n_signature": SHARES_COLUMNS,
        "shift": SHIFT,
        **SIZE,
    }
    return HiddenTable(
        section="shares",
        name=_share_name(case_carriers, control_carriers),
        make=partial(make_shared_group, **settings),
        n_tables=N_SHARES,
        n_columns=SHARES_COLUMNS,
        size=_n_values(SIZE),
        settings=settings,
    )


def _share_name(case_carriers: int, control_carriers: int) -> str:
    return f"{case_carriers}-v-{control_carriers}"


def _distribution(
    section: str, name: str, distribution: str, chosen: dict[str, Any]
) -> HiddenTable:
    settings = {"distribution": distribution, "shift": SHIFT, **chosen}
    return HiddenTable(
        section=section,
        name=name,
        make=partial(make_distribution, **settings),
        n_tables=N_NOISE if section == "noise" else N_DISTRIBUTIONS,
        n_columns=chosen["group_columns"],
        size=_n_values(chosen),
        settings=settings,
    )


def _structure(name: str) -> HiddenTable:
    make, own = STRUCTURES[name]
    settings = {"n_signature": STRUCTURE_COLUMNS, "shift": SHIFT, **own, **SIZE}
    return HiddenTable(
        section="known-structure",
        name=name,
        make=partial(make, **settings),
        n_tables=N_STRUCTURES,
        n_columns=STRUCTURE_COLUMNS,
        size=_n_values(SIZE),
        settings=settings,
        has_structure=True,
    )


def _n_values(size: dict[str, Any]) -> int:
    n_values: int = (size["n_cases"] + size["n_controls"]) * size["n_columns"]
    return n_values
