"""A kind of table of the study."""

from dataclasses import dataclass

from studies._drawn_tables import TableKind


@dataclass(frozen=True, eq=False, kw_only=True)
class HiddenTable(TableKind):
    """A kind of table with groups.

    Parameters
    ----------
    n_columns : int
        Columns of a group, which rivals get.
    kind : str
        Kind of the patterns that a miner should report.
    has_labels : bool
        Whether methods that need labels can be run.
    has_structure : bool
        The last group of a table is no hidden one: it is a known division of the rows.
    group_names : tuple of str
        Names of the groups, where they are reported one by one.
    """

    n_columns: int
    kind: str = "shift"
    has_labels: bool = True
    has_structure: bool = False
    group_names: tuple[str, ...] = ()
