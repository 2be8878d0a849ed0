"""One method on one table: the unit of work of the study."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np

from bicneuron.datasets import PlantedGroup, PlantedTable
from bicneuron.metrics._recovery import BlockLike, indices_of
from reproduction._records import Record, read_record, record_path, versions
from studies._drawn_tables import (
    TableRun,
    choose_kinds,
    derived_seed,
    one_quiet_thread,
    warn_of_missing,
)
from studies._ranked import best_row_ari, row_column_jaccard, weighted_row_ari
from studies.discovery.hidden_table import HiddenTable
from studies.discovery.known_structure import strata_of
from studies.discovery.methods import Method, methods_of
from studies.discovery.rows import case_rows
from studies.discovery.tables import hidden_tables, table_names

FIRST_FEW = {"five": 5, "ten": 10}
# Beside known structure: a pattern is the hidden group if this row Jaccard index is reached, and
# it shows the structure if it has this many of its columns.
SAME_ROWS, STRUCTURE_COLUMNS = 0.7, 2


@dataclass(frozen=True, kw_only=True)
class DiscoveryRecord(Record):
    """Result of one method on one table; section, table and method are its first three names.

    Parameters
    ----------
    n_patterns : int
        How many were found.
    strength : float or None
        Strength of the first one, where the method reports it.
    measures : dict of str to float
        As in `DiscoveryRow`; they depend on the section.
    groups : dict of str to float
        Adjusted Rand index of each named group within the first ten patterns.
    """

    n_patterns: int
    strength: float | None
    measures: dict[str, float]
    groups: dict[str, float]


@dataclass(frozen=True, eq=False)
class DiscoveryRun(TableRun[HiddenTable]):
    """One method on one table.

    Parameters
    ----------
    table, index, seed
        As in `TableRun`.
    method : Method
    """

    method: Method

    @property
    def title(self) -> str:
        """Name in error messages."""
        return f"{self.method.name} on table {self.index} of {self.table.name}"

    @property
    def settings(self) -> dict[str, Any]:
        """Everything the result depends on, for the record."""
        return {"seed": self.seed, "n_columns": self.table.n_columns, **self.table.settings}

    def read(self, out: Path) -> DiscoveryRecord:
        """Read its record from the output folder."""
        place = record_path(self.table.section, self.table.name, self.method.name, self.index)
        return read_record(out / place, self.settings, DiscoveryRecord)

    def job(self) -> Callable[[HiddenTable], DiscoveryRecord]:
        """Return a function that runs the method on the table."""
        return partial(_run_on, self.method, self.index, self.seed)


def run_method(run: DiscoveryRun) -> DiscoveryRecord:
    """Make the table, search it, and compare what was found with what is known."""
    table = run.table.make(random_state=derived_seed(run.seed, run.table.name, run.index))
    known = []
    if run.method.takes_strata:
        known.append(strata_of(table.groups[-1], len(table.X)))
    start = perf_counter()
    with one_quiet_thread():
        found = run.method.search(table.X, table.y, run.table.n_columns, *known)
    seconds = perf_counter() - start
    measures, groups = measure(found, table, run.table)
    return DiscoveryRecord(
        protocol=run.table.section,
        dataset=run.table.name,
        model=run.method.name,
        fold=run.index,
        n_patterns=len(found),
        strength=getattr(found[0], "strength", None) if found else None,
        measures=measures,
        groups=groups,
        seconds=seconds,
        settings=run.settings,
        versions=versions(),
    )


def _run_on(method: Method, index: int, seed: int, table: HiddenTable) -> DiscoveryRecord:
    return run_method(DiscoveryRun(table, index, seed, method))


def measure(
    found: Sequence[BlockLike], table: PlantedTable, hidden: HiddenTable
) -> tuple[dict[str, float], dict[str, float]]:
    """Measures of a section, and the adjusted Rand index of each named group.

    Returns
    -------
    measures, groups : dict of str to float
    """
    if not table.groups:
        return {}, {}
    among = case_rows(table.X, table.y)
    named = zip(hidden.group_names, table.groups, strict=False)
    by_name = {name: best_row_ari(found, group.rows, among) for name, group in named}
    if hidden.section == "subtypes":
        return _subtype_measures(found, table), by_name
    if hidden.has_structure:
        return _structure_measures(found, *table.groups), by_name
    measures = _jaccard_measures(found, table.groups, hidden.kind)
    if hidden.section == "unpast":
        measures["weighted_ari"] = weighted_row_ari(found, table.groups, len(table.X))
    return measures, by_name


def _jaccard_measures(
    found: Sequence[BlockLike], groups: Sequence[PlantedGroup], kind: str
) -> dict[str, float]:
    of_kind = [block for block in found if getattr(block, "kind", "shift") == kind]
    considered = {
        "first": (found, len(groups)),
        "kind": (of_kind, len(groups)),
        **{name: (found, n_first) for name, n_first in FIRST_FEW.items()},
        "all": (found, None),
    }
    pairs = {
        ("", name): [row_column_jaccard(blocks, group, n_first=n_first) for group in groups]
        for name, (blocks, n_first) in considered.items()
    }
    best_groups = [row_column_jaccard(groups, block, n_first=None) for block in found]
    for name in ("first", "all"):
        n_first = considered[name][1]
        pairs["_relevance", name] = best_groups[:n_first] or [(0.0, 0.0)]
    measures = {}
    for (ending, name), own in pairs.items():
        rows, columns = map(fmean, zip(*own, strict=True))
        measures[f"{name}_rows{ending}"], measures[f"{name}_columns{ending}"] = rows, columns
    return measures


def _subtype_measures(found: Sequence[BlockLike], table: PlantedTable) -> dict[str, float]:
    among = case_rows(table.X, table.y)
    parts = [block for block in found if not getattr(block, "is_class_wide", False)]

    def scores(blocks: Sequence[BlockLike], n_first: int | None) -> list[float]:
        return [best_row_ari(blocks, group.rows, among, n_first=n_first) for group in table.groups]

    return {
        "first_ari": max(scores(found, 1)),
        "first_part_ari": max(scores(parts, 1)),
        "ten_ari": fmean(scores(found, FIRST_FEW["ten"])),
        "any_ari": fmean(scores(found, None)),
    }


def _structure_measures(
    found: Sequence[BlockLike], group: PlantedGroup, structure: PlantedGroup
) -> dict[str, float]:
    ranks = [
        rank
        for rank, block in enumerate(found, start=1)
        if row_column_jaccard([block], group)[0] >= SAME_ROWS
    ]
    common = [len(np.intersect1d(indices_of(block)[1], structure.columns)) for block in found]
    measures = {
        "is_first": float(ranks[:1] == [1]),
        "is_listed": float(bool(ranks)),
        "n_structural": float(sum(n >= STRUCTURE_COLUMNS for n in common)),
    }
    return measures | ({"rank": float(ranks[0])} if ranks else {})


def plan(
    names: Sequence[str], seed: int, data_home: Path | None, repeats: int | None
) -> list[DiscoveryRun]:
    """All runs of the study, or those on some tables or sections; a warning names missing files.

    Parameters
    ----------
    names : sequence of str
        Tables or sections; all if it is empty.
    seed : int
    data_home : Path or None
        Folder with ``colon.csv.gz`` and ``subtypes``.
    repeats : int or None
        At most this many tables of each kind.

    Returns
    -------
    list of DiscoveryRun
    """
    tables, missing = hidden_tables(choose_kinds(table_names(), names), data_home)
    warn_of_missing(missing, data_home)
    return [
        DiscoveryRun(table, index, seed, method)
        for table in tables
        for method in methods_of(table.section)
        if (table.has_labels or not method.needs_labels)
        and (table.section != "null" or method.finds_any_number)
        and method.only_kind in (None, table.kind)
        for index in table.indices(repeats)
    ]
