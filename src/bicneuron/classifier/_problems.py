"""Binary problems, into which more than two classes are decomposed, and the rows that are used."""

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._checks import by_size, check_classes, weights_of_classes
from bicneuron._shared._scaling import ScaledMatrix, Scaling, minmax_scaling, scaling_of, with_means
from bicneuron.exceptions import ManyProblemsWarning

MultiClass = Literal["ovr", "ovo"]
# A fit warns of more problems: each takes some 10 ms at least, however few rows it has.
MANY_PROBLEMS = 1000


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


def warn_of_many(problems: Sequence[BinaryProblem], n_classes: int) -> None:
    """Warn of very many pairs of classes, which take long."""
    if len(problems) > MANY_PROBLEMS and len(problems) > n_classes:
        warnings.warn(
            f"{n_classes} classes are {len(problems)} pairs, and a neuron is trained for each; "
            f"multi_class='ovr' trains {n_classes}.",
            ManyProblemsWarning,
            stacklevel=4,
        )


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


def prepare(X: Any, y: AnyArray, max_rows: int | None, seed: int) -> TrainingData:
    """Draw at most ``max_rows`` rows of each class, in their order, and find their scaling."""
    classes, class_sizes = check_classes(y)
    ordered = by_size(y)[0]
    rows_used = np.arange(len(y))
    if max_rows is not None:
        rng = np.random.default_rng(seed)
        samples = [rng.permutation(np.flatnonzero(y == label))[:max_rows] for label in ordered]
        rows_used = np.sort(np.concatenate(samples))
        X, y = X[rows_used], y[rows_used]
    scaling = scaling_of(minmax_scaling, X)
    sizes = ordered, np.sort(class_sizes)[::-1]
    return TrainingData(X, y, rows_used, classes, sizes, class_sizes, scaling)


def problem_rows(
    problem: BinaryProblem, Z: ScaledMatrix, y: AnyArray
) -> tuple[IndexArray, ScaledMatrix, AnyArray]:
    """The rows of a binary problem, their scaled values and the labels of their sides."""
    rows = problem.rows(y)
    block: FloatArray | ScaledMatrix = Z if len(rows) == len(Z) else Z[rows]
    return rows, block, problem.labels(y[rows])
