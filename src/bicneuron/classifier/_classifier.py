"""BicNeuronClassifier: the six steps of the method."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone, is_classifier

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._core._contrast import CRITERIA, Criterion
from bicneuron._core._sorting import place_of_largest
from bicneuron._shared._checks import check_classes, check_numbers
from bicneuron._shared._class_weight import refuse_label_weights, weights_of_classes
from bicneuron._shared._compat import HasMethods, Interval, StrOptions, fit_context
from bicneuron._shared._scaled_matrix import ScaledMatrix, scaled
from bicneuron._shared._seed import draw_seed
from bicneuron.biclustering import BiclusterMiner, CoherentBiclustering
from bicneuron.classifier._diagnostics import diagnose
from bicneuron.classifier._mining import anchor_classes, find_biclusters, localised, within_rows
from bicneuron.classifier._one_neuron import OneNeuronClassifier
from bicneuron.classifier._probabilities import calibrate_neuron
from bicneuron.classifier._problems import BinaryProblem, MultiClass, binary_problems, warn_of_many
from bicneuron.classifier._steps import (
    TrainedNeurons,
    centroids_of,
    check_selection,
    pair_with_contrast,
    shares_of,
    train_fallback,
    train_pairs,
)
from bicneuron.classifier._training_data import TrainingData, prepare, problem_rows, without_gaps
from bicneuron.exceptions import NoContrastivePairError, NoContrastivePairWarning
from bicneuron.neurons import OnlinePerceptron
from bicneuron.patterns import Pattern, rank_pairs


@dataclass(kw_only=True, eq=False, repr=False)
class BicNeuronClassifier(OneNeuronClassifier):
    """Classify with the best neuron trained on a contrastive pair of biclusters.

    Biclusters are mined in the anchor class. Each is paired with the nearest rows of the other
    class in the same columns, a neuron is trained on each pair, and the neuron that does best on
    the whole training set is the classifier. The method is that of Coelho and de França [1]_.

    Parameters
    ----------
    miner : BiclusterMiner, default=None
        Finds the biclusters; None is ``CoherentBiclustering(n_jobs=n_jobs)``. The classifier
        scales the data itself and turns the miner's own ``standardize`` off. To search over
        ``miner__cut_distance`` and the like, give a miner.
    neuron : classifier with ``decision_function``, default=None
        Trained on each pair; None is ``OnlinePerceptron()``.
    scale : {"all", "anchor", "minmax"}, default="all"
        Scale of the data that the miner is given: z-scores over all training rows, z-scores over
        the anchor rows, or min-max scaled data. Contrast, ratio and neurons always use min-max
        scaled data.
    criterion : {"msr_ratio", "centroid_distance", "farthest_distance"} or callable, \
default="msr_ratio"
        Ranks the pairs. A callable is given the min-max scaled blocks of the bicluster and of its
        contrast and returns a number, the smaller the better.
    max_ratio : float, default=0.9
        tau: pairs with a larger MSR ratio are dropped, whatever the criterion. ``inf`` drops none.
    max_pairs : int, default=None
        Keep at most this many of the best-ranked pairs.
    anchor : {"minority", "majority", "both"} or label, default="minority"
        Class that is mined. When both classes have as many rows, the minority is the class of the
        first row. With more than two classes it applies to each binary problem: each class of
        the rest is mined separately. A label is mined in every problem in which it occurs; the
        other problems mine their minority.
    contrast_size : float, default=1.0
        ``|I^c|`` as a multiple of ``|I|``.
    selection : {"label_auc", "score_auc"}, scorer name or scorer, default="label_auc"
        Selects the neuron, measured on all training rows: the balanced accuracy of the
        predicted labels, which the paper calls AUC; the area under the ROC curve of the scores; or
        a scikit-learn scorer, which is given the neuron and its columns of the scaled data.
        Ties go to the better-ranked pair.
    max_rows : int, default=None
        Train on a random sample of at most this many rows of each class; None uses all.
    local : bool, default=False
        Hold each pair to at most 16 columns and half of each class: a bicluster keeps its columns
        that separate it best, takes the half of its class that is nearest to it in them, and its
        contrast is the nearest half of the other side, whatever ``contrast_size`` is.
    class_weight : dict of label to weight or "balanced", default=None
        If given, the threshold is moved to where both sides are equally likely, with rows of a
        class weighted so; ``{}`` weighs all rows equally. "balanced" is
        ``n_rows / (n_classes * rows of the class)``. The neurons are the same; for weights while
        they learn use ``OnlinePerceptron(class_weight=...)``.
    recalibrate : bool, default=False
        Move the threshold of each neuron to where it has the best label AUC on all training rows.
    on_no_pair : {"fallback", "raise"}, default="fallback"
        Without a surviving pair, train one neuron on all rows and columns and warn, or raise.
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes, one binary problem per class (against the rest), or per pair
        of classes as in the paper. Columns are scaled and classes mined once for all problems.
        More than 1,000 pairs (46 classes) take long, with a `ManyProblemsWarning`.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the neurons. The seed of each pair depends on it and on the pair alone.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    estimators_ : list of BicNeuronClassifier
        With more than two classes only, a fitted binary estimator per problem: ``classes_[k]``
        against the rest, with the labels True and False; or the pairs (0, 1), (0, 2), ...,
        (1, 2), ... of ``classes_``, with their own labels. They have the pairs, neurons and other
        attributes below.
    patterns_ : list of Pattern
        The selected pair of each binary problem with its neuron, or all rows after a fallback, the
        best value of ``selection`` first. Rows are those of the training table.
    feature_importances_ : float64 array of shape (n_columns,)
        Share of each column in the decision: each binary problem has the same share, divided among
        the columns of its pair by the distance between both centroids, times the weight of a linear
        neuron. The sum is 1.
    pairs_ : list of Pattern
        Surviving pairs, best-ranked first.
    neurons_ : list of fitted classifiers
        One per pair.
    scores_ : array of shape (n_pairs,)
        Value of ``selection`` of each neuron.
    selected_pair_ : Pattern or None
        None after a fallback.
    estimator_ : fitted classifier
        The neuron that decides, on the min-max scaled columns of the selected pair.
    threshold_ : float
        Score of ``estimator_`` above which ``classes_[1]`` is predicted; 0 unless it was moved.
    slope_ : float
        Log odds of ``classes_[1]`` per unit of score.
    centroids_ : float64 array of shape (2, n_columns_of_the_pair)
        Of the anchor rows and of the contrast rows of the selected pair, on its min-max scaled
        columns; after a fallback those of ``classes_[1]`` and ``classes_[0]``, on all columns.
    row_share_, column_share_ : float
        The share of the rows of the anchor class that are in the selected pair, and the share of
        all columns: how local the neuron is. 1 after a fallback.
    rows_used_ : array of intp
        Rows of the training set that were used; the rows of pairs are positions in it.
    diagnostics_ : FitDiagnostics
    n_features_in_ : int
    feature_names_in_ : array of str, if the input has column names

    References
    ----------
    .. [1] A. Coelho, F. de França, "Enhanced perceptrons using contrastive biclusters",
       arXiv 1603.06859.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BicNeuronClassifier(random_state=0).fit(X, y)
    >>> model.selected_pair_.msr_ratio <= 0.9
    True
    >>> model.decision_function(X).shape
    (569,)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "miner": [BiclusterMiner, None],
        "neuron": [HasMethods(["fit", "decision_function"]), None],
        "scale": [StrOptions({"all", "anchor", "minmax"})],
        "criterion": [StrOptions(set(CRITERIA)), callable],
        "max_ratio": [Interval(Real, 0, None, closed="both")],
        "max_pairs": [Interval(Integral, 1, None, closed="left"), None],
        "anchor": "no_validation",
        "contrast_size": [Interval(Real, 0, None, closed="neither")],
        "selection": "no_validation",  # the message would list some sixty scorers
        "max_rows": [Interval(Integral, 2, None, closed="left"), None],
        "local": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "recalibrate": ["boolean"],
        "on_no_pair": [StrOptions({"fallback", "raise"})],
        "multi_class": [StrOptions({"ovr", "ovo"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    miner: BiclusterMiner | None = None
    neuron: Any = None
    scale: Literal["all", "anchor", "minmax"] = "all"
    criterion: Criterion = "msr_ratio"
    max_ratio: float = 0.9
    max_pairs: int | None = None
    anchor: Any = "minority"
    contrast_size: float = 1.0
    selection: Any = "label_auc"
    max_rows: int | None = None
    local: bool = False
    class_weight: Any = None
    recalibrate: bool = False
    on_no_pair: Literal["fallback", "raise"] = "fallback"
    multi_class: MultiClass = "ovr"
    n_jobs: int | None = None
    random_state: Any = None

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Mine, pair, filter, train and select.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Numbers; NaN is a missing value, for which `fit` takes the mean of its column.
        y : array-like of shape (n_rows,)
            Two or more classes.

        Returns
        -------
        self : object
        """
        self._forget()
        table, y = check_numbers(self, X, y, to_be_scaled=True)
        given = X
        X = self._prepared(table, y)
        problems = binary_problems(self.classes_, self.multi_class)
        warn_of_many(problems, len(self.classes_))
        self._join(problems, self._solve(problems, X, y), X, y)
        self._remember(table, y)
        self._count_carriers(table, y)
        self._learn_reference(table, given)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def _fit_problem(self, problem: BinaryProblem, X: FloatArray, y: AnyArray) -> Self:
        """Fit a model of one problem, as `fit` does."""
        X, y = check_numbers(self, X, y, to_be_scaled=True)
        return self._solve([problem], self._prepared(X, y), y)[0]

    def _prepared(self, X: Any, y: AnyArray) -> FloatArray:
        """The table to search; refuse labels and parameters that do not fit it."""
        self.classes_, _ = check_classes(y)
        check_selection(self.selection)
        complete: FloatArray = without_gaps(X)
        return complete

    def _solve(self, problems: Sequence[BinaryProblem], X: FloatArray, y: AnyArray) -> list[Self]:
        """Fit a model per problem; each class is mined once for all of them."""
        seed = draw_seed(self.random_state)
        data = prepare(X, y, self.max_rows, seed)
        self._set_data(data)
        anchors = [anchor_classes(self.anchor, problem, *data.by_size) for problem in problems]
        miner = CoherentBiclustering(n_jobs=self.n_jobs) if self.miner is None else self.miner
        mined, n_seeds = find_biclusters(
            miner,
            (self.scale, data.scaling),
            data.X,
            data.y,
            list(dict.fromkeys(chain(*anchors))),
            seed,
        )
        Z = scaled(data.X, data.scaling)  # after mining, to limit peak memory
        if self.local:
            mined = {label: localised(Z, data.y, found) for label, found in mined.items()}
        weights = self._row_weights(data)
        fitted = []
        for problem, labels in zip(problems, anchors, strict=True):
            rows, block, sides = problem_rows(problem, Z, data.y)
            binary = self._binary_copy(problem)
            binary.rows_used_ = data.rows_used[rows]
            biclusters = {label: within_rows(rows, mined[label]) for label in labels}
            pairs = pair_with_contrast(block, sides, biclusters, **self._pairing)  # steps 2, 3
            kept = rank_pairs(pairs, self.max_ratio, self.max_pairs)  # step 4
            neuron = self._unfitted_neuron(len(data.classes))
            trained = train_pairs(neuron, block, sides, kept, seed, **self._training)  # step 5
            binary._set_trained(kept, trained)  # step 6
            binary.diagnostics_ = diagnose(n_seeds, pairs, kept)
            if not kept:
                name = f"{problem}: " if len(data.classes) > 2 else ""
                sizes = {label: int(np.sum(data.y == label)) for label in labels}
                reason = binary.diagnostics_.why_no_pair(sizes, miner, self.max_ratio)
                binary._fall_back(neuron, block, sides, seed, name + reason)
            pair = binary.selected_pair_
            binary.centroids_ = centroids_of(block, sides, pair)
            binary.row_share_, binary.column_share_ = shares_of(
                pair, data.used_sizes, data.X.shape[1]
            )
            binary.slope_, shift = calibrate_neuron(
                *(binary.estimator_, binary.threshold_, block, sides, pair),
                *(weights[rows], neuron, seed),
                shifted=self.class_weight is not None,
            )
            binary.threshold_ -= shift
            fitted.append(binary)
        return fitted

    @property
    def _pairing(self) -> dict[str, Any]:
        """Parameters of `pair_with_contrast`."""
        return {
            "contrast_size": self.contrast_size,
            "local": self.local,
            "criterion": self.criterion,
            "n_jobs": self.n_jobs,
        }

    @property
    def _training(self) -> dict[str, Any]:
        """Parameters of `train_pairs`."""
        return {
            "selection": self.selection,
            "recalibrate": self.recalibrate,
            "n_jobs": self.n_jobs,
        }

    def _row_weights(self, data: TrainingData) -> FloatArray:
        """Weights of the rows used, by which each class counts as all of its rows would.

        Without class weights all classes count the same, as in the choice of the neuron.
        """
        named = "balanced" if self.class_weight is None else self.class_weight
        of_classes = weights_of_classes(named, data.classes, data.class_sizes)
        _, encoded, n_used = np.unique(data.y, return_inverse=True, return_counts=True)
        return (of_classes * data.class_sizes / n_used)[encoded]

    def _unfitted_neuron(self, n_classes: int) -> Any:
        """A copy of the neuron to train; None is the standard perceptron."""
        neuron = OnlinePerceptron() if self.neuron is None else clone(self.neuron)
        if not is_classifier(neuron):
            raise TypeError(f"neuron is a {type(neuron).__name__}, which is not a classifier.")
        if n_classes > 2 and self.multi_class == "ovr":
            refuse_label_weights(neuron)
        return neuron

    def _set_data(self, data: TrainingData) -> None:
        self.classes_, self.n_features_in_ = data.classes, data.X.shape[1]
        self.rows_used_, self._scaling = data.rows_used, data.scaling

    def _set_trained(self, pairs: list[Pattern], trained: TrainedNeurons) -> None:
        self.pairs_, self.neurons_, self.scores_ = pairs, trained.estimators, trained.scores
        if pairs:
            best = place_of_largest(trained.scores)  # of equal ones the better-ranked pair
            self.selected_pair_ = pairs[best]
            self.estimator_ = trained.estimators[best]
            self.threshold_ = float(trained.thresholds[best])

    def _fall_back(self, neuron: Any, Z: ScaledMatrix, y: AnyArray, seed: int, reason: str) -> None:
        if self.on_no_pair == "raise":
            raise NoContrastivePairError(reason)
        warnings.warn(
            f"{reason} Falling back to one neuron on all rows and columns.",
            NoContrastivePairWarning,
            stacklevel=5,
        )
        self.selected_pair_ = None
        self.estimator_, self.threshold_ = train_fallback(neuron, Z, y, seed, self.recalibrate)
