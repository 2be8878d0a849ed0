"""What networks of patterns have in common: the fit around their patterns, and all that follows."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, column_or_1d

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._neuron_scores import output_scores
from bicneuron._shared._calibration import probabilities
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._compat import Interval, StrOptions, fit_context
from bicneuron._shared._estimators import decided_classes, draw_seed
from bicneuron._shared._names import feature_names, row_names
from bicneuron._shared._scaling import as_array, filling_of, row_chunks, soft_scaling
from bicneuron._shared._workers import one_blas_thread
from bicneuron.explanation import Explanations, ScoredRows
from bicneuron.network import _targets
from bicneuron.network._draws import sample
from bicneuron.network._output import LabelDoubt, label_doubt
from bicneuron.network._patterns import is_near, pattern_outputs, trained_neurons
from bicneuron.patterns import PatternModel, column_importance

# Rows, and values of rows, that are scored at once, by one thread.
ROWS_AT_ONCE, VALUES_AT_ONCE = 4096, 2**19


class BaseNetwork(PatternModel, ClassifierMixin, BaseEstimator):
    """Patterns with a neuron each, and weights by which their outputs are added up."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_output_rows": [Interval(Integral, 2, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    max_output_rows: int
    class_weight: Any
    n_jobs: int | None
    random_state: Any
    intercept_: FloatArray
    test_scores_: FloatArray

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Find patterns, train a neuron on each and weigh them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Numbers; NaN is a missing value.
        y : array-like of shape (n_rows,) or (n_rows, n_labels)
            Classes, or a table of zeros and ones with several labels per row.
        groups : array-like of shape (n_rows,), default=None
            Rows that the folds inside the fit keep together, such as several samples of a person.
        """
        self._seed = seed = draw_seed(self.random_state)
        X, y = check_numbers(self, X, y, multi_output=True, to_be_scaled=True)
        targets = _targets.encode_targets(y)
        self.classes_, self._multilabel = targets.classes, targets.multilabel
        self._scaling = soft_scaling(as_array(X))
        rng = np.random.default_rng(seed)
        people = None if groups is None else column_or_1d(groups)
        folds = targets.deal_folds(_targets.N_FOLDS, rng, people)
        self.output_rows_ = rows = sample(np.arange(len(folds)), self.max_output_rows, rng)
        weights = _targets.row_weights(self.class_weight, targets)
        with one_blas_thread():
            # Scaled twice: what the estimates are learnt from is overwritten, and not copied.
            self._filling = filling_of(self._scaling.apply(as_array(X)))
            known = targets, weights, folds, rows, seed, people
            table = _targets.TrainingTable(X, self._scaled(X), *known)
            scores = self._fit_patterns(table)
        del table  # before the carriers are counted, which scales again
        doubt = self._doubt(targets, scores)
        self._sort_classes()
        self.label_doubt_ = doubt.chances if self._multilabel else doubt.chances[:, 0]
        self._remember(X, y)
        if not self._multilabel:
            self._count_carriers(X, targets.classes[targets.strata])
        return self

    @abstractmethod
    def _fit_patterns(self, table: _targets.TrainingTable) -> FloatArray:
        """Find, train and weigh patterns; return scores of rows by what has not seen them."""

    def _doubt(self, targets: _targets.Targets, scores: FloatArray) -> LabelDoubt:
        """Label doubt of each training row; NaN, and not contradicted, if it was not tested."""
        rows, signs = self.output_rows_, targets.signs
        doubt = label_doubt(scores, signs[rows], self._exclusive)
        chances, contradicted = np.full(signs.shape, np.nan), np.zeros(signs.shape, dtype=bool)
        chances[rows], contradicted[rows] = doubt
        return LabelDoubt(chances, contradicted)

    def _sort_classes(self) -> None:
        """Bring what was fitted from the order of the targets into that of the classes' names."""
        order, turn = np.argsort(self.classes_), 1.0
        self.classes_ = self.classes_[order]
        if self._has_one_score:
            order, turn = np.zeros(1, np.intp), -1.0 if order[0] else 1.0
        places = np.argsort(order)
        self.intercept_ = turn * self.intercept_[order]
        self.test_scores_ = turn * self.test_scores_[:, order]
        neurons = [
            replace(one, weight=turn * one.weight[order], target=int(places[one.target]))
            for one in trained_neurons(self.patterns_)
        ]
        pairs = zip(self.patterns_, neurons, strict=True)
        self.patterns_ = [replace(pattern, neuron=neuron) for pattern, neuron in pairs]

    @property
    def _exclusive(self) -> bool:
        return len(self.classes_) > 2 and not self._multilabel

    @property
    def columns_in_use_(self) -> IndexArray:
        """Columns of the patterns, in ascending order."""
        columns = [pattern.columns for pattern in self.patterns_]
        return np.unique(np.concatenate([np.empty(0, np.intp), *columns]))

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each column in the decision."""
        check_is_fitted(self)
        return column_importance(self.patterns_, self.n_features_in_)

    def decision_function(self, X: Any) -> FloatArray:
        """Score of each row; for two classes positive speaks for ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        """
        scores = self._scores(X)
        return scores[:, 0] if self._has_one_score else scores

    @property
    def _has_one_score(self) -> bool:
        return len(self.intercept_) == 1

    def _scores(self, X: Any) -> FloatArray:
        used, parts = self._parts(X)
        # One thread each, because sums over threads may differ in their last bits.
        with one_blas_thread():
            scores = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
                delayed(self._part_scores)(Z, used) for Z in parts
            )
        return np.concatenate(scores)

    def _parts(self, X: Any) -> tuple[IndexArray, Iterator[FloatArray]]:
        """The columns in use, and their scaled values, of some rows at a time."""
        check_is_fitted(self)
        X = check_numbers(self, X, reset=False, to_be_scaled=True)
        used = self.columns_in_use_
        most = max(1, min(ROWS_AT_ONCE, VALUES_AT_ONCE // max(1, len(used))))
        return used, row_chunks(X, used, self._scaling, most)

    def _scaled(self, X: Any) -> FloatArray:
        """All columns as the patterns were drawn: scaled, with estimates of missing cells."""
        return np.asarray(self._filling.apply(self._scaling.apply(as_array(X))))

    def _part_scores(self, Z: FloatArray, used: IndexArray) -> FloatArray:
        """Scores of some rows, scaled, on the columns in use."""
        Z = self._filling.take(used).apply(Z)
        neurons = trained_neurons(self.patterns_)
        if not neurons:
            return np.asarray(np.zeros((len(Z), 1)) + self.intercept_, np.float64)
        typical = np.array([neuron.typical_score for neuron in neurons])
        weights = np.array([neuron.weight for neuron in neurons])
        with config_context(assume_finite=True):
            raw = pattern_outputs(self.patterns_, Z, used)
        return np.asarray(output_scores(raw.T, typical, weights) + self.intercept_)

    def in_table_units(self, values: FloatArray, columns: IndexArray) -> FloatArray:
        return self._scaling.take(columns).undo(values)

    def _pattern_scores(self, X: Any) -> FloatArray:
        neurons = trained_neurons(self.patterns_)
        units = np.array([neuron.sign * neuron.typical_score for neuron in neurons])
        return np.asarray(pattern_outputs(self.patterns_, self._scaled(X)) / units)

    def predict(self, X: Any, *, reject: float | None = None) -> Any:
        """Class of each row, or a table of zeros and ones for several labels.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
        reject : float, default=None
            Abstain from rows whose `coverage` is less: the result is then a masked array, with
            these rows masked.
        """
        scores = self._scores(X)
        if self._multilabel:
            labels = (scores > 0).astype(np.intp)
        else:
            labels = self.classes_[decided_classes(scores[:, 0] if self._has_one_score else scores)]
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
        """
        return self._probabilities(self._scores(X))

    def _probabilities(self, scores: FloatArray) -> FloatArray:
        chances = probabilities(scores, self.slope_, self._exclusive)
        return np.hstack([1 - chances, chances]) if self._has_one_score else chances

    def explain(self, X: Any) -> Explanations:
        """Explain why each row is given its class.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        Explanations
            One `Explanation` per row: its strongest patterns, until they make up 90 % of what all
            patterns contribute.
        """
        scores = self._scores(X)
        if self._multilabel:
            raise ValueError(
                "explain needs classes; y was a table of labels, fit one network for each label."
            )
        values = check_numbers(self, X, reset=False, accept_sparse=False)
        predicted = decided_classes(scores[:, 0] if self._has_one_score else scores)
        target = np.zeros_like(predicted) if self._has_one_score else predicted
        neurons = trained_neurons(self.patterns_)
        typical = np.array([neuron.typical_score for neuron in neurons])
        weights = np.empty((len(values), 0))
        if neurons:
            weights = np.array([neuron.weight for neuron in neurons]).T[target]
        used = self.columns_in_use_
        scaling = self._scaling.take(used)
        Z = self._filling.take(used).apply(scaling.apply(values[:, used]))
        raw = pattern_outputs(self.patterns_, Z, used)
        estimates = np.full(values.shape, np.nan)
        estimates[:, used] = np.where(np.isnan(values[:, used]), scaling.undo(Z), np.nan)
        contributions = weights * np.tanh(raw / typical)
        # tanh is applied to the score as a whole: each column keeps its share of it. At a score of
        # 0 the factor is the slope of tanh there, which is huge where typical scores are tiny.
        with np.errstate(over="ignore"):
            slopes = np.divide(contributions, raw, out=weights / typical, where=raw != 0)
        every_row, explained = np.arange(len(values)), []
        for pattern, neuron in zip(self.patterns_, neurons, strict=True):
            own, fill = self._scaling.take(pattern.columns), np.zeros(len(pattern.columns))
            explained.append(replace(pattern, neuron=replace(neuron, scaling=own, fill=fill)))
        return ScoredRows(
            patterns=explained,
            numbers=range(1, len(neurons) + 1),
            X=values,
            estimates=estimates,
            contributions=contributions,
            factors=np.nan_to_num(slopes),
            biases=self.intercept_[target],
            scores=scores[every_row, target],
            predicted=predicted,
            probabilities=self._probabilities(scores)[every_row, predicted],
            classes=self.classes_.tolist(),
            features=feature_names(self),
            rows=row_names(X, len(values)),
            list_all=False,
        ).explanations()

    def coverage(self, X: Any) -> FloatArray:
        """Share of the patterns, weighted by contribution, whose region contains the row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)

        Returns
        -------
        shares : array of shape (n_rows,)
            A region reaches as far as the farthest row of its pattern, by the columns that a row
            has; a row that has none of them is outside.
        """
        used, parts = self._parts(X)
        places = [np.searchsorted(used, pattern.columns) for pattern in self.patterns_]
        neurons = trained_neurons(self.patterns_)
        covered = []
        for Z in parts:
            shares = np.zeros(len(Z))
            for pattern, neuron, some in zip(self.patterns_, neurons, places, strict=True):
                shares += pattern.strength * is_near(neuron, Z[:, some])
            covered.append(shares)
        return np.concatenate(covered)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
