"""Which methods are run on which tables."""

from collections.abc import Sequence
from pathlib import Path

from studies._drawn_tables import choose_kinds, tell_missing
from studies.discovery.methods import METHODS
from studies.discovery.runs import DiscoveryRun
from studies.discovery.tables import hidden_tables, table_names


def plan_discovery(
    names: Sequence[str], seed: int, data_home: Path | None, repeats: int | None
) -> list[DiscoveryRun]:
    """All runs of the study, or those on some tables or sections; missing files are told.

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
    tell_missing(missing, data_home)
    return [
        DiscoveryRun(table, index, seed, method)
        for table in tables
        for method in METHODS
        if (table.has_labels or not method.needs_labels)
        and (table.section != "null" or method.finds_any_number)
        and method.only_kind in (None, table.kind)
        for index in table.indices(repeats)
    ]
