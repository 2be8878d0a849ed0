"""Ridge regression from its normal equations, and each row left out by fitting without it."""

import numpy as np


def naive_ridge(H, targets, penalty):
    """Coefficients and unpenalised intercept."""
    centre, level = H.mean(axis=0), targets.mean(axis=0)
    centred = H - centre
    normal = centred.T @ centred + penalty * np.eye(H.shape[1])
    coef = np.linalg.solve(normal, centred.T @ (targets - level))
    return coef, level - centre @ coef


def naive_left_out(H, targets, penalty):
    """What each row is given by a fit on all others."""
    values = np.empty_like(targets)
    for i in range(len(H)):
        others = np.arange(len(H)) != i
        coef, intercept = naive_ridge(H[others], targets[others], penalty)
        values[i] = H[i] @ coef + intercept
    return values
