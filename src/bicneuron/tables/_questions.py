"""Questions about a table, alone and beside that of a fit: what may mean something else."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._formats import counted
from bicneuron.tables._cells import Column, listed, names_of, see, shown, some
from bicneuron.tables._conversion import DIFFERENT, Conversion
from bicneuron.tables._ids import Role, words_of

# Sevens, eights and nines stand for refused, not applicable and missing.
_REPEATED = [float(digit * n) for n in range(1, 7) for digit in "789"]
CODES = np.array([-1.0, *_REPEATED, *(-code for code in _REPEATED)])
# Many columns come from one machine: single values are looked at in fewer only.
_MANY_COLUMNS, _FEWEST_ROWS, _FEWEST_VALUES = 1000, 8, 10
# Between units: mm and cm, mmol/l and mg/dl of glucose, m and cm, g and kg; °C and °F, age, year.
_FACTORS = np.array([10.0, 18.02, 100.0, 1000.0])
_SCALES = ((34, 43, 93, 109), (1, 120, 1900, 2100))
_FORMS = {"%Y%m%d": 8, "%d%m%Y": 8, "%m%d%Y": 8, "%y%m%d": 6, "%d%m%y": 6, "%Y%m": 6}
# Names of what is known only afterwards.
_OUTCOMES = re.compile(
    r"\b(tod(esdatum)?|verstorben|exitus|mortality|survival|überlebenszeit|died|dead|death|deceased"
    r"|vital|outcome|rezidiv(datum)?|recurrence|relapsed?|progression|follow ?up|event|censored"
    r"|time to|last contact|os|[pdr]fs)\b"
)
_NO_OUTCOMES = re.compile(r"\b(family|familie|cell|previous|history|risk|left|right)\b")
_BLOCK = 2**22  # cells at once
# Rows of a fit that say something about ranges, and columns of which some are strange by chance.
_FEWEST_OF_FIT, _FEW_COLUMNS, _MOST_NAMED = 10, 100, 8


class Question(NamedTuple):
    """Something to look at: the rule that asks, the column, and the words with the way out."""

    rule: str
    column: str
    text: str


class Asked(NamedTuple):
    """What the rules look at: columns as numbers, in which words are numbered, and as cells."""

    values: Mapping[str, FloatArray]
    numbers: Sequence[str]  # names of those that hold numbers in the file
    columns: Mapping[str, Column]
    conversions: Sequence[Conversion]
    ids: Mapping[str, Role]
    labels: AnyArray | None
    places: Sequence[str]

    def of_numbers(self) -> Iterator[tuple[str, FloatArray]]:
        """Columns of numbers and their values in order, without gaps."""
        for name in self.numbers if len(self.numbers) <= _MANY_COLUMNS else ():
            filled = np.sort(self.values[name][np.isfinite(self.values[name])])
            if len(filled) >= _FEWEST_ROWS:
                yield name, filled


def with_name(option: str, name: str) -> str:
    """The beginning of an option and the name of a column, as it is typed."""
    if option in ("--drop ", "--read keep=") and ("," in name or '"' in name):
        name = '"' + name.replace('"', '""') + '"'
    return f"{option}{shlex.quote(name)}"


@np.errstate(over="ignore", invalid="ignore")
def ask(asked: Asked) -> list[Question]:
    """Ask all questions about the table of a fit."""
    found = [*_codes(asked)]
    coded = {one.column for one in found}
    found += [one for one in _apart(asked) if one.column not in coded]
    rules = (_ids, _dates, _texts, _giveaways)
    return found + [one for rule in rules for one in rule(asked)]


def _ids(asked: Asked) -> Iterator[Question]:
    for name in (name for name, role in asked.ids.items() if role is Role.LIKELY):
        text = f"column {name!r} may be an id or a code, whose numbers measure nothing; if so, "
        text += f"keep its rows together with {with_name('--groups ', name)}, or leave it out with "
        yield Question("ids", name, text + with_name("--drop ", name))


def _codes(asked: Asked) -> Iterator[Question]:
    """Numbers that lie beyond the others and are codes, such as -9."""
    found: dict[float, list[str]] = {}
    for names, table in _blocks(asked.values, asked.numbers):
        ends = np.isin([np.fmin.reduce(table, axis=1), np.fmax.reduce(table, axis=1)], CODES)
        for place in np.flatnonzero(ends.any(axis=0)).tolist():
            for code in _beyond_the_others(table[place]):
                found.setdefault(code, []).append(names[place])
    for code, names in found.items():
        elsewhere = any(name not in names and code in asked.values[name] for name in asked.numbers)
        option = ",".join(f"{name}={code:g}" for name in names) if elsewhere else f"{code:g}"
        rows = [np.flatnonzero(asked.values[name] == code) for name in names]
        hold = f"holds {code:g} in {counted(len(rows[0]), 'row')}"
        if len(names) > 1:
            hold = f"hold {code:g} in {sum(map(len, rows))} cells"
        text = f"{listed(names)} {hold}, beyond all other values, {see(rows[0], asked.places)}; "
        text += f"if it means a missing value: --read missing={shlex.quote(option)}"
        yield Question("codes", names[0], text)


def _beyond_the_others(values: FloatArray) -> list[float]:
    """Codes that lie beyond all values that are not codes, the largest first."""
    is_code = np.isin(values, CODES)
    others = values[np.isfinite(values) & ~is_code]
    if not len(others) or others.min() == others.max():
        return []
    least, largest, are_whole = others.min(), others.max(), not np.any(others % 1)
    spread = largest - least
    apart = min(spread / 2, 3 * spread / len(np.unique(others[:1000])))
    found = []
    for code, n in zip(*np.unique(values[is_code], return_counts=True), strict=True):
        if code < 0:  # 1 and 2 beside -1 are a scale around 0
            is_scale = code == -1 and largest <= 2 and are_whole
            is_beyond = least >= 0 and not is_scale and (n > 1 or -code >= 3 * spread)
        elif code < 10:
            is_beyond = n > 1 and code - largest >= spread and are_whole
        else:
            is_beyond = code - largest >= (apart if n > 1 else 3 * spread)
        found += [float(code)] * bool(is_beyond)
    return found[::-1]


def _apart(asked: Asked) -> Iterator[Question]:
    """Values that lie far from all others: 65535, zeros for no measurement, another unit."""
    found = []
    for name, filled in asked.of_numbers():
        different = np.unique(filled)
        gaps = different[1:] / different[:-1] if different[0] > 0 else np.diff(different)
        edge = different[1:][gaps.argmax()] if len(gaps) else np.inf
        few, most = sorted((filled[filled < edge], filled[filled >= edge]), key=len)
        if len(few) and _are_apart(name, few, most):
            rows = np.flatnonzero(np.isin(asked.values[name], few))
            cells = some([f"{value:.12g}" for value in np.unique(few)], 3)
            missing = with_name("--read missing=", f"{name}={few[0]:.12g}")
            text = (
                f"{name!r} holds {cells} in {counted(len(rows), 'row')}, far from the other values "
                f"({most[0]:g} to {most[-1]:g}), {see(rows, asked.places)}; correct them if they "
                f"are in another unit, or use {missing} or {with_name('--drop ', name)}"
            )
            found.append((few[0], Question("apart", name, text)))
    are_counts = sum(value == 0 for value, _ in found) > _FEWEST_ROWS  # of genes
    return (one for value, one in found if value != 0 or not are_counts)


def _are_apart(name: str, few: FloatArray, most: FloatArray) -> bool:
    different, n_few = np.unique(most), len(np.unique(few))
    if n_few == 1 < len(few) and len(different) >= _FEWEST_VALUES:  # and no doses
        if few[0] == 0 < most[0]:
            # In 0, 1, 2, 3, ... it is one of the counts; many zeros need a wider gap.
            is_count = most[0] <= 2 * np.diff(different)[: len(different) // 2].max()
            is_wide = 4 * len(few) <= len(most) or np.ptp(most) <= most[0]
            return bool(most[0] >= 0.3 * np.median(most) and is_wide and not is_count)
        if 3 * np.ptp(most) <= np.abs(most - few[0]).min():
            return True
    below, above = (few, most) if few[-1] < most[0] else (most, few)
    if below[0] <= 0 or (2 * len(few) > len(most) and n_few < _FEWEST_ROWS):
        return False
    for low, low_end, high, high_end in _SCALES:
        if low <= below[0] <= below[-1] <= low_end and high <= above[0] <= above[-1] <= high_end:
            return not np.any(above % 1) or low > 1
    are_shares = "%" in name and below[-1] <= 1 and above[-1] <= 100
    if above[0] < 5 * below[-1] or not (are_shares or most[-1] <= 3 * most[0]):
        return False
    low, high = np.outer(few[[0, -1]], _FACTORS if below is few else 1 / _FACTORS)
    return bool(np.any((low >= most[0] / 1.25) & (high <= most[-1] * 1.25)))


def _dates(asked: Asked) -> Iterator[Question]:
    """Numbers that are dates."""
    for name, filled in asked.of_numbers():
        different = [] if np.any(filled % 1) or filled[0] < 1_01_01 else np.unique(filled).tolist()
        if any(_are_days(different, *form) for form in _FORMS.items()):
            text = f"{name!r} holds numbers such as {filled[0]:.0f}, which may be dates; write "
            drop = with_name("--drop ", name)
            yield Question("dates", name, f"{text}ages or durations, or use {drop}")


def _are_days(values: Sequence[float], form: str, n_digits: int) -> bool:
    with suppress(ValueError):
        days = (datetime.strptime(f"{value:0{n_digits}.0f}", form) for value in values)
        return len(values) >= 5 and all(1900 <= day.year <= 2100 for day in days)
    return False


def _texts(asked: Asked) -> Iterator[Question]:
    """Texts with numbers in them that are left out."""
    said = []
    for name in (one.column for one in asked.conversions if one.about == DIFFERENT):
        words = [*filter(None, names_of(asked.columns[name]))]
        digits = [word for word in words if 3 * sum(map(str.isdecimal, word)) >= len(word)]
        if 2 * len(digits) > len(words):
            said.append(f"{name!r} such as {shown(max(digits, key=len))}")
    if said:
        numbers = "to use their numbers, write each plainly in a column of its own"
        yield Question("texts", "", f"texts with digits left out: {some(said)}; {numbers}")


def _giveaways(asked: Asked) -> Iterator[Question]:
    """Columns that give the class away: copies of it, what follows from it, orders of rows."""
    if asked.labels is None:
        return
    names = [*asked.values]
    words = {name: " ".join(words_of(name)) for name in names}
    outcomes = (name for name in names if _OUTCOMES.search(words[name]))
    outcomes = (name for name in outcomes if not _NO_OUTCOMES.search(words[name]))
    why = dict.fromkeys(outcomes, "is an outcome by its name")
    classes, counts = np.unique(asked.labels, return_inverse=True, return_counts=True)[1:]
    if len(counts) > 1 and counts.min() >= _FEWEST_ROWS:
        rows = np.random.default_rng(0).permutation(len(classes))[:2000]  # of equal values
        shares, at = np.bincount(classes) / len(classes), classes[rows]
        most = len(counts) - 1 + 0.05 * len(rows) * (1 - np.sum(shares**2))  # changes by chance
        clear = []
        for some_names, table in _blocks(asked.values, names):
            found = at[np.argsort(table[:, rows], axis=1, kind="stable")]
            n_changes = np.sum(found[:, 1:] != found[:, :-1], axis=1)
            clear += [some_names[place] for place in np.flatnonzero(n_changes <= most).tolist()]
        if len(clear) <= max(1, min(3, len(names) // 3)):
            why |= dict.fromkeys(clear, "alone separates the classes")
    for name, reason in why.items():
        text = f"column {name!r} {reason}; if it is known only after the class, use "
        yield Question("giveaways", name, text + with_name("--drop ", name))


def _blocks(
    values: Mapping[str, FloatArray], names: Sequence[str]
) -> Iterator[tuple[Sequence[str], FloatArray]]:
    """Names of some columns and their values, one row each: thousands of short columns at once."""
    step = _BLOCK // max(len(values[names[0]]), 1024) + 1 if names else 1
    for first in range(0, len(names), step):
        some = names[first : first + step]
        yield some, np.array([values[name] for name in some])


def ranges_of(values: Mapping[str, FloatArray]) -> dict[str, list[float]]:
    """Least value, quartiles and largest value of columns, cells with and without one, if whole."""
    ranges: dict[str, list[float]] = {}
    for names, table in _blocks(values, [*values]):
        table.sort(axis=1)  # gaps are last
        filled = np.isfinite(table)
        n, are_whole = filled.sum(axis=1), np.all((table % 1 == 0) | ~filled, axis=1)
        places = np.stack([0 * n, n // 4, n // 2, 3 * n // 4, n - 1], axis=1)
        five = np.take_along_axis(table, places, axis=1)
        found = np.column_stack([five, n, table.shape[1] - n, are_whole]).tolist()
        rounded = ([float(f"{value:.6g}") for value in one] for one in found)
        ranges |= {name: one for name, one in zip(names, rounded, strict=True) if one[5]}
    return ranges


def changes(
    values: Mapping[str, FloatArray], of_fit: Mapping[str, Sequence[float]], places: Sequence[str]
) -> list[Question]:
    """Say which columns of a new table no longer hold what the fit saw; the first few are named."""
    new = [name for name in values if name in of_fit]
    is_wide = len(new) > _FEW_COLUMNS
    lines = ((name, _change(values[name], of_fit[name], places, is_wide)) for name in new)
    found = [Question("changes", name, f"column {name!r}: {line}") for name, line in lines if line]
    if (n_more := len(found) - _MOST_NAMED) > 0:
        more = Question("changes", "", f"{n_more} more columns differ from the fit")
        return [*found[:_MOST_NAMED], more]
    return found


def _change(
    values: FloatArray, of_fit: Sequence[float], places: Sequence[str], is_wide: bool
) -> str:
    low, first, before, third, high, n_fit, n_gaps, is_whole = of_fit
    filled, n_rows = np.sort(values[np.isfinite(values)]), len(values)
    n, n_missing = len(filled), n_rows - len(filled)
    if n_rows >= 4 and n_missing > max(0.5, 4 * n_gaps / (n_fit + n_gaps)) * n_rows:
        return f"{n_missing} of {n_rows} cells are missing, in the fit {n_gaps:.0f} are"
    if not n or n_fit < _FEWEST_OF_FIT:
        return ""
    # In a wide table some columns are strange by chance, and so are few rows.
    span, after, beyond = high - low, filled[n // 2], np.maximum(low - values, values - high)
    reach = (3 if n < _FEWEST_ROWS else 1 if is_wide else 0.5) * span
    is_far = max(low - after, after - high) > reach or low > 0 > after
    if min(n, n_fit) >= 2 * _FEWEST_OF_FIT and not is_wide:
        is_far |= filled[n // 4] > max(third, 1.5 * before) > 0
        is_far |= first > max(filled[3 * n // 4], 1.5 * after) or np.mean(beyond > span / 20) > 0.3
    if is_far:
        return f"the median is {after:.4g}, in the fit {before:.4g}; is it one unit?"
    margin = (3 if is_wide else 0.5) * span
    is_code = np.isin(values, CODES) & (bool(is_whole) | (np.abs(values) >= 9))
    is_out = is_code & ((values > high + margin) | (values < min(low, 0)))
    rows = np.flatnonzero(is_out | ((beyond > 10 * margin) & (not is_wide)))
    if not len(rows):
        return ""
    cell = f"{values[rows[0]]:g} in {places[rows[0]]}"
    return f"{cell} lies outside what the fit saw, {low:g} to {high:g}"
