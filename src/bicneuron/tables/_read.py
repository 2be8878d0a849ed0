"""Read a table from a file."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bicneuron._core._arrays import AnyArray
from bicneuron.tables._formats import read_sheet
from bicneuron.tables._kinds import kind_of, read_bytes
from bicneuron.tables._roles import take_apart

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Table:
    """Features, labels, and what was guessed about them.

    Parameters
    ----------
    features : DataFrame of float64
        Finite numbers. The index holds the row names, or numbers from 1 on if there are none.
    labels : array of shape (n_rows,) or None
        Whole numbers or text; None if no target was named.
    target, id_column : str or None
        Names of the columns that labels and row names come from.
    dropped : tuple of str
        Columns that were left out, on request or because they are empty.
    notes : tuple of str
        What was guessed, in words.
    aside : dict of str to array of shape (n_rows,), default={}
        Columns that were set aside, by what they are for: whole numbers or text.
    """

    features: "pd.DataFrame"
    labels: AnyArray | None
    target: str | None
    id_column: str | None
    dropped: tuple[str, ...]
    notes: tuple[str, ...]
    aside: Mapping[str, AnyArray] = field(default_factory=dict)


def read_table(
    path: str | os.PathLike[str],
    *,
    target: str | None = None,
    id_column: str | None = None,
    drop: Iterable[str] = (),
    columns: Sequence[str] | None = None,
    layer: str | None = None,
    aside: Mapping[str, str] | None = None,
) -> Table:
    r"""Read a table of numbers with row names and labels.

    The suffix decides the format: ``.csv`` (also ``.txt``), ``.tsv`` (``.tab``), both also in
    ``.gz``, ``.parquet``, ``.xlsx`` (its first sheet), ``.arff``, ``.h5ad``. Of text, encoding,
    delimiter and decimal comma are guessed. Rows are numbered from 1 below the header.

    Parameters
    ----------
    path : path-like
    target : str, default=None
        Column with the labels; of ``.h5ad`` a column of ``obs``.
    id_column : str, default=None
        Column with the row names. None takes the first column of distinct words, or column 1 if
        it holds distinct whole numbers under a name like ``id``; if there is none, rows are
        numbered.
    drop : iterable of str, default=()
        Columns to leave out.
    columns : sequence of str, default=None
        Features to take, as ``feature_names_in_`` of a fitted model: by name, in this order.
        Anything else is left out, and target and id column need not be there. None takes all
        columns.
    layer : str, default=None
        Layer of an ``.h5ad`` file to take instead of ``X``.
    aside : mapping of str to str, default=None
        Columns that are no features, by what they are for, as in ``{"strata": "batch"}``; of
        ``.h5ad`` also columns of ``obs``. They are ``aside`` of the result.

    Returns
    -------
    Table

    Raises
    ------
    TableError
        What is wrong with the file, by column, row and value.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bicneuron.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv")
    ...     _ = path.write_text("name;size;class\nanna;1,5;a\nbert;2;b\n")
    ...     table = read_table(path, target="class")
    >>> table.features
          size
    name
    anna   1.5
    bert   2.0
    >>> table.labels
    array(['a', 'b'], dtype='<U1')
    >>> table.notes
    ('delimiter: semicolon', 'decimal comma', "row names: column 'name'")
    """
    try:
        import pandas as pd

        import_module("pyarrow")  # pandas would report it later, in other words
    except ImportError as error:
        raise ImportError(f"tables need {error.name}: pip install 'bicneuron[tables]'.") from error
    path = Path(path)
    kind = kind_of(path)
    sheet = read_sheet(path, read_bytes(path, kind), kind, layer)
    parts = take_apart(path, sheet, target, id_column, tuple(drop), columns, aside or {})
    names = (
        pd.RangeIndex(1, len(parts.matrix) + 1, name="row")
        if parts.row_names is None
        else pd.Index(parts.row_names, name=parts.id_column or "row", dtype=object)
    )
    return Table(
        pd.DataFrame(parts.matrix, index=names, columns=parts.features),
        parts.labels,
        None if parts.labels is None else target,
        parts.id_column,
        parts.dropped,
        (*sheet.notes, *parts.notes),
        parts.aside,
    )
