"""Codes for missing values: those that were given, and numbers that look like one."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._names import close_to
from bicneuron.tables._numbers import read_number
from bicneuron.tables._scales import doubtful_scales
from bicneuron.tables._sheet import Column, cells_of, each_once, listed, see, text_of
from bicneuron.tables._step import Step
from bicneuron.tables._steps import MissingCodes

# Sevens, eights and nines stand for refused, not applicable and missing.
_SINGLE = (7.0, 8.0, 9.0)
_POSITIVE = tuple(float(digit * n) for n in range(2, 7) for digit in "789")
_NEGATIVE = (-1.0, *(float(f"-{digit * n}") for n in range(1, 7) for digit in "789"))
CODES = np.array([*_SINGLE, *_POSITIVE, *_NEGATIVE])
# With -1 beside them, whole numbers up to this are often a scale around 0.
_LARGEST_OF_A_SCALE = 2
# A repeated code is so many times further from the other values than some are from each other.
_APART, _SOME = 3, 1000
_COLUMNS_AT_ONCE = 1024
# Zeros are doubtful where the least other value is this share of the median, of so many different
# ones, and in so many columns at most.
_FAR_FROM_0, _FEWEST_VALUES, _MOST_WITH_ZEROS = 0.3, 10, 8
# The first days of the calendars of spreadsheets and of Unix, as years, and years that are none.
_DATES = np.array([1899 + 363 / 365, 1899 + 364 / 365, 1900.0, 1900 + 1 / 365, 1904.0, 1970.0])
_NO_YEAR = 2900


class _Codes(NamedTuple):
    texts: frozenset[str]
    numbers: tuple[float, ...]

    def holds(self, cell: Any) -> bool:
        """True if a cell is one of the codes, whatever its case, spaces and zeros behind a mark."""
        if cell is None:
            return False
        text = text_of(cell).removesuffix(" 00:00:00").casefold()  # a date of a spreadsheet
        if text in self.texts or not self.numbers:
            return text in self.texts
        number = read_number(text)
        return (
            number is not None
            and not (number.unit or number.is_limit)
            and any(value in self.numbers for value in number.by_mark.values())
        )


def parse_codes(given: Iterable[str], names: Sequence[str]) -> tuple[list[MissingCodes], list[str]]:
    """Return steps for codes such as ``-9`` and ``age=999``, and problems with them."""
    codes: dict[str, list[str]] = {}
    problems = []
    known = {*names}
    for one in given:
        parts = one.split("=")
        heads = ["=".join(parts[:place]) for place in range(1, len(parts))]
        column = next((head for head in heads if head in known), "")
        code = one[len(column) + 1 :].strip() if column else one.strip()
        if heads and not column:
            problems.append(f"has no column {heads[0]!r} for missing.{close_to(heads[0], names)}")
        elif not code:
            problems.append(f"--read missing={one!r} names no value.")
        else:
            codes.setdefault(column, []).append(code)
    return [MissingCodes(column, tuple(found)) for column, found in codes.items()], problems


def codes_of_steps(steps: Iterable[Step]) -> list[MissingCodes]:
    """Return the codes among the steps of a fit."""
    return [step for step in steps if isinstance(step, MissingCodes)]


def without_codes(
    name: str, column: Column, steps: Iterable[MissingCodes]
) -> tuple[Column, dict[str, int]]:
    """Return a column whose codes are missing cells, and the number of cells of each code.

    A column without any is returned as it is.
    """
    codes = [code for step in steps if step.column in ("", name) for code in step.levels]
    n_cells: dict[str, int] = {}
    for code in codes:
        number = read_number(text_of(code))
        is_number = number is not None and not (number.unit or number.is_limit)
        values = {value for value in number.by_mark.values() if value is not None} if number else ()
        wanted = _Codes(frozenset({text_of(code).casefold()}), (*values,) if is_number else ())
        column, n_cells[code] = _blanked(column, wanted)
    return column, {code: n for code, n in n_cells.items() if n}


def _blanked(column: Column, codes: _Codes) -> tuple[Column, int]:
    if isinstance(column, np.ndarray):
        found = np.isin(column, codes.numbers)
        return (np.where(found, np.nan, column) if found.any() else column), int(found.sum())
    if not isinstance(column, list):
        return _blanked_by_pyarrow(column, codes)
    rows = [row for row, is_code in enumerate(each_once(codes.holds, column)) if is_code]
    if rows:
        column = column.copy()
        for row in rows:
            column[row] = "" if isinstance(column[row], str) else None
    return column, len(rows)


def _blanked_by_pyarrow(column: Any, codes: _Codes) -> tuple[Any, int]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        wanted = pa.array(codes.numbers, pa.float64())
        found = pc.is_in(column.cast(pa.float64()), value_set=wanted)
    elif pa.types.is_string(kind):
        words = [word for word in pc.unique(column).to_pylist() if codes.holds(word)]
        found = pc.is_in(column, value_set=pa.array(words, kind))
    else:
        return _blanked(cells_of(column), codes)
    n_found = pc.sum(found).as_py() or 0
    return (pc.if_else(found, pa.scalar(None, kind), column) if n_found else column), n_found


def about_codes(
    steps: Iterable[MissingCodes], n_cells: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """Say where the codes were found, by column and code, and which were found nowhere."""
    notes = []
    for step in steps:
        for code in step.levels:
            places = [step.column] if step.column else [*n_cells]
            found = {name: n_cells.get(name, {}).get(code, 0) for name in places}
            said = [f"{name!r} ({n})" for name, n in found.items() if n]
            option = "--read missing=" + (f"{step.column}={code}" if step.column else code)
            if said:
                more = f" and {len(said) - 8} more" if len(said) > 8 else ""
                notes.append(f"cells {code} taken as missing: {', '.join(said[:8])}{more}")
            else:
                notes.append(f"{option}: no cell holds it")
    return notes


def suspected_codes(columns: Mapping[str, FloatArray], places: Sequence[str]) -> list[str]:
    """Ask about numbers that lie apart from the others: codes such as -9, and other units."""
    found: dict[float, list[str]] = {}
    for name in _with_an_extreme_code(columns):
        for code in beyond_the_others(columns[name]):
            found.setdefault(code, []).append(name)
    for name in columns if len(columns) <= _COLUMNS_AT_ONCE else ():
        for code in _far_away(columns[name]):
            if name not in found.setdefault(code, []):
                found[code].append(name)
    notes = []
    for code, names in found.items():
        elsewhere = any(name not in names and code in values for name, values in columns.items())
        digits = repr(code).removesuffix(".0")
        option = ",".join(f"{name}={digits}" for name in names) if elsewhere else digits
        rows = [np.flatnonzero(columns[name] == code) for name in names]
        what = f"{listed(names)} {'holds' if len(names) == 1 else 'hold'} {digits}"
        n = "" if len(names) == 1 else f"{sum(map(len, rows))} cells"
        notes.append(_question(what, rows[0], "beyond all other values", places, option, n))
    notes += _doubtful_zeros(columns, places)
    coded = {name for names in found.values() for name in names}
    others = {name: values for name, values in columns.items() if name not in coded}
    return notes + doubtful_scales(others, places)


def _far_away(values: FloatArray) -> list[float]:
    """Repeated values far from all others, such as 65535; few different others are doses."""
    values = values[np.isfinite(values)]
    found = []
    for code in (values.min(), values.max()) if len(values) else ():
        others = values[values != code]
        is_repeated = code != 0 and 2 * len(others) > len(values) > len(others) + 1
        if is_repeated and 3 * np.ptp(others) <= np.abs(others - code).min():
            found += [float(code)] * (len(np.unique(others)) >= _FEWEST_VALUES)
    return found


def _doubtful_zeros(columns: Mapping[str, FloatArray], places: Sequence[str]) -> list[str]:
    """Ask about zeros in columns whose other values are far from 0, such as pressures."""
    found = {}
    for name, values in columns.items() if len(columns) <= _COLUMNS_AT_ONCE else ():
        filled = values[values > 0]
        zeros = np.flatnonzero(values == 0)
        if not 0 < len(zeros) <= len(filled) or np.any(values < 0):
            continue
        is_far = filled.min() >= _FAR_FROM_0 * np.median(filled)
        if len(zeros) > len(filled) / 4:  # many zeros need a wider gap, as between 0 and 150 to 230
            is_far = np.ptp(filled) <= filled.min()
        known = np.unique(filled)
        # In 0, 1, 2, 3, ... it is one of the counts.
        is_far &= filled.min() > 2 * np.diff(known)[: len(known) // 2].max(initial=0)
        if is_far and len(known) >= _FEWEST_VALUES:
            others = f"the other values ({filled.min():g} to {filled.max():g})"
            found[name] = zeros, others
    if len(found) > _MOST_WITH_ZEROS:  # as genes that are not expressed
        return []
    return [
        _question(f"{name!r} holds 0", zeros, f"far from {others}", places, f"{name}=0")
        for name, (zeros, others) in found.items()
    ]


def _question(
    what: str, rows: AnyArray, how: str, places: Sequence[str], option: str, n: str = ""
) -> str:
    n = n or f"{len(rows)} row{'s' * (len(rows) > 1)}"
    return (
        f"{what} in {n}, {how}, {see(rows, places)}; if it means a missing value: --read missing="
        f"{shlex.quote(option)}"
    )


def suspected_dates(
    name: str, values: FloatArray, cells: Sequence[Any], places: Sequence[str]
) -> list[str]:
    """Ask about dates such as 31.12.9999 that lie beyond all other dates of their column."""
    is_code = np.isin(values, _DATES) | (values >= _NO_YEAR)
    others = values[~is_code & np.isfinite(values)]
    if not is_code.any() or not len(others):
        return []
    notes = []
    for value in np.unique(values[is_code]).tolist():
        rows = np.flatnonzero(values == value)
        gap = max(others.min() - value, value - others.max())
        if gap > 0 and (len(rows) > 1 or gap > np.ptp(others)):
            cell = text_of(cells[rows[0]]).removesuffix(" 00:00:00")
            what, how = f"{name!r} holds {cell}", "beyond all other dates"
            notes.append(_question(what, rows, how, places, f"{name}={cell}"))
    return notes


def _with_an_extreme_code(columns: Mapping[str, FloatArray]) -> list[str]:
    """Columns whose least or largest value is a code, found for many columns at once."""
    names = [*columns]
    found = []
    for start in range(0, len(names), _COLUMNS_AT_ONCE):
        block = names[start : start + _COLUMNS_AT_ONCE]
        values = np.stack([columns[name] for name in block])
        ends = np.stack([np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)])
        is_code = np.isin(ends, CODES).any(axis=0)
        found += [block[place] for place in np.flatnonzero(is_code)]
    return found


def beyond_the_others(values: FloatArray) -> dict[float, int]:
    """Return codes that lie beyond all values that are not codes, and how often they occur."""
    values = values[np.isfinite(values)]
    others = values[~np.isin(values, CODES)]
    if not len(others) or others.min() == others.max():
        return {}
    least, largest = float(others.min()), float(others.max())
    spread = largest - least
    apart = min(spread / 2, _APART * spread / len(np.unique(others[:_SOME])))
    codes, counts = np.unique(values[np.isin(values, CODES)], return_counts=True)
    found = {}
    for code, n in zip(codes.tolist()[::-1], counts.tolist()[::-1], strict=True):
        if code == -1.0:
            is_scale = largest <= _LARGEST_OF_A_SCALE and bool(np.all(others % 1 == 0))
            is_beyond = n > 1 and least >= 0 and not is_scale
        elif code < 0:
            is_beyond = least >= 0 and (n > 1 or -code >= 3 * spread)
        elif code in _SINGLE:
            is_beyond = n > 1 and code - largest >= spread and bool(np.all(others % 1 == 0))
        else:
            gap = code - largest
            is_beyond = gap >= 3 * spread or (n > 1 and gap >= apart)
        if is_beyond:
            found[code] = n
    return found
