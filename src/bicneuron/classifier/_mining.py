"""Step 1 for a classifier: biclusters of the anchor classes, whole or local."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.base import clone

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._blocks import join, split
from bicneuron._core._residue import mean_squared_residue
from bicneuron._shared._estimators import seeded
from bicneuron._shared._scaling import (
    ScaledMatrix,
    Scaling,
    dense,
    scaled,
    scaling_of,
    zscore_scaling,
)
from bicneuron.biclustering import BiclusterMiner, CoherentBiclustering, ContrastBiclustering
from bicneuron.classifier._problems import BinaryProblem
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.patterns import Pattern

# Local biclusters: the most columns, and how often their rows are chosen anew around the centre of
# those before.
MAX_COLUMNS = 16
ROUNDS = 3

# The scale of the data that the miner is given, and the min-max scaling of all columns.
View: TypeAlias = tuple[Literal["all", "anchor", "minmax"], Scaling]


def anchor_classes(
    anchor: Any, problem: BinaryProblem, classes: AnyArray, sizes: IndexArray
) -> list[Any]:
    """Classes that are mined for a problem; of two that have as many rows, the first."""

    def size(side: AnyArray) -> tuple[int, int, int]:
        places = np.flatnonzero(np.isin(classes, side))
        return sizes[places].sum(), len(side), places[0]

    minority, majority = (list(side.tolist()) for side in sorted(problem, key=size))
    both = minority + majority
    if isinstance(anchor, str):
        named = {"minority": minority, "majority": majority, "both": both}
        if anchor in named:
            return named[anchor]
    labels = sorted(classes.tolist())
    is_scalar = np.ndim(anchor) == 0
    chosen = [label for label in labels if is_scalar and label == anchor]
    if not chosen:
        raise ValueError(
            f"anchor={anchor!r} is not a label of y ({', '.join(map(repr, labels))}); "
            'use one of them, "minority", "majority" or "both".'
        )
    return chosen if chosen[0] in both else minority


def find_biclusters(
    miner: BiclusterMiner,
    view: View,
    X: FloatArray,
    y: AnyArray,
    anchors: Sequence[Any],
    seed: int,
) -> tuple[dict[Any, list[Pattern]], int]:
    """Biclusters of each anchor class, with rows of the training set, and the number of seeds."""
    name = type(miner).__name__
    if miner.uses_labels:
        if view[0] == "anchor":
            raise ValueError(
                'scale="anchor" is for miners that see the anchor rows alone; '
                f'{name} sees all rows, use scale="all".'
            )
        found, n_seeds = _mine(miner, _matrix_to_mine(view, X, np.arange(len(y))), y, seed)
        return _by_class(found, y, anchors, name), n_seeds
    biclusters, n_seeds = {}, 0
    for label in anchors:
        rows = np.flatnonzero(y == label)
        found, seeds_here = _mine(miner, _matrix_to_mine(view, X, rows), None, seed)
        biclusters[label] = _rename_rows(found, rows.take)
        n_seeds += seeds_here
    return biclusters, n_seeds


def mine_path(
    miner: CoherentBiclustering | ContrastBiclustering,
    view: View,
    X: Any,
    y: AnyArray,
    anchors: Sequence[Any],
    cut_distances: Sequence[float],
    seed: int,
) -> dict[Any, list[list[Pattern]]]:
    """Biclusters of each anchor class at each cut, with rows of the training set."""
    if isinstance(miner, ContrastBiclustering):
        cuts = [clone(miner).set_params(cut_distance=cut) for cut in cut_distances]
        found_by_cut = [find_biclusters(each, view, X, y, anchors, seed)[0] for each in cuts]
        return {label: [found[label] for found in found_by_cut] for label in anchors}
    paths = {}
    for label in anchors:
        rows = np.flatnonzero(y == label)
        path = seeded(miner, seed).mine_path(_matrix_to_mine(view, X, rows), cut_distances)
        paths[label] = [_rename_rows(found, rows.take) for found, _ in path]
    return paths


def _matrix_to_mine(view: View, X: Any, rows: IndexArray) -> FloatArray:
    """Rows of the training set, scaled for the miner."""
    scale, minmax = view
    chosen = X[rows]
    if scale == "minmax":
        return dense(scaled(chosen, minmax))
    seen = (X, minmax) if scale == "all" else (chosen,)
    return dense(scaled(chosen, scaling_of(zscore_scaling, *seen)))


def within_rows(rows: IndexArray, biclusters: Sequence[Pattern]) -> list[Pattern]:
    """The same biclusters, their rows as positions in the sorted ``rows``."""
    if len(rows) == rows[-1] + 1:  # all rows
        return list(biclusters)
    return _rename_rows(biclusters, rows.searchsorted)


def _rename_rows(
    biclusters: Sequence[Pattern], renamed: Callable[[IndexArray], IndexArray]
) -> list[Pattern]:
    """The same biclusters with other row numbers, ``renamed(rows)``."""
    starts, rows = join([found.rows for found in biclusters])
    return [
        Pattern(rows=rows, columns=found.columns, msr=found.msr)
        for rows, found in zip(split(renamed(rows), starts), biclusters, strict=True)
    ]


def _by_class(
    found: Sequence[Pattern], y: AnyArray, anchors: Sequence[Any], name: str
) -> dict[Any, list[Pattern]]:
    if any(np.any(y[b.rows] != y[b.rows[0]]) for b in found):
        raise ValueError(
            f"{name} returned a bicluster with rows of several classes; "
            "a miner returns rows of one class only."
        )
    return {label: [b for b in found if y[b.rows[0]] == label] for label in anchors}


def _mine(
    miner: BiclusterMiner, Z: FloatArray, y: AnyArray | None, seed: int
) -> tuple[list[Pattern], int]:
    miner = seeded(miner, seed).set_params(standardize=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBiclusterWarning)
        miner.fit(Z, y)
    return miner.patterns_, miner.n_seeds_


def half(n_rows: int) -> int:
    """Half of the rows, at least one."""
    return max(1, n_rows // 2)


def localised(Z: ScaledMatrix, y: AnyArray, biclusters: Sequence[Pattern]) -> list[Pattern]:
    """Hold biclusters to few columns, and give them the half of their class nearest to them."""
    if not biclusters:
        return []
    is_own = y == y[biclusters[0].rows[0]]
    own, others = np.flatnonzero(is_own), np.flatnonzero(~is_own)
    found: dict[Pattern, None] = {}
    for bicluster in biclusters:
        columns = _few(Z, bicluster.rows, others, bicluster.columns)
        block = np.ascontiguousarray(Z[own[:, None], columns])
        rows = np.searchsorted(own, bicluster.rows)
        for _ in range(ROUNDS):
            rows = _nearest(block, block[rows].mean(axis=0))
        residue = mean_squared_residue(np.ascontiguousarray(block[rows]))
        found.setdefault(Pattern(own[rows], columns, residue))
    return list(found)


def _few(Z: ScaledMatrix, rows: IndexArray, others: IndexArray, columns: IndexArray) -> IndexArray:
    if len(columns) <= MAX_COLUMNS:
        return columns
    one, other = (np.asarray(Z[some[:, None], columns]) for some in (rows, others))
    spread = one.var(axis=0) + other.var(axis=0)
    apart = (one.mean(axis=0) - other.mean(axis=0)) ** 2
    ratios = np.divide(apart, spread, out=np.zeros_like(apart), where=spread > 0)
    return np.sort(columns[np.argsort(-ratios, kind="stable")[:MAX_COLUMNS]])


def _nearest(block: FloatArray, centre: FloatArray) -> IndexArray:
    distances = ((block - centre) ** 2).sum(axis=1)
    return np.sort(np.argsort(distances, kind="stable")[: half(len(block))])
