"""Enrichment: carriers of a pattern that are of one class more often than by chance."""

import numpy as np
from scipy.stats import hypergeom

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray


class Enrichment:
    """Exact probabilities of at least the observed carriers in a class, within strata."""

    def __init__(self, carriers: BoolArray, y: IndexArray, strata: IndexArray) -> None:
        self._carriers = carriers.astype(np.float64)
        self._n_classes = int(y.max()) + 1
        n_patterns = carriers.shape[1]
        self._tables = np.ones((n_patterns, self._n_classes, int(carriers.sum(axis=0).max()) + 1))
        for pattern in range(n_patterns):
            for label in range(self._n_classes):
                tail = _upper_tail(carriers[:, pattern], y == label, strata)
                self._tables[pattern, label, : len(tail)] = tail

    def probabilities(self, y: IndexArray) -> FloatArray:
        """For each pattern, the probability of its carriers in the class where they are too many.

        It is that of one class, not corrected for the number of classes.
        """
        counts = np.stack([(y == label) @ self._carriers for label in range(self._n_classes)], 1)
        tails = np.take_along_axis(self._tables, np.round(counts).astype(np.intp)[:, :, None], 2)
        least: FloatArray = tails[:, :, 0].min(axis=1)
        return least

    def p_values(self, y: IndexArray) -> FloatArray:
        """Exact p of each pattern, for any of the classes."""
        return np.minimum(self._n_classes * self.probabilities(y), 1.0)


def family_p_values(observed: FloatArray, permuted: FloatArray) -> FloatArray:
    """P corrected for all patterns, step by step (Westfall and Young's step-down minP)."""
    order = np.argsort(observed, kind="stable")
    # The least probability among this pattern and those that are less clear.
    least = np.minimum.accumulate(permuted[:, order[::-1]], axis=1)[:, ::-1]
    tolerance = 1 + 1e-9  # equal counts give equal probabilities but for rounding
    as_clear = (least <= observed[order] * tolerance).sum(axis=0)
    corrected = np.maximum.accumulate((1 + as_clear) / (1 + len(permuted)))
    family = np.empty_like(corrected)
    family[order] = corrected
    return family


def _upper_tail(carriers: BoolArray, in_class: BoolArray, strata: IndexArray) -> FloatArray:
    """Probability of at least 0, 1, 2, ... carriers in the class, given those of each stratum."""
    density = np.ones(1)
    for stratum in np.unique(strata):
        rows = strata == stratum
        n_carriers = int(np.sum(carriers & rows))
        counts = np.arange(n_carriers + 1)
        own = hypergeom(int(rows.sum()), int(np.sum(in_class & rows)), n_carriers).pmf(counts)
        density = np.convolve(density, own)
    # Of thousands of rows it may be too small for a float; it is never 0.
    return np.clip(np.cumsum(density[::-1])[::-1], np.finfo(np.float64).tiny, 1.0)
