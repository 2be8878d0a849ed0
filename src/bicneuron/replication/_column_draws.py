"""A signature in a cohort, against the same signature on random columns of it.

If its columns move together as it says, its values vary more than on random columns.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron.patterns import Axis
from bicneuron.replication._transfer import Transfer
from bicneuron.significance._known import within_strata

# From this share of the columns on, a matrix product is faster than a sum over columns.
MANY = 0.05


class RandomColumns(NamedTuple):
    """A cohort and random columns of it, the same for all patterns."""

    Z: FloatArray
    columns: IndexArray
    used: IndexArray

    def values(self, signature: Axis, here: IndexArray, strata: IndexArray) -> FloatArray:
        """Values of a signature within strata, then on random columns in the place of its own."""
        drawn = self.columns[np.searchsorted(self.used, here)]
        return within_strata(on_columns(signature, self.Z, np.column_stack([here, drawn])), strata)


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


def on_columns(signature: Axis, Z: FloatArray, columns: IndexArray) -> FloatArray:
    """Values of rows if other columns took the place of those of a signature.

    ``columns`` has a column for each of its own and each draw; values have shape (n_rows, n_draws).
    """
    if signature.is_linear and len(columns) > MANY * Z.shape[1]:
        factors = np.zeros((Z.shape[1], columns.shape[1]))
        np.put_along_axis(factors, columns, signature.linear[:, None], axis=0)
        return np.asarray(Z @ factors)
    values = np.zeros((len(Z), columns.shape[1]))
    in_common = np.zeros_like(values)
    for linear, square, common, drawn in zip(*signature[:3], columns, strict=True):
        column = Z[:, drawn]
        values += linear * column
        if square:
            values += square * column**2
        if common:
            in_common += common * column
    values += in_common**2
    return values
