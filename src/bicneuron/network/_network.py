"""BicNeuronNetwork: many contrastive pairs, one neuron each, and an output layer."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._neuron_scores import output_scores
from bicneuron._shared._calibration import calibrate, probabilities
from bicneuron._shared._checks import check_numbers, checked_groups
from bicneuron._shared._compat import Interval, StrOptions, fit_context
from bicneuron._shared._decision import decided_classes
from bicneuron._shared._filling import filling_of
from bicneuron._shared._names import feature_names, row_names
from bicneuron._shared._scaled_matrix import ScaledMatrix, row_chunks, scaled, scaling_of
from bicneuron._shared._scaling import soft_scaling
from bicneuron._shared._seed import draw_seed
from bicneuron._shared._workers import one_blas_thread
from bicneuron.exceptions import NoPatternWarning
from bicneuron.explanation import Explanations, ScoredRows
from bicneuron.network._candidates import MINERS, check_miners
from bicneuron.network._choice import RIDGE
from bicneuron.network._designs import N_FOLDS, Design, check_design, resolve_design
from bicneuron.network._hidden import as_pattern, retrain, train_hidden_layer
from bicneuron.network._output import LabelDoubt, TestedLayer, fit_output, label_doubt, tested_layer
from bicneuron.network._patterns import columns_in_use, is_near, pattern_outputs, trained_neurons
from bicneuron.network._readable import NOTHING_FOUND, ReadableTable, fit_readable
from bicneuron.network._targets import Targets, decode, encode_targets, row_weights
from bicneuron.patterns import BlindGroups, PatternModel, column_importance

MAX_PATTERNS = 5
# Rows, and values of rows, that are scored at once, by one thread.
ROWS_AT_ONCE, VALUES_AT_ONCE = 4096, 2**19


@dataclass(kw_only=True, eq=False, repr=False)
class BicNeuronNetwork(PatternModel, ClassifierMixin, BaseEstimator):
    """Classify with patterns, each with a neuron of its own, and an output layer.

    There are two designs.

    The accurate one has many neurons. Its pairs are drawn: a class, a column and a cluster of rows
    on it, grown over a sample of the columns while it is coherent, with the nearest rows of another
    class as its contrast. A kernel neuron is trained on each, and ridge regression on their outputs
    decides. The cost grows with the number of neurons and hardly with that of columns. Each neuron
    is trained without one fifth of the rows and tested on that fifth. This self-test chooses the
    kinds of neurons that are kept and calibrates the probabilities; no neuron is trained twice.

    The readable one has at most a few patterns, and none where none helps. Candidates are whole
    classes, groups of rows that a search without labels finds, and pairs. Each is cut to its few
    clearest columns and has a neuron: a straight line, or a bell or kernel where that predicts
    better. All are scored on folds that they have not seen. Patterns are then taken one after the
    other by logistic regression, the fewest that predict these rows about as well as the best
    number of them (within half a standard error).

    Parameters
    ----------
    design : {"accurate", "readable"}, default="accurate"
        Parameters of one design are refused by the other.
    n_neurons : int, default=None
        Accurate: number of neurons; there are fewer if fewer distinct pairs are found, or if the
        self-test drops a kind. None is 400.
    neuron_kinds : sequence of classifiers with ``decision_function``, default=None
        Accurate: kinds of neurons, used in turn; list one twice to have more of it. None is three
        RBF `KernelNeuron` per linear one.
    n_candidates : int, default=None
        Accurate: pairs to draw, at least ``n_neurons``. Where there are more, the best are chosen
        by forward selection. None is ``n_neurons``.
    max_draw_rows : int, default=None
        Accurate: draw each pair from a new random sample of at most this many rows of each class.
        None is 40.
    contrast_size : float, default=2.0
        Accurate: ``|I^c|`` as a multiple of ``|I|``.
    max_patterns : int, default=None
        Readable: most patterns; with more than two classes, or several labels, for each of them.
        None is 5.
    max_columns : int, default=None
        Readable: most columns of a pattern. None is 8, and 20 for the contrast of whole classes.
    miners : sequence of miners, default=None
        Readable: where groups and pairs come from. One that can search without labels does so. None
        is a `SubgroupBiclustering` of shifted groups and a `ContrastBiclustering`; an empty
        sequence leaves whole classes alone.
    max_output_rows : int, default=8192
        Fit the output layer, and all of a readable network, on a random sample of at most this many
        rows.
    class_weight : dict of label to weight or "balanced", default=None
        Weight of the rows of each class in the output layer, the self-test and the calibration of
        the probabilities, "balanced" being ``n_rows / (n_classes * rows of the class)``. The
        neurons weigh both sides of a pair equally in any case.
    retrain : bool, default=None
        Accurate: train the neurons a second time, without the rows whose label the self-test
        contradicts. Wrong labels then do less harm. None is True.
    n_jobs : int, default=None
        Number of processes that draw pairs and train neurons, and of threads that search for groups
        and score rows; None is one, -1 as many as there are cores. The result does not depend on
        it.
    random_state : int, RandomState instance or None, default=None
        Random seed of the folds, the draws and the samples of rows. The draw of each neuron depends
        on it and on the neuron's number alone.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Labels; the numbers of the labels if ``y`` is a table of them.
    patterns_ : list of Pattern
        Pair, neuron, weight and contribution; the largest contribution first, or, in the readable
        design, in the order of choice. Empty if a readable network has found none: it then names
        the commonest class, with the shares of the classes as probabilities.
    columns_in_use_ : array of intp
        Columns of the patterns, in ascending order.
    feature_importances_ : float64 array of shape (n_columns,)
        Share of each column in the decision: that of each pattern in the variation of the scores,
        divided among its columns by the distance between the centres of both sides. The sum is
        1, or 0 without patterns.
    intercept_ : float64 array of shape (n_targets,)
    penalty_ : float
        Of the output layer; in the accurate design chosen by leave-one-out error.
    slope_ : float
        Log odds per unit of score. Slope and ``intercept_`` are calibrated on ``test_scores_``.
    test_scores_ : float64 array of shape (n_output_rows, n_targets)
        Scores of training rows by neurons that have not seen them; NaN where there are none.
    label_doubt_ : float64 array of shape (n_rows,), or (n_rows, n_labels) for several labels
        The probability, by the other rows, that the label of each training row is another one, if
        all classes were equally common. NaN for rows that were not tested.
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
    >>> readable = BicNeuronNetwork(design="readable", random_state=0).fit(X[::2], y[::2])
    >>> len(readable.patterns_) <= 5, readable.score(X[1::2], y[1::2]) > 0.93
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "design": [StrOptions({"accurate", "readable"})],
        "n_neurons": [Interval(Integral, 1, None, closed="left"), None],
        "neuron_kinds": ["array-like", None],
        "n_candidates": [Interval(Integral, 1, None, closed="left"), None],
        "max_draw_rows": [Interval(Integral, 2, None, closed="left"), None],
        "contrast_size": [Interval(Real, 0, None, closed="neither")],
        "max_patterns": [Interval(Integral, 1, None, closed="left"), None],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "miners": ["array-like", None],
        "max_output_rows": [Interval(Integral, 2, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "retrain": ["boolean", None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    design: Literal["accurate", "readable"] = "accurate"
    n_neurons: int | None = None
    neuron_kinds: Sequence[Any] | None = None
    n_candidates: int | None = None
    max_draw_rows: int | None = None
    contrast_size: float = 2.0
    max_patterns: int | None = None
    max_columns: int | None = None
    miners: Sequence[Any] | None = None
    max_output_rows: int = 8192
    class_weight: Any = None
    retrain: bool | None = None
    n_jobs: int | None = None
    random_state: Any = None

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

        Returns
        -------
        self : object
        """
        check_design(self.get_params(deep=False))
        self._seed = seed = draw_seed(self.random_state)
        given = X
        X, y = check_numbers(self, X, y, multi_output=True, to_be_scaled=True)
        targets = encode_targets(y)
        self.classes_, self._multilabel = targets.classes, targets.multilabel
        self._scaling = scaling_of(soft_scaling, X)
        Z = scaled(X, self._scaling)
        rng = np.random.default_rng(seed)
        people = checked_groups(groups, X)
        folds = targets.deal_folds(N_FOLDS, rng, people)
        self.output_rows_ = targets.sample_rows(self.max_output_rows, rng)
        weights = row_weights(self.class_weight, targets)
        with one_blas_thread():
            self._filling = filling_of(Z)
            Z = self._filling.apply(Z)
            if self.design == "readable":
                table = self._readable_table(X, Z, targets, weights, folds, seed, people)
                scores = self._fit_readable(table)
            else:
                scores = self._fit_accurate(Z, targets, weights, folds, seed)
        doubt = self._doubt(targets, scores)
        self._sort_classes()
        self.label_doubt_ = doubt.chances if self._multilabel else doubt.chances[:, 0]
        self._remember(X, y)
        if not self._multilabel:
            self._count_carriers(X, targets.classes[targets.strata])
        self._learn_reference(X, given)
        return self

    def _fit_accurate(
        self, Z: ScaledMatrix, targets: Targets, weights: FloatArray, folds: IndexArray, seed: int
    ) -> FloatArray:
        """Draw pairs, train a neuron on each and weigh them; return scores of unseen rows."""
        design = self._resolved_design()
        trained = train_hidden_layer(Z, targets, folds, design, seed, self.n_jobs)
        rows = self.output_rows_
        known = targets.signs[rows], weights[rows], folds[rows]
        tested = tested_layer(trained, Z[rows], *known, design)
        if design.retrain:
            doubt = self._doubt(targets, tested.test.scores)
            kinds = design.neuron_kinds
            trained = retrain(Z, targets.signs, kinds, trained, doubt.contradicted)
            tested = tested_layer(trained, Z[rows], *known, design)
        self._weigh(Z, targets.signs[rows], weights[rows], tested)
        self._groups: BoolArray | None = None
        self._group_of: IndexArray | None = None
        return tested.test.scores

    def _fit_readable(self, table: ReadableTable) -> FloatArray:
        """Choose patterns; return scores of rows by a choice that has not seen them."""
        most = MAX_PATTERNS if self.max_patterns is None else self.max_patterns
        found = fit_readable(table, most)
        rows = table.rows
        signs, weights = table.targets.signs[rows], table.weights[rows]
        self._groups, self._group_of = found.groups, found.group_of
        self.patterns_, self.penalty_ = found.patterns, RIDGE
        if not found.patterns:
            warnings.warn(NOTHING_FOUND, NoPatternWarning, stacklevel=4)
            shares = np.average(signs > 0, axis=0, weights=weights)
            with np.errstate(divide="ignore"):
                logs = np.log(shares) if self._exclusive else np.log(shares / (1.0 - shares))
            # Of equally common classes, the first of the targets is named.
            self.slope_ = 1.0
            self.intercept_ = np.clip(logs, -30.0, 30.0) - 1e-9 * np.arange(1, len(logs) + 1)
            self.test_scores_ = np.tile(self.intercept_, (len(rows), 1))
            return np.full(signs.shape, np.nan)
        self.slope_, shifts = calibrate(found.scores, signs, weights, self._exclusive)
        self.intercept_, self.test_scores_ = found.intercept + shifts, found.scores + shifts
        return found.scores

    def _readable_table(
        self,
        X: Any,
        Z: ScaledMatrix,
        targets: Targets,
        weights: FloatArray,
        folds: IndexArray,
        seed: int,
        people: AnyArray | None,
    ) -> ReadableTable:
        """What the patterns of a readable network are chosen from."""
        miners = MINERS if self.miners is None else tuple(self.miners)
        check_miners(miners)
        return ReadableTable(
            X,
            Z,
            targets,
            weights,
            folds,
            self.output_rows_,
            miners,
            self.max_columns,
            seed,
            self.n_jobs,
            people,
        )

    @property
    def finds_blind_groups(self) -> bool:
        """True in the readable design."""
        return self.design == "readable"

    def blind_groups(self) -> BlindGroups:
        """Groups that a readable network found without labels, and its patterns among them.

        Returns
        -------
        BlindGroups
        """
        check_is_fitted(self)
        if self._groups is None or self._group_of is None:
            raise ValueError("the accurate design looks for no groups without labels.")
        return BlindGroups(self.output_rows_, self._groups, self._group_of)

    def _resolved_design(self) -> Design:
        """The settings by which pairs are drawn; a subclass may change them."""
        return resolve_design(self.get_params(deep=False))

    def _doubt(self, targets: Targets, scores: FloatArray) -> LabelDoubt:
        """Label doubt of each training row; NaN, and not contradicted, if it was not tested."""
        rows, signs = self.output_rows_, targets.signs
        doubt = label_doubt(scores, signs[rows], self._exclusive)
        chances, contradicted = np.full(signs.shape, np.nan), np.zeros(signs.shape, dtype=bool)
        chances[rows], contradicted[rows] = doubt
        return LabelDoubt(chances, contradicted)

    def _weigh(
        self, Z: ScaledMatrix, signs: FloatArray, weights: FloatArray, tested: TestedLayer
    ) -> None:
        """Fit the output layer on the neurons that the self-test keeps."""
        trained, typical, hidden, test = tested
        every = np.arange(len(trained))
        kept = test.choice(hidden, signs, weights, every).tolist() or [0]
        hidden = hidden[:, kept]
        output = fit_output(hidden, signs, weights)
        self.slope_, shifts = calibrate(test.scores, signs, weights, self._exclusive)
        self.intercept_, self.penalty_ = output.intercept + shifts, output.penalty
        self.test_scores_ = test.scores + shifts
        sizes = np.linalg.norm(output.coef, axis=1) * hidden.std(axis=0)
        shares = sizes / max(float(sizes.sum()), np.finfo(float).tiny)
        self.patterns_ = [
            as_pattern(
                Z,
                trained[kept[i]],
                # One score speaks for the second class.
                self.classes_[1 if self._has_one_score else trained[kept[i]].target],
                typical[kept[i]],
                output.coef[i],
                shares[i],
            )
            for i in np.argsort(-shares, kind="stable").tolist()
        ]

    def _sort_classes(self) -> None:
        """Bring what was fitted from the order of the targets into that of the classes' names."""
        order, turn = np.argsort(self.classes_), 1.0
        self.classes_ = self.classes_[order]
        if self._has_one_score:
            order, turn = np.zeros(1, np.intp), -1.0 if order[0] else 1.0
        places = np.argsort(order)
        self.intercept_ = turn * self.intercept_[order]
        self.test_scores_ = turn * self.test_scores_[:, order]
        self.patterns_ = [
            replace(
                pattern,
                neuron=replace(
                    neuron, weight=turn * neuron.weight[order], target=int(places[neuron.target])
                ),
            )
            for pattern, neuron in zip(self.patterns_, trained_neurons(self.patterns_), strict=True)
        ]

    @property
    def _exclusive(self) -> bool:
        return len(self.classes_) > 2 and not self._multilabel

    @property
    def columns_in_use_(self) -> IndexArray:
        """Columns of the patterns, in ascending order."""
        return columns_in_use(self.patterns_)

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

        Returns
        -------
        scores : array of shape (n_rows,) for two classes, else (n_rows, n_classes)
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
        return used, row_chunks(X, used, self._scaling.take(used), most)

    def _scaled(self, X: Any) -> ScaledMatrix:
        """All columns as the patterns were drawn: scaled, with estimates of missing cells."""
        Z: ScaledMatrix = self._filling.apply(scaled(X, self._scaling))
        return Z

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
        scores: FloatArray = output_scores(raw.T, typical, weights) + self.intercept_
        return scores

    def in_table_units(self, values: FloatArray, columns: IndexArray) -> FloatArray:
        return self._scaling.take(columns).undo(values)

    def _pattern_scores(self, X: Any) -> FloatArray:
        neurons = trained_neurons(self.patterns_)
        units = np.array([neuron.sign * neuron.typical_score for neuron in neurons])
        scores: FloatArray = pattern_outputs(self.patterns_, self._scaled(X)) / units
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
        return self._scored_rows(values, scores, row_names(X, len(values))).explanations()

    def _scored_rows(self, X: FloatArray, scores: FloatArray, rows: Sequence[Any]) -> ScoredRows:
        """Split the score of each row, that of its predicted class, into those of patterns."""
        predicted = decided_classes(scores[:, 0] if self._has_one_score else scores)
        target = np.zeros_like(predicted) if self._has_one_score else predicted
        neurons = trained_neurons(self.patterns_)
        typical = np.array([neuron.typical_score for neuron in neurons])
        weights = np.empty((len(X), 0))
        if neurons:
            weights = np.array([neuron.weight for neuron in neurons]).T[target]
        used = self.columns_in_use_
        scaling = self._scaling.take(used)
        Z = self._filling.take(used).apply(scaling.apply(X, used))
        raw = pattern_outputs(self.patterns_, Z, used)
        estimates = np.full(X.shape, np.nan)
        estimates[:, used] = np.where(np.isnan(X[:, used]), scaling.undo(Z), np.nan)
        contributions = weights * np.tanh(raw / typical)
        # tanh is applied to the score as a whole: each column keeps its share of it. At a score of
        # 0 the factor is the slope of tanh there, which is huge where typical scores are tiny.
        with np.errstate(over="ignore"):
            slopes = np.divide(contributions, raw, out=weights / typical, where=raw != 0)
        every_row = np.arange(len(X))
        return ScoredRows(
            patterns=[
                replace(
                    pattern,
                    neuron=replace(
                        neuron,
                        scaling=self._scaling.take(pattern.columns),
                        fill=np.zeros(len(pattern.columns)),
                    ),
                )
                for pattern, neuron in zip(self.patterns_, neurons, strict=True)
            ],
            numbers=range(1, len(neurons) + 1),
            X=X,
            estimates=estimates,
            contributions=contributions,
            factors=np.nan_to_num(slopes),
            biases=self.intercept_[target],
            scores=scores[every_row, target],
            predicted=predicted,
            probabilities=self._probabilities(scores)[every_row, predicted],
            classes=self.classes_.tolist(),
            features=feature_names(self),
            rows=rows,
            list_all=False,
        )

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
