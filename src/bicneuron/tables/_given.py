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
from bicneuron.tables._files import check_readable, read_sheet, unpacked
from bicneuron.tables._sheet import Sheet
from bicneuron.tables._text import decoded

GENE_SETS = (".gmt", ".gmt.gz")
# Columns of a table of biclusters, as UnPaSt writes it.
ROWS, COLUMNS = "samples", "genes"
_PANDAS = "groups of rows need pandas: pip install 'bicneuron[tables]'."
_YES, _NO = {"1", "true", "yes"}, {"0", "false", "no"}


def read_groups(path: str | os.PathLike[str]) -> Any:
    r"""Read groups of another tool, for `bicneuron.Findings.from_groups`.

    Parameters
    ----------
    path : path-like
        Gene sets (``.gmt``), whose rows are not known; a table of biclusters with ``samples`` and
        ``genes``, as UnPaSt writes it; or a table with the names of rows in the first column, and a
        column of labels, or one of memberships (0 and 1, or shares) for each group.

    Returns
    -------
    groups : dict, Series or DataFrame
        Names of groups and their columns, or pairs of rows and columns; labels; or memberships.

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
    if not path.is_file():
        raise TableError(f"{path} does not exist, or is no file.")
    if path.name.lower().endswith(GENE_SETS):
        return _gene_sets(path)
    check_readable(path)
    sheet = read_sheet(path)
    if {ROWS, COLUMNS} <= {*sheet.names}:
        return _biclusters(path, sheet)
    if len(sheet.names) < 2:
        raise TableError(f"{path} has one column; give names of rows, and labels or memberships.")
    pd = import_extra("pandas", _PANDAS)
    rows = names_of(sheet.columns[0])
    if twice := sorted({row for row in rows if row and rows.count(row) > 1}):
        raise TableError(f"{path} has several lines for {listed(twice, 3)}; give one for each row.")
    groups = dict(zip(sheet.names[1:], sheet.columns[1:], strict=True))
    return groups_of(groups, pd.Index(rows, dtype=object), path)


def groups_of(columns: Mapping[str, Column], rows: Any, path: Path) -> Any:
    """Memberships in columns of rows, or the labels in one column."""
    pd = import_extra("pandas", _PANDAS)
    memberships = {name: _memberships(column) for name, column in columns.items()}
    words = [name for name, values in memberships.items() if values is None]
    if not words:
        return pd.DataFrame(memberships, index=rows)
    if len(columns) > 1:
        raise TableError(
            f"{path} has labels in {listed(words, 3)} beside other columns; give one column of "
            "labels, or memberships (0 and 1, or shares) in each."
        )
    labels = [name or None for name in names_of(columns[words[0]])]
    return pd.Series(labels, rows, dtype=object, name=words[0])


def _memberships(column: Column) -> FloatArray | None:
    """Numbers that say how much a row belongs to a group; None of labels."""
    words = [name.casefold() for name in names_of(column)]
    if any(words) and {*words} <= _YES | _NO | {""}:
        return np.array([word in _YES for word in words], np.float64)
    values = read_column(column).values
    is_number = np.isfinite(values)
    has_words = int(is_number.sum()) < sum(map(bool, words))
    return None if has_words or not np.any(values[is_number] % 1) else values


def _gene_sets(path: Path) -> dict[str, tuple[None, list[str]]]:
    """Names of gene sets and their genes; the second field describes a set."""
    text, _ = decoded(path, unpacked(path))
    sets: dict[str, tuple[None, list[str]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name, *others = (field.strip() for field in line.split("\t"))
        genes = [gene for gene in others[1:] if gene]
        if not name and not genes:
            continue
        if not name or not genes or name in sets:
            why = "is there twice" if name in sets else "needs a name, a description and genes"
            raise TableError(f"{path}, line {number}: the set {name!r} {why}, with tabs between.")
        sets[name] = (None, genes)
    if not sets:
        raise TableError(f"{path} is empty: it has no gene set.")
    return sets


def _biclusters(path: Path, sheet: Sheet) -> dict[str, tuple[list[str], list[str]]]:
    """Rows and columns of each bicluster, which are words between spaces."""
    columns = dict(zip(sheet.names, sheet.columns, strict=True))
    first = sheet.names[0]
    numbers = names_of(columns[first]) if first not in (ROWS, COLUMNS) else []
    found = {}
    for place, (rows, names) in enumerate(
        zip(cells_of(columns[ROWS]), cells_of(columns[COLUMNS]), strict=True)
    ):
        name = f"bicluster {numbers[place] if numbers else place}"
        if name in found:
            raise TableError(f"{path} has {name!r} twice; give each line of {first!r} its own.")
        found[name] = (str(rows or "").split(), str(names or "").split())
    return found
