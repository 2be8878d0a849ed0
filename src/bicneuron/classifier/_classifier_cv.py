"""BicNeuronClassifierCV: parameters chosen by inner cross-validation."""

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.metrics import get_scorer_names
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._sorting import ranked
from bicneuron._shared._checks import check_classes, check_numbers
from bicneuron._shared._compat import StrOptions, fit_context
from bicneuron._shared._seed import draw_seed
from bicneuron._shared._workers import share_data
from bicneuron.biclustering import CoherentBiclustering, ContrastBiclustering
from bicneuron.classifier._classifier import BicNeuronClassifier
from bicneuron.classifier._grid import (
    AXES,
    LOCAL,
    PRESETS,
    grid_axes,
    grid_results,
    path_at,
    searches_of,
)
from bicneuron.classifier._one_neuron import OneNeuronClassifier
from bicneuron.classifier._path import path_scores
from bicneuron.classifier._problems import BinaryProblem, MultiClass, binary_problems, warn_of_many
from bicneuron.classifier._steps import check_selection
from bicneuron.classifier._training_data import without_gaps
from bicneuron.exceptions import FewerFoldsWarning, NoContrastivePairError


def _of_best_estimator(name: str) -> Any:
    """An attribute of ``best_estimator_`` that the search has too."""
    return property(lambda self: getattr(self.best_estimator_, name))


@dataclass(eq=False, repr=False)
class BicNeuronClassifierCV(OneNeuronClassifier):
    """`BicNeuronClassifier` with its parameters chosen by inner cross-validation.

    The grid is searched along a path that shares work: every cut uses the same dendrograms,
    biclusters that several cuts share are paired and trained once, every ratio uses the same
    neurons, and every choice of anchor uses what was mined in its classes. The scores are exactly
    those of a fit at each grid point.

    Parameters
    ----------
    estimator : BicNeuronClassifier, default=None
        Has every parameter that is not searched; its miner must be a `CoherentBiclustering` (or
        None) or a `ContrastBiclustering`. None is that of the preset.
    preset : {"best", "paper"}, default="best"
        Source of the values that are not given. "best" is the setting with the best mean over
        many data sets: both classes mined from sampled seeds, residues up to that of a
        whole class, averaged neurons (linear or RBF) with a recalibrated threshold, at most 256
        rows of each class. "paper" is the grid of the paper: T_d in 0.5, 0.8, 1.0, 1.5; tau in
        0.1, 0.3, 0.5, 0.7, 0.9; T_m = 0.02.
    local : bool, default=False
        Hold pairs to at most 16 columns and half of each class. Values that are not given are then
        made for that, instead of those of ``preset``: pairs of `ContrastBiclustering`, averaged
        linear neurons and RBF ones (`KernelNeuron`) with a recalibrated threshold, at most 256
        rows of each class.
    cut_distances, max_residues, max_ratios : sequence of float, default=None
        Values of T_d, T_m and tau.
    anchors : sequence of {"minority", "majority", "both"} or label, default=None
        Classes to mine.
    searches : sequence of {"grow", "prune"}, default=None
        Searches of the miner. ``searches`` and ``max_residues`` are for `CoherentBiclustering`.
    neurons : sequence of classifiers, default=None
        Neurons to train on the pairs.
    cv : int, splitter or iterable of splits, default=5
        Inner folds: stratified and shuffled for a number; fewer, with a `FewerFoldsWarning`, when
        a class has fewer rows. With ``groups`` a group is never on both sides.
    scoring : "label_auc", scorer name or scorer, default="label_auc"
        Averaged over the inner folds, for each binary problem.
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes, one binary problem per class (against the rest), or per pair
        of classes as in the paper. Parameters are chosen for each problem; folds and mining are
        shared. It overrides ``multi_class`` of ``estimator``.
    class_weight : dict of label to weight or "balanced", default=None
        As in `BicNeuronClassifier`; it overrides that of ``estimator``.
    n_jobs : int, default=None
        Number of processes. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the neurons.

    Attributes
    ----------
    estimators_ : list of BicNeuronClassifierCV
        With more than two classes only, a fitted binary estimator per problem, in the order that
        `BicNeuronClassifier` describes. They have the other attributes below.
    patterns_, feature_importances_
        As `BicNeuronClassifier` describes.
    best_estimator_ : BicNeuronClassifier
        Fitted on all rows with the best parameters.
    best_params_ : dict
        Parameters of `BicNeuronClassifier` that were chosen.
    best_score_ : float
        Their mean score over the inner folds.
    best_index_ : int
        Their position in ``cv_results_``.
    fallback_ : bool
        True if no pair survived at any grid point, so that the model is one neuron on all rows and
        columns.
    cv_results_ : dict of arrays
        As in `GridSearchCV`: ``params``, ``param_<name>``, ``split<k>_test_score``,
        ``mean_test_score``, ``std_test_score``, ``rank_test_score``. A grid point without a
        surviving pair scores -inf in that fold: the fallback never wins a search.
        ``mean_row_share`` and ``mean_column_share`` measure how local the selected pairs were, as
        ``row_share_`` and ``column_share_`` do; NaN where a fold had none.
    path_ : dict
        ``cut_distances``, ``max_ratios``, and the mean scores and shares of their combinations,
        with the other parameters at their best, for plotting.
    pairs_, neurons_, scores_, selected_pair_, estimator_, threshold_, slope_, centroids_, \
row_share_, column_share_, rows_used_, diagnostics_
        Those of ``best_estimator_``.
    n_splits_ : int
        Number of inner folds.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : array of str, if the input has column names

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BicNeuronClassifierCV(preset="paper", cv=3, random_state=0).fit(X, y)
    >>> sorted(model.best_params_)[:2]
    ['anchor', 'max_ratio']
    >>> model.fallback_
    False
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [BicNeuronClassifier, None],
        "preset": [StrOptions({"best", "paper"})],
        "local": ["boolean"],
        **{axis: ["array-like", None] for axis in AXES},
        "cv": ["cv_object"],
        "scoring": [StrOptions({"label_auc", *get_scorer_names()}), callable],
        "multi_class": [StrOptions({"ovr", "ovo"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    estimator: BicNeuronClassifier | None = None
    _: KW_ONLY
    preset: str = "best"
    local: bool = False
    cut_distances: Sequence[float] | None = None
    max_residues: Sequence[float] | None = None
    max_ratios: Sequence[float] | None = None
    anchors: Sequence[Any] | None = None
    searches: Sequence[str] | None = None
    neurons: Sequence[Any] | None = None
    cv: Any = 5
    scoring: Any = "label_auc"
    multi_class: MultiClass = "ovr"
    class_weight: Any = None
    n_jobs: int | None = None
    random_state: Any = None

    # Attributes of a fitted BicNeuronClassifier.
    pairs_ = _of_best_estimator("pairs_")
    neurons_ = _of_best_estimator("neurons_")
    scores_ = _of_best_estimator("scores_")
    selected_pair_ = _of_best_estimator("selected_pair_")
    estimator_ = _of_best_estimator("estimator_")
    threshold_ = _of_best_estimator("threshold_")
    centroids_ = _of_best_estimator("centroids_")
    row_share_ = _of_best_estimator("row_share_")
    column_share_ = _of_best_estimator("column_share_")
    rows_used_ = _of_best_estimator("rows_used_")
    diagnostics_ = _of_best_estimator("diagnostics_")
    _scaling = _of_best_estimator("_scaling")
    slope_ = _of_best_estimator("slope_")

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Search the grid by cross-validation and fit the best on all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Numbers; NaN is a missing value, for which `fit` takes the mean of its column.
        y : array-like of shape (n_rows,)
            Two or more classes.
        groups : array-like of shape (n_rows,), default=None
            Rows of one group (one patient, say) stay on one side of each inner split.

        Returns
        -------
        self : object
        """
        self._forget()
        table, y = check_numbers(self, X, y, to_be_scaled=True)
        base = self._base()
        check_selection(base.selection)
        self.classes_, _ = check_classes(y)
        given = X
        X = without_gaps(table)
        axes = grid_axes(vars(self), self.defaults(), base)
        problems = binary_problems(self.classes_, self.multi_class)
        warn_of_many(problems, len(self.classes_))
        splits = self._splits(X, y, groups, base.random_state)
        data = share_data(X, y)
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(path_scores)(base, axes, searched, self.scoring, *data, split)
            for split in splits
            for searched in searches_of(axes)
        )
        self.n_splits_ = len(splits)
        fitted = []
        for k, problem in enumerate(problems):
            values = np.array([values_of_all[k] for values_of_all in found])
            binary = self._binary_copy(problem)
            results = grid_results(axes, values.reshape(self.n_splits_, -1, values.shape[-1]))
            binary._refit(base, axes, results, problem, X, y)
            fitted.append(binary)
        self._join(problems, fitted, X, y)
        self._remember(table, y)
        self._count_carriers(table, y)
        self._learn_reference(table, given)
        for _, binary in self.binary_models():
            binary.best_estimator_.patterns_ = binary.patterns_
            binary.best_estimator_._remember(table, y)
        return self

    def defaults(self) -> dict[str, Any]:
        """Values that take the place of parameters that are None, by ``preset`` and ``local``.

        Returns
        -------
        dict
            ``estimator``, and the values of each parameter that is searched.
        """
        return dict(LOCAL if self.local else PRESETS[self.preset])

    def _base(self) -> BicNeuronClassifier:
        """The estimator with the parameters that are not searched, a miner and a seed."""
        base: BicNeuronClassifier = clone(self.estimator or self.defaults()["estimator"])
        base.set_params(
            random_state=draw_seed(self.random_state),
            multi_class=self.multi_class,
            class_weight=self.class_weight,
        )
        if self.local:
            base.local = True
        if base.miner is None:
            base.miner = CoherentBiclustering()
        if not isinstance(base.miner, CoherentBiclustering | ContrastBiclustering):
            raise ValueError(
                f"estimator has the miner {type(base.miner).__name__}, but the path needs "
                "CoherentBiclustering or ContrastBiclustering; use GridSearchCV for other miners."
            )
        return base

    def _splits(
        self, X: FloatArray, y: AnyArray, groups: Any, seed: int
    ) -> list[tuple[IndexArray, IndexArray]]:
        cv = self.cv
        if isinstance(cv, Integral):
            n_splits = int(cv)
            units = np.arange(len(y)) if groups is None else np.asarray(groups)
            sizes = [len(np.unique(units[y == label])) for label in self.classes_]
            smallest, label = min(sizes), self.classes_.tolist()[int(np.argmin(sizes))]
            unit = "rows" if groups is None else "groups"
            if smallest < 2:
                raise ValueError(
                    f"cv={n_splits} is not possible: class {label!r} has {smallest} {unit}, and "
                    "an inner cross-validation needs two; use BicNeuronClassifier."
                )
            if smallest < n_splits:
                warnings.warn(
                    f"cv={n_splits} becomes {smallest}, the {unit} of class {label!r}.",
                    FewerFoldsWarning,
                    stacklevel=3,
                )
                n_splits = smallest
            kind = StratifiedKFold if groups is None else StratifiedGroupKFold
            cv = kind(n_splits, shuffle=True, random_state=seed)
        splits = list(check_cv(cv, y, classifier=True).split(X, y, groups))
        for k, (train, test) in enumerate(splits):
            missing = np.setdiff1d(self.classes_, y[train]).tolist()
            if missing:
                raise ValueError(
                    f"inner split {k} has no training row of class {missing[0]!r}; use fewer folds "
                    "or another cv."
                )
            for problem in binary_problems(self.classes_, self.multi_class):
                if not len(problem.rows(y[test])):
                    raise ValueError(
                        f"inner split {k} has no test row of {problem}; use fewer folds, another "
                        'cv or multi_class="ovr".'
                    )
        return splits

    def _refit(
        self,
        base: BicNeuronClassifier,
        axes: dict[str, list[Any]],
        results: dict[str, Any],
        problem: BinaryProblem,
        X: FloatArray,
        y: AnyArray,
    ) -> None:
        """Fit the best grid point that has a pair on all rows; without any, the fallback."""
        self.cv_results_ = results
        order = ranked(-results["mean_test_score"])
        self.fallback_ = True
        for index in order:
            point = self._adopt(base, index).set_params(on_no_pair="raise")
            try:
                self.best_estimator_ = point._fit_problem(problem, X, y)
            except NoContrastivePairError:
                continue
            self.best_estimator_.set_params(on_no_pair=base.on_no_pair)
            self.fallback_ = False
            break
        if self.fallback_:
            self.best_estimator_ = self._adopt(base, order[0])._fit_problem(problem, X, y)
        self.path_ = path_at(axes, results, self.best_index_)

    def _adopt(self, base: BicNeuronClassifier, index: int) -> BicNeuronClassifier:
        """Record a grid point as the best; return its unfitted estimator."""
        self.best_index_ = int(index)
        self.best_params_ = self.cv_results_["params"][index]
        self.best_score_ = float(self.cv_results_["mean_test_score"][index])
        point: BicNeuronClassifier = clone(base).set_params(**self.best_params_)
        return point
