"""The tables that are tested: with random labels, with a planted group, and with gradients."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bicneuron._core._arrays import FloatArray
from bicneuron.datasets import make_subgroups
from reproduction.exceptions import DatasetNotFoundError
from studies._drawn_tables import TableKind, digest
from studies._real_tables import expression_file, load_expression
from studies.calibration.findings import FINDING_TABLES, make_table
from studies.calibration.outcomes import OUTCOME_TABLES, make_outcome_table

# How many tables are drawn of each kind.
N_TABLES = {"null": 200, "power": 20, "finding": 200, "outcome": 200}
NULL_ROWS, NULL_COLUMNS = 100, 1000
# Real rows with random labels: sets of other sizes, technologies and correlations.
REAL_SETS = ("colon", "singh", "tomlins")
# Columns of a set that a table has at most, so that tables differ.
LARGEST_PART = 0.5
POWER_SIZE = {"n_cases": 50, "n_controls": 50, "n_columns": 2000}
COLON_POWER_SIZE = {**POWER_SIZE, "n_cases": 31, "n_controls": 31}
POWER_BACKGROUNDS = ("normal", "rows")


@dataclass(frozen=True)
class Curve:
    """A parameter that is varied while everything else is as at the base point.

    Parameters
    ----------
    name : str
        In names of tables.
    parameter : str
        Of `make_subgroups`.
    values : tuple of float
        The base point is one of them.
    title : str
    """

    name: str
    parameter: str
    values: tuple[float, ...]
    title: str

    def tables(self, background: str) -> list[str]:
        """Names of the tables along the curve."""
        return [
            f"{'base' if value == BASE[self.parameter] else f'{self.name}-{value:g}'}-{background}"
            for value in self.values
        ]


BASE: dict[str, Any] = {"shift": 2.0, "share": 0.3, "n_signature": 10}
CURVES = (
    Curve("shift", "shift", (1.0, 1.5, 2.0, 2.5, 3.0), "shift, in standard deviations"),
    Curve("share", "share", (0.1, 0.2, 0.3, 0.45, 0.6), "share of the cases"),
    Curve("columns", "n_signature", (3, 5, 10, 20, 50), "columns of the group"),
)


def table_names() -> dict[str, list[str]]:
    """Names of all tables by section, whether there are files or not."""
    return {
        "null": ["null-normal", "null-columns", *(f"null-{name}" for name in REAL_SETS)],
        "power": [
            name for background in POWER_BACKGROUNDS for name in _planted_settings(background)
        ],
        "finding": [f"find-{name}" for name in FINDING_TABLES],
        "outcome": [f"outcome-{name}" for name in OUTCOME_TABLES],
    }


def is_null(table: str) -> bool:
    """Return True if tables of this name have nothing to find."""
    return table.startswith(("null-", "find-null-", "find-wide-", "outcome-null-"))


def calibration_tables(
    names: Collection[str], data_home: Path | None
) -> tuple[list[TableKind], list[str]]:
    """Tables of these names that can be made with the files there are, and the missing files."""
    real: dict[str, FloatArray] = {}
    missing = []
    for name in REAL_SETS:
        if any(_needs(table, name) for table in names):
            try:
                real[name] = load_expression(name, data_home)
            except DatasetNotFoundError:
                missing.append(expression_file(name))
    tables = [*_null(real), *_power(real), *_finding(), *_outcome()]
    return [table for table in tables if table.name in names], missing


def _needs(table: str, real_set: str) -> bool:
    """Return True if a table is made of a real set."""
    if table.endswith(("-columns", "-rows")):
        return real_set == "colon"
    return table.endswith(f"-{real_set}")


def _null(real: dict[str, FloatArray]) -> Iterator[TableKind]:
    yield _drawn("null", "null-normal", None, _null_size(NULL_ROWS, NULL_COLUMNS))
    if "colon" in real:
        yield _drawn("null", "null-columns", real["colon"], _null_size(NULL_ROWS, NULL_COLUMNS))
    for name, X in real.items():
        n_columns = min(NULL_COLUMNS, int(LARGEST_PART * X.shape[1]))
        settings = {**_null_size(len(X), n_columns), "keep_rows": True}
        yield _drawn("null", f"null-{name}", X, settings)


def _null_size(n_rows: int, n_columns: int) -> dict[str, Any]:
    n_cases = n_rows // 2
    return {
        "kind": "none",
        "n_cases": n_cases,
        "n_controls": n_rows - n_cases,
        "n_columns": n_columns,
    }


def _power(real: dict[str, FloatArray]) -> Iterator[TableKind]:
    for background, source in (("normal", None), ("rows", real.get("colon"))):
        if background == "rows" and source is None:
            continue
        for name, settings in _planted_settings(background).items():
            yield _drawn("power", name, source, settings)


def _finding() -> Iterator[TableKind]:
    """Tables for the whole protocol, with and without a group inside the cases."""
    for name, settings in FINDING_TABLES.items():
        yield TableKind(
            section="finding",
            name=f"find-{name}",
            make=partial(make_table, **settings),
            n_tables=N_TABLES["finding"],
            size=(settings["n_cases"] + settings["n_controls"]) * settings["n_columns"],
            settings=settings,
        )


def _outcome() -> Iterator[TableKind]:
    """Tables whose groups are tested against numbers and survival."""
    for name, settings in OUTCOME_TABLES.items():
        yield TableKind(
            section="outcome",
            name=f"outcome-{name}",
            make=partial(make_outcome_table, settings),
            n_tables=settings.get("n_tables", N_TABLES["outcome"]),
            size=settings["n_rows"] * settings["n_columns"],
            settings=settings,
        )


def _planted_settings(background: str) -> dict[str, dict[str, Any]]:
    """Arguments of `make_subgroups` by the name of the table; the base point comes once."""
    size = COLON_POWER_SIZE if background == "rows" else POWER_SIZE
    common = {"kind": "shift", **size, "keep_rows": background == "rows"}
    return {
        name: {**common, **BASE, curve.parameter: value}
        for curve in CURVES
        for name, value in zip(curve.tables(background), curve.values, strict=True)
    }


def _drawn(
    section: str,
    name: str,
    background: FloatArray | None,
    settings: dict[str, Any],
) -> TableKind:
    return TableKind(
        section=section,
        name=name,
        make=partial(make_subgroups, background=background, **settings),
        n_tables=N_TABLES[section],
        size=(settings["n_cases"] + settings["n_controls"]) * settings["n_columns"],
        settings={**settings, "background": digest(background)},
    )
