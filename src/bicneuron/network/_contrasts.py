"""Columns that tell two sets of rows apart, for many pairs of sets at once.

A pair of sets is one row of ``sides``: 1 for carriers, -1 for the rows that they are held against,
0 for neither. Each column has two kinds of evidence, in nats: that the means differ, and that the
spreads do. A line uses the first, a bell both.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._blocks import join
from bicneuron._core._neuron_scores import NeuronColumns, gaussian_scores
from bicneuron._core._sorting import largest

LINE, BELL = 0, 1
# Added to variances of a line and of a bell: columns are scaled to a variance of about 1.
LINE_SLACK, BELL_SLACK = 0.05, 0.35
LEAST_VARIANCE = 1e-9


class Contrasts(NamedTuple):
    """Fits of all columns to pairs of sets: arrays of shape (n_pairs, n_columns).

    Means and variances are of the rows that carriers are held against, and of the carriers;
    ``shift`` and ``spread`` are the evidence that means and variances differ, in nats.
    """

    means: tuple[FloatArray, FloatArray]
    variances: tuple[FloatArray, FloatArray]
    shared: FloatArray
    shift: FloatArray
    spread: FloatArray
    n_rows: int

    def least(self, form: int) -> tuple[float, float]:
        """Evidence that the means, or the spreads, of a column have to exceed: naming it costs."""
        n_columns = self.shift.shape[1]
        name = float(np.log(max(n_columns, 2)))
        return name, name + 0.5 * float(np.log(self.n_rows)) if form == BELL else np.inf

    def columns(self, form: int, most: IndexArray) -> list[IndexArray]:
        """The columns of most evidence, sorted, at most so many for each pair, and at least one."""
        by_mean, by_spread = self.least(form)
        evidence = self.shift if form == LINE else self.shift + self.spread
        is_clear = (self.shift > by_mean) | (self.spread > by_spread)
        ranked = np.where(is_clear, evidence, evidence - evidence.max(initial=0.0) - 1.0)
        chosen = []
        for values, clear, count in zip(ranked, is_clear, most.tolist(), strict=True):
            count = min(count, len(values))
            best = largest(values, count)
            kept = best[clear[best]]
            chosen.append(kept if len(kept) else largest(values, 1))
        return chosen

    def scores(self, Z: FloatArray, form: int, columns: Sequence[IndexArray]) -> FloatArray:
        """Scores of rows, positive for carriers, of shape (n_rows, n_pairs)."""
        starts, flat = join(columns)
        owner = np.repeat(np.arange(len(columns)), np.diff(starts))
        means = np.array([side[owner, flat] for side in self.means])
        if form == LINE:
            variances = np.tile(self.shared[owner, flat] + LINE_SLACK, (2, 1))
        else:
            variances = np.array([side[owner, flat] + BELL_SLACK for side in self.variances])
        used, at = np.unique(flat, return_inverse=True)
        packed = NeuronColumns(used, at.astype(np.intp), starts)
        scores: FloatArray = gaussian_scores(Z, packed, means, variances)
        return scores.T


def fit_contrasts(Z: FloatArray, sides: AnyArray) -> Contrasts:
    """Compare the sets of each pair in each column; missing values (NaN) do not count."""
    is_known = ~np.isnan(Z)
    complete = bool(is_known.all())
    values = Z if complete else np.where(is_known, Z, 0.0)
    squares = np.square(values)
    counts, means, sums = [], [], []
    for side in (sides < 0, sides > 0):
        members = side.astype(np.float64)
        n = members @ is_known if not complete else members.sum(axis=1, keepdims=True)
        counts.append(n)
        means.append(members @ values / np.maximum(n, 1.0))
        sums.append(np.maximum(members @ squares - n * np.square(means[-1]), 0.0))
    total = np.maximum(counts[0] + counts[1], 1.0)
    own = [s / np.maximum(n, 1.0) for s, n in zip(sums, counts, strict=True)]
    shared = (sums[0] + sums[1]) / total
    between = np.square(means[1] - means[0]) * counts[0] * counts[1] / np.square(total)
    shift = 0.5 * total * np.log1p(between / np.maximum(shared + LINE_SLACK, LEAST_VARIANCE))
    floored = [v + LINE_SLACK for v in own]
    pooled = (counts[0] * floored[0] + counts[1] * floored[1]) / total
    spread = 0.5 * (
        total * np.log(np.maximum(pooled, LEAST_VARIANCE))
        - counts[0] * np.log(floored[0])
        - counts[1] * np.log(floored[1])
    )
    return Contrasts((means[0], means[1]), (own[0], own[1]), shared, shift, spread, len(Z))
