"""BicNeuronNetwork: many contrastive pairs, one neuron each, and an output layer."""

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from bicneuron._compat import HasMethods, Interval, fit_context
from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._scaling import apply_scaling, zscore_scaling
from bicneuron._neurons import decide, fit_neurons
from bicneuron._validation import check_numbers
from bicneuron.contrast import ContrastivePair
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.network._draws import TRIES, Side, distinct, draw_pair, whole_pair
from bicneuron.network._kernel_neuron import KernelNeuron
from bicneuron.network._output import calibration_slope, fit_output, probabilities, self_test
from bicneuron.network._patterns import Pattern, distance
from bicneuron.network._targets import Targets, decode, encode_targets
from bicneuron.perceptron._orders import draw_seed

# Folds of the self-test: each neuron is trained without one of them.
FOLDS = 5
# Neurons per task and rows scored at once: independent of n_jobs.
TASK = 20
CHUNK = 4096
# Three kernels that bend for one that does not; the self-test may leave either kind out.
DEFAULT_NEURONS = (KernelNeuron(), KernelNeuron(), KernelNeuron(), KernelNeuron("linear"))


class Trained(NamedTuple):
    """A pair and its neuron, before the output layer weighs it."""

    pair: ContrastivePair
    neuron: Any
    target: int
    fold: int
    kind: int


class BicNeuronNetwork(ClassifierMixin, BaseEstimator):
    """Classify with many neurons, each trained on a contrastive pair of its own.

    Pairs are drawn: a class, a column and a cluster of rows on it, grown to a coherent bicluster
    over a sample of the columns, with the nearest rows of the other classes as its contrast. One
    neuron is trained on each, and ridge regression on their outputs decides. The cost grows with
    the number of neurons and hardly with that of columns.

    Each neuron is trained without one fifth of the rows. On the fifth that they have not seen the
    neurons test themselves: this chooses the kinds of neurons that are kept and makes the
    probabilities honest, without any training being done twice.

    Parameters
    ----------
    n_neurons : int, default=400
        Neurons to train; there are fewer where the data hold fewer distinct pairs, and where the
        self-test leaves out a kind.
    neurons : sequence of classifiers with ``decision_function``, default=None
        Kinds of neurons, dealt out in turn; name one twice to have more of it. None is three
        `KernelNeuron` with an RBF kernel for each linear one.
    max_rows : int, default=48
        Rows of each class that a pair is drawn from, a new sample for each pair.
    contrast_size : float, default=2.0
        |I^c| as a multiple of |I|.
    max_output_rows : int, default=8192
        Rows that the output layer is fitted on, a random sample of larger data.
    n_jobs : int, default=None
        Processes. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed. That of each neuron depends on it and on the neuron's number alone.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Labels; the numbers of the labels if ``y`` is a table of them.
    patterns_ : list of Pattern
        Pair, neuron, weight and contribution, the largest contribution first.
    intercept_ : float64 array of shape (n_targets,)
    penalty_ : float
        Of the output layer, by closed-form left-out error.
    slope_ : float
        Log odds for one unit of score.
    test_scores_ : float64 array of shape (n_output_rows, n_targets)
        Scores of training rows by neurons that have not seen them; NaN where there are none.
    output_rows_ : array of intp
        The training rows that the output layer was fitted on.
    n_features_in_ : int
    feature_names_in_ : array of str, if the input has column names

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronNetwork
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BicNeuronNetwork(n_neurons=60, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.95
    True
    >>> model.predict_proba(X[:3]).shape
    (3, 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_neurons": [Interval(Integral, 1, None, closed="left")],
        "neurons": ["array-like", None],
        "max_rows": [Interval(Integral, 2, None, closed="left")],
        "contrast_size": [Interval(Real, 0, None, closed="neither")],
        "max_output_rows": [Interval(Integral, 2, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_neurons: int = 400,
        neurons: Sequence[Any] | None = None,
        max_rows: int = 48,
        contrast_size: float = 2.0,
        max_output_rows: int = 8192,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neurons = n_neurons
        self.neurons = neurons
        self.max_rows = max_rows
        self.contrast_size = contrast_size
        self.max_output_rows = max_output_rows
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Draw pairs, train a neuron on each and weigh them.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Finite numbers.
        y : array-like of shape (n_rows,) or (n_rows, n_labels)
            Classes, or a table of zeros and ones: several labels for each row.

        Returns
        -------
        self : object
        """
        seed = draw_seed(self.random_state)
        X, y = check_numbers(self, X, y, multi_output=True)
        targets = encode_targets(y)
        kinds = self._kinds()
        self.classes_, self._multilabel = targets.classes, targets.multilabel
        self._scaling = zscore_scaling(X)
        Z = apply_scaling(X, self._scaling)
        rng = np.random.default_rng(seed)
        folds = _deal_folds(targets, rng)
        self.output_rows_ = _sample_rows(targets, self.max_output_rows, rng)
        with threadpool_limits(1, user_api="blas"):
            trained = self._train(Z, targets, folds, kinds, seed)
            self._weigh(Z[self.output_rows_], targets, folds[self.output_rows_], trained, Z)
        return self

    def _kinds(self) -> Sequence[Any]:
        kinds = DEFAULT_NEURONS if self.neurons is None else list(self.neurons)
        if not kinds:
            raise ValueError("neurons is empty; name at least one kind or give None.")
        for kind in kinds:
            if not HasMethods(["fit", "decision_function"]).is_satisfied_by(kind):
                raise ValueError(f"neurons holds {kind!r}, which has no decision_function.")
        return kinds

    def _train(
        self, Z: FloatArray, targets: Targets, folds: IndexArray, kinds: Sequence[Any], seed: int
    ) -> list[Trained]:
        """Hidden layer: slot k is left to the seed, its number, its fold and its kind."""
        sides = targets.sides()
        slots = range(self.n_neurons)
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(self._train_slots)(
                Z, targets.signs, sides, folds, kinds, seed, slots[first : first + TASK]
            )
            for first in range(0, self.n_neurons, TASK)
        )
        found = [trained for part in parts for trained in part]
        places = distinct([trained.pair if trained else None for trained in found])
        if places:
            return [found[place] for place in places]
        warnings.warn(
            f"no contrastive pair in {self.n_neurons * TRIES} draws; the network is one neuron on "
            "all columns.",
            NoContrastivePairWarning,
            stacklevel=5,
        )
        rng = np.random.default_rng(seed)
        pair = whole_pair(Z, sides[0], self.max_rows, rng)
        neuron = fit_neurons(kinds[0], Z, targets.signs[:, sides[0].target], [pair], [seed])[0]
        return [Trained(pair, neuron, sides[0].target, -1, 0)]

    def _train_slots(
        self,
        Z: FloatArray,
        signs: FloatArray,
        sides: Sequence[Side],
        folds: IndexArray,
        kinds: Sequence[Any],
        seed: int,
        slots: Sequence[int],
    ) -> list[Trained | None]:
        seen = {
            fold: [side.without(np.flatnonzero(folds == fold)) for side in sides]
            for fold in {slot % FOLDS for slot in slots}
        }
        names = [repr(kind) for kind in kinds]
        first_like = [names.index(name) for name in names]  # equal kinds are tested as one
        with config_context(assume_finite=True, skip_parameter_validation=True):
            trained: list[Trained | None] = []
            for slot in slots:
                fold, kind = slot % FOLDS, first_like[(slot // FOLDS) % len(kinds)]
                rng = np.random.default_rng([seed, slot])
                pair, target = self._draw(Z, seen[fold], rng)
                if pair is None:
                    trained.append(None)
                    continue
                neuron = fit_neurons(kinds[kind], Z, signs[:, target], [pair], [slot])[0]
                trained.append(Trained(pair, neuron, target, fold, kind))
        return trained

    def _draw(
        self, Z: FloatArray, sides: Sequence[Side], rng: np.random.Generator
    ) -> tuple[ContrastivePair | None, int]:
        for _ in range(TRIES):
            side = sides[int(rng.integers(len(sides)))]
            if len(side.rows) and len(side.others):
                pair = draw_pair(
                    Z, side, max_rows=self.max_rows, contrast_size=self.contrast_size, rng=rng
                )
                if pair is not None:
                    return pair, side.target
        return None, -1

    def _weigh(
        self,
        Z: FloatArray,
        targets: Targets,
        folds: IndexArray,
        trained: Sequence[Trained],
        all_Z: FloatArray,
    ) -> None:
        """Output layer on the neurons that the self-test keeps."""
        signs = targets.signs[self.output_rows_]
        outputs = _outputs(trained, Z)
        scales = outputs.std(axis=0)
        scales[scales == 0] = 1.0
        hidden = np.tanh(outputs / scales)
        kind = np.array([t.kind for t in trained])
        families = [np.ones(len(kind), dtype=bool), *(kind == k for k in np.unique(kind))]
        fold_of = np.array([t.fold for t in trained])
        test = self_test(hidden, signs, folds, fold_of, families)
        kept = np.flatnonzero(test.chosen).tolist()
        output = fit_output(hidden[:, kept], signs)
        self.intercept_, self.penalty_ = output.intercept, output.penalty
        self.test_scores_ = test.scores
        self.slope_ = calibration_slope(test.scores, signs, self._exclusive)
        sizes = np.linalg.norm(output.coef, axis=1) * hidden[:, kept].std(axis=0)
        shares = sizes / max(float(sizes.sum()), np.finfo(float).tiny)
        self.patterns_ = [
            _pattern(all_Z, trained[kept[i]], scales[kept[i]], output.coef[i], shares[i])
            for i in np.argsort(-shares, kind="stable").tolist()
        ]

    @property
    def _exclusive(self) -> bool:
        return len(self.classes_) > 2 and not self._multilabel

    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row; for two classes positive speaks for ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows,) for two classes, else (n_rows, n_classes)
        """
        scores = self._scores(X)
        return scores[:, 0] if self._has_one_score else scores

    @property
    def _has_one_score(self) -> bool:
        return len(self.intercept_) == 1 and not self._multilabel

    def _scores(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        X = check_numbers(self, X, reset=False)
        scores = np.empty((len(X), len(self.intercept_)))
        scales = np.array([pattern.scale for pattern in self.patterns_])
        weights = np.array([pattern.weight for pattern in self.patterns_])
        # One thread, because sums over threads may differ in their last bits.
        with config_context(assume_finite=True), threadpool_limits(1, user_api="blas"):
            for first in range(0, len(X), CHUNK):
                part = slice(first, first + CHUNK)
                Z = apply_scaling(X[part], self._scaling)
                scores[part] = self.intercept_
                scores[part] += np.tanh(_outputs(self.patterns_, Z) / scales) @ weights
        return scores

    def predict(self, X: Any, *, reject: float | None = None) -> Any:
        """Class of each row, or a table of zeros and ones for several labels.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        reject : float, default=None
            Abstain from rows whose `coverage` is less: the result is then a masked array, with
            these rows masked.

        Returns
        -------
        labels : array or masked array of shape (n_rows,) or (n_rows, n_labels)
        """
        labels = decode(self._scores(X), self.classes_, self._multilabel)
        if reject is None:
            return labels
        unknown = self.coverage(X) < reject
        mask = np.broadcast_to(unknown.reshape(-1, *[1] * (labels.ndim - 1)), labels.shape)
        return np.ma.masked_array(labels, mask)

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, or of each label.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        probabilities : array of shape (n_rows, n_classes) or (n_rows, n_labels)
        """
        chances = probabilities(self._scores(X), self.slope_, self._exclusive)
        return np.hstack([1 - chances, chances]) if self._has_one_score else chances

    def coverage(self, X: Any) -> FloatArray:
        """Share of the patterns, by contribution, that a row lies no farther from than their rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        shares : array of shape (n_rows,)
            0 for a row far from every pattern.
        """
        check_is_fitted(self)
        X = check_numbers(self, X, reset=False)
        Z = apply_scaling(X, self._scaling)
        shares = np.zeros(len(Z))
        for pattern in self.patterns_:
            shares += pattern.contribution * pattern.is_near(Z)
        return shares

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _outputs(trained: Sequence[Trained | Pattern], Z: FloatArray) -> FloatArray:
    """Raw outputs of neurons, of shape (n_rows, n_neurons), a few rows at a time."""
    outputs = np.empty((len(Z), len(trained)))
    for first in range(0, len(Z), CHUNK):
        part = slice(first, first + CHUNK)
        for k, unit in enumerate(trained):
            outputs[part, k] = decide([unit.neuron], Z[part], [unit.pair])[0]
    return outputs


def _pattern(
    Z: FloatArray, trained: Trained, scale: float, weight: FloatArray, share: float
) -> Pattern:
    pair = trained.pair
    anchor, contrast = (
        Z[np.ix_(rows, pair.columns)] for rows in (pair.anchor_rows, pair.contrast_rows)
    )
    centres = anchor.mean(axis=0), contrast.mean(axis=0)
    return Pattern(
        pair=pair,
        neuron=trained.neuron,
        target=trained.target,
        scale=float(scale),
        weight=weight,
        contribution=float(share),
        anchor_centre=centres[0],
        contrast_centre=centres[1],
        radius=float(distance(np.vstack([anchor, contrast]), *centres).max()),
    )


def _deal_folds(targets: Targets, rng: np.random.Generator) -> IndexArray:
    """Fold of each row, every stratum dealt out evenly; -1 for rows that stand alone."""
    folds = np.full(len(targets.strata), -1)
    start = 0
    for stratum in np.unique(targets.strata):
        rows = rng.permutation(np.flatnonzero(targets.strata == stratum))
        if len(rows) > 1:
            folds[rows] = (start + np.arange(len(rows))) % FOLDS
            start += len(rows)
    return folds


def _sample_rows(targets: Targets, most: int, rng: np.random.Generator) -> IndexArray:
    """All rows, or a random sample in ascending order."""
    n_rows = len(targets.strata)
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, most, replace=False))
