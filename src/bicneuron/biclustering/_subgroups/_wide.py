"""Which columns of a wide table are searched, and where groups of all of its columns may be.

Among hundreds of thousands of columns, one that a group shifts is hardly told from the others by
itself: the screen keeps a few of those of each group. So the highest and lowest rows of many
screened columns are starts, which are compared by more and more columns, while fewer and fewer of
them are left: first by the screened columns, then by all.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._splits import best_splits, keep_largest
from bicneuron.biclustering._miner import slices
from bicneuron.biclustering._subgroups import _kinds
from bicneuron.biclustering._subgroups._starts import SUPPORT_COLUMNS, Seeds, beyond_chance
from bicneuron.biclustering._subgroups._table import distinct_sets

# Shares of the rows that are highest, or lowest, in a column.
SHARES = (0.08, 0.15, 0.3, 0.45)
# Quantiles of the other side of a column, and parts into which each of three facts divides columns.
AT, PARTS = (0.05, 0.1, 0.2, 0.25, 0.5, 0.7), 5
# Columns and starts that are screened, of a table with so many rows and columns, or fewer rows.
SCREENED, STARTS, SCREENED_OF, FULL_ROWS = 64_000, 120_000, 850_000, 100
# Starts that are compared with each other, judged by all columns, and again after a step; leaders.
COMPARED, JUDGED, AGAIN, LEADERS = 20_000, 4000, 1000, 100
# Columns by which they are judged again, groups and columns of one product.
MORE_COLUMNS, GROUPS, COLUMNS = 16, 512, 8192


class Screen(NamedTuple):
    """Place of each column, of each side and size of windows, among columns that look alike.

    The shape of ``places`` is (2 sides, sizes, n_columns); the highest place is 1.
    """

    sizes: tuple[int, ...]
    places: Float32Array

    def columns(self, count: int) -> IndexArray:
        """The columns with the highest places."""
        return np.sort(np.argsort(-self.places.max(axis=(0, 1)), kind="stable")[:count])

    def starts(self, count: int) -> tuple[IndexArray, IndexArray, IndexArray]:
        """Sides, sizes and columns of windows: of each size those with the highest places."""
        sides, sizes, columns = [], [], []
        for places, size in zip(self.places.swapaxes(0, 1), self.sizes, strict=True):
            best = np.argsort(-places, axis=None, kind="stable")[: count // len(self.sizes)]
            side, column = np.divmod(np.sort(best), places.shape[1])
            sides.append(side)
            columns.append(column)
            sizes.append(np.full(len(best), size))
        return np.concatenate(sides), np.concatenate(sizes), np.concatenate(columns)


def screened(blocks: Iterator[FloatArray]) -> Screen:
    """Compare the ends of each column with those of columns whose other side looks alike.

    A skewed column is not a group. How far the highest rows are from the others tells nothing by
    itself, but something among columns whose lower half has the same shape.
    """
    ends, facts = [], []
    for Z in blocks:
        n = len(Z)
        sizes = tuple(dict.fromkeys(max(3, round(share * n)) for share in SHARES))
        ordered = np.sort(Z, axis=0)
        of_sides = []
        for side in (ordered, -ordered[::-1]):
            of_sides.append([side[n - k :].sum(axis=0) / np.sqrt(k * (n - k)) for k in sizes])
            q5, q10, q20, q25, q50, q70 = side[[int(at * n) for at in AT]]
            tail, core = (q50 - q5) / np.maximum(q50 - q25, 0.05), q50 - q10
            facts.append([core, tail, (q50 - q20) / np.maximum(q70 - q50, 0.05)])
        ends.append(of_sides)
    separation = np.concatenate(ends, axis=2, dtype=np.float32)
    n_columns = separation.shape[2]
    both = [np.concatenate(facts[side::2], axis=1, dtype=np.float32) for side in (0, 1)]
    stratum = np.zeros(2 * n_columns, np.intp)
    for fact in np.concatenate(both, axis=1):
        edges = np.quantile(fact, np.arange(1, PARTS) / PARTS)
        stratum = stratum * PARTS + np.searchsorted(edges, fact)
    places = np.empty_like(separation)
    for size in range(len(sizes)):
        values = separation[:, size].ravel()
        order = np.lexsort((values, stratum))
        counts = np.bincount(stratum)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        place = np.empty(2 * n_columns, np.float32)
        place[order] = (np.arange(len(order)) - first + 0.5) / np.repeat(counts, counts)
        places[:, size] = place.reshape(2, n_columns)
    return Screen(sizes, places)


def find_leaders(
    blocks: Iterator[FloatArray], n_rows: int, screen: Screen, fewest: int, most: int
) -> tuple[IndexArray, FloatArray]:
    """Columns of groups to start from, and correlations with them: what is left of the starts."""
    # A line has the normal scores of a column, of mean 0 and length 1.
    Z = np.empty((screen.places.shape[2], n_rows), np.float32)
    first = 0
    for block in blocks:
        scores = np.ascontiguousarray(_kinds.normal_scores(block.astype(np.float32)).T)
        scores -= scores.mean(axis=1, keepdims=True)
        lengths = np.sqrt(np.square(scores).sum(axis=1, keepdims=True))
        scores /= np.where(lengths > 1e-3, lengths, np.float32(np.inf))
        Z[first : first + len(scores)] = scores
        first += len(scores)
    share = (len(Z) / SCREENED_OF) ** (1 / 3) * (FULL_ROWS / max(n_rows, FULL_ROWS)) ** 0.5
    among = screen.columns(round(min(share, 1.0) * SCREENED))
    sides, sizes, owners = screen.starts(round(min(share, 1.0) * STARTS))
    groups = np.zeros((len(owners), n_rows), dtype=bool)  # the highest rows, or the lowest
    for some in slices(len(owners), COLUMNS):
        signed = Z[owners[some]] * np.where(sides[some], 1, -1)[:, None].astype(np.float32)
        order = np.argsort(signed, axis=1, kind="stable")
        np.put_along_axis(groups[some], order, np.arange(n_rows) < sizes[some, None], axis=1)
    own = np.searchsorted(among, owners)
    own[among[np.minimum(own, len(among) - 1)] != owners] = -1
    top, _ = _largest(Z[among], groups, own, SUPPORT_COLUMNS)
    left = Seeds(groups, _support(top, len(among), n_rows)).places_of_leaders(JUDGED, COMPARED)
    groups = groups[left]
    top, columns = _largest(Z, groups, owners[left], SUPPORT_COLUMNS)
    best = np.argsort(-_support(top, *Z.shape), kind="stable")[:AGAIN]
    pairs = zip(columns[best], _units(groups[best]), strict=True)
    axes = np.array([(Z[own] @ one) @ Z[own] for own, one in pairs], np.float64)
    everything = np.ones(n_rows, dtype=bool)
    groups = distinct_sets(best_splits(axes, everything, False, fewest, most)[0])
    top, columns = _largest(Z, groups, np.full(len(groups), -1), MORE_COLUMNS)
    left = Seeds(groups, _support(top, *Z.shape)).places_of_leaders(LEADERS)
    columns = columns[left, :SUPPORT_COLUMNS]
    pairs = zip(columns, _units(groups[left]), strict=True)
    return columns, np.array([Z[own] @ one for own, one in pairs], np.float64)


def _units(groups: BoolArray) -> Float32Array:
    """Lines of which products with those of columns are correlations."""
    members = groups.astype(np.float32)
    members -= members.mean(axis=1, keepdims=True)
    members /= np.sqrt(np.square(members).sum(axis=1, keepdims=True))
    return members


def _largest(
    Z: Float32Array, groups: BoolArray, left_out: IndexArray, count: int
) -> tuple[Float32Array, IndexArray]:
    """The largest correlations of groups, without one column each, and their columns."""
    top = np.zeros((len(groups), count), np.float32)
    columns = np.zeros(top.shape, np.intp)
    members = _units(groups)
    for block in slices(len(Z), COLUMNS):
        own = np.ascontiguousarray(Z[block].T)
        for some in slices(len(groups), GROUPS):
            sizes = np.abs(members[some] @ own)
            keep_largest(sizes, block.start, left_out[some], top[some], columns[some])
    return top, columns


def _support(top: Float32Array, n_columns: int, n_rows: int) -> FloatArray:
    return beyond_chance(_kinds.shift_gains(np.square(top), n_rows), n_columns, 1)
