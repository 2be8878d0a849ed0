"""Ridge regression with each row left out in turn, in closed form.

With centred features H = U diag(sqrt(e)) V' the fitted values are U diag(e / (e + penalty)) U' t,
so one decomposition serves every penalty, and a row's error without it in the training set is its
residual over 1 - its own leverage.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray

# Directions with less than this share of the largest variance are rounding.
NEGLIGIBLE = 1e-12
# A row that alone decides its fitted value has leverage 1: its left-out error is then capped.
HIGHEST_LEVERAGE = 1.0 - 1e-9


class Spectrum(NamedTuple):
    """Decomposition of features for ridge regressions: the centre, U, e and the loadings."""

    centre: FloatArray
    left: FloatArray
    values: FloatArray
    loadings: FloatArray


class Ridge(NamedTuple):
    """A linear map and what it gives for each training row when that row is left out."""

    coef: FloatArray
    intercept: FloatArray
    penalty: float
    left_out: FloatArray


def spectrum(H: FloatArray) -> Spectrum:
    """Decompose ``H``, of shape (n_rows, n_features), by its smaller Gram matrix.

    ``loadings`` maps centred features to U: ``left = (H - centre) @ loadings``.
    """
    centre = H.mean(axis=0)
    centred = H - centre
    wide = H.shape[0] < H.shape[1]
    values, vectors = np.linalg.eigh(centred @ centred.T if wide else centred.T @ centred)
    kept = values > NEGLIGIBLE * max(values[-1], NEGLIGIBLE)
    values, vectors = values[kept], vectors[:, kept]
    if wide:
        return Spectrum(centre, vectors, values, centred.T @ (vectors / values))
    loadings = vectors / np.sqrt(values)
    return Spectrum(centre, centred @ loadings, values, loadings)


def ridge(parts: Spectrum, targets: FloatArray, penalties: FloatArray) -> Ridge:
    """Fit ``targets``, of shape (n_rows, n_targets), with the penalty of least left-out error.

    Parameters
    ----------
    parts : Spectrum
        Of the features.
    targets : array of shape (n_rows, n_targets)
    penalties : array of shape (n_penalties,)
        Positive. Of equally good ones the first is taken.

    Returns
    -------
    Ridge
        ``coef`` has shape (n_features, n_targets), ``left_out`` that of ``targets``.
    """
    level = targets.mean(axis=0)
    projected = parts.left.T @ (targets - level)
    squares = parts.left**2
    best_error, best_penalty, left_out = np.inf, float(penalties[0]), targets
    for penalty in penalties.tolist():
        shrunk = parts.values / (parts.values + penalty)
        residual = targets - level - parts.left @ (shrunk[:, None] * projected)
        leverage = np.minimum(squares @ shrunk + 1.0 / len(targets), HIGHEST_LEVERAGE)
        residual /= (1.0 - leverage)[:, None]
        error = float(np.mean(residual**2))
        if error < best_error:
            best_error, best_penalty, left_out = error, penalty, targets - residual
    shrunk = parts.values / (parts.values + best_penalty)
    coef = parts.loadings @ (shrunk[:, None] * projected)
    return Ridge(coef, level - parts.centre @ coef, best_penalty, left_out)
