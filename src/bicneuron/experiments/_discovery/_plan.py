"""Which methods are run on which tables."""

import warnings
from collections.abc import Sequence
from pathlib import Path

from bicneuron.datasets import get_data_home
from bicneuron.experiments._choices import check_names
from bicneuron.experiments._discovery._methods import METHODS
from bicneuron.experiments._discovery._runs import DiscoveryRun
from bicneuron.experiments._discovery._tables import hidden_tables, table_names


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
    sections = table_names()
    known = [(section, name) for section, own in sections.items() for name in own]
    check_names("data set", names, [*sections, *(name for _, name in known)])
    chosen = [name for section, name in known if not names or {section, name} & {*names}]
    tables, missing = hidden_tables(chosen, data_home)
    if missing:
        warnings.warn(
            f"{get_data_home(data_home)} has no {', '.join(missing)}; tables that need them are "
            "left out.",
            stacklevel=2,
        )
    return [
        DiscoveryRun(table, method, index, seed)
        for table in tables
        for method in METHODS
        if (table.section != "unpast" or not method.needs_labels)
        and (table.section != "null" or method.finds_any_number)
        and method.only_kind in (None, table.kind)
        for index in range(min(table.n_tables, repeats or table.n_tables))
    ]
