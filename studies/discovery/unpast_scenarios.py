"""The simulated tables of UnPaSt: four groups of samples, each with its own columns."""

from numbers import Integral
from typing import Literal

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from bicneuron.datasets import PlantedGroup, PlantedTable

# Rows of the groups as shares of the table.
SHARES = (0.05, 0.1, 0.25, 0.5)
# Mean and standard deviation of what is added to a block.
SHIFT, SPREAD = 4.0, 1.0
# Modules of scenario C: their number, their columns as a share of all, and the correlation.
N_MODULES, MODULE_SHARE, CORRELATION = 4, 0.05, 0.5


def make_unpast_scenario(
    scenario: Literal["A", "B", "C"] = "A",
    *,
    n_signature: int = 50,
    n_rows: int = 200,
    n_columns: int = 10_000,
    random_state: int | np.random.RandomState | None = None,
) -> PlantedTable:
    """Plant four groups of rows in noise without labels, as the authors of UnPaSt did.

    The groups have 5, 10, 25 and 50 % of the rows and ``n_signature`` columns each, which no two
    of them share. Numbers from N(4, 1) are added to the standard normal noise of each block. In
    scenario A groups have no common rows. In B and C they may. C also has four modules of columns
    with pairwise correlations of 0.5 in all rows, which are no groups; a module has 5 % of the
    columns and none of a signature.

    The tables are written from their published description and are not the published ones.
    Columns are not standardised, so that methods may choose the most variable ones.

    Parameters
    ----------
    scenario : {"A", "B", "C"}, default="A"
    n_signature : int, default=50
        Columns of each group; 5, 50 or 500 in the paper.
    n_rows : int, default=200
        Samples, at least 20.
    n_columns : int, default=10_000
        Genes.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same table on each call.

    Returns
    -------
    PlantedTable
        ``y`` is None. ``groups`` are ordered by size, the smallest first.

    References
    ----------
    O. Zolotareva et al., "UnPaSt: unsupervised patient stratification by biclustering of omics
    data", arXiv 2408.00200.

    Examples
    --------
    >>> from studies.discovery.unpast_scenarios import make_unpast_scenario
    >>> X, _, groups = make_unpast_scenario("B", n_signature=5, n_columns=1000, random_state=0)
    >>> X.shape, [len(group.rows) for group in groups]
    ((200, 1000), [10, 20, 50, 100])
    """
    if scenario not in ("A", "B", "C"):
        raise ValueError(f"scenario must be A, B or C, got {scenario!r}.")
    check_scalar(n_signature, "n_signature", Integral, min_val=1)
    check_scalar(n_rows, "n_rows", Integral, min_val=20)
    check_scalar(n_columns, "n_columns", Integral, min_val=1)
    n_modules, module_size = N_MODULES if scenario == "C" else 0, round(MODULE_SHARE * n_columns)
    needed = len(SHARES) * n_signature + n_modules * module_size
    if needed > n_columns:
        raise ValueError(
            f"n_signature={n_signature} needs {needed} columns in scenario {scenario}, got "
            f"n_columns={n_columns}."
        )
    random = check_random_state(random_state)
    X = random.standard_normal((n_rows, n_columns))
    columns = random.permutation(n_columns)
    free_rows = np.arange(n_rows)
    groups = []
    for k, share in enumerate(SHARES):
        rows = np.sort(random.choice(free_rows, int(share * n_rows), replace=False))
        signature = np.sort(columns[k * n_signature : (k + 1) * n_signature])
        X[np.ix_(rows, signature)] += random.normal(SHIFT, SPREAD, (len(rows), n_signature))
        if scenario == "A":
            free_rows = np.setdiff1d(free_rows, rows)
        groups.append(PlantedGroup(rows, signature))
    for k in range(n_modules):
        module = columns[len(SHARES) * n_signature :][k * module_size : (k + 1) * module_size]
        effects = random.standard_normal((n_rows, 1))
        X[:, module] = np.sqrt(CORRELATION) * effects + np.sqrt(1 - CORRELATION) * X[:, module]
    return PlantedTable(X, None, tuple(groups))
