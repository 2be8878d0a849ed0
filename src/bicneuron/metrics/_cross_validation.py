"""Scores of a model on rows left out of its training, beside logistic regression."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

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
from bicneuron.exceptions import FewerFoldsWarning, NoContrastivePairWarning, NoPatternWarning
from bicneuron.metrics._rows_left_out import CONFIDENCE, RowsLeftOut

# Fits that say so have no pattern.
NOTHING_FOUND = (NoContrastivePairWarning, NoPatternWarning)
# Scores of folds that differ by less are the same.
SAME = 1e-12
# Patterns of a fold that are kept, at most.
MOST_PATTERNS = 30
# Counted in the result, or of no interest in copies of a model.
EXPECTED = (*NOTHING_FOUND, FewerFoldsWarning)
Split: TypeAlias = tuple[IndexArray, IndexArray]  # training and test rows


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
        rows = self._rows()
        body = table(("", "balanced accuracy", "95 % interval"), rows)
        return fragment(sentences(title), body, sentences(*notes[len(rows) :]))

    def _rows(self) -> list[tuple[str, str, str]]:
        """Names, means and intervals of the balanced accuracies."""
        compared = (
            ("this model", self.model["balanced_accuracy"], ""),
            ("logistic regression", self.logistic_regression["balanced_accuracy"], ""),
            ("difference", self.difference, "+"),
        )
        rows = [
            (name, f"{own.mean:{sign}.3f}", f"{own.low:{sign}.2f} to {own.high:{sign}.2f}")
            for name, own, sign in compared
        ]
        return [*rows, ("majority class", f"{self.majority_balanced_accuracy:.3f}", "")]

    def __str__(self) -> str:
        folds = f"{self.n_splits} shuffled folds"
        if self.n_repeats > 1:
            folds += f", {self.n_repeats} times"
        remarks = {
            "logistic regression": ", standardised columns, same folds",
            "majority class": f"(right for {100 * self.majority_accuracy:.0f} % of the rows)",
        }
        lines = [f"balanced accuracy on rows left out ({folds}; 95 % intervals):"]
        for name, mean, limits in self._rows():
            limits = f"({limits})" if limits else ""
            lines.append(f"  {name:<19}{mean:>7}  {limits}{remarks.get(name, '')}")
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
        check_class_sizes(y)
        X, _, y, _, groups, _, places, _ = train_test_split(
            X, y, groups, places, train_size=max_rows, stratify=y, random_state=random_state
        )
    sizes = check_class_sizes(y)
    n_units = min(len(np.unique(groups[y == label])) for label in np.unique(y))
    if n_units < 2:
        raise ValueError("cross-validation needs two groups with rows of each class.")
    n_splits = min(n_splits, n_units)
    first, last = (model[:-1], model[-1]) if isinstance(model, Pipeline) else (None, model)
    own = last.get_params(deep=False)
    if n_repeats is None:
        searches = "cv" in own and own.get("search", "") is not None
        n_repeats = 1 if searches or "max_patterns" in own else 2
    folds = _folds(y, groups if is_grouped else None, n_splits, n_repeats, random_state)
    model = clone(model)
    if own.get("random_state", 0) is None:  # so that scores are reproducible
        (model[-1] if first else model).set_params(random_state=random_state)
    rival = make_pipeline(
        *([clone(first)] if first else []),  # such as an encoder of words
        SimpleImputer(strategy="median", keep_empty_features=True),
        StandardScaler(),
        LogisticRegression(max_iter=1000),
    )

    def test(fold: Split) -> tuple[_Fold, _Fold, list[warnings.WarningMessage]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ours = _tested(model, X, y, fold, groups if is_grouped else None, places)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return ours, _tested(rival, X, y, fold, None, places), caught

    tested = step_by_step(map(test, folds), n_splits * n_repeats)
    ours, theirs, caught = zip(*tested, strict=True)
    n_without_pair = sum(any(w.category in NOTHING_FOUND for w in of_fold) for of_fold in caught)
    # Each unexpected warning once.
    unexpected = [w for of_fold in caught for w in of_fold if w.category not in EXPECTED]
    for w in {(w.category, str(w.message)): w for w in unexpected}.values():
        warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)
    gaps = _values(ours, "balanced_accuracy") - _values(theirs, "balanced_accuracy")
    left_out = _left_out(ours[:n_splits], y, places)
    means = _means(ours, n_splits, left_out)
    their_means = _means(theirs, n_splits, _left_out(theirs[:n_splits], y, places))
    both = (some["balanced_accuracy"] for some in (means, their_means))
    return CrossValidatedScores(
        n_rows=len(y),
        n_splits=n_splits,
        n_repeats=n_repeats,
        n_without_pair=n_without_pair,
        model=means,
        logistic_regression=their_means,
        difference=_difference(gaps, n_splits, *both),
        majority_accuracy=float(sizes.max() / sizes.sum()),
        majority_balanced_accuracy=1.0 / len(sizes),
        left_out=left_out,
        folds=tuple(fold.patterns for fold in ours[:n_splits] if fold.patterns is not None),
    )


class _Fold(NamedTuple):
    """A copy of a model on the rows left out of its training: scores, predictions, patterns."""

    rows: IndexArray
    measured: dict[str, float]
    predicted: AnyArray
    scores: FloatArray | None
    chances: FloatArray | None
    patterns: FoldPatterns | None


def _tested(model: Any, X: Any, y: AnyArray, fold: Split, groups: Any, places: IndexArray) -> _Fold:
    """Fit a copy to the training rows of a fold and score it on the others."""
    told: dict[str, Any] = {}

    def score(fitted: Any, X: Any, y_true: AnyArray) -> dict[str, float]:
        predicted = fitted.predict(X)
        measured = {
            "accuracy": float(accuracy_score(y_true, predicted)),
            "balanced_accuracy": float(balanced_accuracy_score(y_true, predicted)),
        }
        chances: Any = fitted.predict_proba(X) if hasattr(fitted, "predict_proba") else None
        scores: Any = None
        if len(np.unique(y)) == 2:
            decided = hasattr(fitted, "decision_function")
            scores = fitted.decision_function(X) if decided else chances[:, 1]
            measured["roc_auc"] = float(roc_auc_score(y_true, scores))
            # Comparable between folds, unlike scores.
            scores = scores if chances is None else chances[:, 1]
        told.update(measured=measured, predicted=predicted, scores=scores, chances=chances)
        return measured

    grouped = groups is not None and has_fit_parameter(model, "groups")
    scored = cross_validate(
        model,
        X,
        y,
        cv=[fold],
        scoring=score,
        error_score="raise",
        params={"groups": groups} if grouped else None,
        return_estimator=True,
    )
    patterns = _patterns(scored["estimator"][0], X, places, fold[1])
    return _Fold(rows=fold[1], patterns=patterns, **told)


def _patterns(fitted: Any, X: Any, places: IndexArray, left_out: IndexArray) -> FoldPatterns | None:
    """The patterns of a fold and their carriers, unless they are very many."""
    model = fitted[-1] if isinstance(fitted, Pipeline) else fitted
    if len(getattr(model, "patterns_", range(MOST_PATTERNS + 1))) > MOST_PATTERNS:
        return None
    carriers = model.carriers(X if model is fitted else fitted[:-1].transform(X))
    is_left_out = np.isin(np.arange(len(places)), left_out)
    return FoldPatterns(model.patterns_, places, carriers, is_left_out)


def _values(folds: Sequence[_Fold], name: str) -> FloatArray:
    return np.array([fold.measured[name] for fold in folds])


def _means(folds: Sequence[_Fold], n_splits: int, left_out: RowsLeftOut) -> dict[str, MeanScore]:
    """Mean of each score, with an interval that is not empty."""
    means = {}
    for name in folds[0].measured:
        values = _values(folds, name)
        score = mean_score(values, n_splits)
        if np.ptp(values) < SAME:
            rows = getattr(left_out, name)
            score = replace(score, low=min(score.mean, rows.low), high=max(score.mean, rows.high))
        means[name] = score
    return means


def _left_out(folds: Sequence[_Fold], y: AnyArray, places: IndexArray) -> RowsLeftOut:
    """Predictions of folds in which each row is tested once."""
    rows = np.concatenate([fold.rows for fold in folds])
    order = np.argsort(places[rows], kind="stable")

    def joined(name: str) -> Any:
        parts = [getattr(fold, name) for fold in folds]
        return None if parts[0] is None else np.concatenate(parts)[order]

    return RowsLeftOut(
        classes=np.unique(y).tolist(),
        rows=places[rows][order],
        y=y[rows][order],
        predicted=joined("predicted"),
        scores=joined("scores"),
        probabilities=joined("chances"),
    )


def _difference(gaps: FloatArray, n_splits: int, our: MeanScore, their: MeanScore) -> MeanScore:
    """Mean of the differences; where all are equal, an interval made of those of both scores."""
    score = mean_score(gaps, n_splits, least=-1.0)
    if np.ptp(gaps) >= SAME:
        return score
    below = float(np.hypot(our.mean - our.low, their.high - their.mean))
    above = float(np.hypot(our.high - our.mean, their.mean - their.low))
    return replace(score, low=max(-1.0, score.mean - below), high=min(1.0, score.mean + above))


def _folds(
    y: AnyArray, groups: AnyArray | None, n_splits: int, n_repeats: int, seed: int
) -> Iterator[Split]:
    """Training and test rows of all folds."""
    table = np.zeros(len(y))
    if groups is None:
        splits = {"n_splits": n_splits, "n_repeats": n_repeats, "random_state": seed}
        yield from RepeatedStratifiedKFold(**splits).split(table, y)
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


def check_class_sizes(y: Any) -> Any:
    """Sizes of the classes, if each can be trained on and tested."""
    labels, sizes = np.unique(y, return_counts=True)
    if len(labels) < 2:
        raise ValueError("cross-validation needs two classes; y has one.")
    if sizes.min() < 2:
        rare = labels[sizes.argmin()].item()
        raise ValueError(f"cross-validation needs two rows of each class; {rare!r} has one.")
    return sizes
