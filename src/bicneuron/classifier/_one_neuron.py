"""Base class of classifiers in which one neuron decides each binary problem."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import log_expit, softmax
from sklearn import config_context
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._calibration import probabilities
from bicneuron._shared._checks import by_size, check_numbers, takes_missing
from bicneuron._shared._compat import ovr_decision_function
from bicneuron._shared._estimators import ScoreClassifier, decided_classes, linear_weights
from bicneuron._shared._names import feature_names, row_names
from bicneuron._shared._scaling import Scaling, as_array, row_chunks
from bicneuron.classifier._problems import BinaryProblem, MultiClass, binary_problems, without_gaps
from bicneuron.classifier._steps import log_odds_line
from bicneuron.explanation import Explanations, Formula, ScoredRows, formula_of
from bicneuron.neurons import decide
from bicneuron.patterns import Pattern, PatternModel, TrainedNeuron, column_importance


class OneNeuronClassifier(PatternModel, ScoreClassifier):
    """A classifier of two classes that, given more, joins one copy of itself per binary problem."""

    multi_class: MultiClass
    class_weight: Any
    n_features_in_: int
    estimator_: Any
    selected_pair_: Pattern | None
    threshold_: float
    slope_: float
    centroids_: FloatArray
    rows_used_: IndexArray
    scores_: FloatArray
    _scaling: Scaling

    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows,), or (n_rows, n_classes) beyond two classes
            With two classes, positive speaks for ``classes_[1]``. Beyond, the highest score
            decides: one against the rest, log odds by a logistic regression on the training rows,
            in which both sides have equal weight (or that of ``class_weight``); pairwise, votes,
            with a fraction for the sum of log odds as in scikit-learn's `OneVsOneClassifier`.
        """
        check_is_fitted(self)
        X = check_numbers(self, X, reset=False, to_be_scaled=True)
        if len(self.classes_) == 2:
            return self._binary_scores(X)
        scores = np.column_stack([binary._binary_scores(X) for binary in self.estimators_])
        log_odds: FloatArray = scores * self._slopes + self._offsets
        if self.multi_class == "ovr":
            return log_odds
        return np.asarray(ovr_decision_function(scores > 0, log_odds, len(self.classes_)))

    # There are none for votes.
    @available_if(lambda own: own.multi_class == "ovr" or len(getattr(own, "classes_", ())) == 2)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, if all classes were equally common.

        Log odds are fitted to scores of rows that the neuron was not trained on. The pair was
        chosen on all rows, so that probabilities may be too sure of themselves. With
        ``class_weight={}`` they are for classes as common as in the training rows. Beyond two
        classes they follow from `decision_function`; there are none for votes
        (``multi_class="ovo"``).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
        """
        scores = self.decision_function(X)
        if len(self.classes_) > 2:
            return np.asarray(softmax(log_expit(scores), axis=1))
        positive = probabilities(scores[:, None], self.slope_, False)
        return np.hstack([1.0 - positive, positive])

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each column in the decision."""
        check_is_fitted(self)
        return column_importance(self.patterns_, self.n_features_in_)

    def _scaled(self, X: Any) -> FloatArray:
        first = self.binary_models()[0][1]  # all have the same scaling
        return first._scaling.apply(as_array(without_gaps(X)))

    def in_table_units(self, values: FloatArray, columns: IndexArray) -> FloatArray:
        return self.binary_models()[0][1]._scaling.take(columns).undo(values)

    def _remember(self, X: Any, y: AnyArray | None) -> None:
        super()._remember(X, y)
        for _, binary in self.binary_models():  # displays take one of them
            binary._fingerprint = self._fingerprint

    def _pattern_scores(self, X: Any) -> FloatArray:
        models = [model for _, model in self.binary_models()]
        scores = np.empty((X.shape[0], len(self.patterns_)))
        for k, pattern in enumerate(self.patterns_):
            assert pattern.neuron is not None  # every pattern of a classifier has one
            scores[:, k] = pattern.neuron.sign * models[_target(pattern)]._binary_scores(X)
        return scores

    def explain(self, X: Any) -> Explanations:
        """Explain why each row is given its class.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        Explanations
            One `Explanation` per row: the pair that decided, what each of its columns adds to the
            score, and how far the row is from both centroids. Beyond two classes, the neuron of
            the predicted class against the rest, or its neurons against each other class.
        """
        check_is_fitted(self)
        values = check_numbers(self, X, reset=False, accept_sparse=False)
        two = len(self.classes_) == 2
        problems, models = zip(*self.binary_models(), strict=True)
        slopes, offsets = ([1.0], [0.0]) if two else (self._slopes, self._offsets)
        predicted = decided_classes(self.decision_function(X))
        signs = np.array([[p.sign(label) for p in problems] for label in self.classes_.tolist()])
        # With two classes a score always speaks for the second, otherwise for the predicted one.
        row_signs = signs[np.ones_like(predicted) if two else predicted]
        factors = row_signs * slopes
        scores = np.column_stack([model._binary_scores(values) for model in models])
        contributions = np.where(row_signs == 0, np.nan, factors * scores)
        biases = (row_signs * offsets).sum(axis=1)
        return ScoredRows(
            patterns=self.explained_patterns(),
            numbers=(np.argsort([_target(one) for one in self.patterns_]) + 1).tolist(),
            X=values,
            estimates=np.full(values.shape, np.nan),
            contributions=contributions,
            factors=factors,
            biases=biases,
            scores=biases + np.nansum(contributions, axis=1),
            predicted=predicted,
            probabilities=None,
            classes=self.classes_.tolist(),
            features=feature_names(self),
            rows=row_names(X, len(values)),
            list_all=True,
        ).explanations()

    def to_formula(self) -> Formula:
        """Write the neuron that decides as one formula in the units of the table.

        Returns
        -------
        Formula
            It includes scaling and threshold and gives the same scores as `decision_function`.
        """
        check_is_fitted(self)
        if len(self.classes_) > 2:
            raise ValueError(
                f"to_formula needs two classes; y had {len(self.classes_)}, and each of "
                "estimators_ has a formula of its own."
            )
        (explained,) = self.explained_patterns()
        negative, positive = self.classes_.tolist()
        return formula_of(explained, feature_names(self), (negative, positive))

    def binary_models(self) -> list[tuple[BinaryProblem, Self]]:
        """List the binary problems that the classes are decomposed into, with their models.

        Returns
        -------
        list of (BinaryProblem, classifier)
            Each problem with its fitted model of two classes; with two classes, this model.
        """
        check_is_fitted(self)
        problems = binary_problems(self.classes_, self.multi_class)
        fitted = [self] if len(self.classes_) == 2 else self.estimators_
        return list(zip(problems, fitted, strict=True))

    def explained_patterns(self) -> list[Pattern]:
        """List the patterns that decide, for explanations.

        Returns
        -------
        list of Pattern
            One per binary problem, in the order of `binary_models`. Their neurons have the
            scalings of their columns.
        """
        explained, scaling = [], self.binary_models()[0][1]._scaling  # all have the same
        for pattern in sorted(self.patterns_, key=_target):
            assert pattern.neuron is not None  # every pattern of a classifier has one
            own, fill = scaling.take(pattern.columns), pattern.neuron.centroids.mean(axis=0)
            neuron = replace(pattern.neuron, scaling=own, fill=fill)
            explained.append(replace(pattern, neuron=neuron))
        return explained

    def _pattern(self, problem: BinaryProblem, target: int, y: AnyArray) -> Pattern:
        """The selected pair or all rows, in the training table, with the neuron."""
        pair, (negative, positive) = self.selected_pair_, problem.sides
        centroids = self.centroids_
        if pair is None:
            own = positive
            if negative is not None and by_size(y[self.rows_used_])[0].tolist()[-1] == negative:
                own, centroids = negative, centroids[::-1]
            is_own = y[self.rows_used_] == own
            pair = Pattern(
                np.flatnonzero(is_own),
                self._deciding_columns,
                contrast_rows=np.flatnonzero(~is_own),
                anchor_class=own,
                kind="class",
            )
        is_positive = pair.anchor_class == positive
        weights = centroids[0] - centroids[1]
        linear = linear_weights(self.estimator_, centroids)
        return replace(
            pair,
            rows=self.rows_used_[pair.rows],
            columns=pair.columns.copy(),  # each pattern of a loaded model has its own, too
            contrast_rows=self.rows_used_[pair.contrast_rows],
            contrast_class=negative if is_positive else positive,
            strength=float(self.scores_.max()) if len(self.scores_) else 0.0,
            weights=weights if linear is None else weights * np.abs(linear.coef),
            neuron=TrainedNeuron(
                *(self.estimator_, centroids, 1 if is_positive else -1, self.threshold_),
                target=target,
            ),
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags

    @property
    def _deciding_columns(self) -> IndexArray:
        pair = self.selected_pair_
        return np.arange(self.n_features_in_) if pair is None else pair.columns

    @property
    def _midpoint(self) -> FloatArray:
        """Half way between both centroids: it stands for missing values and speaks for neither."""
        return np.asarray(self.centroids_.mean(axis=0))

    def _binary_scores(self, X: FloatArray) -> FloatArray:
        """Scores of checked rows, by a model of two classes."""
        columns = self._deciding_columns
        inside = [np.arange(len(columns))]
        scores, first = np.empty(X.shape[0]), 0
        with config_context(assume_finite=True):  # X was checked, and scaling keeps it finite
            for Z in row_chunks(X, columns, self._scaling):
                scored = slice(first, first := first + len(Z))
                if not takes_missing(self.estimator_) and (missing := np.isnan(Z)).any():
                    Z = np.where(missing, self._midpoint, Z)
                scores[scored] = decide([self.estimator_], Z, inside)[0]
        scores -= self.threshold_
        return scores

    def _binary_copy(self, problem: BinaryProblem) -> Self:
        """The model that is to solve one problem: with two classes, this one."""
        if len(self.classes_) == 2:
            return self
        binary = copy(self)
        # By this attribute scikit-learn ties an estimator to a surrounding fit, say of a pipeline.
        binary.__dict__.pop("_parent_callback_ctx", None)
        binary.classes_ = problem.classes
        return binary

    def _join(
        self, problems: Sequence[BinaryProblem], fitted: Sequence[Self], X: FloatArray, y: AnyArray
    ) -> None:
        """Combine the fitted models of all problems; list the patterns of each, and of all."""
        patterns = []
        for target, (problem, binary) in enumerate(zip(problems, fitted, strict=True)):
            binary.patterns_ = [binary._pattern(problem, 0, y)]
            patterns.append(binary._pattern(problem, target, y))
        # What no pair was found for comes last: values of some selections are negative.
        patterns.sort(key=lambda one: (one.kind == "class", -one.strength, *map(list, one.block)))
        self.patterns_ = patterns
        if len(self.classes_) > 2:
            self.estimators_ = list(fitted)
            lines = []
            for problem, binary in zip(problems, fitted, strict=True):
                rows = problem.rows(y)
                positive = np.isin(y[rows], problem.positive)
                if self.class_weight is None:
                    lines.append(log_odds_line(binary._binary_scores(X[rows]), positive))
                else:
                    lines.append((binary.slope_, 0.0))
            self._slopes, self._offsets = np.transpose(lines)

    if not TYPE_CHECKING:  # to mypy a class with __getattr__ has every attribute

        def __getattr__(self, name: str) -> Any:
            fitted = vars(self).get("estimators_")
            if fitted and hasattr(fitted[0], name):
                raise AttributeError(
                    f"{name} exists for two classes; y had {len(self.classes_)}, and each of "
                    f"estimators_ has its own {name}."
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _target(pattern: Pattern) -> int:
    """Number of the binary problem of a pattern."""
    return -1 if pattern.neuron is None else pattern.neuron.target
