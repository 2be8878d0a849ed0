"""Contrastive pairs drawn one at a time: the cost of a network grows with its neurons alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._contrast_growth import grow_against
from bicneuron._core._grow import grow
from bicneuron._core._linkage1d import cut_starts
from bicneuron._core._profiles import profiles_over
from bicneuron._core._residue import mean_squared_residue
from bicneuron._scaling import ScaledMatrix
from bicneuron.biclustering import Bicluster
from bicneuron.biclustering._seeds import dendrogram
from bicneuron.contrast import ContrastivePair
from bicneuron.contrast._pairing import pair_biclusters

# The pool that cuts and bounds are drawn from: from tight local groups to whole classes.
CUT_DISTANCES = (0.5, 1.0, 1.5, 2.0)
MAX_RESIDUES = (0.02, 0.1, 0.3, 0.6)
# Columns that one bicluster is grown over, a new sample for each, and the most that it takes in.
CANDIDATE_COLUMNS, MAX_COLUMNS = 64, 32
MIN_ROWS, MIN_COLUMNS = 3, 2
# Readable patterns: how many columns, the share of all columns that are looked at and the most of
# them, and how often a whole class is described and not a part of it.
FEW_COLUMNS = (4, 8, 16)
SHARES = (0.1, 0.3, 1.0)
MOST_CANDIDATES = 256
WHOLE_CLASS = 0.3
MIN_READABLE_ROWS = 5
# Draws after which a neuron is given up: narrow or constant data may hold no bicluster.
TRIES = 6


@dataclass(frozen=True, eq=False)
class Side:
    """Rows of one class, or with one label, and those that it is held against.

    Parameters
    ----------
    label, other_label : label
        Of the rows and of those that they are held against.
    target : int
        Column of the targets in which the sides differ.
    rows, others : arrays of intp
    """

    label: Any
    other_label: Any
    target: int
    rows: IndexArray
    others: IndexArray

    def without(self, left_out: IndexArray) -> "Side":
        """The same without some rows."""
        rows = np.setdiff1d(self.rows, left_out, assume_unique=True)
        others = np.setdiff1d(self.others, left_out, assume_unique=True)
        return Side(self.label, self.other_label, self.target, rows, others)


def draw_coherent(
    Z: ScaledMatrix, side: Side, max_draw_rows: int, contrast_size: float, rng: np.random.Generator
) -> ContrastivePair | None:
    """Draw a seed of the miner, grow it while it is coherent and pair it.

    Parameters
    ----------
    Z : float64 array of shape (n_rows, n_columns), C order
        Standardised columns.
    side : Side
        What is mined and what it is held against.
    max_draw_rows : int
        Rows of either that are looked at, a new sample for each draw.
    contrast_size : float
        ``|I^c|`` as a multiple of ``|I|``.
    rng : Generator

    Returns
    -------
    ContrastivePair or None
        None when the seed does not grow.
    """
    rows = _sample(side.rows, max_draw_rows, rng)
    others = _sample(side.others, max_draw_rows, rng)
    cut_distance = CUT_DISTANCES[rng.integers(len(CUT_DISTANCES))]
    max_residue = MAX_RESIDUES[rng.integers(len(MAX_RESIDUES))]
    candidates = _sample(np.arange(Z.shape[1]), CANDIDATE_COLUMNS, rng)
    start = int(rng.integers(len(candidates)))
    rows = _draw_cluster(rows, Z[rows, candidates[start]], cut_distance, MIN_ROWS, rng)
    if len(rows) == 0:
        return None
    part = Z[rows[:, None], candidates]
    profiles = profiles_over(np.ascontiguousarray(part.T), part, np.arange(len(rows)))
    taken = grow(profiles, np.array([start]), max_residue, MAX_COLUMNS)
    if len(taken) < min(MIN_COLUMNS, Z.shape[1]):
        return None
    return _paired(Z, side, rows, others, np.sort(candidates[taken]), contrast_size)


def draw_contrasting(
    Z: ScaledMatrix,
    side: Side,
    max_draw_rows: int,
    contrast_size: float,
    rng: np.random.Generator,
) -> ContrastivePair | None:
    """Draw a whole class or a part of it, with the columns that set it apart from its contrast.

    The contrast of a whole class is all of the other side.

    Parameters
    ----------
    Z, side, max_draw_rows, contrast_size, rng
        As in `draw_coherent`.

    Returns
    -------
    ContrastivePair or None
        None when no part of the class is large enough.
    """
    rows = _sample(side.rows, max_draw_rows, rng)
    others = _sample(side.others, max_draw_rows, rng)
    share = SHARES[rng.integers(len(SHARES))]
    n_candidates = min(MOST_CANDIDATES, max(MIN_COLUMNS, int(np.ceil(share * Z.shape[1]))))
    candidates = _sample(np.arange(Z.shape[1]), n_candidates, rng)
    most = FEW_COLUMNS[int(rng.integers(len(FEW_COLUMNS)))]
    start, size = -1, len(others)
    if rng.random() >= WHOLE_CLASS:
        start = int(rng.integers(len(candidates)))
        cut_distance = CUT_DISTANCES[rng.integers(len(CUT_DISTANCES))]
        part = _draw_cluster(rows, Z[rows, candidates[start]], cut_distance, MIN_READABLE_ROWS, rng)
        if len(part) == 0:
            return None
        if len(part) < len(rows):
            rows, size = part, min(size, max(1, int(contrast_size * len(part) + 0.5)))
    anchor, pool = (np.ascontiguousarray(Z[some[:, None], candidates]) for some in (rows, others))
    taken = grow_against(anchor, pool, start, most, size)
    return _paired(Z, side, rows, others, np.sort(candidates[taken]), size / len(rows))


def _paired(
    Z: ScaledMatrix,
    side: Side,
    rows: IndexArray,
    others: IndexArray,
    columns: IndexArray,
    contrast_size: float,
) -> ContrastivePair:
    block = np.ascontiguousarray(Z[rows[:, None], columns])
    found = Bicluster(rows, columns, mean_squared_residue(block))
    return pair_biclusters(Z, [found], others, side.label, contrast_size)[0]


def whole_pair(
    Z: ScaledMatrix, side: Side, max_draw_rows: int, rng: np.random.Generator
) -> ContrastivePair:
    """All columns, and as many rows of both sides as are allowed: for data without a bicluster."""
    rows, others = _sample(side.rows, max_draw_rows, rng), _sample(side.others, max_draw_rows, rng)
    return _paired(Z, side, rows, others, np.arange(Z.shape[1]), len(others) / len(rows))


def distinct(pairs: Sequence[ContrastivePair | None]) -> list[int]:
    """Places of the pairs that are there and differ from all before them."""
    places: dict[ContrastivePair, int] = {}
    for place, pair in enumerate(pairs):
        if pair is not None:
            places.setdefault(pair, place)
    return list(places.values())


def _sample(indices: IndexArray, most: int, rng: np.random.Generator) -> IndexArray:
    """At most so many of them, in ascending order."""
    if len(indices) <= most:
        return indices
    return np.sort(rng.choice(indices, most, replace=False))


def _draw_cluster(
    rows: IndexArray,
    values: FloatArray,
    cut_distance: float,
    min_rows: int,
    rng: np.random.Generator,
) -> IndexArray:
    """One cluster of the rows on a column, a larger one more likely; empty if all are small."""
    tree = dendrogram(values)
    starts = cut_starts(tree.heights, cut_distance)
    smallest = min(min_rows, len(rows))
    clusters = [(a, b) for a, b in pairwise(starts.tolist()) if b - a >= smallest]
    if not clusters:
        return rows[:0]
    ends = np.cumsum([b - a for a, b in clusters])
    first, last = clusters[np.searchsorted(ends, rng.integers(ends[-1]), side="right")]
    return np.sort(rows[tree.order[first:last]])
