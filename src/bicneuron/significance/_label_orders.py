"""Orders of the labels, each as likely as that of y if patterns do not depend on the class."""

from typing import Any

import numpy as np
from scipy.special import gammaln

from bicneuron._core._arrays import AnyArray, IndexArray
from bicneuron.significance._known import row_numbers, strata_of_units, units_by_class


class LabelShuffler:
    """Orders of labels, each as likely as that of y if patterns do not depend on the class."""

    def __init__(self, y: IndexArray, strata: Any = None, groups: Any = None) -> None:
        n = len(y)
        self.strata = row_numbers(strata, n, "strata")
        units = units_by_class(groups, y, n)
        members = np.arange(n) if units is None else units
        self.has_groups = bool(members.max() + 1 < n)
        first = np.unique(members, return_index=True)[1]
        self._y, self._groups = y, groups
        self._members = members
        self._labels = y[first]
        of_strata = strata_of_units(self.strata, members)
        self._pools = [np.flatnonzero(of_strata == one) for one in np.unique(of_strata)]
        self.log_orders = float(sum(_log_orders(self._labels[pool]) for pool in self._pools))
        if self.log_orders == 0:
            raise ValueError(
                "strata leave no labels to exchange: there is one class in each of them, so "
                "nothing can be tested. Give others, or none."
            )

    def of(self, rows: IndexArray) -> "LabelShuffler":
        """Orders of the labels of some rows."""
        if len(rows) == len(self._y):
            return self
        groups = None if self._groups is None else np.asarray(self._groups)[rows]
        return LabelShuffler(self._y[rows], self.strata[rows], groups)

    def draw(self, rng: np.random.Generator) -> IndexArray:
        """Draw one order of the labels."""
        labels = self._labels.copy()
        for pool in self._pools:
            labels[pool] = labels[rng.permutation(pool)]
        return labels[self._members]


def _log_orders(labels: AnyArray) -> float:
    """Logarithm of the number of different orders."""
    counts = np.unique(labels, return_counts=True)[1]
    return float(gammaln(len(labels) + 1) - gammaln(counts + 1).sum()) if len(counts) > 1 else 0.0
