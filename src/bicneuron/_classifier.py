"""BicNeuronClassifier: the six steps of the method."""

import warnings
from collections.abc import Sequence
from itertools import chain
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.utils.multiclass import check_classification_targets

from bicneuron._compat import HasMethods, Interval, StrOptions, fit_context
from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._ranking import best_thresholds
from bicneuron._core._scaling import Scaling, minmax_scaling
from bicneuron._core._sparse import dense, row_blocks, scaled, scaling_of
from bicneuron._diagnostics import diagnose
from bicneuron._mining import among, anchor_classes, find_biclusters
from bicneuron._multiclass import (
    BinaryProblem,
    MultiClass,
    binary_problems,
)
from bicneuron._neurons import (
    Candidate,
    decide,
    fit_neurons,
    pair_seed,
    seeded,
    slices,
    unfitted,
)
from bicneuron._selection import check_selection, evaluate
from bicneuron._validation import check_numbers
from bicneuron.biclustering import Bicluster, BiclusterMiner, CoherentBiclustering
from bicneuron.contrast import ContrastivePair, contrastive_pairs, rank_pairs
from bicneuron.contrast._criteria import CRITERIA, Criterion
from bicneuron.exceptions import NoContrastivePairError, NoContrastivePairWarning
from bicneuron.explanation._classifier import DecidingNeuron, ExplainedClassifier
from bicneuron.perceptron._seed import draw_seed

# Pairs per training task and scores held at once: independent of n_jobs.
TASK = 256
SCORES = 2**17


class BicNeuronClassifier(ExplainedClassifier):
    """Classify with the best neuron trained on a contrastive pair of biclusters.

    Biclusters are mined in the anchor class. Each is paired with the nearest rows of the other
    class in the same columns, a neuron is trained on each pair, and the one that does best on the
    whole training set decides. The method is that of Coelho and de França [1]_.

    Parameters
    ----------
    miner : BiclusterMiner, default=None
        What finds the biclusters; None is ``CoherentBiclustering(n_jobs=n_jobs)``. The classifier
        scales the data itself and turns the miner's own ``standardize`` off. To search over
        ``miner__cut_distance`` and the like, give a miner.
    neuron : classifier with ``decision_function``, default=None
        What is trained on each pair; None is ``OnlinePerceptron()``. Weights of classes are the
        neuron's: ``OnlinePerceptron(class_weight=...)``.
    scale : {"all", "anchor", "minmax"}, default="all"
        What the miner sees: z-scores over all training rows, z-scores over the anchor rows, or
        min-max scaled data. Contrast, ratio and neurons always see min-max scaled data.
    criterion : {"msr_ratio", "centroid_distance", "farthest_distance"} or callable, \
default="msr_ratio"
        What ranks the pairs. A callable gets the min-max scaled blocks of the bicluster and of its
        contrast and returns a number, the smaller the better.
    max_ratio : float, default=0.9
        tau: pairs with a larger MSR ratio are dropped, whatever ranks them. ``inf`` drops none.
    max_pairs : int, default=None
        Keep at most so many of the best-ranked pairs.
    anchor : {"minority", "majority", "both"} or label, default="minority"
        Class that is mined. When both classes have as many rows, the minority is the label that
        sorts first. Beyond two classes, the side of each problem: of the rest, each class is
        mined by itself. A label is mined in every problem that it has a part in; the others mine
        their minority.
    contrast_size : float, default=1.0
        ``|I^c|`` as a multiple of ``|I|``.
    selection : {"label_auc", "score_auc"}, scorer name or scorer, default="label_auc"
        What selects the neuron, measured on all training rows: the balanced accuracy of the
        predicted labels, which the paper calls AUC; the area under the ROC curve of the scores; or
        a scikit-learn scorer, which is given the neuron and its columns of the scaled data.
        Ties go to the better-ranked pair.
    max_rows : int, default=None
        Train on at most so many rows of each class, a random sample; None uses all.
    recalibrate : bool, default=False
        Move the threshold of each neuron to where it has the best label AUC on all training rows.
    on_no_pair : {"fallback", "raise"}, default="fallback"
        Without a surviving pair, train one neuron on all rows and columns and warn, or raise.
    multi_class : {"ovr", "ovo"}, default="ovr"
        Beyond two classes, one problem for each class against the rest, or for each pair of
        classes as in the paper. Columns are scaled and classes mined once, over all training
        rows, for all problems together.
    n_jobs : int, default=None
        Threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the neurons. The seed of each pair depends on it and on the pair alone.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    estimators_ : list of BicNeuronClassifier
        Beyond two classes only, a fitted part for each problem: ``classes_[k]`` against the rest,
        with the labels True and False; or the pairs (0, 1), (0, 2), ..., (1, 2), ... of
        ``classes_``, with their own labels. Pairs, neurons and the other attributes below are
        then those of the parts.
    pairs_ : list of ContrastivePair
        Surviving pairs, best-ranked first.
    neurons_ : list of fitted classifiers
        One for each pair.
    scores_ : array of shape (n_pairs,)
        Value of ``selection`` for each neuron.
    selected_pair_ : ContrastivePair or None
        None tells that the classifier fell back.
    estimator_ : fitted classifier
        The neuron that decides, on the min-max scaled columns of the selected pair.
    threshold_ : float
        Score of ``estimator_`` above which ``classes_[1]`` is predicted; 0 unless recalibrated.
    centroids_ : float64 array of shape (2, n_columns_of_the_pair)
        Of the anchor rows and of the contrast rows of the selected pair, on its min-max scaled
        columns; after a fallback those of ``classes_[1]`` and ``classes_[0]``, on all columns.
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
        "recalibrate": ["boolean"],
        "on_no_pair": [StrOptions({"fallback", "raise"})],
        "multi_class": [StrOptions({"ovr", "ovo"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        miner: BiclusterMiner | None = None,
        neuron: Any = None,
        scale: Literal["all", "anchor", "minmax"] = "all",
        criterion: Criterion = "msr_ratio",
        max_ratio: float = 0.9,
        max_pairs: int | None = None,
        anchor: Any = "minority",
        contrast_size: float = 1.0,
        selection: Any = "label_auc",
        max_rows: int | None = None,
        recalibrate: bool = False,
        on_no_pair: Literal["fallback", "raise"] = "fallback",
        multi_class: MultiClass = "ovr",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.miner = miner
        self.neuron = neuron
        self.scale = scale
        self.criterion = criterion
        self.max_ratio = max_ratio
        self.max_pairs = max_pairs
        self.anchor = anchor
        self.contrast_size = contrast_size
        self.selection = selection
        self.max_rows = max_rows
        self.recalibrate = recalibrate
        self.on_no_pair = on_no_pair
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Mine, pair, filter, train and select.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Finite numbers.
        y : array-like of shape (n_rows,)
            Two or more classes.

        Returns
        -------
        self : object
        """
        self._forget()
        X, y = self._check_training_data(X, y)
        problems = binary_problems(self.classes_, self.multi_class)
        return self._join(problems, self._solve(problems, X, y), X, y)

    @fit_context(prefer_skip_nested_validation=False)
    def _fit_part(self, problem: BinaryProblem, X: FloatArray, y: AnyArray) -> Self:
        """What `fit` makes of one problem."""
        X, y = self._check_training_data(X, y)
        return self._solve([problem], X, y)[0]

    def _solve(self, problems: Sequence[BinaryProblem], X: FloatArray, y: AnyArray) -> list[Self]:
        """A fitted part for each problem; what is mined in a class serves all of them."""
        seed = draw_seed(self.random_state)
        X, y = self._thin_out(X, y, seed)
        self._scaling = scaling_of(minmax_scaling, X)
        anchors = [
            anchor_classes(self.anchor, problem, self.classes_, self._class_sizes)
            for problem in problems
        ]
        mined, n_seeds = find_biclusters(
            CoherentBiclustering(n_jobs=self.n_jobs) if self.miner is None else self.miner,
            (self.scale, self._scaling),
            X,
            y,
            list(dict.fromkeys(chain(*anchors))),
            seed,
        )
        Z = scaled(X, self._scaling)  # not before: mining needs the room
        parts = []
        for problem, labels in zip(problems, anchors, strict=True):
            part, rows = self._part(problem), problem.rows(y)
            part.rows_used_ = self.rows_used_[rows]
            data = Z if len(rows) == len(Z) else Z[rows], problem.labels(y[rows])
            part._learn(
                *data, {label: among(rows, mined[label]) for label in labels}, n_seeds, seed
            )
            if not part.pairs_:
                name = f"{problem}: " if len(self.classes_) > 2 else ""
                sizes = {label: int(np.sum(y == label)) for label in labels}
                fewest = getattr(self.miner or CoherentBiclustering(), "min_rows", 0)
                reason = part.diagnostics_.why_no_pair(sizes, fewest, self.max_ratio)
                part._fall_back(*data, seed, name + reason)
            part._set_centroids(*data)
            parts.append(part)
        return parts

    def _learn(
        self,
        Z: FloatArray,
        y: AnyArray,
        biclusters: dict[Any, list[Bicluster]],
        n_seeds: int,
        seed: int,
    ) -> None:
        """Steps 2 to 6, for two classes."""
        pairs = self._pair_with_contrast(Z, y, biclusters)
        kept = rank_pairs(pairs, self.max_ratio, self.max_pairs)
        self.diagnostics_ = diagnose(n_seeds, pairs, kept)
        self._select(self._train_neurons(Z, y, kept, seed))

    def _binary_scores(self, X: FloatArray) -> FloatArray:
        columns, scaling = self._deciding_columns()
        everything = [np.arange(len(columns))]
        scores, first = np.empty(X.shape[0]), 0
        with config_context(assume_finite=True):  # X was checked, and scaling keeps it finite
            for Z in row_blocks(X, columns, scaling):
                part = slice(first, first := first + len(Z))
                scores[part] = decide([self.estimator_], Z, everything)[0]
        scores -= self.threshold_
        return scores

    def _deciding_columns(self) -> tuple[IndexArray, Scaling]:
        pair = self.selected_pair_
        columns = np.arange(self.n_features_in_) if pair is None else pair.columns
        return columns, self._scaling.take(columns)

    def _deciding(self) -> DecidingNeuron:
        return DecidingNeuron(
            self.estimator_,
            self.selected_pair_,
            *self._deciding_columns(),
            self.centroids_,
            self.threshold_,
        )

    def _set_centroids(self, Z: FloatArray, y: AnyArray) -> None:
        pair = self.selected_pair_
        if pair is None:
            sides = [dense(Z[y == label]) for label in self.classes_[::-1]]
        else:
            sides = [
                Z[np.ix_(rows, pair.columns)] for rows in (pair.anchor_rows, pair.contrast_rows)
            ]
        self.centroids_ = np.array([side.mean(axis=0) for side in sides])

    def _check_training_data(self, X: Any, y: Any) -> tuple[FloatArray, AnyArray]:
        X, y = check_numbers(self, X, y, to_be_scaled=True)
        check_classification_targets(y)
        check_selection(self.selection)
        self.classes_, self._class_sizes = np.unique(y, return_counts=True)
        if len(self.classes_) == 1:
            raise ValueError(f"y has one class, {self.classes_.tolist()[0]!r}; two are needed.")
        return X, y

    def _thin_out(self, X: FloatArray, y: AnyArray, seed: int) -> tuple[FloatArray, AnyArray]:
        """A random sample of ``max_rows`` rows of each larger class; the rows keep their order."""
        self.rows_used_ = np.arange(len(y))
        if self.max_rows is None:
            return X, y
        rng = np.random.default_rng(seed)
        samples = [rng.permutation(np.flatnonzero(y == c))[: self.max_rows] for c in self.classes_]
        self.rows_used_ = np.sort(np.concatenate(samples))
        return X[self.rows_used_], y[self.rows_used_]

    def _pair_with_contrast(
        self, Z: FloatArray, y: AnyArray, biclusters: dict[Any, list[Bicluster]]
    ) -> list[ContrastivePair]:
        """Steps 2 and 3: the nearest rows of the other side for each bicluster."""
        return [
            pair
            for label, found in biclusters.items()
            if found
            for pair in contrastive_pairs(
                Z,
                found,
                np.flatnonzero(y != y[found[0].rows[0]]),
                anchor_class=label,
                contrast_size=self.contrast_size,
                criterion=self.criterion,
                n_jobs=self.n_jobs,
            )
        ]

    def _train_neurons(
        self, Z: FloatArray, y: AnyArray, pairs: Sequence[ContrastivePair], seed: int
    ) -> list[Candidate]:
        """Step 5: one neuron on the rows and columns of each pair, measured on all rows."""
        neuron = self._neuron()
        parts = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(fit_neurons)(neuron, Z, y, some, [pair_seed(seed, pair) for pair in some])
            for some in slices(pairs, TASK)
        )
        neurons = [fitted for part in parts for fitted in part]
        size = max(1, SCORES // len(y))
        measured = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(evaluate)(self.selection, self.recalibrate, Z, y, y == self.classes_[1], *some)
            for some in zip(slices(pairs, size), slices(neurons, size), strict=True)
        )
        scores = [score for part, _ in measured for score in part.tolist()]
        thresholds = [threshold for _, part in measured for threshold in part.tolist()]
        return [Candidate(*parts) for parts in zip(pairs, neurons, scores, thresholds, strict=True)]

    def _select(self, candidates: Sequence[Candidate]) -> None:
        """Step 6: the neuron that does best on the whole training set."""
        self.pairs_ = [candidate.pair for candidate in candidates]
        self.neurons_ = [candidate.neuron for candidate in candidates]
        self.scores_ = np.array([candidate.score for candidate in candidates])
        if candidates:
            best = max(candidates, key=lambda candidate: candidate.score)
            self.selected_pair_: ContrastivePair | None = best.pair
            self.estimator_ = best.neuron
            self.threshold_ = best.threshold

    def _fall_back(self, Z: FloatArray, y: AnyArray, seed: int, reason: str) -> None:
        if self.on_no_pair == "raise":
            raise NoContrastivePairError(reason)
        warnings.warn(
            f"{reason} Falling back to one neuron on all rows and columns.",
            NoContrastivePairWarning,
            stacklevel=5,
        )
        Z = dense(Z)
        neuron = seeded(self._neuron(), seed)
        self.estimator_ = neuron.fit(Z, y)
        self.selected_pair_ = None
        self.threshold_ = 0.0
        if self.recalibrate:
            decided = self.estimator_.decision_function(Z)[None]
            self.threshold_ = float(best_thresholds(decided, y == self.classes_[1])[0])

    def _neuron(self) -> Any:
        return unfitted(self.neuron, len(self._class_sizes) > 2 and self.multi_class == "ovr")
