"""What perceptrons share: fits and scores of one problem, and of many blocks at once."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, chunks, join, pack_blocks
from bicneuron._core._neuron_scores import linear_scores
from bicneuron._core._perceptron import Rule
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._compat import Interval, StrOptions, fit_context
from bicneuron._shared._estimators import draw_seed
from bicneuron.neurons import _blocks
from bicneuron.neurons._blocks import BlockNeuron, BlockSequence, check_no_overflow

_CHUNK_SIZE = 2**22  # entries of the Gram matrices that fit_blocks has in memory at once
_MOST_ORDERS = 100  # orders of the rows that are drawn; further epochs repeat them

_PARAMETERS = """\
    max_iter : int, default=20
        Largest number of epochs.
    shuffle : bool, default=True
        Visit the rows in a new order in each epoch; after 100 the orders repeat.
    average : bool, default=False
        Use the mean over all visits to a row [1]_, instead of what the last one leaves.
    tie : {"mistake", "negative"}, default="mistake"
        Meaning of a score of exactly zero in training: a mistake for both classes, as in
        scikit-learn, or a prediction of the negative class, as in the paper's text, which makes
        it a mistake for the positive class only.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.
"""
_ATTRIBUTES = """\
    classes_ : array of shape (n_classes,)
        Sorted labels.
    n_iter_ : int
        Number of epochs that ran, the largest over the problems.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : array of str, if the input has column names
"""
_REFERENCES = """\
    References
    ----------
    .. [1] Y. Freund and R. E. Schapire, "Large margin classification using the perceptron
       algorithm", Machine Learning 37, 1999.
"""


@dataclass(kw_only=True, eq=False, repr=False)
class BasePerceptron(BlockNeuron):
    """A perceptron trained on signs; subclasses define training and scores."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "average": ["boolean"],
        "tie": [StrOptions({"mistake", "negative"})],
        "random_state": ["random_state"],
    }

    max_iter: int = 20
    shuffle: bool = True
    average: bool = False
    tie: str = "mistake"
    random_state: Any = None

    def __init_subclass__(cls) -> None:
        doc = (cls.__doc__ or "").replace("    {parameters}\n", _PARAMETERS)
        doc = doc.replace("    {attributes}\n", _ATTRIBUTES)
        cls.__doc__ = doc.replace("    {references}\n", _REFERENCES)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
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
        signs = _weigh_signs(signs, self.classes_, labels, getattr(self, "class_weight", None))
        rows, columns = map(np.arange, matrix.shape)
        whole, seed = pack_blocks([(rows, columns)]), draw_seed(self.random_state)
        fits = [next(self._train(matrix, whole, problem, [seed])) for problem in signs]
        self.__dict__.update(self._joined(fits, signs), n_iter_=max(fit["n_iter_"] for fit in fits))
        return self

    def _scores(self, X: FloatArray) -> FloatArray:
        scores = self._problem_scores(X)
        check_no_overflow(scores, X)
        return scores[0] if len(scores) == 1 else scores.T

    @fit_context(prefer_skip_nested_validation=True)
    def fit_blocks(
        self, X: FloatArray, y: AnyArray, blocks: BlockSequence, seeds: Sequence[int]
    ) -> list[Self]:
        """Fit a copy to each block, bit for bit as `fit` to its submatrix; see `fit_neurons`."""
        classes, signs = _signs_of_labels(y)
        if len(classes) > 2:
            raise ValueError(f"fit_blocks needs two classes, but y holds {classes.tolist()}.")
        if len(seeds) != len(blocks):  # a kernel would read beyond the array
            raise ValueError(
                f"seeds has {len(seeds)} entries for {len(blocks)} blocks; give one per block."
            )
        params = self.get_params(deep=False)
        class_weight = params.get("class_weight")
        neurons = []
        for chunk in chunks([len(rows) ** 2 for rows, _ in blocks], _CHUNK_SIZE):
            packed = pack_blocks(blocks[chunk])
            _blocks.check_columns(X, packed.columns)
            weighed = signs[0, packed.rows]
            totals = np.diff(np.append(0.0, np.cumsum(weighed))[packed.row_starts])
            one_sided = np.flatnonzero(np.abs(totals) >= np.diff(packed.row_starts))
            if len(one_sided):
                place = chunk.start + one_sided[0]
                raise ValueError(f"the rows of block {place} do not hold both classes.")
            if class_weight is not None:
                each = ((signs[:, rows], classes, y[rows]) for rows, _ in blocks[chunk])
                weighed = np.concatenate([_weigh_signs(*own, class_weight)[0] for own in each])
            fits = self._train(X, packed, weighed, seeds[chunk])
            for seed, fitted in zip(seeds[chunk], fits, strict=True):
                neuron = type(self)(**{**params, "random_state": int(seed)})
                neuron.__dict__.update(fitted, classes_=classes)
                neurons.append(neuron)
        return neurons

    def decide_blocks(
        self, X: FloatArray, neurons: Sequence[Self], columns: Sequence[IndexArray]
    ) -> FloatArray:
        """Score all rows of ``X`` by neurons of `fit_blocks`, each in its own columns."""
        if [neuron.n_features_in_ for neuron in neurons] != [len(some) for some in columns]:
            raise ValueError("neurons and columns differ in number or in numbers of columns.")
        scores = self._block_scores(X, neurons, columns)
        check_no_overflow(scores, X)
        return scores

    def _rule(self, learning_rate: float = 1.0, fit_intercept: bool = False) -> Rule:
        """What a kernel is told about training."""
        average, is_mistake = bool(self.average), self.tie == "mistake"
        return Rule(self.max_iter, float(learning_rate), bool(fit_intercept), average, is_mistake)

    def _orders(self, row_starts: IndexArray, seeds: Sequence[int]) -> IndexArray:
        """Orders in which the epochs visit the rows of each block, one block after another."""
        shape = min(self.max_iter, _MOST_ORDERS) if self.shuffle else 1, 1
        sizes = np.diff(row_starts).tolist()
        plain = {size: np.tile(np.arange(size), shape) for size in {*sizes}}
        orders = [plain[size] for size in sizes]
        if self.shuffle:
            pairs = zip(orders, seeds, strict=True)
            orders = [np.random.default_rng(seed).permuted(order, axis=1) for order, seed in pairs]
        return join([order.ravel() for order in orders])[1]

    @abstractmethod
    def _train(
        self, X: FloatArray, blocks: Blocks, signs: FloatArray, seeds: Sequence[int]
    ) -> Iterator[dict[str, Any]]:
        """Train on each block, by signs times weights; yield the fitted attributes."""

    @abstractmethod
    def _joined(self, fits: Sequence[dict[str, Any]], signs: FloatArray) -> dict[str, Any]:
        """Attributes of several problems from those of each."""

    @abstractmethod
    def _linear(self) -> tuple[FloatArray, FloatArray]:
        """Weights of shape (n_problems, n_features) of a linear neuron, and its intercepts."""

    def _problem_scores(self, X: FloatArray) -> FloatArray:
        """Scores of shape (n_problems, n_samples)."""
        weights, intercepts = self._linear()
        return _linear_scores(X, [np.arange(X.shape[1])] * len(weights), weights, intercepts)

    def _block_scores(
        self, X: FloatArray, neurons: Sequence[Self], columns: Sequence[IndexArray]
    ) -> FloatArray:
        """Scores of shape (n_neurons, n_samples)."""
        parts = [neuron._linear() for neuron in neurons]
        intercepts = np.concatenate([np.empty(0), *(intercept for _, intercept in parts)])
        return _linear_scores(X, columns, [weights[0] for weights, _ in parts], intercepts)


def _linear_scores(
    X: FloatArray,
    columns: Sequence[IndexArray],
    weights: Iterable[FloatArray],
    intercepts: FloatArray,
) -> FloatArray:
    """Scores of linear neurons, each in its own columns, of shape (n_neurons, n_samples)."""
    packed = _blocks.packed_columns(X, columns, [len(some) for some in columns])
    coefs = np.concatenate([np.empty(0), *weights])
    if len(coefs) != len(packed.places) or intercepts.shape != (len(columns),):
        raise ValueError("weights, intercepts and columns differ in number.")
    return linear_scores(X, packed, coefs, np.full(len(coefs), np.nan), intercepts)


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
