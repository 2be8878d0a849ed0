"""Contrast rows and distances between blocks, row by row."""

import math
from fractions import Fraction

import numpy as np
from oracles.residue import naive_msr, naive_profile, naive_submatrix


def naive_squared_distance(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


def naive_nearest_rows(Z, rows, columns, pool, size):
    """The ``size`` rows of the pool nearest to the centroid of the block, in order."""
    centre = naive_profile(naive_submatrix(Z, rows, columns))
    distances = {row: naive_squared_distance([Z[row][c] for c in columns], centre) for row in pool}
    return sorted(pool, key=lambda row: (distances[row], row))[:size]


def naive_contrast_size(contrast_size, n_anchor, n_pool):
    """Halves are rounded up."""
    return max(1, min(math.floor(contrast_size * n_anchor + 0.5), n_pool))


def naive_msr_ratio(anchor, contrast):
    """In exact arithmetic, where a coherent block has no residue at all."""
    above, below = (
        naive_msr([[Fraction(value) for value in row] for row in block])
        for block in (anchor, contrast)
    )
    return float(above / below) if below > 0 else math.inf


def naive_grow_against(anchor, others, start, most, size, slack=0.1):
    taken = [] if start < 0 else [start]
    while len(taken) < min(most, anchor.shape[1]):
        if taken:
            centre = anchor[:, taken].mean(axis=0)
            far = [np.sum((row[taken] - centre) ** 2) for row in others]
            near = others[np.argsort(far, kind="stable")[:size]]
        else:
            near = others
        ratios = [
            (np.mean(a) - np.mean(b)) ** 2 / (np.var(a) + np.var(b) + slack)
            for a, b in zip(anchor.T, near.T, strict=True)
        ]
        free = [j for j in range(anchor.shape[1]) if j not in taken]
        taken.append(max(free, key=lambda j: ratios[j]))
    return taken
