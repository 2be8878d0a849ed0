"""Base class of perceptrons: the estimator methods, for one problem and for many blocks."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, chunks, join, pack_blocks
from bicneuron._core._perceptron import decide_primal
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._compat import Interval, StrOptions, fit_context
from bicneuron._shared._estimators import ScoreClassifier, draw_seed
from bicneuron.neurons._blocks import BlockSequence, check_columns, check_no_overflow

_CHUNK_SIZE = 2**22  # entries of the Gram matrices that fit_blocks has in memory at once
_MOST_ORDERS = 100  # orders of the rows that are drawn; further epochs repeat them


class BasePerceptron(ScoreClassifier):
    """A perceptron trained on signs; subclasses define training and scores."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "average": ["boolean"],
        "tie": [StrOptions({"mistake", "negative"})],
        "random_state": ["random_state"],
    }

    max_iter: int
    shuffle: bool
    class_weight: Any = None  # without a bias, class weights have no effect
    tie: str
    random_state: Any
    classes_: AnyArray
    n_features_in_: int

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Train on the rows of ``X``, one class against the rest if there are more than two.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of at least two classes.

        Returns
        -------
        self
        """
        matrix, labels = check_numbers(self, X, y)
        check_classification_targets(labels)
        self.classes_, signs = _signs_of_labels(labels)
        signs = _weigh_signs(signs, self.classes_, labels, self.class_weight)
        self._fit_signs(matrix, signs, draw_seed(self.random_state))
        return self

    def decision_function(self, X: npt.ArrayLike) -> FloatArray:
        """Score the rows of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        float64 array of shape (n_samples,), or (n_samples, n_classes) beyond two classes
            With two classes, a score > 0 speaks for ``classes_[1]``.
        """
        check_is_fitted(self)
        matrix = check_numbers(self, X, reset=False)
        scores = self._scores(matrix)
        check_no_overflow(scores, matrix)
        return scores[0] if len(scores) == 1 else scores.T

    @fit_context(prefer_skip_nested_validation=True)
    def fit_blocks(
        self, X: FloatArray, y: AnyArray, blocks: BlockSequence, seeds: Sequence[int]
    ) -> list[Self]:
        """Fit a copy of this perceptron to each block, bit for bit as `fit` to its submatrix.

        Parameters
        ----------
        X : float64 array of shape (n_samples, n_features), C-ordered
            Already validated.
        y : array of shape (n_samples,)
            Labels of exactly two classes.
        blocks : sequence of (rows, columns)
            Pairs of intp arrays; each block has rows of both classes.
        seeds : sequence of int
            The ``random_state`` of each copy.

        Returns
        -------
        list of fitted perceptrons
        """
        classes, signs = _signs_of_labels(y)
        if len(classes) > 2:
            raise ValueError(f"fit_blocks needs two classes, but y holds {classes.tolist()}.")
        if len(seeds) != len(blocks):  # a kernel would read beyond the array
            raise ValueError(
                f"seeds has {len(seeds)} entries for {len(blocks)} blocks; give one per block."
            )
        balanced = isinstance(self.class_weight, str)
        weighed = signs if balanced else _weigh_signs(signs, classes, y, self.class_weight)
        params = self.get_params(deep=False)
        costs = [len(rows) ** 2 for rows, _ in blocks]
        neurons = []
        for chunk in chunks(costs, _CHUNK_SIZE):
            packed = pack_blocks(blocks[chunk])
            check_columns(X, packed.columns)
            _check_both_classes(signs[0], packed, chunk.start)
            block_signs = weighed[0, packed.rows]
            if balanced:
                block_signs = _balance_signs(block_signs, packed.row_starts)
            fits = self._fit_chunk(X, packed, block_signs, seeds[chunk])
            for seed, fitted in zip(seeds[chunk], fits, strict=True):
                neuron = type(self)(**{**params, "random_state": int(seed)})
                neuron.__dict__.update(fitted, classes_=classes)
                neurons.append(neuron)
        return neurons

    def decide_blocks(
        self, X: FloatArray, neurons: Sequence[Self], columns: Sequence[IndexArray]
    ) -> FloatArray:
        """Score all rows of ``X`` by neurons of `fit_blocks`, each in its own columns.

        Parameters
        ----------
        X : float64 array of shape (n_samples, n_features), C-ordered
            Already validated.
        neurons : sequence of fitted two-class perceptrons
        columns : sequence of intp arrays
            The columns of each neuron.

        Returns
        -------
        float64 array of shape (n_neurons, n_samples)
        """
        if [neuron.n_features_in_ for neuron in neurons] != [len(some) for some in columns]:
            raise ValueError("neurons and columns differ in number or in numbers of columns.")
        scores = self._block_scores(X, neurons, columns)
        check_no_overflow(scores, X)
        return scores

    def _orders(self, row_starts: IndexArray, seeds: Sequence[int]) -> IndexArray:
        """Orders in which the epochs visit the rows of each block, one block after another."""
        shape = min(self.max_iter, _MOST_ORDERS) if self.shuffle else 1, 1
        orders = [np.tile(np.arange(size), shape) for size in np.diff(row_starts).tolist()]
        if self.shuffle:
            for order, seed in zip(orders, seeds, strict=True):
                np.random.default_rng(seed).permuted(order, axis=1, out=order)
        return join([order.ravel() for order in orders])[1]

    @abstractmethod
    def _fit_signs(self, X: FloatArray, signs: FloatArray, seed: int) -> None:
        """Train on all of ``X`` once per row of signs, times weights; set the attributes."""

    @abstractmethod
    def _fit_chunk(
        self, X: FloatArray, blocks: Blocks, signs: FloatArray, seeds: Sequence[int]
    ) -> Iterator[dict[str, Any]]:
        """Train on each block; yield the fitted attributes."""

    @abstractmethod
    def _scores(self, X: FloatArray) -> FloatArray:
        """Scores of shape (n_problems, n_samples)."""

    @abstractmethod
    def _block_scores(
        self, X: FloatArray, neurons: Sequence[Self], columns: Sequence[IndexArray]
    ) -> FloatArray:
        """Scores of shape (n_neurons, n_samples)."""


def linear_scores(
    X: FloatArray,
    columns: Sequence[IndexArray],
    weights: Iterable[FloatArray],
    intercepts: FloatArray,
) -> FloatArray:
    """Scores of linear neurons, each in its own columns, of shape (n_neurons, n_samples)."""
    starts, all_columns = join(columns)
    check_columns(X, all_columns)
    all_weights = np.concatenate([np.empty(0), *weights])
    if len(all_weights) != len(all_columns) or intercepts.shape != (len(columns),):
        raise ValueError("weights, intercepts and columns differ in number.")
    return decide_primal(X, starts, all_columns, all_weights, intercepts)


def _signs_of_labels(y: AnyArray) -> tuple[AnyArray, FloatArray]:
    """Sorted classes, and the signs of each problem: shape (1 or n_classes, n_samples)."""
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y holds one class, {classes.tolist()}, but at least two are needed.")
    positive = np.arange(len(classes)) if len(classes) > 2 else np.array([1])
    return classes, np.where(codes == positive[:, None], 1.0, -1.0)


def _weigh_signs(
    signs: FloatArray, classes: AnyArray, y: AnyArray, class_weight: Any
) -> FloatArray:
    """Signs times class weights, by which a perceptron multiplies its steps."""
    if class_weight is None:
        return signs
    weights = compute_class_weight(class_weight, classes=classes, y=y)
    if not ((weights > 0) & np.isfinite(weights)).all():
        raise ValueError(
            f"class_weight={class_weight!r} has a weight that is not positive; leave the rows of "
            "a class out instead."
        )
    negative = weights[0] if len(classes) == 2 else 1.0
    return np.where(signs > 0, weights[-len(signs) :, None], negative) * signs


def _balance_signs(signs: FloatArray, row_starts: IndexArray) -> FloatArray:
    """`_weigh_signs` with balanced weights, for the rows of each block alone."""
    sizes = np.diff(row_starts)
    n_positive = np.add.reduceat(signs > 0, row_starts[:-1], dtype=np.intp)
    positive, negative = (
        np.repeat(sizes / (2 * n), sizes) for n in (n_positive, sizes - n_positive)
    )
    return np.where(signs > 0, positive, negative) * signs


def whole(X: FloatArray) -> tuple[IndexArray, IndexArray]:
    """All rows and all columns, as a block."""
    return np.arange(X.shape[0]), np.arange(X.shape[1])


def _check_both_classes(signs: FloatArray, blocks: Blocks, first: int) -> None:
    """Refuse blocks without rows of both classes; ``first`` is the number of the first block."""
    running = np.concatenate([[0.0], np.cumsum(signs[blocks.rows])])
    totals = np.diff(running[blocks.row_starts])
    one_sided = np.flatnonzero(np.abs(totals) >= np.diff(blocks.row_starts))
    if len(one_sided):
        raise ValueError(f"the rows of block {first + one_sided[0]} do not hold both classes.")
