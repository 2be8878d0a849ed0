"""A signature in a cohort, against the same signature on random columns of it.

If the columns move together as the signature says, its values vary more than those of the same
factors on random columns.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron.patterns import Signature, Transfer
from bicneuron.significance._known import within_strata


class RandomColumns(NamedTuple):
    """A cohort and random columns of it, the same for all patterns."""

    Z: FloatArray
    columns: IndexArray
    used: IndexArray

    def values(self, signature: Signature, here: IndexArray, strata: IndexArray) -> FloatArray:
        """Values of a signature within strata, then on random columns in the place of its own."""
        drawn = self.columns[np.searchsorted(self.used, here)]
        return within_strata(signature.on_columns(self.Z, np.column_stack([here, drawn])), strata)


def random_columns(
    made: Transfer, strata: IndexArray, n_draws: int, random: np.random.Generator
) -> RandomColumns:
    """Draw random columns."""
    here = [one.here for one in made.patterns]
    used = np.unique(np.concatenate([np.empty(0, np.intp), *here]))
    columns = np.empty((len(used), n_draws), np.intp)
    for k in range(n_draws):
        columns[:, k] = random.permutation(made.Z.shape[1])[: len(used)]
    Z = made.Z
    if strata.any():  # columns in which strata differ much would vary less within them than others
        Z = within_strata(Z, strata)
        deviations = Z.std(axis=0)
        Z /= np.where(deviations > 0, deviations, 1.0)
    return RandomColumns(Z, columns, used)


class Compared(NamedTuple):
    """A statistic and its draws."""

    observed: float
    draws: FloatArray


def compared_variances(S: FloatArray) -> Compared:
    """Variance of the first column, and of the others."""
    variances = np.sort(S, axis=0).var(axis=0)  # sums do not depend on the order of the rows
    return Compared(float(variances[0]), variances[1:])
