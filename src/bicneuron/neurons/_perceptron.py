"""Base class of perceptrons: the estimator methods, for one problem and for many blocks."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, chunks
from bicneuron._sklearn._checks import check_numbers
from bicneuron._sklearn._compat import Interval, StrOptions, fit_context
from bicneuron._sklearn._seed import draw_seed
from bicneuron.neurons._decision import ScoreClassifier
from bicneuron.neurons._linear_scores import check_no_overflow
from bicneuron.neurons._problems import (
    BlockSequence,
    balance_signs,
    check_both_classes,
    pack_problems,
    signs_of_labels,
    weigh_signs,
)

_CHUNK_SIZE = 2**22  # entries of the Gram matrices that fit_blocks has in memory at once


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
        self.classes_, signs = signs_of_labels(labels)
        signs = weigh_signs(signs, self.classes_, labels, self.class_weight)
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
        """Fit one copy of this perceptron to each block of ``X``.

        Copy ``b`` is bit for bit what ``clone(self).set_params(random_state=seeds[b])`` becomes
        by ``fit(X[np.ix_(rows, columns)], y[rows])``, at a fraction of the cost. ``self`` is not
        changed.

        Parameters
        ----------
        X : float64 array of shape (n_samples, n_features), C-ordered
            Already validated: finite, in this type and order.
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
        classes, signs = signs_of_labels(y)
        if len(classes) > 2:
            raise ValueError(f"fit_blocks needs two classes, but y holds {classes.tolist()}.")
        if len(seeds) != len(blocks):  # a kernel would read beyond the array
            raise ValueError(
                f"seeds has {len(seeds)} entries for {len(blocks)} blocks; give one per block."
            )
        balanced = isinstance(self.class_weight, str)
        weighed = signs if balanced else weigh_signs(signs, classes, y, self.class_weight)
        params = self.get_params(deep=False)
        costs = [len(rows) ** 2 for rows, _ in blocks]
        neurons = []
        for chunk in chunks(costs, _CHUNK_SIZE):
            packed = pack_problems(X, blocks[chunk])
            check_both_classes(signs[0], packed, chunk.start)
            block_signs = weighed[0, packed.rows]
            if balanced:
                block_signs = balance_signs(block_signs, packed.row_starts)
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

        Row ``b`` is bit for bit ``neurons[b].decision_function(X[:, columns[b]])``.

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

    @property
    def _zero_is_mistake(self) -> bool:
        return self.tie == "mistake"

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
