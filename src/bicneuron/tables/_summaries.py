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
# Beside them; elsewhere n means no, too.
_BESIDE = word_set("n min max minimum maximum range count anzahl se sem dev abw iqr cv")
_WORDS = re.compile(r"\w+")
# Rows at the end and columns at the beginning that are looked at.
_MOST_ROWS, _MOST_COLUMNS = 12, 100
_FEWEST_ABOVE, _MOST_ABOVE = 5, 10_000
# So rarely a row of the data has the means of the rows above.
_BY_CHANCE = 1e-5


def without_summaries(sheet: Sheet, notes: list[str]) -> Sheet:
    """Leave out last rows that are called mean, sum or the like where the others have ids."""
    for name, column in zip(sheet.names[:_MOST_COLUMNS], sheet.columns, strict=False):
        last = to_names(column[max(0, sheet.n_rows - _MOST_ROWS) :])[::-1]
        called = [{*_WORDS.findall(word.casefold())} for word in last]
        n = next((i for i, one in enumerate(called) if not one or one - _SUMMARIES - _BESIDE), 0)
        if all(map(_SUMMARIES.isdisjoint, called[:n])):
            continue
        ids = to_names(column)[:-n]
        if len({*ids}) == len(ids) or all(map(read_number, ids)):
            words = listed([*dict.fromkeys(last[:n][::-1])])
            notes.append(f"rows below the data left out: {n}, called {words} in column {name!r}")
            return sheet.with_rows(range(sheet.n_rows - n))
    return sheet


@np.errstate(over="ignore", invalid="ignore")
def unnamed_summaries(columns: Iterable[FloatArray], places: Sequence[str]) -> list[str]:
    """Problem with a row that has the sum or the mean of all rows above, in all columns."""
    n_rows = len(places)
    if n_rows > _MOST_ABOVE:
        return []
    values = np.column_stack([np.empty((n_rows, 0)), *islice(columns, _MOST_COLUMNS)])
    for row in range(max(_FEWEST_ABOVE, n_rows - _MOST_ROWS), n_rows):
        is_filled = np.isfinite(values[: row + 1]).all(axis=0) & (values[row] != 0)
        above, found = values[:row, is_filled], values[row, is_filled]
        unit = 0.1 ** np.array(
            [len(repr(one).rstrip("0").partition(".")[2]) for one in found.tolist()]
        )
        # How often values between those above are the means, rounded alike; zeros tell nothing.
        chance = np.prod(unit / (np.ptp(above, axis=0) / 2 + unit))
        is_beyond = np.sum(found > above.max(axis=0)) > 1
        for what, is_rare in (("sum", is_beyond), ("mean", chance < _BY_CHANCE)):
            far = np.abs(getattr(above, what)(axis=0) - found) - 1e-9 * np.abs(found)
            if is_rare and np.all(far <= 0.51 * unit):
                return [
                    f"{places[row]} holds the {what} of the rows above in all columns of numbers. "
                    "Leave out such rows and those below."
                ]
    return []
