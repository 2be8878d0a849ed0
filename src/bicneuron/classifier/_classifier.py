"""BicNeuronClassifier: the six steps of the method, and the search of their parameters."""

import warnings
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass
from itertools import chain, product
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier
from sklearn.metrics import get_scorer_names

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._core._sorting import best_thresholds, place_of_largest, ranked
from bicneuron._shared._checks import check_classes, check_numbers, refuse_label_weights
from bicneuron._shared._compat import HasMethods, Interval, StrOptions, fit_context
from bicneuron._shared._estimators import draw_seed, seeded
from bicneuron._shared._workers import share_data
from bicneuron.biclustering import BiclusterMiner, CoherentBiclustering, ContrastBiclustering
from bicneuron.classifier import _problems, _search, _steps
from bicneuron.classifier._one_neuron import OneNeuronClassifier
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.patterns import Pattern, ranking

# What a fit learns for two classes.
LEARNED = (
    *("pairs_", "neurons_", "scores_", "selected_pair_", "estimator_", "threshold_", "slope_"),
    *("centroids_", "row_share_", "column_share_", "rows_used_", "diagnostics_", "_scaling"),
)


class _NoPairError(Exception):
    """A setting of a search has no pair."""


@dataclass(eq=False, repr=False)
class BicNeuronClassifier(OneNeuronClassifier):
    """Classify with the best neuron trained on a contrastive pair of biclusters.

    Biclusters are mined in the anchor class. Each is paired with the nearest rows of the other
    class in the same columns, a neuron is trained on each pair, and the neuron that does best on
    the whole training set is the classifier. The method is that of Coelho and de França [1]_. The
    values of some parameters are chosen by inner cross-validation, along a path that shares work:
    the scores are exactly those of a fit of each setting.

    Parameters
    ----------
    search : {"best", "paper", "local"}, dict or None, default="best"
        Where values of parameters that are None come from. "best" is the setting with the best mean
        over many data sets: both classes mined from sampled seeds, residues up to that of a whole
        class, averaged neurons (linear or RBF) with a recalibrated threshold, at most 256 rows of
        each class. "paper" is the grid of the paper: T_d in 0.5, 0.8, 1.0, 1.5; tau in 0.1, 0.3,
        0.5, 0.7, 0.9; T_m = 0.02. "local" holds each pair to the 16 columns that separate it best,
        the half of its class that is nearest to it in them and the nearest half of the other side.
        A dict has the values to try of ``miner__search``, ``miner__max_residue``,
        ``miner__cut_distance``, ``neuron``, ``anchor`` and ``max_ratio``. None is one fit of the
        parameters below, without folds.
    miner : BiclusterMiner, default=None
        Finds the biclusters; None is that of the preset, otherwise ``CoherentBiclustering()``. The
        classifier scales the data itself and turns the miner's own ``standardize`` off. A search
        needs a `CoherentBiclustering` or a `ContrastBiclustering`.
    neuron : classifier with ``decision_function``, default=None
        Trained on each pair; None is those of the preset, otherwise ``OnlinePerceptron()``.
    scale : {"all", "anchor", "minmax"}, default="all"
        Scale of the data that the miner is given: z-scores over all training rows, z-scores over
        the anchor rows, or min-max scaled data. Contrast, ratio and neurons always use min-max
        scaled data.
    max_ratio : float, default=None
        tau: pairs with a larger MSR ratio are dropped. ``inf`` drops none. None is those of the
        preset, otherwise 0.9.
    anchor : {"minority", "majority", "both"} or label, default=None
        Class that is mined. When both classes have as many rows, the minority is the class of the
        first row. With more than two classes it applies to each binary problem: each class of
        the rest is mined separately. A label is mined in every problem in which it occurs; the
        other problems mine their minority. None is that of the preset, otherwise "minority".
    selection : {"label_auc", "score_auc"}, scorer name or scorer, default="label_auc"
        Selects the neuron, measured on all training rows: the balanced accuracy of its labels,
        which the paper calls AUC; the area under the ROC curve of its scores; or a scikit-learn
        scorer, given its columns of the scaled data. Ties go to the better-ranked pair.
    max_rows : int, default=None
        Train on a random sample of at most this many rows of each class. None is the number of the
        preset, otherwise all.
    recalibrate : bool, default=None
        Move the threshold of each neuron to where it has the best label AUC on all training rows.
        None is that of the preset, otherwise False.
    class_weight : dict of label to weight or "balanced", default=None
        If given, the threshold is moved to where both sides are equally likely, with rows of a
        class weighted so; ``{}`` weighs all rows equally. "balanced" is
        ``n_rows / (n_classes * rows of the class)``. The neurons are the same; for weights while
        they learn use ``OnlinePerceptron(class_weight=...)``.
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes, one binary problem per class (against the rest), or per pair
        of classes as in the paper. Columns are scaled and classes mined once for all problems.
    cv : int, splitter or iterable of splits, default=5
        Inner folds: stratified and shuffled for a number; fewer, with a `FewerFoldsWarning`, when
        a class has fewer rows. With ``groups`` a group is never on both sides.
    n_jobs : int, default=None
        Number of processes of a search, otherwise of threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of folds and neurons. The seed of each pair depends on it and on the pair alone.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    estimators_ : list of BicNeuronClassifier
        With more than two classes only, a fitted binary estimator per problem, with the attributes
        below: ``classes_[k]`` against the rest (True and False), or pairs (0, 1), (0, 2), ...
    patterns_ : list of Pattern
        The selected pair of each binary problem with its neuron, or all rows after a fallback, the
        best value of ``selection`` first. Rows are those of the training table.
    feature_importances_ : float64 array of shape (n_columns,)
        Share of each column in the decision, by the distance between both centroids, times the
        weight of a linear neuron. The sum is 1.
    pairs_, neurons_, scores_ : lists and array of shape (n_pairs,)
        Surviving pairs, best-ranked first, their neurons and the value of ``selection`` of each.
    selected_pair_ : Pattern or None
        None, with a `NoContrastivePairWarning`, after a fallback: one neuron on all rows.
    estimator_ : fitted classifier
        The neuron that decides, on the min-max scaled columns of the selected pair.
    threshold_, slope_ : float
        Score above which ``classes_[1]`` is predicted, and its log odds per unit of score.
    centroids_ : float64 array of shape (2, n_columns_of_the_pair)
        Of anchor and contrast, min-max scaled; after a fallback of ``classes_[1]`` and the other.
    row_share_, column_share_ : float
        Share of the anchor class and of all columns in the selected pair: how local the neuron is.
    rows_used_ : array of intp
        Rows of the training set that were used; the rows of pairs are positions in it.
    diagnostics_ : FitDiagnostics
    best_params_, best_score_, best_index_ : dict, float and int
        Of a search: what was chosen, its mean score over the inner folds and its position in
        ``cv_results_``.
    fallback_ : bool
        Of a search: True if no pair survived in any setting.
    cv_results_, n_splits_ : dict of arrays and int
        Of a search, as in `GridSearchCV`. A setting without a surviving pair scores -inf in that
        fold: the fallback never wins. ``mean_row_share`` and ``mean_column_share`` measure how
        local the selected pairs were; NaN where a fold had none.
    n_features_in_, feature_names_in_ : int, and array of str if the input has column names

    References
    ----------
    .. [1] A. Coelho, F. de França, "Enhanced perceptrons using contrastive biclusters",
       arXiv 1603.06859.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BicNeuronClassifier(search="paper", cv=3, random_state=0).fit(X, y)
    >>> sorted(model.best_params_)[:2]
    ['anchor', 'max_ratio']
    >>> once = BicNeuronClassifier(search=None, random_state=0).fit(X, y)  # the paper's single fit
    >>> once.selected_pair_.msr_ratio <= 0.9
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "search": [StrOptions({"best", "paper", "local"}), dict, None],
        "miner": [BiclusterMiner, None],
        "neuron": [HasMethods(["fit", "decision_function"]), None],
        "scale": [StrOptions({"all", "anchor", "minmax"})],
        "max_ratio": [Interval(Real, 0, None, closed="both"), None],
        "anchor": "no_validation",
        "selection": "no_validation",  # the message would list some sixty scorers
        "max_rows": [Interval(Integral, 2, None, closed="left"), None],
        "recalibrate": ["boolean", None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "multi_class": [StrOptions({"ovr", "ovo"})],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    search: str | dict[str, Any] | None = "best"
    _: KW_ONLY
    miner: BiclusterMiner | None = None
    neuron: Any = None
    scale: Literal["all", "anchor", "minmax"] = "all"
    max_ratio: float | None = None
    anchor: Any = None
    selection: Any = "label_auc"
    max_rows: int | None = None
    recalibrate: bool | None = None
    class_weight: Any = None
    multi_class: _problems.MultiClass = "ovr"
    cv: Any = 5
    n_jobs: int | None = None
    random_state: Any = None

    # True in the settings of the search for local pairs.
    _local = False

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Mine, pair, filter, train and select, with the best setting of the search.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Numbers; NaN is a missing value, for which `fit` takes the mean of its column.
        y : array-like of shape (n_rows,)
            Two or more classes.
        groups : array-like of shape (n_rows,), default=None
            Rows of one group (one patient, say) stay on one side of each inner split.
        """
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # an earlier fit may have had more classes
        table, y = check_numbers(self, X, y, to_be_scaled=True)
        scorers = ["label_auc", "score_auc", *get_scorer_names()]
        named = isinstance(self.selection, str) and self.selection in scorers
        if not named and not callable(self.selection):
            raise ValueError(
                f"selection={self.selection!r} is neither 'label_auc', 'score_auc', the name of a "
                "scikit-learn scorer nor a scorer."
            )
        self.classes_, _ = check_classes(y)
        X = _problems.without_gaps(table)
        base = self._resolved()
        problems = _problems.binary_problems(self.classes_, self.multi_class)
        binaries = [self._binary_copy(problem) for problem in problems]
        if self.search is None:
            for binary, fitted in zip(binaries, base._solve(problems, X, y), strict=True):
                binary._adopt(fitted)
        else:
            self._search(base, problems, binaries, X, y, groups)
        self._join(problems, binaries, X, y)
        self._remember(table, y)
        self._count_carriers(table, y)
        return self

    def _resolved(self) -> Any:
        """One setting, with a value of each parameter."""
        fixed = _search.USUAL
        if isinstance(self.search, str):
            fixed = {**_search.USUAL, **_search.PRESETS[self.search].fixed}
        chosen = {name: value for name, value in fixed.items() if getattr(self, name) is None}
        base: Any = clone(self).set_params(search=None, **deepcopy(chosen))
        base.classes_, base._local = self.classes_, self.search == "local"
        if self.search is None:
            base.random_state = self.random_state  # not a copy, which would draw the same again
            if self.miner is None:
                base.miner.n_jobs = self.n_jobs
            return base
        base.set_params(n_jobs=None, random_state=draw_seed(self.random_state))
        if not isinstance(base.miner, CoherentBiclustering | ContrastBiclustering):
            raise ValueError(
                f"the miner is {type(base.miner).__name__}, but a search needs "
                "CoherentBiclustering or ContrastBiclustering; use search=None, or GridSearchCV."
            )
        return base

    def _at(self, values: dict[str, Any]) -> Self:
        """The same setting with other values of some parameters."""
        point: Self = clone(self).set_params(**values)
        point._validate_params()
        point.classes_, point._local = self.classes_, self._local
        return point

    def _search(
        self,
        base: Self,
        problems: Sequence[_problems.BinaryProblem],
        binaries: Sequence[Self],
        X: FloatArray,
        y: AnyArray,
        groups: Any,
    ) -> None:
        """Compare settings by cross-validation and fit the best of each problem on all rows."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        axes = _search.grid_axes(self.search, given, base)
        splits = _search.inner_splits(self.cv, X, y, groups, problems, base.random_state)
        data = share_data(X, y)
        # Each combination of these axes needs a search of its own.
        own = [name for name in ("miner__search", "miner__max_residue") if name in axes]
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(_search.path_scores)(base, axes, dict(zip(own, at, strict=True)), *data, split)
            for split in splits
            for at in product(*(axes[name] for name in own))
        )
        self.n_splits_ = len(splits)
        for k, (problem, binary) in enumerate(zip(problems, binaries, strict=True)):
            values = np.array([values_of_all[k] for values_of_all in found])
            binary.n_splits_ = self.n_splits_
            binary.cv_results_ = _search.grid_results(
                axes, values.reshape(len(splits), -1, values.shape[-1])
            )
            binary._refit(base, problem, X, y)

    def _refit(
        self, base: Self, problem: _problems.BinaryProblem, X: FloatArray, y: AnyArray
    ) -> None:
        """Fit the best setting that has a pair on all rows; without any, the fallback."""
        results = self.cv_results_
        order = ranked(-results["mean_test_score"])
        for place, index in enumerate([*order, order[0]]):
            self.best_index_ = int(index)
            self.best_params_ = results["params"][index]
            self.best_score_ = float(results["mean_test_score"][index])
            self.fallback_ = place == len(order)
            point = base._at(self.best_params_)
            try:
                self._adopt(point._solve([problem], X, y, may_fall_back=self.fallback_)[0])
            except _NoPairError:
                continue
            break

    def _adopt(self, fitted: Self) -> None:
        """Take over what a setting has learned for two classes."""
        for name in LEARNED:
            setattr(self, name, getattr(fitted, name))

    def _solve(
        self,
        problems: Sequence[_problems.BinaryProblem],
        X: FloatArray,
        y: AnyArray,
        *,
        may_fall_back: bool = True,
    ) -> list[Self]:
        """Fit a model per problem; each class is mined once for all of them."""
        miner: Any = self.miner
        max_ratio: Any = self.max_ratio
        seed = draw_seed(self.random_state)
        data = _problems.prepare(X, y, self.max_rows, seed)
        self._set_data(data)
        anchors = [
            _problems.anchor_classes(self.anchor, problem, *data.by_size) for problem in problems
        ]
        mined, n_seeds = _problems.find_biclusters(
            miner, self.scale, data, [*dict.fromkeys(chain(*anchors))], seed
        )
        Z = data.scaling.apply(data.X)  # after mining, to limit peak memory
        if self._local:
            mined = {label: _problems.localised(Z, data.y, found) for label, found in mined.items()}
        weights = data.row_weights(self.class_weight)
        fitted = []
        for problem, labels in zip(problems, anchors, strict=True):
            rows, block, sides = _problems.problem_rows(problem, Z, data.y)
            binary = self._binary_copy(problem)
            binary.rows_used_ = data.rows_used[rows]
            biclusters = {label: _problems.within_rows(rows, mined[label]) for label in labels}
            pairs = _steps.pair_with_contrast(block, sides, biclusters, self)  # steps 2, 3
            kept = [pairs[place] for place in ranking(pairs, max_ratio)]  # step 4
            neuron = self._unfitted_neuron(len(data.classes))
            trained = _steps.train_pairs(neuron, block, sides, kept, seed, self)  # step 5
            binary._set_trained(kept, trained)  # step 6
            ratios = [pair.msr_ratio for pair in pairs]
            least, most = min(ratios, default=None), max(ratios, default=None)
            binary.diagnostics_ = _steps.FitDiagnostics(n_seeds, len(pairs), len(kept), least, most)
            if not kept:
                name = f"{problem}: " if len(data.classes) > 2 else ""
                sizes = {label: int(np.sum(data.y == label)) for label in labels}
                reason = binary.diagnostics_.why_no_pair(sizes, miner, max_ratio)
                if not may_fall_back:
                    raise _NoPairError(name + reason)
                binary._fall_back(neuron, block, sides, seed, name + reason)
            pair = binary.selected_pair_
            if pair is not None:
                both = (block[np.ix_(own, pair.columns)] for own in (pair.rows, pair.contrast_rows))
                binary.centroids_ = np.array([side.mean(axis=0) for side in both])
            binary.row_share_, binary.column_share_ = _steps.shares_of(
                pair, data.used_sizes, data.X.shape[1]
            )
            binary.slope_, shift = _steps.calibrate_neuron(
                binary, neuron, block, sides, weights[rows], seed
            )
            binary.threshold_ -= shift
            fitted.append(binary)
        return fitted

    def _unfitted_neuron(self, n_classes: int) -> Any:
        """A copy of the neuron to train."""
        neuron = clone(self.neuron)
        if not is_classifier(neuron):
            raise TypeError(f"neuron is a {type(neuron).__name__}, which is not a classifier.")
        if n_classes > 2 and self.multi_class == "ovr":
            refuse_label_weights(neuron)
        return neuron

    def _set_data(self, data: _problems.TrainingData) -> None:
        self.classes_, self.n_features_in_ = data.classes, data.X.shape[1]
        self.rows_used_, self._scaling = data.rows_used, data.scaling

    def _set_trained(self, pairs: list[Pattern], trained: _steps.TrainedNeurons) -> None:
        self.pairs_, self.neurons_, self.scores_ = pairs, trained.estimators, trained.scores
        if pairs:
            best = place_of_largest(trained.scores)  # of equal ones the better-ranked pair
            self.selected_pair_ = pairs[best]
            self.estimator_ = trained.estimators[best]
            self.threshold_ = float(trained.thresholds[best])

    def _fall_back(self, neuron: Any, Z: FloatArray, y: AnyArray, seed: int, reason: str) -> None:
        warnings.warn(
            f"{reason} Falling back to one neuron on all rows and columns.",
            NoContrastivePairWarning,
            stacklevel=5,
        )
        self.selected_pair_, self.threshold_ = None, 0.0
        self.estimator_ = seeded(neuron, seed).fit(Z, y)
        self.centroids_ = np.array([Z[y == label].mean(axis=0) for label in np.unique(y)[::-1]])
        if self.recalibrate:
            scores = self.estimator_.decision_function(Z)[None]
            self.threshold_ = float(best_thresholds(scores, y == np.unique(y)[1])[0])
