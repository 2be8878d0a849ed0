"""Tests of a signature in a cohort, against the same signature on random columns of it.

- Together: do the columns move as the signature says? Its values then vary more than those of the
  same factors on random columns.
- Group: do its values split into two groups more clearly than those on random columns? Where random
  columns carry the same structure, as in a panel of selected markers, these would all be groups,
  too. There the values are compared with draws from the single hump that describes them best, which
  may be skewed and light- or heavy-tailed.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._one_hump import best_hump
from bicneuron._core._two_normals import split_gains, two_normals_likelihood
from bicneuron.patterns import Signature, Transfer

# Mean squared correlation of values on random columns with those of the signature, from which on
# random columns carry its structure.
CARRIED = 0.1
# Share of the columns of a pattern at the end of the ranks of a row, and share of such rows from
# which on levels are split, and not ranks.
MOST_AT_END, SATURATED = 0.5, 0.05
RANDOM_COLUMNS, ONE_HUMP = "random columns", "one hump"


class RandomColumns(NamedTuple):
    """A cohort and random columns of it, the same for all patterns."""

    Z: FloatArray
    levels: FloatArray
    ranks: FloatArray | None
    columns: IndexArray
    used: IndexArray

    def drawn(self, here: IndexArray) -> IndexArray:
        """Random columns for those of a pattern, of shape (n_columns, n_draws)."""
        return self.columns[np.searchsorted(self.used, here)]


def random_columns(made: Transfer, n_draws: int, random: np.random.Generator) -> RandomColumns:
    """Draw random columns."""
    here = [one.here for one in made.patterns]
    used = np.unique(np.concatenate([np.empty(0, np.intp), *here]))
    columns = np.empty((len(used), n_draws), np.intp)
    for k in range(n_draws):
        columns[:, k] = random.permutation(made.Z.shape[1])[: len(used)]
    return RandomColumns(made.Z, made.levels, made.ranks, columns, used)


class Compared(NamedTuple):
    """A statistic and its draws."""

    observed: float
    draws: FloatArray


class Tested(NamedTuple):
    """Both tests of a signature."""

    together: Compared
    group: Compared
    null: str
    drawn: FloatArray


def compare_signature(
    signature: Signature, here: IndexArray, draws: RandomColumns, random: np.random.Generator
) -> Tested:
    """Compare a signature with itself on random columns."""
    columns = np.column_stack([here, draws.drawn(here)])
    S = signature.on_columns(draws.Z, columns)
    of_levels = S if draws.ranks is None else signature.on_columns(draws.levels, columns)
    if carried(of_levels) >= CARRIED:
        own = np.sort(of_levels[:, 0])
        null, splits = ONE_HUMP, two_or_one(own, columns.shape[1] - 1, random)
    else:
        use_levels = draws.ranks is not None and is_saturated(
            draws.ranks, here, np.sign(signature.linear)
        )
        null = RANDOM_COLUMNS
        splits = split_gains(np.sort(of_levels if use_levels else S, axis=0))
    variances = np.sort(S, axis=0).var(axis=0)  # sums do not depend on the order of the rows
    return Tested(_compared(variances), _compared(splits), null, S[:, 1:])


def is_saturated(ranks: FloatArray, here: IndexArray, signs: FloatArray) -> bool:
    """True if ranks cannot say how far away from the pattern some rows are.

    Where most columns of a pattern have the ranks that are farthest from it in a row, they keep
    these however far away they are. A continuum would then look like two groups: ranks cut off both
    of its ends. Those of a group are cut off at the end of its members alone.
    """
    own = np.take(ranks, here, axis=1)
    towards = np.where(signs > 0, own, 1 - own)
    is_at_end = towards < len(here) / ranks.shape[1]
    return bool(np.mean(is_at_end.mean(axis=1) >= MOST_AT_END) > SATURATED)


def carried(S: FloatArray) -> float:
    """Mean squared correlation of values on random columns with those in the first column."""
    S = S - S.mean(axis=0)
    sizes = np.maximum(np.linalg.norm(S, axis=0), np.finfo(float).tiny)
    return float(np.mean(((S[:, 0] @ S[:, 1:]) / (sizes[0] * sizes[1:])) ** 2))


def two_or_one(values: FloatArray, n_draws: int, random: np.random.Generator) -> FloatArray:
    """How much better two groups describe values than one hump; then draws from that hump."""
    deviation = float(values.std())
    if deviation == 0:
        return np.zeros(1 + n_draws)
    x = (values - np.median(values)) / deviation
    hump = best_hump(x)
    draws = hump.draw(random, (len(x), n_draws))
    one = np.append(hump.likelihood, hump.likelihoods(draws))
    gains: FloatArray = np.maximum(two_normals_likelihood(np.column_stack([x, draws])) - one, 0.0)
    return gains


def _compared(values: FloatArray) -> Compared:
    return Compared(float(values[0]), values[1:])
