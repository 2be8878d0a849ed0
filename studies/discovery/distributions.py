"""Noise and planted groups in columns that are not normal."""

from collections.abc import Callable

import numpy as np
from scipy import stats
from sklearn.utils import check_random_state

from bicneuron._core._arrays import FloatArray
from bicneuron.datasets import PlantedGroup, PlantedTable, make_subgroups

# From a table of standard normal values to one of another distribution: each column has an
# increasing function of its own, whose parameters are drawn.
Mapping = Callable[[FloatArray, np.random.RandomState], FloatArray]

FREEDOM = 3
# Counts: columns have means around MEAN_COUNT, and the variance mean + mean^2 / SIZE.
MEAN_COUNT, MEAN_SPREAD, SIZE = 3.0, 1.0, 0.5
ZEROS, DETECTED_SPREAD = 0.6, 0.5
# Shares of ones, and frequencies of the rarer of two alleles.
RAREST, COMMONEST = 0.2, 0.5
BINARY_PART = 1 / 3


def make_distribution(
    distribution: str,
    *,
    group_rows: int,
    group_columns: int,
    n_cases: int = 50,
    n_controls: int = 50,
    n_columns: int = 2000,
    shift: float = 2.0,
    random_state: int,
) -> PlantedTable:
    """Plant a group of the cases in normal noise, then map all columns to a distribution.

    Labels say nothing else about the table.

    Parameters
    ----------
    distribution : str
        A key of `DISTRIBUTIONS`.
    group_rows, group_columns : int
        Size of the group; 0 rows for noise alone.
    n_cases, n_controls, n_columns : int
        Size of the table.
    shift : float, default=2.0
        What is added to all cells of the group before they are mapped.
    random_state : int

    Returns
    -------
    PlantedTable

    Examples
    --------
    >>> from studies.discovery.distributions import make_distribution
    >>> table = make_distribution("genotypes", group_rows=15, group_columns=10, random_state=0)
    >>> X, y, (group,) = table
    >>> sorted(set(X.ravel().tolist())), set(y[group.rows].tolist())
    ([0.0, 1.0, 2.0], {'case'})
    """
    random = check_random_state(random_state)
    X, y, _ = make_subgroups(
        "none",
        n_cases=n_cases,
        n_controls=n_controls,
        n_columns=n_columns,
        random_state=random,
    )
    groups = []
    if group_rows:
        rows = np.sort(random.choice(np.flatnonzero(y == "case"), group_rows, replace=False))
        columns = np.sort(random.permutation(n_columns)[:group_columns])
        X[np.ix_(rows, columns)] += shift
        groups.append(PlantedGroup(rows, columns))
    return PlantedTable(DISTRIBUTIONS[distribution](X, random), y, tuple(groups))


def _normal(Z: FloatArray, random: np.random.RandomState) -> FloatArray:
    return Z


def _t3(Z: FloatArray, random: np.random.RandomState) -> FloatArray:
    values: FloatArray = stats.t.isf(stats.norm.sf(Z), FREEDOM)
    return values


def _lognormal(Z: FloatArray, random: np.random.RandomState) -> FloatArray:
    values: FloatArray = np.exp(Z)
    return values


def _counts(Z: FloatArray, random: np.random.RandomState) -> FloatArray:
    """Logarithms of negative binomial counts, as of reads of genes."""
    means = MEAN_COUNT * np.exp(MEAN_SPREAD * random.standard_normal(Z.shape[1]))
    counts: FloatArray = stats.nbinom.isf(stats.norm.sf(Z), SIZE, SIZE / (SIZE + means))
    return np.log1p(counts)


def _zeros(Z: FloatArray, random: np.random.RandomState) -> FloatArray:
    """Nothing detected in most rows, and far from zero what is."""
    above = np.minimum(stats.norm.sf(Z) / (1 - ZEROS), 1.0)
    values: FloatArray = np.exp(DETECTED_SPREAD * stats.norm.isf(above))  # 0 where above is 1
    return values


def _floor(share: float) -> Mapping:
    """A detection limit, below which a share of the values is."""
    limit = stats.norm.ppf(share)

    def censored(Z: FloatArray, random: np.random.RandomState) -> FloatArray:
        values: FloatArray = np.maximum(Z, limit)
        return values

    return censored


def _binary(Z: FloatArray, random: np.random.RandomState) -> FloatArray:
    ones = random.uniform(RAREST, COMMONEST, Z.shape[1])
    values: FloatArray = (stats.norm.sf(Z) < ones).astype(np.float64)
    return values


def _genotypes(Z: FloatArray, random: np.random.RandomState) -> FloatArray:
    """Two independent alleles, each of which is the rarer one with the same probability."""
    values: FloatArray = stats.binom.isf(
        stats.norm.sf(Z), 2, random.uniform(RAREST, COMMONEST, Z.shape[1])
    )
    return values


def _mixed(Z: FloatArray, random: np.random.RandomState) -> FloatArray:
    """Normal columns first, then binary ones."""
    n_normal = Z.shape[1] - round(BINARY_PART * Z.shape[1])
    return np.hstack([Z[:, :n_normal], _binary(Z[:, n_normal:], random)])


DISTRIBUTIONS: dict[str, Mapping] = {
    "normal": _normal,
    "t3": _t3,
    "lognormal": _lognormal,
    "counts": _counts,
    "zeros": _zeros,
    "floor-50": _floor(0.5),
    "floor-88": _floor(0.88),
    "binary": _binary,
    "genotypes": _genotypes,
    "mixed": _mixed,
}
