"""Cheng and Church (2000) from the definition, like the R packages.

All residues are computed again in each step, and each bicluster found is masked by noise.
"""

import numpy as np

ALPHA = 1.2


def residues(block: np.ndarray) -> np.ndarray:
    """Squared residue of each cell."""
    return (block - block.mean(axis=0) - block.mean(axis=1, keepdims=True) + block.mean()) ** 2


def delete_many(X: np.ndarray, rows: np.ndarray, columns: np.ndarray, bound: float) -> tuple:
    """Algorithm 2: delete all rows, then all columns, far above the mean residue."""
    while True:
        cells = residues(X[np.ix_(rows, columns)])
        if (residue := cells.mean()) <= bound:
            return rows, columns
        kept = cells.mean(axis=1) <= ALPHA * residue
        n_cells = len(rows) * len(columns)
        rows = rows[kept]
        cells = residues(X[np.ix_(rows, columns)])
        if (residue := cells.mean()) <= bound:
            return rows, columns
        columns = columns[cells.mean(axis=0) <= ALPHA * residue]
        if len(rows) * len(columns) == n_cells:
            return rows, columns


def delete_single(X: np.ndarray, rows: np.ndarray, columns: np.ndarray, bound: float) -> tuple:
    """Algorithm 1: delete the worst row or column until the residue is within the bound."""
    while True:
        cells = residues(X[np.ix_(rows, columns)])
        if cells.mean() <= bound:
            return rows, columns
        of_rows, of_columns = cells.mean(axis=1), cells.mean(axis=0)
        if of_rows.max() >= of_columns.max():
            rows = np.delete(rows, of_rows.argmax())
        else:
            columns = np.delete(columns, of_columns.argmax())


def add(X: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> tuple:
    """Algorithm 3: add columns, then rows, that are no worse than the block, until none is left."""
    while True:
        before = len(rows), len(columns)
        block = X[np.ix_(rows, columns)]
        centred = X[rows] - block.mean(axis=1, keepdims=True)
        of_columns = ((centred - X[rows].mean(axis=0) + block.mean()) ** 2).mean(axis=0)
        columns = np.union1d(columns, np.flatnonzero(of_columns <= residues(block).mean()))
        block = X[np.ix_(rows, columns)]
        of_rows = (
            (X[:, columns] - block.mean(axis=0))
            - X[:, columns].mean(axis=1, keepdims=True)
            + block.mean()
        )
        within = (of_rows**2).mean(axis=1) <= residues(block).mean()
        rows = np.union1d(rows, np.flatnonzero(within))
        if (len(rows), len(columns)) == before:
            return rows, columns


def cheng_church(
    X: np.ndarray, bound: float, number: int, rng: np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Find at most this many biclusters of at least two rows and columns."""
    X, found = X.copy(), []
    low, high = X.min(), X.max()
    for _ in range(number):
        rows, columns = np.arange(X.shape[0]), np.arange(X.shape[1])
        rows, columns = delete_many(X, rows, columns, bound)
        rows, columns = delete_single(X, rows, columns, bound)
        rows, columns = add(X, rows, columns)
        if min(len(rows), len(columns)) < 2:
            break
        found.append((rows, columns))
        X[np.ix_(rows, columns)] = rng.uniform(low, high, (len(rows), len(columns)))
    return found
