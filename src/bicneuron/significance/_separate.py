"""Are the rows of a pattern a separate group, or the end of a gradient?

The question is put to one number per row: the score of the pattern in rows that had no part in
choosing it. Null hypothesis: the scores are one hump, which may be skewed with light or heavy
tails, or flat. Alternative: two normal densities with a valley between them. For each kind of hump
the likelihood of the two densities over that of the hump is compared with that of draws from it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._one_hump import FlatHump, Hump, best_hump, fit_flat_hump
from bicneuron._core._valley import two_groups_likelihood
from bicneuron._shared._estimators import draw_seed
from bicneuron._shared._formats import LEVEL
from bicneuron.significance._known import row_numbers

# Fewer rows say nothing, nor do the others if more of them than this share lack a score.
LEAST_ROWS, LEAST_KNOWN = 30, 0.75
# Share of the rows that may have the score of another: lumps of equal values look like groups.
MOST_TIED = 0.1
SAME_SCORE = 1e-6  # scores that differ by less, in deviations of all scores, are equal
SAFETY = 2.0  # times p: without it, 8.5 % of log-normal gradients had p <= 0.05
N_DRAWS = 799  # with which three groups that are not separate may stand before one that is
MOST_SCORES = 2000  # that are compared with draws: of more, so many quantiles
ENOUGH, FIRST_ROUND = 20, 99  # so many as clear as the scores would not become few by more draws
TOO_FEW = "{n} rows with a score are too few to say; {least} are needed"
NOT_KNOWN = "{n} of {total} rows have a score by a search without them; more are needed"
TIED = "{n} of {total} rows have the score of another row"
NO_LEVEL = "its columns need not differ in level"
AFTER_OTHERS = "groups before it in the list were not shown to be separate"


class Separate(NamedTuple):
    """Whether scores are those of a separate group.

    Parameters
    ----------
    p_value : float or None
        P of one hump; None if that cannot be tested.
    reason : str
        Why it cannot be tested; else empty.
    """

    p_value: float | None
    reason: str = ""


def separate_test(
    scores: Any,
    *,
    strata: Any = None,
    groups: Any = None,
    n_draws: int = N_DRAWS,
    random_state: Any = None,
) -> Separate:
    """Test whether the scores of rows show two separate groups, and not one hump.

    The hump may be skewed, with light or heavy tails (sinh-arcsinh normal), or flat (uniform with
    normal edges); both kinds have to be rejected. P is the larger of the two, doubled. A large p
    does not say that there is no group: a small group, or one that overlaps with the others, may
    look like the end of a gradient.

    Parameters
    ----------
    scores : array-like of shape (n_rows,)
        Weighted sums of columns, in rows that had no part in choosing columns and weights; NaN for
        rows without a score. Not clipped, nor ranks: the ends of a gradient must not be cut off.
    strata : array-like of shape (n_rows,) or (n_rows, n_strata), default=None
        Known structure, such as batches or classes, whose medians are taken off.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group, such as the samples of a patient, count as one, with their mean.
    n_draws : int, default=799
        Draws from each kind of hump. No p can be smaller than 2 / (n_draws + 1).
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same draws on each call.

    Notes
    -----
    A narrow core with a long plateau on one side counts as two groups.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.significance import separate_test
    >>> scores = np.random.default_rng(0).normal(size=80)
    >>> scores[:20] += 5
    >>> separate_test(scores, random_state=0).p_value
    0.0025
    """
    s, reason = sorted_scores(scores, strata, groups)
    if reason:
        return Separate(None, reason)
    return Separate(p_of_one_hump(s, n_draws, np.random.default_rng(draw_seed(random_state))))


def sorted_scores(scores: Any, strata: Any, groups: Any) -> tuple[FloatArray, str]:
    """Scores that are tested, one for each group of rows, or why they cannot be."""
    known, reason = _of_units(np.asarray(scores, np.float64), strata, groups)
    s = np.sort(known)
    if reason:
        return s, reason
    is_close = np.diff(s, prepend=-np.inf, append=np.inf) <= SAME_SCORE * s.std()
    n_tied = int(np.count_nonzero(is_close[1:] | is_close[:-1]))
    is_tied = s.std() == 0 or n_tied > MOST_TIED * len(s)
    return s, TIED.format(n=n_tied, total=len(s)) if is_tied else ""


def p_of_one_hump(s: FloatArray, n_draws: int, random: np.random.Generator) -> float:
    """P of sorted scores, if they are from one hump; see `separate_test`."""
    if len(s) > MOST_SCORES:
        s = np.quantile(s, (np.arange(MOST_SCORES) + 0.5) / MOST_SCORES)
    s = (s - np.median(s)) / s.std()
    (of_two,) = two_groups_likelihood(s[None])
    humps: list[Hump | FlatHump] = [best_hump(s), fit_flat_hump(s)]
    gains = [of_two - hump.likelihood for hump in humps]
    if min(gains) <= 0:  # minus infinity where there is no valley
        return 1.0
    p = 0.0
    for hump, gain in zip(humps, gains, strict=True):
        n_drawn = n_clear = 0
        while n_drawn < n_draws and n_clear < ENOUGH:
            n = min(max(FIRST_ROUND, n_drawn), n_draws - n_drawn)
            drawn = np.sort(hump.draw(random, (len(s), n)), axis=0)
            # The best hump is at least as likely as the one that was drawn from.
            least = gain * (1 - 1e-9)
            needed = hump.likelihoods_as_it_is(drawn) + least
            of_two = two_groups_likelihood(drawn.T, needed)
            may_be = np.flatnonzero(of_two >= needed)
            if len(may_be):
                most = of_two[may_be] - least
                n_clear += int(np.sum(hump.likelihoods(drawn[:, may_be], most) <= most))
            n_drawn += n
        p = max(p, (1 + n_clear) / (1 + n_drawn))
    return min(SAFETY * p, 1.0)


def _of_units(scores: FloatArray, strata: Any, groups: Any) -> tuple[FloatArray, str]:
    """Scores that are known, less the median of their stratum, one for rows of one group."""
    is_known = np.isfinite(scores)
    of_rows = row_numbers(strata, len(scores), "strata")[is_known]
    units = np.arange(int(is_known.sum()))
    if groups is not None:
        numbers = row_numbers(groups, len(scores), "groups")[is_known]
        units = np.unique(numbers, return_inverse=True)[1]
    centred = less_medians(scores, strata)[is_known]
    if np.mean(is_known) < LEAST_KNOWN:
        return centred, NOT_KNOWN.format(n=len(centred), total=len(scores))
    sizes = np.bincount(of_rows)
    if len(sizes) > 1:  # a row alone in its stratum says nothing
        is_compared = sizes[of_rows] > 1
        centred, units = centred[is_compared], np.unique(units[is_compared], return_inverse=True)[1]
    counts = np.bincount(units)
    if len(counts) < LEAST_ROWS:
        return centred, TOO_FEW.format(n=len(counts), least=LEAST_ROWS)
    return np.bincount(units, centred) / counts, ""


def less_medians(scores: FloatArray, strata: Any) -> FloatArray:
    """Scores less the median of their stratum."""
    of_rows, centred = row_numbers(strata, len(scores), "strata"), scores.copy()
    for stratum in range(int(of_rows.max()) + 1):
        own = (of_rows == stratum) & np.isfinite(scores)
        centred[own] -= np.median(scores[own]) if own.any() else 0.0
    return centred


def separate_in_order(
    known: Sequence[tuple[FloatArray, str]], n_draws: int, seed: int
) -> tuple[list[Separate], FloatArray]:
    """Results of patterns, from their sorted scores or why they cannot be tested; p corrected.

    After several that are not separate no p would be small enough, and the rest is not tested.
    """
    smallest = SAFETY / (1 + n_draws)
    found = [Separate(None, reason) for _, reason in known]
    p_values = np.array([np.nan if reason else 1.0 for _, reason in known])
    for k in np.flatnonzero(~np.isnan(p_values)).tolist():
        possible, before = p_values.copy(), in_order(p_values)[:k]
        possible[k] = smallest
        if in_order(possible)[k] > LEVEL and np.any(before > LEVEL):
            found[k] = Separate(None, AFTER_OTHERS)
            continue
        p_values[k] = p_of_one_hump(known[k][0], n_draws, np.random.default_rng(seed))
        found[k] = Separate(float(p_values[k]))
    return found, in_order(p_values)


def in_order(p_values: FloatArray) -> FloatArray:
    """P corrected for patterns that are tested in an order that was fixed before.

    The fallback procedure (Wiens, 2003): the first is tested at half of the level, the second at a
    quarter, and so on; one that passes gives its level to the next. The last has the level of the
    one before it, so that all add up. NaN is a pattern that cannot be tested; it has no level.
    """
    corrected = np.full(len(p_values), np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    n = len(tested)
    weights = [0.5 ** min(k + 1, max(n - 1, 0)) for k in range(n)]
    own: list[float] = []
    for k, p in enumerate(p_values[tested].tolist()):
        least, passed_on, level = np.inf, 0.0, 0.0
        # All from the j-th on pass, and give their levels on.
        for j in range(k, -1, -1):
            level += weights[j]
            passed_on = max(passed_on, own[j]) if j < k else 0.0
            least = min(least, max(p / level, passed_on))
        own.append(min(least, 1.0))
    corrected[tested] = own
    return corrected
