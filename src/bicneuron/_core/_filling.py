"""Missing cells estimated from the other cells of their row."""

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._jit import kernel


@kernel
def fill_rows(
    Z: FloatArray, mean: FloatArray, loadings: FloatArray, noise: FloatArray, least_told: float
) -> FloatArray:
    """``Z`` with its NaN replaced by their expected values, given the other cells of their row."""
    n_rows, n_columns = Z.shape
    n_factors = loadings.shape[1]
    filled = Z.copy()
    # Normal equations of the factors, their right side, and the identity, which becomes the
    # covariance of the factors given the row.
    system = np.empty((n_factors, 2 * n_factors + 1))
    for i in range(n_rows):
        if not np.isnan(Z[i]).any():
            continue
        system[:] = 0.0
        for a in range(n_factors):
            system[a, a] = system[a, n_factors + 1 + a] = 1.0
        for j in range(n_columns):
            if not np.isnan(Z[i, j]):
                for a in range(n_factors):
                    scaled = loadings[j, a] / noise[j]
                    for b in range(n_factors):
                        system[a, b] += scaled * loadings[j, b]
                    system[a, n_factors] += scaled * (Z[i, j] - mean[j])
        _eliminate(system)
        factors, covariance = system[:, n_factors], system[:, n_factors + 1 :]
        for j in range(n_columns):
            if np.isnan(Z[i, j]):
                filled[i, j] = _expected(
                    mean[j], loadings[j], noise[j], factors, covariance, least_told
                )
    return filled


@kernel
def _expected(
    mean: float,
    loadings: FloatArray,
    noise: float,
    factors: FloatArray,
    covariance: FloatArray,
    least_told: float,
) -> float:
    """Expected value of a cell, or NaN if too little of its variance is known from the others."""
    value, total, unknown = mean, noise, noise
    for a in range(len(factors)):
        value += loadings[a] * factors[a]
        total += loadings[a] * loadings[a]
        for b in range(len(factors)):
            unknown += loadings[a] * covariance[a, b] * loadings[b]
    return value if total - unknown >= least_told * total else np.nan


@kernel
def _eliminate(system: FloatArray) -> None:
    """Turn the first columns, a positive definite matrix, into the identity by row operations."""
    n = len(system)
    for k in range(n):
        system[k] /= system[k, k]
        for a in range(n):
            if a != k:
                system[a] -= system[a, k] * system[k]
