"""Ridge regression from its normal equations, and each row left out by fitting without it."""

import numpy as np


def naive_ridge(H, targets, penalty, weights=None):
    """Coefficients and unpenalised intercept."""
    if weights is None:
        weights = np.ones(len(H))
    design = np.column_stack([np.ones(len(H)), H])
    normal = design.T @ (weights[:, None] * design) + penalty * np.diag([0, *[1] * H.shape[1]])
    solved = np.linalg.solve(normal, design.T @ (weights[:, None] * targets))
    return solved[1:], solved[0]


def naive_left_out(H, targets, penalty, weights):
    """What each row is given by a fit on all others."""
    values = np.empty_like(targets)
    for i in range(len(H)):
        others = np.arange(len(H)) != i
        coef, intercept = naive_ridge(H[others], targets[others], penalty, weights[others])
        values[i] = H[i] @ coef + intercept
    return values
