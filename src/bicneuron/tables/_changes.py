"""Compare the values of a new table with those of the fit: other units, codes, missing columns."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.exceptions import TableError
from bicneuron.tables._questions import CODES, Question

_QUANTILES, _MOST_ROWS = (0.25, 0.5, 0.75), 128  # of so many rows, evenly spaced
# Fewer rows of a fit say little about the range, and fewer new ones about the median.
_FEWEST_OF_FIT, _FEWEST_NEW, _FEWEST_EMPTY = 10, 8, 4
# Whole numbers within this range are grades; more rows outside than this share are strange.
_RANGE_OF_GRADES, _MANY = 10, 0.2
_MOST_COLUMNS, _MOST_NAMED = 100, 8
# Between units: powers of ten; glucose, cholesterol, creatinine, bilirubin and haemoglobin in mg/dl
# and mmol/l; pounds, inches, kPa, months, days.
_FACTORS = (10, 100, 1000, 1e6, 18.02, 38.67, 88.5, 17.1, 1.611, 2.205, 2.54, 7.5, 12, 365.25)


class Seen(NamedTuple):
    """What columns of numbers held, one row each."""

    names: tuple[str, ...]
    quantiles: FloatArray  # least value, quartiles and largest value
    n_filled: AnyArray  # cells with a value
    n_missing: AnyArray
    are_whole: AnyArray

    def to_json(self) -> dict[str, list[Any]]:
        """Numbers by column, with six digits."""
        return {
            name: [*(float(f"{value:.6g}") for value in row), int(n), int(gaps), bool(whole)]
            for name, row, n, gaps, whole in zip(*self, strict=True)
        }

    @classmethod
    def from_json(cls, records: Any) -> "Seen":
        """Convert the output of `to_json` back."""
        try:
            rows = [[float(value) for value in record] for record in records.values()]
            table = np.array(rows, dtype=np.float64).reshape(len(records), 8)
        except (AttributeError, TypeError, ValueError) as error:
            raise TableError("the model has no valid ranges of its columns.") from error
        if not np.isfinite(table).all():
            raise TableError("the model has ranges of columns that are not numbers.")
        counts = table[:, 5:7].astype(np.int64)
        return cls((*records,), table[:, :5], counts[:, 0], counts[:, 1], table[:, 7] > 0)


def look_at_values(values: Mapping[str, FloatArray]) -> Seen:
    """Count and order the values of columns of numbers."""
    block = np.stack([*values.values()]) if values else np.empty((0, 1))
    is_gap = np.isnan(block)
    n_missing = is_gap.sum(axis=1)
    some = block[:, :: max(1, -(-block.shape[1] // _MOST_ROWS))]
    quartiles = np.quantile(some, _QUANTILES, axis=1)
    for row in np.flatnonzero(n_missing):
        filled = block[row][~is_gap[row]]
        quartiles[:, row] = np.quantile(filled, _QUANTILES) if len(filled) else np.nan
    ends = np.fmin.reduce(block, axis=1), np.fmax.reduce(block, axis=1)
    are_whole = np.all((np.floor(block) == block) | is_gap, axis=1)
    quantiles = np.vstack([ends[0], quartiles, ends[1]]).T
    return Seen((*values,), quantiles, block.shape[1] - n_missing, n_missing, are_whole)


def changes(values: Mapping[str, FloatArray], seen: Seen, places: Sequence[str]) -> list[Question]:
    """Say which columns of a new table no longer hold what the fit saw; the first few are named."""
    place_of = {name: place for place, name in enumerate(seen.names)}
    here = look_at_values({name: values[name] for name in values if name in place_of})
    fit = Seen(here.names, *(part[[place_of[name] for name in here.names]] for part in seen[1:]))
    is_wide = len(here.names) > _MOST_COLUMNS  # where some are strange by chance
    is_other = _are_other_units(fit, here) & (not is_wide) | _are_far(fit, here)
    share = fit.n_missing / np.maximum(fit.n_filled + fit.n_missing, 1)
    is_emptied = here.n_missing > np.maximum(0.5, 4 * share) * len(places)
    is_grade = fit.are_whole & (np.ptp(fit.quantiles, axis=1) <= _RANGE_OF_GRADES)
    is_constant = (fit.quantiles[:, 3] > fit.quantiles[:, 1]) & ~is_grade
    is_constant &= here.quantiles[:, 0] == here.quantiles[:, 4]
    is_constant &= here.n_filled >= _FEWEST_NEW
    found = []
    for row, name in enumerate(here.names):
        before, after = fit.quantiles[row, 2], here.quantiles[row, 2]
        line = ""
        if is_emptied[row] and len(places) >= _FEWEST_EMPTY:
            line = f"{here.n_missing[row]} of {len(places)} cells are missing, in the fit "
            line += f"{fit.n_missing[row]} of {fit.n_filled[row] + fit.n_missing[row]}"
        elif is_constant[row]:
            line = f"all values are {after:g}, and the fit saw different ones"
        elif is_other[row]:
            line = f"the median is {after:.4g}, in the fit {before:.4g}; is it one unit?"
        else:
            line = _outside(values[name], fit, row, places, is_wide=is_wide)
        found += [Question("changes", name, f"column {name!r}: {line}")] if line else []
    more = len(found) - _MOST_NAMED
    text = f"{more} more columns differ from those of the fit likewise"
    return found[:_MOST_NAMED] + ([Question("changes", "", text)] if more > 0 else [])


def _are_far(fit: Seen, here: Seen) -> AnyArray:
    """True where the median lies far outside the range of the fit, as a difference or a ratio."""
    low, high, median = fit.quantiles[:, 0], fit.quantiles[:, 4], here.quantiles[:, 2]
    margin = np.where(here.n_filled >= _FEWEST_NEW, 1.0, 3.0)
    reach = margin * (high - low)
    is_far = (median > high + reach) | (median < low - reach) | ((low > 0) & (median < 0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.maximum(high / low, 1.5) ** margin
        is_ratio = (low > 0) & (here.quantiles[:, 0] > 0)
        is_far |= is_ratio & ((median > high * ratio) | (median < low / ratio))
    return is_far & (fit.n_filled >= _FEWEST_OF_FIT)


def _are_other_units(fit: Seen, here: Seen) -> AnyArray:
    """True where median and spread changed by the factor of a unit, clearly more than by chance.

    In a batch most columns shift, and only some of them by what is a factor between units.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [np.log(of.quantiles[:, 1:4]) for of in (fit, here)]
        spreads = [of.quantiles[:, 3] - of.quantiles[:, 1] for of in (fit, here)]
        spread = np.log(spreads[1] / spreads[0])
        change = logs[1][:, 1] - logs[0][:, 1]
        # Standard errors of medians of logarithms, if these are normal.
        errors = [
            0.93 * (one[:, 2] - one[:, 0]) / np.sqrt(of.n_filled)
            for one, of in zip(logs, (fit, here), strict=True)
        ]
        error = np.hypot(*errors)
        factors = np.log(_FACTORS)[:, None]
        is_near = np.abs(np.abs(change) - factors) < 0.1 + 2 * error
        is_factor = np.any(is_near & (np.abs(spread - np.sign(change) * factors) < np.log(1.5)), 0)
        is_clear = (np.abs(change) > 5 * error) & (np.abs(change) > logs[0][:, 2] - logs[0][:, 0])
        cold, warm = np.sort([fit.quantiles[:, 2], here.quantiles[:, 2]], axis=0)
        is_degrees = (cold > 30) & (cold < 45) & (np.abs(warm - 1.8 * cold - 32) < 3)
        is_degrees &= np.abs(np.abs(spread) - np.log(1.8)) < np.log(1.5)
    is_clear &= (fit.n_filled >= _FEWEST_OF_FIT) & (here.n_filled >= _FEWEST_NEW)
    found = is_clear & (is_factor | is_degrees)
    return np.asarray(found & (2 * found.sum() >= is_clear.sum()))


def _outside(
    values: FloatArray, fit: Seen, row: int, places: Sequence[str], *, is_wide: bool
) -> str:
    """Say that single values are codes, or lie very far outside the range of the fit."""
    low, *_, high = fit.quantiles[row].tolist()
    is_beyond = (values < low) | (values > high)
    if fit.n_filled[row] < _FEWEST_OF_FIT or not is_beyond.any():
        return ""
    span, is_whole = high - low, bool(fit.are_whole[row])
    is_code = np.isin(values, CODES) & (is_whole | (np.abs(values) >= 9))
    margin = 3 * span if is_wide else span / 2
    is_out = is_code & ((values > high + margin) | (values < (0 if low >= 0 else low - margin)))
    if is_whole and span <= _RANGE_OF_GRADES:  # grades, or codes from another number on
        is_out |= is_beyond & (is_beyond.sum() > _MANY * len(values))
    elif not is_wide:
        is_far = (values < low - 5 * span) | (values > high + 5 * span)
        if low > 0:  # many times as large is nothing strange where values range widely
            is_far &= (values <= 0) | (values > high**2 / low) | (values < low**2 / high)
        is_out |= is_far
    rows = np.flatnonzero(is_out)
    if not len(rows):
        return ""
    more = f" ({len(rows)} such cells)" if len(rows) > 1 else ""
    where = f"{values[rows[0]]:g} in {places[rows[0]]}"
    return f"{where} lies outside what the fit saw, {low:g} to {high:g}{more}"
