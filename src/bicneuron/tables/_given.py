"""Groups of other tools in files: tables of rows and groups, gene sets, tables of biclusters."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._version import import_extra
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import Column, cells_of, listed, names_of, read_column
from bicneuron.tables._files import read_sheet, unpacked
from bicneuron.tables._text import decoded

ROWS, COLUMNS = "samples", "genes"  # in a table of biclusters, as UnPaSt writes it
_YES, _NO = {"1", "true", "yes"}, {"0", "false", "no"}


def read_groups(path: str | os.PathLike[str]) -> Any:
    r"""Read groups of another tool, for `bicneuron.Findings.from_groups`.

    Parameters
    ----------
    path : path-like
        Gene sets (``.gmt``), whose rows are not known, or a table of biclusters with ``samples``
        and ``genes``, as UnPaSt writes it: a dict of names and pairs of rows and columns. Or a
        table with names of rows in the first column, and a column of labels (a Series), or one of
        memberships (0 and 1, or shares) for each group (a DataFrame).

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "sets.gmt")
    ...     _ = path.write_text("UP\tmy genes\tTP53\tMYC\n")
    ...     read_groups(path)
    {'UP': (None, ['TP53', 'MYC'])}
    """
    path = Path(path)
    if path.name.lower().endswith((".gmt", ".gmt.gz")):
        return _gene_sets(path)
    sheet = read_sheet(path)
    columns = dict(zip(sheet.names, sheet.columns, strict=True))
    rows = names_of(sheet.columns[0])
    if twice := [row for row in dict.fromkeys(rows) if rows.count(row) > 1]:
        raise TableError(f"{path} has several lines for {listed(twice, 3)}; give one for each.")
    if {ROWS, COLUMNS} <= columns.keys():
        sides = zip(*(map(_words, cells_of(columns[one])) for one in (ROWS, COLUMNS)), strict=True)
        return {f"bicluster {name}": pair for name, pair in zip(rows, sides, strict=True)}
    if len(columns) < 2:
        raise TableError(f"{path} has one column; give names of rows, and labels or memberships.")
    return groups_of({name: columns[name] for name in sheet.names[1:]}, rows, path)


def groups_of(columns: Mapping[str, Column], rows: Any, path: Path) -> Any:
    """Memberships in columns of rows, or the labels in one column."""
    pd = import_extra("pandas", "groups need pandas: pip install 'bicneuron[tables]'.")
    index = pd.Index(rows, dtype=object)
    memberships = {name: _memberships(column) for name, column in columns.items()}
    words = [name for name, values in memberships.items() if values is None]
    if not words:
        return pd.DataFrame(memberships, index)
    if len(columns) > 1:
        raise TableError(
            f"{path} has labels in {listed(words, 3)} beside other columns; give one column of "
            "labels, or memberships (0 and 1, or shares) in each."
        )
    labels = [name or None for name in names_of(columns[words[0]])]
    return pd.Series(labels, index, dtype=object, name=words[0])


def _memberships(column: Column) -> FloatArray | None:
    """Numbers that say how much each row belongs to a group; None of labels."""
    words = [name.casefold() for name in names_of(column)]
    if any(words) and {*words} <= _YES | _NO | {""}:
        return np.array([word in _YES for word in words], np.float64)
    values = read_column(column).values
    numbers = values[np.isfinite(values)]
    has_words = len(numbers) < sum(map(bool, words))
    return None if has_words or not np.any(numbers % 1) else values


def _gene_sets(path: Path) -> dict[str, tuple[None, list[str]]]:
    """Names of gene sets and their genes; the second field describes a set."""
    sets: dict[str, tuple[None, list[str]]] = {}
    for number, line in enumerate(decoded(path, unpacked(path))[0].splitlines(), start=1):
        name, *fields = map(str.strip, line.split("\t"))
        genes = [*filter(None, fields[1:])]
        if line.strip() and (not name or not genes or name in sets):
            why = "is there twice" if name in sets else "needs a name, a description and genes"
            raise TableError(f"{path}, line {number}: the set {name!r} {why}, with tabs between.")
        sets |= {name: (None, genes)} if line.strip() else {}
    if not sets:
        raise TableError(f"{path} is empty: it has no gene set.")
    return sets


def _words(cell: Any) -> list[str]:
    return str("" if cell is None else cell).split()
