"""Rows below the data that sum it up: means, sums, numbers of patients."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.tables._numbers import read_number
from bicneuron.tables._sheet import Sheet, listed, to_names
from bicneuron.tables._spelling import word_set

_SUMMARIES = word_set(
    "mean means average avg mittelwert mittel mw durchschnitt moyenne media promedio gemiddelde ø "
    "median mediana médiane sum sums total totals subtotal summe gesamt gesamtsumme somme suma "
    "somma totale totaal \u03c3 sd std stdev stdabw standardabw standardabweichung"
)
# Beside them; elsewhere n means no, and media and total are not summaries.
_BESIDE = word_set("n min max minimum maximum range count anzahl se sem dev abw iqr cv")
_ALSO_OTHERS = word_set("media mittel mw total totale totals subtotal sum suma gesamt") | _BESIDE
_WORDS = re.compile(r"\w+")
# Rows at the end and columns at the beginning that are looked at.
_MOST_ROWS, _MOST_COLUMNS = 12, 100
_FEWEST_ABOVE, _MOST_ABOVE = 5, 10_000
# How near sums are after they were rounded, and digits of means.
_ROUNDED, _MOST_DIGITS = 1e-3, 6
# Rows of data that have the means by chance.
_SELDOM = 3e-4


def without_summaries(sheet: Sheet, notes: list[str]) -> Sheet:
    """Leave out last rows that are called mean, sum or the like where the others have ids."""
    for name, column in zip(sheet.names[:_MOST_COLUMNS], sheet.columns, strict=False):
        last = to_names(column[max(0, sheet.n_rows - _MOST_ROWS) :])[::-1]
        called = [{*_WORDS.findall(word.casefold())} for word in last]
        n = next((i for i, one in enumerate(called) if not one or one - _SUMMARIES - _BESIDE), 0)
        if all(map(_SUMMARIES.isdisjoint, called[:n])):
            continue
        ids = to_names(column)[:-n]
        are_ids = len({*ids}) == len(ids) or all(map(read_number, ids))
        if are_ids or not (called[0] & _ALSO_OTHERS or {*ids} & {*last[:n]}):
            words = listed([*dict.fromkeys(last[:n][::-1])])
            notes.append(f"rows below the data left out: {n}, called {words} in column {name!r}")
            return sheet.with_rows([*range(sheet.n_rows - n)])
    return sheet


@np.errstate(over="ignore", invalid="ignore")
def unnamed_summaries(columns: Iterable[FloatArray], places: Sequence[str]) -> list[str]:
    """Problem with a row that has the sums or the means of all rows above."""
    n_rows = len(places)
    if n_rows > _MOST_ABOVE:
        return []
    values = np.column_stack([np.empty((n_rows, 0)), *islice(columns, _MOST_COLUMNS)])
    for row in range(max(_FEWEST_ABOVE, n_rows - _MOST_ROWS), n_rows):
        is_filled = np.isfinite(values[: row + 1]).all(axis=0) & (values[row] != 0)
        above, found = values[:row, is_filled], values[row, is_filled]
        are_sums = np.all(np.abs(above.sum(axis=0) - found) <= _ROUNDED * np.abs(found))
        means, near = above.mean(axis=0), _last_digit(found) * 0.51
        # How often a row of data would have the means of all columns by chance, by the rows above.
        # Many answers of 3 are one fact.
        share = (1 + np.sum(np.abs(above - means) <= near, axis=0)) / (2 + row)
        apart = np.prod([share[found == one].max() for one in np.unique(found)])
        are_means = len(found) > 2 and apart < _SELDOM and np.all(np.abs(means - found) <= near)
        if are_means or (are_sums and np.sum(found > above.max(axis=0)) > 1):
            what = "mean" if are_means else "sum"
            return [
                f"{places[row]} holds the {what} of the rows above in all columns of numbers. "
                "Leave out such rows and those below."
            ]
    return []


def _last_digit(numbers: FloatArray) -> FloatArray:
    """One unit of the last digit behind the point, such as 0.1 of 46.4."""
    powers = 10.0 ** np.arange(_MOST_DIGITS + 1)
    scaled = numbers * powers[:, None]
    is_whole = np.abs(scaled - np.round(scaled)) <= 1e-6 * np.maximum(np.abs(scaled), 1.0)
    is_whole[-1] = True
    unit: FloatArray = 1.0 / powers[is_whole.argmax(axis=0)]
    return unit
