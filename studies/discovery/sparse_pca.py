"""Rival: principal components with few columns, each divided in two groups of rows."""

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.metrics._recovery import BlockLike
from studies.discovery.clusters import most_variable
from studies.discovery.rows import case_rows, upper_group
from studies.discovery.t_test import largest

MOST_VARIABLE = 1000
N_COMPONENTS = 10
N_STARTS, N_STEPS = 20, 50


def sparse_pca(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """Sparse components of the cases, by explained variance; the smaller side is the group.

    A component has ``n_columns`` columns. It is found by the truncated power method of Yuan and
    Zhang (JMLR 14, 2013), and taken away before the next one is looked for.
    """
    rows = case_rows(X, y)
    Z, columns = most_variable(X, rows, MOST_VARIABLE)
    found: list[BlockLike] = []
    for _ in range(N_COMPONENTS):
        loadings = _component(Z, n_columns)
        scores = Z @ loadings
        is_upper, _ = upper_group(scores)
        side = is_upper if 2 * is_upper.sum() <= len(rows) else ~is_upper
        found.append((rows[side], columns[np.flatnonzero(loadings)]))
        Z = Z - np.outer(scores, loadings)
    return found


def _component(Z: FloatArray, n_columns: int) -> FloatArray:
    """Loadings of unit length that explain most variance, the best of several starts."""
    covariance = Z.T @ Z
    sizes = np.sort(np.abs(covariance), axis=0)[-n_columns:].sum(axis=0)
    best, explained = np.zeros(len(covariance)), -1.0
    for start in largest(sizes, N_STARTS):
        loadings = _truncated(covariance[start], n_columns)
        for _ in range(N_STEPS):
            before, loadings = loadings, _truncated(covariance @ loadings, n_columns)
            if np.allclose(before, loadings):
                break
        variance = float(loadings @ covariance @ loadings)
        if variance > explained:
            best, explained = loadings, variance
    return best


def _truncated(values: FloatArray, how_many: int) -> FloatArray:
    kept = np.zeros_like(values)
    chosen = largest(np.abs(values), how_many)
    kept[chosen] = values[chosen]
    length = float(np.linalg.norm(kept))
    return kept / length if length else kept
