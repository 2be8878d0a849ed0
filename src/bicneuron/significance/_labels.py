"""Labels in another order: what they would be if they had nothing to do with the table."""

from typing import Any

import numpy as np
from scipy.special import gammaln
from sklearn.utils import column_or_1d

from bicneuron._core._arrays import AnyArray, IndexArray


class LabelShuffler:
    """Orders of labels that are as likely as the given one if patterns do not depend on the class.

    Parameters
    ----------
    y : array of shape (n_rows,)
        Class of each row, as a number.
    strata : array of shape (n_rows,) or None
        Labels are exchanged within strata only, such as batches, sexes or centres.
    groups : array of shape (n_rows,) or None
        Rows of a group, such as the samples of a patient, keep a common label.
    """

    def __init__(self, y: IndexArray, strata: Any = None, groups: Any = None) -> None:
        n = len(y)
        self.strata = _numbered(strata, n, "strata")
        members = np.arange(n) if groups is None else _numbered(groups, n, "groups")
        self.has_groups = groups is not None
        first = np.unique(members, return_index=True)[1]
        for name, values in (("label", y), ("stratum", self.strata)):
            differs = np.flatnonzero(values != values[first][members])
            if len(differs):
                group = np.asarray(groups).tolist()[differs[0]]
                raise ValueError(
                    f"groups has {group!r} with more than one {name}; "
                    "the rows of a group are exchanged together, so they need the same."
                )
        self._members = members
        self._labels = y[first]
        units = self.strata[first]
        self._pools = [np.flatnonzero(units == stratum) for stratum in np.unique(units)]
        self.log_orders = float(sum(_log_orders(self._labels[pool]) for pool in self._pools))
        if self.log_orders == 0:
            what = "groups" if strata is None else "strata"
            raise ValueError(
                f"{what} leave no labels to exchange: there is one class in each of them, so "
                "nothing can be tested. Give others, or none."
            )

    def draw(self, rng: np.random.Generator) -> IndexArray:
        """One more order of the labels."""
        labels = self._labels.copy()
        for pool in self._pools:
            labels[pool] = labels[rng.permutation(pool)]
        return labels[self._members]


def _numbered(values: Any, n_rows: int, name: str) -> IndexArray:
    """Consecutive numbers in place of values; zeros for None."""
    if values is None:
        return np.zeros(n_rows, np.intp)
    values = column_or_1d(np.asarray(values))
    if len(values) != n_rows:
        raise ValueError(f"{name} has {len(values)} values for {n_rows} rows; give one for each.")
    return np.unique(values, return_inverse=True)[1].astype(np.intp)


def _log_orders(labels: AnyArray) -> float:
    """Logarithm of the number of different orders."""
    counts = np.unique(labels, return_counts=True)[1]
    return float(gammaln(len(labels) + 1) - gammaln(counts + 1).sum()) if len(counts) > 1 else 0.0
