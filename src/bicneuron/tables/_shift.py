"""Compare the values of a new table with those of the fit: other units, codes, missing columns.

Each number has a few quantiles of the fit beside it. Implausible changes are reported:
a median far outside the range of the fit, or changed by the factor of a unit together with
the spread; single values very far outside; codes that were not seen; columns that became empty.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.exceptions import TableError
from bicneuron.tables._missing import CODES
from bicneuron.tables._sheet import in_blocks

_QUARTILES = (0.25, 0.5, 0.75)
# They are those of so many rows, evenly spaced.
_MOST_ROWS = 128
# Fewer rows of a fit say little about the range, and fewer new ones about the median.
_FEWEST_OF_FIT, _FEWEST_NEW, _FEWEST_EMPTY = 10, 8, 4
# Ranges of the fit that a median, and a single value, must lie outside; of few rows three.
_FAR, _FAR_OF_FEW, _VERY_FAR = 1.0, 3.0, 5.0
# Whole numbers within this range are codes or grades; more rows outside than this share are
# strange. Among fractions a code has at least this size.
_RANGE_OF_CODES, _MANY, _LEAST_CODE = 10, 0.2, 9
# In tables of more columns some are strange by chance.
_MOST_COLUMNS = 100
# Logarithms are not taken of less.
_LEAST = 1e-300
# Columns that are named.
_MOST_NAMED = 8
# Factors between units, besides powers of ten.
_FACTORS = {
    **{10.0**power: "" for power in (1, 2, 3, 6)},
    18.02: "mg/dl and mmol/l of glucose",
    38.67: "mg/dl and mmol/l of cholesterol",
    88.5: "mg/dl and µmol/l of creatinine, or mmol/l of triglycerides",
    17.1: "mg/dl and µmol/l of bilirubin",
    59.48: "mg/dl and µmol/l of uric acid",
    2.8: "mg/dl and mmol/l of urea",
    1.611: "g/dl and mmol/l of haemoglobin",
    2.205: "kg and pounds",
    2.54: "inches and cm",
    7.5: "kPa and mmHg",
    12.0: "months and years",
    365.25: "days and years",
    60.0: "minutes and hours",
}
# How well medians and spreads must agree with a factor, as logarithms, and how clear the shift of a
# median must be, in standard errors.
_AGREES, _SPREADS_AGREE, _CLEAR = 0.1, np.log(1.5), 5.0


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
    parts = [*map(_of_block, in_blocks(values.values()))] or [_of_block(np.empty((0, 1)))]
    return Seen((*values,), *(np.concatenate(part) for part in zip(*parts, strict=True)))


def _of_block(block: FloatArray) -> tuple[FloatArray, AnyArray, AnyArray, AnyArray]:
    is_gap = np.isnan(block)
    n_missing = is_gap.sum(axis=1)
    n_rows = block.shape[1]
    some = block[:, :: max(1, -(-n_rows // _MOST_ROWS))]
    quartiles = np.quantile(some, _QUARTILES, axis=1)
    for row in np.flatnonzero(n_missing):
        filled = block[row][~is_gap[row]]
        quartiles[:, row] = np.quantile(filled, _QUARTILES) if len(filled) else np.nan
    ends = np.fmin.reduce(block, axis=1), np.fmax.reduce(block, axis=1)
    are_whole = np.all((np.floor(block) == block) | is_gap, axis=1)
    return np.vstack([ends[0], quartiles, ends[1]]).T, n_rows - n_missing, n_missing, are_whole


def shifts(values: Mapping[str, FloatArray], seen: Seen, places: Sequence[str]) -> list[str]:
    """Say which columns of a new table no longer hold what the fit saw, in a line for each.

    ``places`` are names of the rows in messages. Only the first few columns are named.
    """
    place_of = {name: place for place, name in enumerate(seen.names)}
    here = look_at_values({name: values[name] for name in values if name in place_of})
    rows = [place_of[name] for name in here.names]
    fit = Seen(here.names, *(part[rows] for part in seen[1:]))
    is_wide = len(here.names) > _MOST_COLUMNS
    factors = [""] * len(here.names) if is_wide else _factors(fit, here)
    is_far, is_emptied = _are_far(fit, here), _are_emptied(fit, here)
    is_constant = _are_constant(fit, here)
    is_outside = (here.quantiles[:, 0] < fit.quantiles[:, 0]) | (
        here.quantiles[:, 4] > fit.quantiles[:, 4]
    )
    lines: list[str] = []
    for row, name in enumerate(here.names):
        line = ""
        if is_emptied[row]:
            line = (
                f"{here.n_missing[row]} of {len(places)} cells are missing, in the fit "
                f"{fit.n_missing[row]} of {fit.n_filled[row] + fit.n_missing[row]}"
            )
        elif is_constant[row]:
            line = f"all values are {here.quantiles[row, 0]:g}, and the fit saw different ones"
        elif is_far[row] or factors[row]:
            before, after = float(fit.quantiles[row, 2]), float(here.quantiles[row, 2])
            factor = factors[row] or _factor(before, after, None)
            line = f"the median is {after:.4g}, in the fit {before:.4g}{factor}; is it one unit?"
        elif is_outside[row]:
            line = _outside(values[name], fit, row, places, is_wide=is_wide)
        lines += [f"column {name!r}: {line}"] if line else []
    more = len(lines) - _MOST_NAMED
    about_more = [f"{more} more columns differ from those of the fit likewise"] if more > 0 else []
    return lines[:_MOST_NAMED] + about_more


def _are_emptied(fit: Seen, here: Seen) -> AnyArray:
    """True where most values are missing, and much more than in the fit."""
    n_rows = here.n_filled + here.n_missing
    share_of_fit = fit.n_missing / (fit.n_filled + fit.n_missing)
    is_much: AnyArray = here.n_missing > np.maximum(0.5, 4 * share_of_fit) * n_rows
    return is_much & (n_rows >= _FEWEST_EMPTY)


def _are_constant(fit: Seen, here: Seen) -> AnyArray:
    """True where many different measurements became the same value."""
    was_different: AnyArray = fit.quantiles[:, 3] > fit.quantiles[:, 1]
    is_grade = fit.are_whole & (np.ptp(fit.quantiles, axis=1) <= _RANGE_OF_CODES)
    was_different &= ~is_grade & (here.n_filled >= _FEWEST_NEW)
    was_different &= here.quantiles[:, 0] == here.quantiles[:, 4]
    return was_different


def _are_far(fit: Seen, here: Seen) -> AnyArray:
    """True where the median lies far outside the range of the fit, as a difference or a ratio."""
    low, high, median = fit.quantiles[:, 0], fit.quantiles[:, 4], here.quantiles[:, 2]
    margin = np.where(here.n_filled >= _FEWEST_NEW, _FAR, _FAR_OF_FEW)
    reach = margin * (high - low)
    is_far = (median > high + reach) | (median < low - reach) | ((low > 0) & (median < 0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.maximum(high / low, 1.5) ** margin
        is_ratio = (low > 0) & (here.quantiles[:, 0] > 0)
        is_far |= is_ratio & ((median > high * ratio) | (median < low / ratio))
    return is_far & (fit.n_filled >= _FEWEST_OF_FIT)


def _factors(fit: Seen, here: Seen) -> list[str]:
    """In words, the factor of a unit that changed median and spread of each column; or empty.

    In a batch most columns shift, and only some of them by what is a factor between units.
    """
    is_clear, errors = _are_clear(fit, here)
    found = [""] * len(fit.names)
    for row in np.flatnonzero(is_clear):
        (_, low, before, high, _), (_, lower, after, higher, _) = (
            of.quantiles[row].tolist() for of in (fit, here)
        )
        found[row] = _factor(before, after, (higher - lower) / (high - low), errors[row])
    is_batch = 2 * sum(map(bool, found)) < is_clear.sum()
    return [""] * len(found) if is_batch else found


def _are_clear(fit: Seen, here: Seen) -> tuple[AnyArray, FloatArray]:
    """True where the median changed by more than the spread, and surely; and standard errors.

    Both are those of logarithms where all values are positive.
    """
    are_positive = (fit.quantiles[:, 0] > 0) & (here.quantiles[:, 0] > 0)
    is_clear = np.ones(len(fit.names), dtype=bool)
    quartiles = []
    for of in (fit, here):
        values = of.quantiles[:, 1:4]
        quartiles.append(
            np.where(are_positive[:, None], np.log(np.maximum(values, _LEAST)), values)
        )
        is_clear &= (values[:, 2] > values[:, 0]) & (of.n_filled >= _FEWEST_OF_FIT)
    change = np.abs(quartiles[1][:, 1] - quartiles[0][:, 1])
    spreads = [quartile[:, 2] - quartile[:, 0] for quartile in quartiles]
    # Standard errors of medians, if values are normal.
    errors = [
        0.93 * spread / np.sqrt(np.maximum(of.n_filled, 1))
        for spread, of in zip(spreads, (fit, here), strict=True)
    ]
    error: FloatArray = np.hypot(*errors)
    is_clear &= (change > _CLEAR * error) & (change > spreads[0])
    return is_clear, np.where(are_positive, error, 0.0)


def _factor(before: float, after: float, spread: float | None, error: float = 0.0) -> str:
    """The factor between two medians that is one between units, in words; or empty.

    ``spread`` is the factor between the spreads, which must agree if it is known, and ``error`` the
    standard error of the logarithm of that between the medians.
    """
    for one, other, words in ((before, after, "°F and °C"), (after, before, "°C and °F")):
        is_fahrenheit = 30 < one < 45 and abs(other - (1.8 * one + 32)) < 3
        if is_fahrenheit and _agree(spread, 1.8 if one == before else 1 / 1.8):
            return f", as {words}"
    if before * after <= 0:
        return ""
    is_larger = after / before > 1
    size = after / before if is_larger else before / after
    # Powers of ten first: in columns of a wide range several factors are near.
    for factor in sorted(_FACTORS, key=lambda one: (_FACTORS[one] != "", abs(np.log(size / one)))):
        is_near = abs(np.log(size / factor)) < _AGREES + 2 * error
        if is_near and _agree(spread, factor if is_larger else 1 / factor):
            what = f" ({_FACTORS[factor]})" if _FACTORS[factor] else ""
            return f", about {factor:g} times as {'large' if is_larger else 'small'}{what}"
    return ""


def _agree(spread: float | None, factor: float) -> bool:
    return spread is None or abs(np.log(spread / factor)) < _SPREADS_AGREE


def _outside(
    values: FloatArray, fit: Seen, row: int, places: Sequence[str], *, is_wide: bool
) -> str:
    """Say that single values are codes, or lie very far outside the range of the fit."""
    if fit.n_filled[row] < _FEWEST_OF_FIT:
        return ""
    low, *_, high = fit.quantiles[row].tolist()
    span, is_whole = high - low, bool(fit.are_whole[row])
    is_code = np.isin(values, CODES) & (is_whole | (np.abs(values) >= _LEAST_CODE))
    margin = _FAR_OF_FEW * span if is_wide else span / 2
    is_out = is_code & ((values > high + margin) | (values < (0 if low >= 0 else low - margin)))
    is_beyond = (values < low) | (values > high)
    if is_whole and span <= _RANGE_OF_CODES:  # grades, or codes from another number on
        is_out |= is_beyond & (is_beyond.sum() > _MANY * len(values))
    elif not is_wide:
        is_far = (values < low - _VERY_FAR * span) | (values > high + _VERY_FAR * span)
        if low > 0:  # many times as large is nothing strange where values range widely
            ratio = high / low
            is_far &= (values <= 0) | (values > high * ratio) | (values < low / ratio)
        is_out |= is_far
    rows = np.flatnonzero(is_out)
    if not len(rows):
        return ""
    more = f" ({len(rows)} such cells)" if len(rows) > 1 else ""
    return (
        f"{values[rows[0]]:g} in {places[rows[0]]} lies outside what the fit saw, {low:g} to "
        f"{high:g}{more}"
    )
