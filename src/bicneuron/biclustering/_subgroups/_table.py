"""The table that is searched, and one task of the search.

In real tables a few components (tissue, batch, cell mixture) move most columns together. A group
that differs in ten columns is hidden by them, and is found when they are removed; one that differs
in hundreds is such a component itself, and is lost with them. So the search runs once for each of
several numbers of components.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from bicneuron._core._arrays import AnyArray, BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._shared._content_order import content_order, mirrored, tied_ranks

# Numbers of components that are removed, as far as the table has so many; of wide tables only the
# middle one, to save time.
N_REMOVED, WIDE, N_REMOVED_WIDE = (2, 5, 10), 5000, (5,)
# Scores of a column in two units differ by less.
SAME_COLUMN = 1e-4
# Weaker groups are not reported: a list has a few of noise, so that one can compare.
LEAST_STRENGTH = -15.0
# Rows that components and trees are computed from, at most: their cost grows with the square.
MOST_ROWS = 1500
# Rows by which the starts of a search are judged, at most; rows of a group are chosen among all.
SEED_ROWS = 400
# Row sets that are looked at together, to save memory.
SETS_AT_ONCE = 512
# Seed of the permutation that decides how many components a table has.
SEED = 0


class CanonicalOrder(NamedTuple):
    """Rows and columns of a table, so that its order and copies of columns do not matter."""

    rows: IndexArray
    columns: IndexArray
    copies: list[IndexArray]
    signs: list[FloatArray]

    def of_columns(self, kept: BoolArray) -> "CanonicalOrder":
        """Without some columns of the table."""
        places = [k for k, column in enumerate(self.columns.tolist()) if kept[column]]
        copies, signs = [self.copies[k] for k in places], [self.signs[k] for k in places]
        return CanonicalOrder(self.rows, self.columns[places], copies, signs)


def canonical_order(
    X: FloatArray, Z: FloatArray, known: FloatArray | None = None
) -> CanonicalOrder:
    """Sort rows and columns of a table by the ranks of values within columns."""
    varied = np.flatnonzero(Z.any(axis=0))
    ranks = tied_ranks(X[:, varied])
    both = np.ascontiguousarray(ranks.T), np.ascontiguousarray(mirrored(ranks).T)
    by_ranks: dict[bytes, list[list[int]]] = {}
    for place, values in enumerate(Z[:, varied].T):
        key = min(side[place].tobytes() for side in both)
        alike = by_ranks.setdefault(key, [])
        for group in alike:
            first = Z[:, varied[group[0]]]
            if min(np.abs(values - first).max(), np.abs(values + first).max()) < SAME_COLUMN:
                group.append(place)
                break
        else:
            alike.append([place])
    groups = [group for alike in by_ranks.values() for group in alike]
    own = [group[0] for group in groups]
    facts, table = ranks[:, own], Z[:, varied[own]]
    if known is not None:
        facts, table = np.hstack([facts, tied_ranks(known)]), np.hstack([table, known])
    rows, places = content_order(facts, table)
    copies, signs = [], []
    for place in places[places < len(groups)].tolist():
        members = varied[groups[place]]
        if len(members) == 1:  # most columns
            copies.append(members)
            signs.append(np.ones(1))
            continue
        values = Z[np.ix_(rows, members)]
        # Of mirror images that comes first which is higher in the first row.
        turns = np.sign(values[np.argmax(np.abs(values[:, 0]) > SAME_COLUMN)])
        by_turn = np.argsort(-turns, kind="stable")
        copies.append(members[by_turn])
        signs.append(turns[by_turn] * turns[by_turn[0]])
    columns = np.array([members[0] for members in copies], dtype=np.intp)
    return CanonicalOrder(rows, columns, copies, signs)


class Background(NamedTuple):
    """Components and what is left of each column's deviation without them."""

    components: FloatArray
    deviation: FloatArray

    def remove(self, Z: FloatArray) -> Float32Array:
        """Rows without the components, columns with deviation 1."""
        left = Z - (Z @ self.components.T) @ self.components
        return np.ascontiguousarray(left / self.deviation, np.float32)


def backgrounds(Z: FloatArray, most: int = max(N_REMOVED)) -> list[Background]:
    """Backgrounds to be removed in turn: components that exceed those of shuffled columns."""
    n_columns = Z.shape[1]
    found = [Background(np.empty((0, n_columns)), np.ones(n_columns))]
    if not n_columns:
        return found
    numbers = N_REMOVED if n_columns <= WIDE else N_REMOVED_WIDE
    some = Z[spaced(len(Z), MOST_ROWS)]
    shuffled = np.random.default_rng(SEED).permuted(some, axis=0)
    (largest,), _ = leading_components(shuffled, 1)
    values, directions = leading_components(some, max(numbers))
    directions = directions[values > largest][:most]
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    directions = directions / np.where(lengths > 0, lengths, 1.0)
    for count in sorted({min(count, len(directions)) for count in numbers}):
        if count < 2:
            continue
        components = directions[:count]
        deviation = (Z - (Z @ components.T) @ components).std(axis=0)
        found.append(Background(components, np.where(deviation > 1e-3, deviation, 1.0)))
    return found


def components_of(removed: list[Background], places: IndexArray, n_columns: int) -> FloatArray:
    """All components that are removed, of all columns; 0 for those that were not searched."""
    components = np.zeros((len(removed[-1].components), n_columns))
    components[:, places] = removed[-1].components
    return components


def count_components(blocks: Iterator[FloatArray]) -> int:
    """Number of components that exceed those of shuffled columns, from all columns in blocks."""
    products, random = np.zeros((2, 1, 1)), np.random.default_rng(SEED)
    for Z in blocks:
        shuffled = random.permuted(Z, axis=0)
        products = products + np.stack([Z @ Z.T, shuffled @ shuffled.T])
    values, by_chance = np.linalg.eigvalsh(products)
    return int(np.sum(values > by_chance[-1]))


def leading_components(Z: AnyArray, count: int) -> tuple[FloatArray, FloatArray]:
    """The largest eigenvalues of ``Z @ Z.T``, largest first, and eigenvectors times ``Z``."""
    by_column = Z.shape[1] < len(Z)
    products = Z.T @ Z if by_column else Z @ Z.T
    size = len(products)
    values, vectors = eigh(products, subset_by_index=(max(size - count, 0), size - 1))
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1].T
    return values, vectors * np.sqrt(values)[:, None] if by_column else vectors @ Z


def spaced(count: int, most: int) -> IndexArray:
    """Every k-th position, at most this many."""
    return np.arange(0, count, max(-(-count // most), 1))


def distinct_sets(sets: BoolArray) -> BoolArray:
    """Each set of rows once, in lexicographic order."""
    packed = np.unique(np.packbits(sets, axis=1), axis=0)  # eight rows are compared at once
    return np.unpackbits(packed, axis=1, count=sets.shape[1]).astype(bool)


class SearchTask(NamedTuple):
    """One table and one class to be searched, perhaps only for groups like some others."""

    Z: Float32Array
    in_class: BoolArray
    labelled: bool
    fewest: int
    most: int
    like: BoolArray | None = None
