"""Binary problems of the classes, the rows that are used, and step 1: biclusters of classes."""

import warnings
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import clone

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._blocks import join, split
from bicneuron._core._residue import mean_squared_residue
from bicneuron._shared._checks import by_size, check_classes, weights_of_classes
from bicneuron._shared._estimators import seeded
from bicneuron._shared._scaling import Scaling, as_array, minmax_scaling, with_means, zscore_scaling
from bicneuron.biclustering import BiclusterMiner, CoherentBiclustering, ContrastBiclustering
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.patterns import Pattern

MultiClass = Literal["ovr", "ovo"]
# Local biclusters: the most columns, and how often their rows are chosen anew around the centre of
# those before.
MAX_COLUMNS = 16
ROUNDS = 3
# The scale of the data that the miner is given.
Scale = Literal["all", "anchor", "minmax"]


class BinaryProblem(NamedTuple):
    """Classes on two sides; a positive score speaks for the second.

    Parameters
    ----------
    negative, positive : arrays of labels
        The classes of each side. The positive side is one class, the negative one class or, one
        against the rest, all others.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bicneuron import BicNeuronClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BicNeuronClassifier(search=None, max_ratio=10.0, random_state=0).fit(X, y)
    >>> [str(problem) for problem, _ in model.binary_models()]
    ['class 0 against the rest', 'class 1 against the rest', 'class 2 against the rest']
    """

    negative: AnyArray
    positive: AnyArray

    @property
    def classes(self) -> AnyArray:
        """Label of each side: its class, or False and True for the rest and the class."""
        return np.array([False, True]) if len(self.negative) > 1 else np.concatenate(self)

    @property
    def sides(self) -> tuple[Any, Any]:
        """The negative and the positive class; None for several classes together."""
        (positive,), negative = self.positive.tolist(), self.negative.tolist()
        return negative[0] if len(negative) == 1 else None, positive

    def rows(self, y: AnyArray) -> IndexArray:
        """Rows of either side."""
        return np.flatnonzero(np.isin(y, np.concatenate(self)))

    def labels(self, y: AnyArray) -> AnyArray:
        """Label of the side of each of these rows."""
        return np.isin(y, self.positive) if len(self.negative) > 1 else y

    def sign(self, label: Any) -> int:
        """1 if a positive score speaks for a class, -1 if it speaks against it alone, else 0."""
        negative, positive = self.sides
        if label == positive:
            return 1
        return -1 if negative is not None and label == negative else 0

    def __str__(self) -> str:
        negative, positive = self.sides
        other = "the rest" if negative is None else f"class {negative!r}"
        return f"class {positive!r} against {other}"


def binary_problems(classes: AnyArray, multi_class: MultiClass) -> list[BinaryProblem]:
    """Each class against the rest or each pair of classes; of two classes, the one problem."""
    if len(classes) == 2 or multi_class == "ovo":
        pairs = combinations(range(len(classes)), 2)
        return [BinaryProblem(classes[[i]], classes[[j]]) for i, j in pairs]
    return [BinaryProblem(np.delete(classes, k), classes[[k]]) for k in range(len(classes))]


class TrainingData(NamedTuple):
    """Rows that are used, with their min-max scaling, and classes and sizes of all rows.

    ``by_size`` has the classes in an order that their names have no part in, and their sizes.
    """

    X: Any
    y: AnyArray
    rows_used: IndexArray
    classes: AnyArray
    by_size: tuple[AnyArray, IndexArray]
    class_sizes: IndexArray
    scaling: Scaling

    @property
    def used_sizes(self) -> dict[Any, int]:
        """Rows of each class that are used."""
        labels, sizes = np.unique(self.y, return_counts=True)
        return dict(zip(labels.tolist(), sizes.tolist(), strict=True))

    def row_weights(self, class_weight: Any) -> FloatArray:
        """Weights of the rows used, by which each class counts as all of its rows would."""
        named = "balanced" if class_weight is None else class_weight
        of_classes = weights_of_classes(named, self.classes, self.class_sizes)
        _, encoded, n_used = np.unique(self.y, return_inverse=True, return_counts=True)
        return (of_classes * self.class_sizes / n_used)[encoded]


def without_gaps(X: Any) -> Any:
    """Replace missing values by the mean of their column, or 0; ``X`` itself if there are none."""
    if isinstance(X, np.ndarray):
        return with_means(X)
    missing = np.isnan(X.data)
    if not missing.any():
        return X
    X = X.copy()
    n_rows, n_columns = X.shape
    column = np.repeat(np.arange(n_columns), np.diff(X.indptr))
    sums = np.bincount(column[~missing], X.data[~missing], n_columns)
    n_missing = np.bincount(column[missing], minlength=n_columns)
    X.data[missing] = (sums / np.maximum(n_rows - n_missing, 1))[column[missing]]
    return X


def prepare(
    X: Any, y: AnyArray, max_rows: int | None, seed: int, among: IndexArray | None = None
) -> TrainingData:
    """Draw at most ``max_rows`` rows of each class, in their order, and find their scaling."""
    y = y if among is None else y[among]
    classes, class_sizes = check_classes(y)
    ordered = by_size(y)[0]
    rows_used = np.arange(len(y))
    if max_rows is not None:
        rng = np.random.default_rng(seed)
        samples = [rng.permutation(np.flatnonzero(y == label))[:max_rows] for label in ordered]
        rows_used = np.sort(np.concatenate(samples))
        y = y[rows_used]
    if max_rows is not None or among is not None:
        X = X[rows_used if among is None else among[rows_used]]
    X = as_array(X)
    scaling = minmax_scaling(X)
    sizes = ordered, np.sort(class_sizes)[::-1]
    return TrainingData(X, y, rows_used, classes, sizes, class_sizes, scaling)


def problem_rows(
    problem: BinaryProblem, Z: FloatArray, y: AnyArray
) -> tuple[IndexArray, FloatArray, AnyArray]:
    """The rows of a binary problem, their scaled values and the labels of their sides."""
    rows = problem.rows(y)
    block: FloatArray = Z if len(rows) == len(Z) else Z[rows]
    return rows, block, problem.labels(y[rows])


def anchor_classes(
    anchor: Any, problem: BinaryProblem, classes: AnyArray, sizes: IndexArray
) -> list[Any]:
    """Classes that are mined for a problem; of two that have as many rows, the first."""

    def size(side: AnyArray) -> tuple[int, int, int]:
        places = np.flatnonzero(np.isin(classes, side))
        return sizes[places].sum(), len(side), places[0]

    minority, majority = (list(side.tolist()) for side in sorted(problem, key=size))
    both = minority + majority
    named = {"minority": minority, "majority": majority, "both": both}
    if isinstance(anchor, str) and anchor in named:
        return named[anchor]
    labels = sorted(classes.tolist())
    chosen = [label for label in labels if np.ndim(anchor) == 0 and label == anchor]
    if not chosen:
        raise ValueError(
            f"anchor={anchor!r} is not a label of y ({', '.join(map(repr, labels))}); "
            'use one of them, "minority", "majority" or "both".'
        )
    return chosen if chosen[0] in both else minority


def find_biclusters(
    miner: BiclusterMiner, scale: Scale, data: TrainingData, anchors: Sequence[Any], seed: int
) -> tuple[dict[Any, list[Pattern]], int]:
    """Biclusters of each anchor class, with rows of the training set, and the number of seeds."""
    name, y = type(miner).__name__, data.y
    if miner.uses_labels:
        if scale == "anchor":
            raise ValueError(
                'scale="anchor" is for miners that see the anchor rows alone; '
                f'{name} sees all rows, use scale="all".'
            )
        found, n_seeds = _mine(miner, _matrix_to_mine(scale, data, np.arange(len(y))), y, seed)
        if any(np.any(y[one.rows] != y[one.rows[0]]) for one in found):
            raise ValueError(
                f"{name} returned a bicluster with rows of several classes; "
                "a miner returns rows of one class only."
            )
        by_class = [[one for one in found if y[one.rows[0]] == label] for label in anchors]
        return dict(zip(anchors, by_class, strict=True)), n_seeds
    biclusters, n_seeds = {}, 0
    for label in anchors:
        rows = np.flatnonzero(y == label)
        found, seeds_here = _mine(miner, _matrix_to_mine(scale, data, rows), None, seed)
        biclusters[label] = _rename_rows(found, rows.take)
        n_seeds += seeds_here
    return biclusters, n_seeds


def mine_path(
    miner: CoherentBiclustering | ContrastBiclustering,
    scale: Scale,
    data: TrainingData,
    anchors: Sequence[Any],
    cut_distances: Sequence[float],
    seed: int,
) -> dict[Any, list[list[Pattern]]]:
    """Biclusters of each anchor class at each cut, with rows of the training set."""
    if isinstance(miner, ContrastBiclustering):
        cuts = [clone(miner).set_params(cut_distance=cut) for cut in cut_distances]
        found_by_cut = [find_biclusters(each, scale, data, anchors, seed)[0] for each in cuts]
        return {label: [found[label] for found in found_by_cut] for label in anchors}
    paths = {}
    for label in anchors:
        rows = np.flatnonzero(data.y == label)
        path = seeded(miner, seed).mine_path(_matrix_to_mine(scale, data, rows), cut_distances)
        paths[label] = [_rename_rows(found, rows.take) for found, _ in path]
    return paths


def _matrix_to_mine(scale: Scale, data: TrainingData, rows: IndexArray) -> FloatArray:
    """Rows of the training set, scaled for the miner."""
    chosen = data.X[rows]
    if scale == "minmax":
        return data.scaling.apply(chosen)
    seen = (data.X, data.scaling) if scale == "all" else (chosen,)
    return zscore_scaling(*seen).apply(chosen)


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


def localised(Z: FloatArray, y: AnyArray, biclusters: Sequence[Pattern]) -> list[Pattern]:
    """Hold biclusters to few columns, and give them the half of their class nearest to them."""
    if not biclusters:
        return []
    is_own = y == y[biclusters[0].rows[0]]
    own, others = np.flatnonzero(is_own), np.flatnonzero(~is_own)
    found: dict[Pattern, None] = {}
    for bicluster in biclusters:
        columns = bicluster.columns
        if len(columns) > MAX_COLUMNS:
            one, other = (
                np.asarray(Z[some[:, None], columns]) for some in (bicluster.rows, others)
            )
            spread = one.var(axis=0) + other.var(axis=0)
            apart = (one.mean(axis=0) - other.mean(axis=0)) ** 2
            ratios = np.divide(apart, spread, out=np.zeros_like(apart), where=spread > 0)
            columns = np.sort(columns[np.argsort(-ratios, kind="stable")[:MAX_COLUMNS]])
        block = np.ascontiguousarray(Z[own[:, None], columns])
        rows = np.searchsorted(own, bicluster.rows)
        for _ in range(ROUNDS):
            distances = ((block - block[rows].mean(axis=0)) ** 2).sum(axis=1)
            rows = np.sort(np.argsort(distances, kind="stable")[: half(len(block))])
        residue = mean_squared_residue(np.ascontiguousarray(block[rows]))
        found.setdefault(Pattern(own[rows], columns, residue))
    return list(found)
