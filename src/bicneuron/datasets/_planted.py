"""Tables with planted groups, as values."""

from typing import NamedTuple

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray


class PlantedGroup(NamedTuple):
    """Rows that share something in some columns.

    Parameters
    ----------
    rows, columns : arrays of intp
        Sorted indices into the table.
    """

    rows: IndexArray
    columns: IndexArray


class PlantedTable(NamedTuple):
    """A table and the groups that were planted in it.

    Parameters
    ----------
    X : float64 array of shape (n_rows, n_columns)
    y : array of str of shape (n_rows,), or None
        "case" or "control"; None for tables without labels.
    groups : tuple of PlantedGroup
    """

    X: FloatArray
    y: AnyArray | None
    groups: tuple[PlantedGroup, ...]
