"""Contrastive pairs drawn at random, one per neuron."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._grow import grow
from bicneuron._core._linkage1d import cut_starts, dendrogram
from bicneuron._core._profiles import profiles_over
from bicneuron._core._residue import mean_squared_residue
from bicneuron.patterns import Pattern, contrastive_pairs

# Cuts and residue bounds to draw from: tight local groups up to whole classes.
CUT_DISTANCES = (0.5, 1.0, 1.5, 2.0)
MAX_RESIDUES = (0.02, 0.1, 0.3, 0.6)
# Columns sampled for each coherent bicluster, and the largest number that it may have.
CANDIDATE_COLUMNS, MAX_COLUMNS = 64, 32
MIN_ROWS, MIN_COLUMNS = 3, 2
# Rows of each class that a pair is drawn from.
MAX_DRAW_ROWS = 40
# Attempts per neuron: narrow or constant data may have no bicluster.
TRIES = 6


@dataclass(frozen=True, eq=False)
class Side:
    """Rows of one class, or with one label, and the rows they are contrasted with."""

    label: Any
    other_label: Any
    target: int
    rows: IndexArray
    others: IndexArray

    def without(self, left_out: IndexArray) -> "Side":
        """The same side without some rows."""
        rows = np.setdiff1d(self.rows, left_out, assume_unique=True)
        others = np.setdiff1d(self.others, left_out, assume_unique=True)
        return Side(self.label, self.other_label, self.target, rows, others)


def draw_coherent(
    Z: FloatArray, side: Side, contrast_size: float, rng: np.random.Generator
) -> Pattern | None:
    """Draw a seed of the miner, grow it while it is coherent and pair it."""
    rows, others = (sample(some, MAX_DRAW_ROWS, rng) for some in (side.rows, side.others))
    cut_distance = CUT_DISTANCES[rng.integers(len(CUT_DISTANCES))]
    max_residue = MAX_RESIDUES[rng.integers(len(MAX_RESIDUES))]
    candidates = sample(np.arange(Z.shape[1]), CANDIDATE_COLUMNS, rng)
    start = int(rng.integers(len(candidates)))
    # One cluster of the rows on a column, drawn in proportion to its size.
    order, heights = dendrogram(Z[rows, candidates[start]])
    starts, least = cut_starts(heights, cut_distance), min(MIN_ROWS, len(rows))
    clusters = [(a, b) for a, b in pairwise(starts.tolist()) if b - a >= least]
    if not clusters:
        return None
    ends = np.cumsum([b - a for a, b in clusters])
    first, last = clusters[np.searchsorted(ends, rng.integers(ends[-1]), side="right")]
    rows = np.sort(rows[order[first:last]])
    block = Z[rows[:, None], candidates]
    profiles = profiles_over(np.ascontiguousarray(block.T), block, np.arange(len(rows)))
    taken = grow(profiles, np.array([start]), max_residue, MAX_COLUMNS)
    if len(taken) < min(MIN_COLUMNS, Z.shape[1]):
        return None
    return paired(Z, side, rows, others, np.sort(candidates[taken]), contrast_size)


def paired(
    Z: FloatArray,
    side: Side,
    rows: IndexArray,
    others: IndexArray,
    columns: IndexArray,
    contrast_size: float,
) -> Pattern:
    """A pattern of these rows and columns, with the nearest of the others as its contrast."""
    block = np.ascontiguousarray(Z[rows[:, None], columns])
    found = Pattern(rows, columns, mean_squared_residue(block))
    (pair,) = contrastive_pairs(
        Z, [found], others, anchor_class=side.label, contrast_size=contrast_size
    )
    return pair


def whole_pair(Z: FloatArray, side: Side, rng: np.random.Generator) -> Pattern:
    """A pair of all columns and a sample of both sides, for data without a bicluster."""
    rows, others = (sample(some, MAX_DRAW_ROWS, rng) for some in (side.rows, side.others))
    return paired(Z, side, rows, others, np.arange(Z.shape[1]), len(others) / len(rows))


def distinct(pairs: Sequence[Pattern | None]) -> list[int]:
    """Positions of the pairs that are not None and differ from all earlier ones."""
    places: dict[Pattern, int] = {}
    for place, pair in enumerate(pairs):
        if pair is not None:
            places.setdefault(pair, place)
    return list(places.values())


def sample(indices: IndexArray, most: int, rng: np.random.Generator) -> IndexArray:
    """A sample of at most this many, in ascending order."""
    if len(indices) <= most:
        return indices
    return np.sort(rng.choice(indices, most, replace=False))
