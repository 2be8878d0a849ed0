"""Scores of a model on rows left out of its training, beside logistic regression."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    cross_validate,
    train_test_split,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._html import fragment, sentences, table
from bicneuron._shared._steps import step_by_step
from bicneuron.exceptions import (
    FewerFoldsWarning,
    ManyProblemsWarning,
    NoContrastivePairWarning,
    NoPatternWarning,
)
from bicneuron.metrics._intervals import CONFIDENCE
from bicneuron.metrics._rows_left_out import RowsLeftOut

# Fits that say so have no pattern.
NOTHING_FOUND = (NoContrastivePairWarning, NoPatternWarning)
# Scores of folds that differ by less are the same.
SAME = 1e-12
# Patterns of a fold that are kept, at most.
MOST_PATTERNS = 30
# Counted in the result, or of no interest in copies of a model.
EXPECTED = (*NOTHING_FOUND, FewerFoldsWarning, ManyProblemsWarning)


@dataclass(frozen=True)
class MeanScore:
    """A mean over folds, the standard deviation of these, and the 95 % interval of the mean."""

    mean: float
    sd: float
    low: float
    high: float


class FoldPatterns(NamedTuple):
    """Patterns of a copy of a model that was fitted without the rows of a fold.

    ``rows`` are all that were looked at, as positions in the table; ``carriers`` has a row for
    each and a column for each pattern.
    """

    patterns: list[Any]
    rows: IndexArray
    carriers: BoolArray
    is_left_out: BoolArray


@dataclass(frozen=True)
class CrossValidatedScores:
    """A model and logistic regression on the same folds; printed, a small table.

    ``model`` and ``logistic_regression`` have "accuracy", "balanced_accuracy" and, for two classes,
    "roc_auc". ``difference`` is that of the balanced accuracies, fold by fold. The majority scores
    are of a rule that always names the largest class. ``left_out`` has the predictions for the rows
    left out, and ``folds`` the patterns, of the first repeat.
    """

    n_rows: int
    n_splits: int
    n_repeats: int
    n_without_pair: int
    model: Mapping[str, MeanScore]
    logistic_regression: Mapping[str, MeanScore]
    difference: MeanScore
    majority_accuracy: float
    majority_balanced_accuracy: float
    left_out: RowsLeftOut | None = field(default=None, compare=False, repr=False)
    folds: tuple[FoldPatterns, ...] = field(default=(), compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with prevalence, recall and precision of each class; without single rows."""
        content = asdict(replace(self, left_out=None, folds=()))
        del content["left_out"], content["folds"]
        if self.left_out is not None:
            content["classes"] = {
                str(own.label): {
                    "n_rows": own.prevalence.count,
                    "prevalence": own.prevalence.value,
                    "recall": own.sensitivity.value,
                    "specificity": own.specificity.value,
                    # JSON has no NaN.
                    "precision": own.precision.value if own.precision.total else None,
                }
                for own in self.left_out.class_scores
            }
        return content

    def _repr_html_(self) -> str:
        """What a notebook shows: the lines of the text as a table."""
        title, *notes = str(self).splitlines()
        rows = [
            (name, f"{own.mean:{sign}.3f}", f"{own.low:{sign}.2f} to {own.high:{sign}.2f}")
            for name, own, sign in (
                ("this model", self.model["balanced_accuracy"], ""),
                ("logistic regression", self.logistic_regression["balanced_accuracy"], ""),
                ("difference", self.difference, "+"),
            )
        ]
        rows.append(("majority class", f"{self.majority_balanced_accuracy:.3f}", ""))
        body = table(("", "balanced accuracy", "95 % interval"), rows)
        return fragment(sentences(title), body, sentences(*notes[4:]))

    def __str__(self) -> str:
        ours, gap = self.model["balanced_accuracy"], self.difference
        theirs = self.logistic_regression["balanced_accuracy"]
        folds = f"{self.n_splits} shuffled folds"
        if self.n_repeats > 1:
            folds += f", {self.n_repeats} times"
        lines = [
            f"balanced accuracy on rows left out ({folds}; 95 % intervals):",
            f"  this model           {ours.mean:.3f}  ({ours.low:.2f} to {ours.high:.2f})",
            f"  logistic regression  {theirs.mean:.3f}  ({theirs.low:.2f} to {theirs.high:.2f}), "
            "standardised columns, same folds",
            f"  difference          {gap.mean:+.3f}  ({gap.low:+.2f} to {gap.high:+.2f})",
            f"  majority class       {self.majority_balanced_accuracy:.3f}  "
            f"(right for {100 * self.majority_accuracy:.0f} % of the rows)",
        ]
        if self.left_out is not None:
            lines += [f"  {own}" for own in self.left_out.class_scores if own.is_rare]
        if self.n_without_pair:
            n_fits = self.n_splits * self.n_repeats
            lines.append(f"  {self.n_without_pair} of {n_fits} fits found no pattern")
        return "\n".join(lines)


def cross_validated_scores(
    model: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    n_splits: int = 5,
    n_repeats: int | None = None,
    max_rows: int | None = 2000,
    random_state: int = 0,
) -> CrossValidatedScores:
    """Score copies of a model, and logistic regression, by stratified shuffled cross-validation.

    Logistic regression has its default penalty, on columns standardised by the training rows, and
    follows the same first steps if the model is a pipeline. The interval of a mean is a t interval
    whose variance is corrected for training sets that overlap (Nadeau and Bengio 2003); intervals
    of plain scores end at 0 and 1. Where all folds have the same score, as those of a model that
    always names one class, the interval is that of the rows: Wilson's, combined over classes (Zou
    and Donner 2008), or DeLong's of an area.

    Parameters
    ----------
    model : classifier
        It is copied, not changed; copies that have no ``random_state`` get ``random_state``.
    X : array-like or data frame of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
        Classes, at least two rows of each.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group (one patient, say) are in the same fold.
    n_splits : int, default=5
        Folds; fewer where the smallest class has fewer rows, or groups.
    n_repeats : int, default=None
        How often rows are shuffled and split. None is 2, or 1 for a model that takes long to fit:
        one that cross-validates itself (with a parameter ``cv``), or a `PatternClassifier`.
    max_rows : int, default=2000
        Of a longer table, a stratified sample of this many rows is looked at. None for all rows.
    random_state : int, default=0
        Seed of the folds. The same arguments give the same scores.

    Returns
    -------
    CrossValidatedScores

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronNetwork
    >>> from bicneuron.metrics import cross_validated_scores
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BicNeuronNetwork(n_neurons=20)
    >>> scores = cross_validated_scores(model, X[::3], y[::3], n_repeats=1)
    >>> scores.model["balanced_accuracy"].mean > 0.85
    True
    >>> scores.majority_balanced_accuracy
    0.5
    """
    y = np.asarray(y)
    groups = np.arange(len(y)) if groups is None else np.asarray(groups)
    is_grouped = len(np.unique(groups)) < len(y)
    places = np.arange(len(y))
    if max_rows is not None and len(y) > max_rows:
        _check_classes(y)
        X, _, y, _, groups, _, places, _ = train_test_split(
            X, y, groups, places, train_size=max_rows, stratify=y, random_state=random_state
        )
    sizes = _check_classes(y)
    n_units = min(len(np.unique(groups[y == label])) for label in np.unique(y))
    if n_units < 2:
        raise ValueError("cross-validation needs two groups with rows of each class.")
    n_splits = min(n_splits, n_units)
    first, last = (model[:-1], model[-1]) if isinstance(model, Pipeline) else (None, model)
    if n_repeats is None:
        own = last.get_params(deep=False)
        searches = "cv" in own and own.get("search", "") is not None
        n_repeats = 1 if searches or "max_patterns" in own else 2
    folds = _folds(y, groups if is_grouped else None, n_splits, n_repeats, random_state)
    model = clone(model)
    _set_seed(model[-1] if first else model, random_state)
    rival = make_pipeline(
        *([clone(first)] if first else []),  # such as an encoder of words
        SimpleImputer(strategy="median", keep_empty_features=True),
        StandardScaler(),
        LogisticRegression(max_iter=1000),
    )
    ours, theirs = _Tested(model, np.unique(y)), _Tested(rival, np.unique(y))

    def test(fold: tuple[IndexArray, IndexArray]) -> list[warnings.WarningMessage]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ours.test(X, y, fold, groups if is_grouped else None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            theirs.test(X, y, fold)
        return caught

    caught = step_by_step(map(test, folds), n_splits * n_repeats)
    n_without_pair = sum(any(w.category in NOTHING_FOUND for w in of_fold) for of_fold in caught)
    _pass_on([w for of_fold in caught for w in of_fold])
    gaps = ours.values("balanced_accuracy") - theirs.values("balanced_accuracy")
    our_means, their_means = (tested.means(places, y, n_splits) for tested in (ours, theirs))
    return CrossValidatedScores(
        n_rows=len(y),
        n_splits=n_splits,
        n_repeats=n_repeats,
        n_without_pair=n_without_pair,
        model=our_means,
        logistic_regression=their_means,
        difference=_difference(gaps, n_splits, our_means, their_means),
        majority_accuracy=float(sizes.max() / sizes.sum()),
        majority_balanced_accuracy=1.0 / len(sizes),
        left_out=ours.rows_left_out(places, y, n_splits),
        folds=tuple(one._replace(rows=places) for one in ours.patterns[:n_splits]),
    )


class _Tested:
    """A model, the scores of its folds and its predictions for their rows."""

    def __init__(self, model: Any, classes: AnyArray) -> None:
        self._model = model
        self._classes = classes
        self._folds: list[dict[str, float]] = []
        self._rows: list[IndexArray] = []
        self._predictions: list[tuple[AnyArray, FloatArray | None, FloatArray | None]] = []
        self.patterns: list[FoldPatterns] = []

    def test(
        self,
        X: Any,
        y: AnyArray,
        fold: tuple[IndexArray, IndexArray],
        groups: AnyArray | None = None,
    ) -> None:
        """Fit a copy to the training rows of a fold and score it on the others."""
        inside = groups is not None and has_fit_parameter(self._model, "groups")
        scored = cross_validate(
            self._model,
            X,
            y,
            cv=[fold],
            scoring=self._score,
            error_score="raise",
            params={"groups": groups} if inside else None,
            return_estimator=True,
        )
        self._keep_patterns(scored["estimator"][0], X, fold[1])
        self._folds.append({name[5:]: float(scored[name][0]) for name in scored if "test_" in name})
        self._rows.append(fold[1])

    def _keep_patterns(self, fitted: Any, X: Any, left_out: IndexArray) -> None:
        """Keep the patterns of a fold and their carriers, unless they are very many."""
        model = fitted[-1] if isinstance(fitted, Pipeline) else fitted
        if len(getattr(model, "patterns_", range(MOST_PATTERNS + 1))) > MOST_PATTERNS:
            return
        rows = np.arange(np.shape(X)[0])
        carriers = model.carriers(X if model is fitted else fitted[:-1].transform(X))
        is_left_out = np.isin(rows, left_out)
        self.patterns.append(FoldPatterns(model.patterns_, rows, carriers, is_left_out))

    def _score(self, fitted: Any, X: Any, y: AnyArray) -> dict[str, float]:
        predicted = fitted.predict(X)
        measured = {
            "accuracy": float(accuracy_score(y, predicted)),
            "balanced_accuracy": float(balanced_accuracy_score(y, predicted)),
        }
        scores = None
        if len(self._classes) == 2:
            if hasattr(fitted, "decision_function"):
                scores = fitted.decision_function(X)
            else:
                scores = fitted.predict_proba(X)[:, 1]
            measured["roc_auc"] = float(roc_auc_score(y, scores))
        chances = fitted.predict_proba(X) if hasattr(fitted, "predict_proba") else None
        if scores is not None and chances is not None:
            scores = chances[:, 1]  # comparable between folds, unlike scores
        self._predictions.append((predicted, scores, chances))
        return measured

    def values(self, name: str) -> FloatArray:
        """One score of all folds."""
        return np.array([fold[name] for fold in self._folds])

    def means(self, places: IndexArray, y: AnyArray, n_splits: int) -> dict[str, MeanScore]:
        """Mean of each score, with an interval that is not empty."""
        means = {}
        for name in self._folds[0]:
            values = self.values(name)
            score = mean_score(values, n_splits)
            if np.ptp(values) < SAME:
                of_rows = getattr(self.rows_left_out(places, y, n_splits), name)
                low, high = min(score.mean, of_rows.low), max(score.mean, of_rows.high)
                score = replace(score, low=low, high=high)
            means[name] = score
        return means

    def rows_left_out(self, places: IndexArray, y: AnyArray, n_splits: int) -> RowsLeftOut:
        """Predictions of the first repeat, in which each row is tested once."""
        tested = np.concatenate(self._rows[:n_splits])
        order = np.argsort(places[tested], kind="stable")
        predicted, scores, chances = (
            [part for part in parts if part is not None]
            for parts in zip(*self._predictions[:n_splits], strict=True)
        )
        return RowsLeftOut(
            classes=self._classes.tolist(),
            rows=places[tested][order],
            y=y[tested][order],
            predicted=np.concatenate(predicted)[order],
            scores=np.concatenate(scores)[order] if scores else None,
            probabilities=np.concatenate(chances)[order] if chances else None,
        )


def _difference(
    gaps: FloatArray,
    n_splits: int,
    ours: Mapping[str, MeanScore],
    theirs: Mapping[str, MeanScore],
) -> MeanScore:
    """Mean of the differences; where all are equal, an interval made of those of both scores."""
    score = mean_score(gaps, n_splits, least=-1.0)
    if np.ptp(gaps) >= SAME:
        return score
    our, their = ours["balanced_accuracy"], theirs["balanced_accuracy"]
    below = float(np.hypot(our.mean - our.low, their.high - their.mean))
    above = float(np.hypot(our.high - our.mean, their.mean - their.low))
    return replace(score, low=max(-1.0, score.mean - below), high=min(1.0, score.mean + above))


def _folds(
    y: AnyArray, groups: AnyArray | None, n_splits: int, n_repeats: int, seed: int
) -> Iterator[tuple[IndexArray, IndexArray]]:
    """Training and test rows of all folds."""
    table = np.zeros(len(y))
    if groups is None:
        yield from RepeatedStratifiedKFold(
            n_splits=n_splits, n_repeats=n_repeats, random_state=seed
        ).split(table, y)
        return
    for repeat in range(n_repeats):
        splitter = StratifiedGroupKFold(n_splits, shuffle=True, random_state=seed + repeat)
        yield from splitter.split(table, y, groups)


def mean_score(values: FloatArray, n_splits: int, *, least: float = 0.0) -> MeanScore:
    """Mean, standard deviation and interval of the scores of folds."""
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    correction = 1.0 / len(values) + 1.0 / (n_splits - 1)
    half = float(t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * deviation * np.sqrt(correction)
    return MeanScore(mean, deviation, max(least, mean - half), min(1.0, mean + half))


def _check_classes(y: Any) -> Any:
    """Sizes of the classes, if each can be trained on and tested."""
    labels, sizes = np.unique(y, return_counts=True)
    if len(labels) < 2:
        raise ValueError("cross-validation needs two classes; y has one.")
    if sizes.min() < 2:
        rare = labels[sizes.argmin()].item()
        raise ValueError(f"cross-validation needs two rows of each class; {rare!r} has one.")
    return sizes


def _set_seed(model: Any, seed: int) -> None:
    """Set a missing seed, so that scores are reproducible."""
    if model.get_params(deep=False).get("random_state", seed) is None:
        model.set_params(random_state=seed)


def _pass_on(caught: Sequence[warnings.WarningMessage]) -> None:
    """Repeat each unexpected warning once."""
    distinct = {(w.category, str(w.message)): w for w in caught if w.category not in EXPECTED}
    for w in distinct.values():
        warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)
