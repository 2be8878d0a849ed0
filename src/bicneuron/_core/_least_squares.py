"""Weighted ridge regression, with leave-one-out predictions in closed form.

With features
H = U diag(sqrt(e)) V', centred and multiplied by the roots of the weights, the fitted values are
U diag(e / (e + penalty)) U' t. So one decomposition serves every penalty. The leave-one-out error
of a row is its residual divided by 1 - its leverage.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray

# Directions with less than this share of the largest variance are dropped: eigenvalues that small
# are rounding errors of the Gram matrix.
MIN_EIGENVALUE_SHARE = 1e-12
# Leverages are capped here. A row that determines its own fitted value has leverage 1, and its
# leave-one-out error would be 0 / 0.
MAX_LEVERAGE = 1.0 - 1e-9


class Spectrum(NamedTuple):
    """Decomposition of weighted features: the weights, their means, U, e and the loadings."""

    weights: FloatArray
    centre: FloatArray
    left: FloatArray
    values: FloatArray
    loadings: FloatArray


class Ridge(NamedTuple):
    """A linear map, and its leave-one-out predictions of the training rows."""

    coef: FloatArray
    intercept: FloatArray
    penalty: float
    left_out: FloatArray


def spectrum(H: FloatArray, weights: FloatArray) -> Spectrum:
    """Decompose ``H``, of shape (n_rows, n_features), by the smaller of its two Gram matrices."""
    centre = weights @ H / weights.sum()
    centred = np.sqrt(weights)[:, None] * (H - centre)
    wide = H.shape[0] < H.shape[1]
    values, vectors = np.linalg.eigh(centred @ centred.T if wide else centred.T @ centred)
    kept = values > MIN_EIGENVALUE_SHARE * max(values[-1], MIN_EIGENVALUE_SHARE)
    values, vectors = values[kept], vectors[:, kept]
    if wide:
        return Spectrum(weights, centre, vectors, values, centred.T @ (vectors / values))
    loadings = vectors / np.sqrt(values)
    return Spectrum(weights, centre, centred @ loadings, values, loadings)


def ridge(features: Spectrum, targets: FloatArray, penalties: FloatArray) -> Ridge:
    """Fit ``targets`` with the penalty of the smallest leave-one-out error."""
    total = features.weights.sum()
    level = features.weights @ targets / total
    roots = np.sqrt(features.weights)[:, None]
    centred = roots * (targets - level)
    projected = features.left.T @ centred
    squares = features.left**2
    best_error, best_penalty, left_out = np.inf, float(penalties[0]), targets
    for penalty in penalties.tolist():
        shrunk = features.values / (features.values + penalty)
        residual = centred - features.left @ (shrunk[:, None] * projected)
        leverage = np.minimum(squares @ shrunk + features.weights / total, MAX_LEVERAGE)
        residual /= (1.0 - leverage)[:, None]
        error = float(np.mean(residual**2))
        if error < best_error:
            best_error, best_penalty, left_out = error, penalty, targets - residual / roots
    shrunk = features.values / (features.values + best_penalty)
    coef = features.loadings @ (shrunk[:, None] * projected)
    return Ridge(coef, level - features.centre @ coef, best_penalty, left_out)
