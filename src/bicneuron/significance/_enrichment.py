"""Exact probabilities of numbers of carriers in classes, within strata."""

from itertools import zip_longest

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray

SMALLEST = float(np.finfo(np.float64).tiny)  # the least probability that is told from 0


def tails(carriers: BoolArray, y: IndexArray, strata: IndexArray) -> FloatArray:
    """Probability of at least 0, 1, 2, ... carriers in a class.

    Of shape (n_classes, n_patterns, most carriers + 1), given the carriers of each stratum.
    """
    n_classes, n_counts = int(y.max()) + 1, int(carriers.sum(axis=0).max()) + 1
    tables = np.ones((n_classes, carriers.shape[1], n_counts))
    for label, pattern in np.ndindex(tables.shape[:2]):
        tail = _upper_tail(carriers[:, pattern], y == label, strata)
        tables[label, pattern, : len(tail)] = tail
    return tables


def exact_p_values(carriers: BoolArray, y: IndexArray, strata: IndexArray) -> FloatArray:
    """P of so many carriers in the class where they are too many, for any of the classes."""
    tables = tails(carriers, y, strata)
    patterns = np.arange(carriers.shape[1])
    counts = [carriers[y == label].sum(axis=0) for label in range(len(tables))]
    own = [table[patterns, count] for table, count in zip(tables, counts, strict=True)]
    return np.asarray(np.minimum(len(tables) * np.min(own, axis=0), 1.0))


def _upper_tail(carriers: BoolArray, in_class: BoolArray, strata: IndexArray) -> FloatArray:
    """Probability of at least 0, 1, 2, ... carriers in the class, given those of each stratum."""
    density, fewest = np.ones(1), 0
    of_strata = [np.bincount(strata[rows]).tolist() for rows in (slice(None), in_class, carriers)]
    for stratum in zip_longest(*of_strata, fillvalue=0):
        own, least = _hypergeometric(*stratum)
        density, fewest = np.convolve(density, own), fewest + least
    tail = np.full(int(carriers.sum()) + 1, SMALLEST)
    tail[:fewest] = 1.0
    tail[fewest : fewest + len(density)] = np.cumsum(density[::-1])[::-1]
    # Of thousands of rows it may be too small for a float; it is never 0.
    return np.asarray(np.clip(tail, SMALLEST, 1.0))


def _hypergeometric(n_rows: int, n_class: int, n_carriers: int) -> tuple[FloatArray, int]:
    """Probabilities of numbers of carriers in the class that are not tiny, and the least number."""
    least = max(n_class + n_carriers - n_rows, 0)
    k = np.arange(least, min(n_class, n_carriers), dtype=np.float64)
    ratios = (n_class - k) * (n_carriers - k) / ((k + 1) * (n_rows - n_class - n_carriers + k + 1))
    likeliest = int(np.sum(ratios >= 1))
    below = np.cumprod(1 / ratios[:likeliest][::-1])[::-1]
    density = np.concatenate([below, np.ones(1), np.cumprod(ratios[likeliest:])])
    density /= density.sum()
    possible = np.flatnonzero(density >= SMALLEST)
    return density[possible[0] : possible[-1] + 1], least + int(possible[0])
