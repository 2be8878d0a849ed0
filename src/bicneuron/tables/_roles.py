"""What the columns of a table are: labels, row names, features."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.exceptions import TableError
from bicneuron.tables._cells import (
    Numbers,
    has_decimal_comma,
    is_missing,
    to_labels,
    to_names,
    to_numbers,
)
from bicneuron.tables._formats import close_to
from bicneuron.tables._sheet import Column, Sheet, cells_of

_LIKE_AN_ID = re.compile(
    r"(?i:column 1|unnamed: 0|index|idx|rows?|no|nr|number|#|sample|patient|subject|case|barcode"
    r"|(.*[ _.-])?(id|ids|identifier|accession|code|name|names|key))|.*[a-z]I[dD]"
)


class Parts(NamedTuple):
    """A table taken apart; see `bicneuron.tables.Table`."""

    matrix: FloatArray
    features: list[str]
    labels: AnyArray | None
    row_names: list[str] | None
    id_column: str | None
    dropped: tuple[str, ...]
    notes: list[str]
    aside: dict[str, AnyArray]


def take_apart(
    path: Path,
    sheet: Sheet,
    target: str | None,
    id_column: str | None,
    drop: tuple[str, ...],
    wanted: Sequence[str] | None,
    aside: Mapping[str, str],
) -> Parts:
    """Assign a role to each column and check its cells."""
    columns = _by_name(path, sheet)
    known = {**columns, **sheet.aside}
    asked_for = set(wanted or ())
    for use, name in aside.items():
        _check_known(path, known, name, f" for {use}")
    if wanted is None:
        _check_known(path, known, target, " for the target")
        _check_known(path, known, id_column, " for the row names")
        for name in drop:
            _check_known(path, columns, name, " to drop")
    else:
        _check_wanted(path, columns, wanted)
    taken = {target, id_column, *drop, *aside.values()} - asked_for
    free = [name for name in columns if name not in taken]
    numbers = {name: to_numbers(columns[name]) for name in free}
    notes = []
    if has_decimal_comma((columns[name], numbers[name]) for name in free):
        notes.append("decimal comma")
        numbers = {name: to_numbers(columns[name], ",") for name in free}

    if id_column not in known:
        id_column = None
    row_names = sheet.row_names
    if id_column is None and row_names is None:
        id_column = _guess_id(columns, numbers, [name for name in free if name not in asked_for])
    if id_column is not None:
        row_names = to_names(known[id_column])
    notes.append(_about_names(id_column, row_names))

    empty = {name for name in free if len(numbers[name].missing) == len(numbers[name].values)}
    if wanted is None:
        features = [name for name in free if name != id_column and name not in empty]
        dropped = [name for name in columns if name in {*drop, *empty}]
        if empty:
            notes.append(f"columns without any value left out: {listed(sorted(empty))}")
    else:
        features = list(wanted)
        used = {*wanted, target, id_column, *aside.values()}
        dropped = [name for name in columns if name not in used]
        if dropped:
            notes.append(f"columns that are not needed left out: {listed(dropped)}")
    if not features:
        raise TableError(f"{path} has no column of features left.")
    could_be_target = target is None and wanted is None
    _check_cells(
        path, {name: columns[name] for name in features}, numbers, row_names, could_be_target
    )
    labels = None
    if target in known and wanted is None:
        labels = _labels(path, target, known[target], row_names)
    elif target in known and any(map(is_missing, cells_of(known[target]))):
        notes.append(f"target {target!r} has missing labels and is ignored")
    elif target in known:
        labels = to_labels(known[target])
    return Parts(
        np.column_stack([numbers[name].values for name in features]),
        features,
        labels,
        row_names,
        id_column,
        tuple(dropped),
        notes,
        {use: _aside(path, use, name, known[name], row_names) for use, name in aside.items()},
    )


def listed(names: Sequence[str], most: int = 8) -> str:
    """Some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def _by_name(path: Path, sheet: Sheet) -> dict[str, Column]:
    names = [name or f"column {j}" for j, name in enumerate(sheet.names, start=1)]
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise TableError(
            f"{path} has several columns called {listed(twice)}; give each a unique name."
        )
    return dict(zip(names, sheet.columns, strict=True))


def _check_known(path: Path, known: dict[str, Column], name: str | None, use: str) -> None:
    if name is not None and name not in known:
        raise TableError(f"{path} has no column {name!r}{use}.{close_to(name, known)}")


def _check_wanted(path: Path, columns: dict[str, Column], wanted: Sequence[str]) -> None:
    lacking = [name for name in wanted if name not in columns]
    if lacking:
        raise TableError(
            f"{path} lacks {len(lacking)} of the {len(wanted)} columns that the model was fitted "
            f"on: {listed(lacking)}. Columns are matched by name; add or rename them."
        )


def _guess_id(
    columns: dict[str, Column], numbers: dict[str, Numbers], names: Sequence[str]
) -> str | None:
    first = next(iter(columns))
    for name in names:
        values = numbers[name].values
        is_called_so = _LIKE_AN_ID.fullmatch(name) is not None
        is_count = (
            name == first
            and is_called_so
            and not numbers[name].text
            and bool(np.all(values == np.floor(values)))
        )
        if is_count or numbers[name].is_text:
            words = to_names(columns[name])
            # Dates and numbers such as 1,234 are not names.
            is_named = is_called_so or any(letter.isalpha() for word in words for letter in word)
            if is_named and all(words) and len(set(words)) == len(words):
                return name
    return None


def _about_names(id_column: str | None, row_names: list[str] | None) -> str:
    if row_names is None:
        return "row names: none found, rows are numbered"
    source = "obs_names" if id_column is None else f"column {id_column!r}"
    n_twice = len(row_names) - len(set(row_names))
    return f"row names: {source}" + (f", {n_twice} of them repeated" if n_twice else "")


def _check_cells(
    path: Path,
    columns: dict[str, Column],
    numbers: dict[str, Numbers],
    row_names: list[str] | None,
    could_be_target: bool,
) -> None:
    for name, column in columns.items():
        if numbers[name].text:
            row = numbers[name].text[0]
            text = [other for other in columns if numbers[other].is_text]
            raise TableError(
                f"{path}: column {name!r}, {_place(row, row_names)}, is "
                f"{_short(cells_of(column)[row])}, which is not a finite number. "
                f"{_way_out(name, text, could_be_target)}"
            )
    holes = {name: numbers[name].missing for name in columns if numbers[name].missing}
    if holes:
        name, rows = next(iter(holes.items()))
        more = f"; so do {len(holes) - 1} more columns" if len(holes) > 1 else ""
        raise TableError(
            f"{path}: column {name!r} lacks {len(rows)} of {len(numbers[name].values)} values, the "
            f"first in {_place(rows[0], row_names)}{more}. Fill them in (by the median, "
            "say), or drop the column or the rows."
        )


def _way_out(name: str, text: Sequence[str], could_be_target: bool) -> str:
    """What to do about a column that holds text, given all columns of text."""
    if name not in text:
        return "Correct it or drop the column."
    if len(text) > 1:
        return f"Drop the columns of text: {listed(text)}."
    target = ", name it as the target if it has classes" if could_be_target else ""
    return f"Drop this column of text{target}, or name it as the id column if it names the rows."


def _labels(
    path: Path, target: str | None, column: Column, row_names: list[str] | None
) -> AnyArray:
    """Labels to learn from: two classes at least."""
    cells = cells_of(column)
    _check_none_missing(f"{path}: target {target!r}", cells, "labels", row_names)
    labels = to_labels(column)
    classes = np.unique(labels)
    if len(classes) == 1:
        raise TableError(
            f"{path}: target {target!r} has one class, {classes.tolist()[0]!r}, in all rows; two "
            "are needed."
        )
    if len(classes) == len(labels) > 2:
        raise TableError(
            f"{path}: target {target!r} has a different value in each row, such as "
            f"{_short(cells[0])}; name a column of classes."
        )
    numbers = to_numbers(column)
    if not numbers.text and np.any(numbers.values != np.floor(numbers.values)):
        raise TableError(
            f"{path}: target {target!r} holds measurements, such as {_short(cells[0])}; name a "
            "column of classes."
        )
    return labels


def _aside(
    path: Path, use: str, name: str, column: Column, row_names: list[str] | None
) -> AnyArray:
    """A column that is no feature, with a value in each row."""
    _check_none_missing(f"{path}: column {name!r} for {use}", cells_of(column), "values", row_names)
    return to_labels(column)


def _check_none_missing(
    what: str, cells: Sequence[object], unit: str, row_names: list[str] | None
) -> None:
    lacking = [i for i, cell in enumerate(cells) if is_missing(cell)]
    if lacking:
        raise TableError(
            f"{what} lacks {len(lacking)} of {len(cells)} {unit}, the first in "
            f"{_place(lacking[0], row_names)}. Fill them in or leave out such rows."
        )


def _place(row: int, row_names: list[str] | None) -> str:
    return f"row {row + 1}" + (f" ({row_names[row]})" if row_names is not None else "")


def _short(cell: object) -> str:
    shown = repr(cell)
    return shown if len(shown) <= 60 else shown[:57] + "..."
