"""Contrast rows and distances between blocks, row by row."""

import itertools
import math
from fractions import Fraction

from oracles.residue import naive_msr, naive_submatrix


def naive_centroid(block):
    return [sum(column) / len(column) for column in zip(*block, strict=True)]


def naive_squared_distance(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


def naive_nearest_rows(Z, rows, columns, pool, size):
    """The ``size`` rows of the pool nearest to the centroid of the block, in order."""
    centre = naive_centroid(naive_submatrix(Z, rows, columns))
    distances = {row: naive_squared_distance([Z[row][c] for c in columns], centre) for row in pool}
    return sorted(pool, key=lambda row: (distances[row], row))[:size]


def naive_contrast_size(contrast_size, n_anchor, n_pool):
    """Halves are rounded up."""
    return max(1, min(math.floor(contrast_size * n_anchor + 0.5), n_pool))


def naive_centroid_distance(anchor, contrast):
    return math.dist(naive_centroid(anchor), naive_centroid(contrast))


def naive_farthest_distance(anchor, contrast):
    return max(math.dist(x, y) for x, y in itertools.product(anchor, contrast))


def naive_msr_ratio(anchor, contrast):
    """In exact arithmetic, where a coherent block has no residue at all."""
    above, below = (
        naive_msr([[Fraction(value) for value in row] for row in block])
        for block in (anchor, contrast)
    )
    return float(above / below) if below > 0 else math.inf
