"""Rank tests of two sets of rows in many columns, within strata, with ties and missing cells.

The p-values are those of the exact question: if as many rows as are inside were drawn at random,
within strata, how often would their ranks differ as much? Counting all draws is not possible, and a
normal distribution is far off in the tails that matter among thousands of columns, above all in
columns with many equal values. The tails are taken from the saddlepoint approximation of Skovgaard
for draws without replacement, which is off by a few percent of p.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from scipy.special import ndtr
from scipy.stats import false_discovery_control, rankdata

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._formats import LEVEL
from bicneuron.patterns import class_masks, differences
from bicneuron.significance._folds import Judged
from bicneuron.significance._known import units_by_class, units_of

LEAST_ROWS = 3  # on either side
MOST_CELLS = 2**22  # that are tested at once, which bounds the memory
CENTRAL = 0.2  # p from which on the normal distribution is good enough
# Steps of the equations of the saddlepoint, the largest of them in log odds, and what is left.
N_STEPS, LARGEST_STEP, TOLERANCE = 100, 2.0, 1e-9
# Distance from the middle, in standard deviations, within which the approximation is not stable.
LEAST_DISTANCE = 0.1
LARGEST_EXPONENT = 300.0


class RankSums(NamedTuple):
    """Sums of ranks in standard deviations, and two-sided p; 0 and 1 where nothing is compared."""

    z: FloatArray
    p: FloatArray


class _Draws(NamedTuple):
    """Draws of rows within one stratum, for each column: centred ranks, and cells that count."""

    ranks: FloatArray
    counts: BoolArray
    n_inside: FloatArray
    n_known: FloatArray


def rank_sum_test(X: FloatArray, inside: BoolArray, strata: IndexArray) -> RankSums:
    """Compare the ranks of rows inside and outside in each column.

    Without strata it is the test of Mann and Whitney, with strata that of van Elteren.
    """
    inside = np.broadcast_to(inside, X.shape)
    of_strata = [strata == stratum for stratum in np.unique(strata)]
    parts = [inside[own] for own in of_strata]
    draws = [_draws(X[own], part) for own, part in zip(of_strata, parts, strict=True)]
    n_columns = X.shape[1]
    observed, variance, step = np.zeros(n_columns), np.zeros(n_columns), np.full(n_columns, np.inf)
    for one, own in zip(draws, parts, strict=True):
        observed += (one.ranks * own).sum(axis=0)
        outside = one.n_known - one.n_inside
        squares = (one.ranks**2).sum(axis=0)
        pairs = one.n_known * np.maximum(one.n_known - 1, 1)
        variance += one.n_inside * outside * squares / np.maximum(pairs, 1)
        step = np.minimum(step, _step(one))
    compared = variance > 1e-12
    deviation = np.sqrt(np.where(compared, variance, 1.0))
    z = np.where(compared, observed / deviation, 0.0)
    # Half a step: sums of ranks are discrete.
    half = np.where(np.isfinite(step), step, 0.0) / 2
    p = np.minimum(2 * ndtr(-np.maximum(np.abs(observed) - half, 0.0) / deviation), 1.0)
    tail = compared & (p < CENTRAL)
    if tail.any():
        signs = np.where(observed < 0, -1.0, 1.0)  # ranks in the other order where negative
        of_tail = [_Draws._make(part[..., tail] for part in one) for one in draws]
        of_tail = [one._replace(ranks=one.ranks * signs[tail]) for one in of_tail]
        above = np.abs(observed[tail]) - half[tail]
        far = above > LEAST_DISTANCE * deviation[tail]
        one_sided, solved = _saddlepoint(of_tail, above, 2 * half[tail], deviation[tail])
        p[tail] = np.where(solved & far, np.minimum(2 * one_sided, 1.0), p[tail])
    return RankSums(z, np.where(compared, p, 1.0))


def _draws(X: FloatArray, inside: BoolArray) -> _Draws:
    known = ~np.isnan(X)
    n_known = known.sum(axis=0)
    n_inside = (inside & known).sum(axis=0)
    counts = known & ((n_inside > 0) & (n_inside < n_known))
    # Missing cells come last, so that they do not change the ranks of others.
    ranks = rankdata(np.where(known, X, np.inf), axis=0) - (n_known + 1) / 2
    ranks = np.where(counts, ranks / (n_known + 1), 0.0)  # the weights of van Elteren
    compared = counts.any(axis=0)
    return _Draws(ranks, counts, n_inside * compared * 1.0, n_known * compared * 1.0)


def _step(draws: _Draws) -> FloatArray:
    """Smallest change of the sum if a row is exchanged for another; infinite if there is none."""
    ranks = np.sort(np.where(draws.counts, draws.ranks, np.inf), axis=0)
    with np.errstate(invalid="ignore"):  # of cells that do not count
        gaps = np.diff(ranks, axis=0)
    return np.asarray(np.min(gaps, axis=0, initial=np.inf, where=gaps > 1e-9))


def _saddlepoint(
    draws: list[_Draws], above: FloatArray, step: FloatArray, deviation: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Probability that the sum of the ranks of rows drawn at random is above a value.

    Rows are drawn independently, with log odds that are a line in their ranks, so that their
    expected number in each stratum and the expected sum are those observed.
    """
    draws = [one._replace(ranks=one.ranks / deviation) for one in draws]
    above, step = above / deviation, step / deviation
    shares = [one.n_inside / np.maximum(one.n_known, 1) for one in draws]
    shifts = [np.zeros(len(above)) for _ in draws]
    slope = np.zeros(len(above))
    for _ in range(N_STEPS):
        slopes, wanted = np.zeros(len(above)), above.copy()
        moments = []
        for one, share, shift in zip(draws, shares, shifts, strict=True):
            odds = _odds(one, share, shift, slope)
            spread = np.where(one.counts, odds * (1 - odds), 0.0)
            total = np.maximum(spread.sum(axis=0), 1e-300)
            mixed = (one.ranks * spread).sum(axis=0)
            missing = one.n_inside - odds.sum(axis=0)
            moments.append((missing, mixed, total))
            slopes += (one.ranks**2 * spread).sum(axis=0) - mixed**2 / total
            wanted -= (one.ranks * odds).sum(axis=0) + missing * mixed / total
        change = wanted / np.maximum(slopes, 1e-300)
        moves = [(missing - mixed * change) / total for missing, mixed, total in moments]
        widest = np.max([np.abs(one.ranks).max(axis=0, initial=0.0) for one in draws], axis=0)
        largest = np.abs(change) * widest + np.max(np.abs(moves), axis=0)
        damping = np.minimum(1.0, LARGEST_STEP / np.maximum(largest, 1e-300))
        slope = slope + damping * change
        shifts = [shift + damping * move for shift, move in zip(shifts, moves, strict=True)]
        if largest.max() < TOLERANCE:
            break
    return _tail(draws, shares, shifts, slope, above, step), largest < 1e-6


def _odds(draws: _Draws, share: FloatArray, shift: FloatArray, slope: FloatArray) -> FloatArray:
    """Probability with which each row is drawn."""
    exponent = np.clip(shift + slope * draws.ranks, -LARGEST_EXPONENT, LARGEST_EXPONENT)
    grown = share * np.exp(exponent)
    return np.where(draws.counts, grown / (1 - share + grown), 0.0)


def _tail(
    draws: list[_Draws],
    shares: list[FloatArray],
    shifts: list[FloatArray],
    slope: FloatArray,
    above: FloatArray,
    step: FloatArray,
) -> FloatArray:
    """Skovgaard's approximation, for sums that are multiples of a step."""
    divergence, slopes, log_ratio = slope * above, np.zeros_like(above), np.zeros_like(above)
    for one, share, shift in zip(draws, shares, shifts, strict=True):
        odds = _odds(one, share, shift, slope)
        spread = odds * (1 - odds)
        total = np.maximum(spread.sum(axis=0), 1e-300)
        mixed = (one.ranks * spread).sum(axis=0)
        slopes += (one.ranks**2 * spread).sum(axis=0) - mixed**2 / total
        exponent = np.clip(shift + slope * one.ranks, -LARGEST_EXPONENT, LARGEST_EXPONENT)
        grown = np.log1p(share * np.expm1(exponent))
        divergence += shift * one.n_inside - np.where(one.counts, grown, 0.0).sum(axis=0)
        used = one.n_known > 0
        first = np.where(used, one.n_known * share * (1 - share), 1.0)
        log_ratio += np.where(used, np.log(total / first), 0.0)
    w = np.sqrt(np.maximum(2 * divergence, 1e-300))
    lattice = np.clip(slope * step / 2, 1e-12, LARGEST_EXPONENT)
    u = 2 * np.sinh(lattice) / step * np.sqrt(np.maximum(slopes, 1e-300) * np.exp(log_ratio))
    density = np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi)
    tail: FloatArray = ndtr(-w) + density * (1 / u - 1 / w)
    return np.clip(tail, np.finfo(float).tiny, 1.0)


class Compared(NamedTuple):
    """What is known of each column of two sets of rows, and how many rows (or units) these are."""

    columns: dict[str, FloatArray]
    n_group: int = 0
    n_others: int = 0


def compared(table: FloatArray, sides: Judged | None, strata: Any, groups: Any) -> Compared:
    """Compare two sides in all columns; the rows of a patient are one row, with their means."""
    n_columns = table.shape[1]
    nothing = {name: np.full(n_columns, np.nan) for name in ("difference", "effect", "low", "high")}
    nothing["statistic"] = np.zeros(n_columns)
    nothing |= {name: np.ones(n_columns) for name in ("p_values", "p_corrected")}
    if sides is None or len(sides.rows) < 2 * LEAST_ROWS:
        return Compared(nothing)
    is_judged = np.isin(np.arange(len(table)), sides.rows)
    rows, members, of_strata = units_of(is_judged, strata, groups, len(table))
    n_group = int(_of_units(sides.inside[:, None], members).sum())
    n_others = len(of_strata) - n_group
    if min(n_group, n_others) < LEAST_ROWS:
        return Compared(nothing, n_group, n_others)
    width = max(MOST_CELLS // len(rows), 1)
    parts = []
    for start in range(0, n_columns, width):
        columns = np.arange(start, min(start + width, n_columns))
        inside = _of_units(sides.for_columns(columns, n_columns), members)
        values = _means(table[np.ix_(rows, columns)], members)
        ranks = rank_sum_test(values, inside, of_strata)
        parts.append((*differences(values, inside, of_strata), *ranks))
    found = dict(zip(nothing, map(np.concatenate, zip(*parts, strict=True)), strict=False))
    found["p_corrected"] = false_discovery_control(found["p_values"])
    return Compared(found, n_group, n_others)


def _of_units(inside: BoolArray, members: IndexArray) -> BoolArray:
    """Units of which more than half of the rows are inside."""
    n_units = int(members.max()) + 1
    if n_units == len(members):
        return inside
    counts = np.zeros((n_units, inside.shape[1]))
    np.add.at(counts, members, inside)
    return np.asarray(2 * counts > np.bincount(members)[:, None])


def _means(values: FloatArray, members: IndexArray) -> FloatArray:
    """Mean of the rows of each unit, over the cells that are not missing."""
    n_units = int(members.max()) + 1
    if n_units == len(members):
        return values
    is_known = ~np.isnan(values)
    sums, counts = np.zeros((2, n_units, values.shape[1]))
    np.add.at(counts, members, is_known)
    np.add.at(sums, members, np.where(is_known, values, 0.0) / np.maximum(counts, 1)[members])
    return np.where(counts > 0, sums, np.nan)


def class_columns(X: Any, y: Any, *, strata: Any = None, groups: Any = None) -> BoolArray:
    """Tell in which columns the classes differ, True or False, at a false discovery rate of 5 %.

    Each class is compared with all others by ranks, within strata; the smallest p of a column is
    corrected for the number of these comparisons, and for all columns.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
        Classes.
    strata, groups : array-like of shape (n_rows,), default=None
        As in `column_evidence`.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.significance import class_columns
    >>> X, y = np.random.default_rng(0).normal(size=(60, 20)), np.repeat([0, 1], 30)
    >>> X[y == 1, :3] += 2.0
    >>> class_columns(X, y).nonzero()[0]
    array([0, 1, 2])
    """
    table = np.asarray(X.toarray() if issparse(X) else X, np.float64)
    labels = np.asarray(y)
    units = units_by_class(groups, labels, len(table))
    classes = [*class_masks(labels, len(table)).values()]
    sides = classes[:1] if len(classes) == 2 else classes
    judged = [Judged(np.arange(len(table)), own) for own in sides]
    p_values = [compared(table, one, strata, units).columns["p_values"] for one in judged]
    smallest = np.minimum(np.min(p_values, axis=0) * len(sides), 1.0)
    return np.asarray(false_discovery_control(smallest) <= LEVEL)
