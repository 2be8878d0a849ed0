"""How well a model does on rows that it has not seen, beside logistic regression."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    cross_validate,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.exceptions import FewerFoldsWarning, NoContrastivePairWarning

CONFIDENCE = 0.95
# Told by the result itself, or of no interest in copies of a model.
EXPECTED = (NoContrastivePairWarning, FewerFoldsWarning)


@dataclass(frozen=True)
class MeanScore:
    """A mean over folds, and how sure it is.

    Parameters
    ----------
    mean, sd : float
        Mean and standard deviation of the folds.
    low, high : float
        The 95 % interval of the mean.
    """

    mean: float
    sd: float
    low: float
    high: float


@dataclass(frozen=True)
class CrossValidatedScores:
    """A model and logistic regression on the same folds, as `cross_validated_scores` gives them.

    Printed, it is a small table of the balanced accuracies.

    Parameters
    ----------
    n_rows : int
        Rows that were looked at.
    n_splits, n_repeats : int
        Folds, and how often the rows were shuffled and split anew.
    n_without_pair : int
        Fits that found no contrastive pair.
    model, logistic_regression : dict of str to MeanScore
        "accuracy", "balanced_accuracy" and, for two classes, "roc_auc".
    difference : MeanScore
        Balanced accuracy of the model minus that of logistic regression, fold by fold.
    majority_accuracy, majority_balanced_accuracy : float
        Of a rule that always names the largest class.
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

    def __str__(self) -> str:
        ours, theirs = (
            self.model["balanced_accuracy"],
            self.logistic_regression["balanced_accuracy"],
        )
        gap = self.difference
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
        if self.n_without_pair:
            n_fits = self.n_splits * self.n_repeats
            lines.append(f"  {self.n_without_pair} of {n_fits} fits found no contrastive pair")
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
    after_fold: Callable[[int, int], None] | None = None,
) -> CrossValidatedScores:
    """Score copies of a model, and logistic regression, by stratified shuffled cross-validation.

    Logistic regression has its default penalty, on columns standardised by the training rows. The
    interval of a mean is a t interval whose variance is corrected for training sets that overlap
    (Nadeau and Bengio 2003); intervals of plain scores end at 0 and 1.

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
        How often rows are shuffled and split. None is 2, or 1 for a model that cross-validates
        itself (one with a parameter ``cv``), because that takes long.
    max_rows : int, default=2000
        Of a longer table, a stratified sample of this many rows is looked at. None for all rows.
    random_state : int, default=0
        Seed of the folds. The same arguments give the same scores.
    after_fold : callable, default=None
        Called with the number of folds that are done and the number of all.

    Returns
    -------
    CrossValidatedScores

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronNetwork
    >>> from bicneuron.metrics import cross_validated_scores
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BicNeuronNetwork(design="readable", n_neurons=3, n_candidates=20)
    >>> scores = cross_validated_scores(model, X[::3], y[::3], n_repeats=1)
    >>> scores.model["balanced_accuracy"].mean > 0.85
    True
    >>> scores.majority_balanced_accuracy
    0.5
    """
    y = np.asarray(y)
    groups = np.arange(len(y)) if groups is None else np.asarray(groups)
    is_grouped = len(np.unique(groups)) < len(y)
    if max_rows is not None and len(y) > max_rows:
        _check_classes(y)
        X, _, y, _, groups, _ = train_test_split(
            X, y, groups, train_size=max_rows, stratify=y, random_state=random_state
        )
    sizes = _check_classes(y)
    n_units = min(len(np.unique(groups[y == label])) for label in np.unique(y))
    if n_units < 2:
        raise ValueError("cross-validation needs two groups with rows of each class.")
    n_splits = min(n_splits, n_units)
    if n_repeats is None:
        n_repeats = 1 if "cv" in model.get_params(deep=False) else 2
    folds = _folds(y, groups if is_grouped else None, n_splits, n_repeats, random_state)
    model = _seeded(clone(model), random_state)
    rival = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True),
        StandardScaler(),
        LogisticRegression(max_iter=1000),
    )
    names = ["accuracy", "balanced_accuracy", *(["roc_auc"] if len(sizes) == 2 else [])]
    ours: list[list[float]] = []
    theirs: list[list[float]] = []
    caught: list[warnings.WarningMessage] = []
    n_without_pair = 0
    for number, fold in enumerate(folds, start=1):
        with warnings.catch_warnings(record=True) as new:
            warnings.simplefilter("always")
            ours.append(_scores(model, X, y, fold, names))
        caught += new
        n_without_pair += any(w.category is NoContrastivePairWarning for w in new)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            theirs.append(_scores(rival, X, y, fold, names))
        if after_fold is not None:
            after_fold(number, n_splits * n_repeats)
    _pass_on(caught)
    by_name = dict(zip(names, np.array(ours).T, strict=True))
    rival_by_name = dict(zip(names, np.array(theirs).T, strict=True))
    gaps = by_name["balanced_accuracy"] - rival_by_name["balanced_accuracy"]
    return CrossValidatedScores(
        n_rows=len(y),
        n_splits=n_splits,
        n_repeats=n_repeats,
        n_without_pair=n_without_pair,
        model={name: mean_score(values, n_splits) for name, values in by_name.items()},
        logistic_regression={
            name: mean_score(values, n_splits) for name, values in rival_by_name.items()
        },
        difference=mean_score(gaps, n_splits, least=-1.0),
        majority_accuracy=float(sizes.max() / sizes.sum()),
        majority_balanced_accuracy=1.0 / len(sizes),
    )


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
    """Mean, standard deviation and interval of the scores of folds.

    Training sets overlap, so that the scores depend on each other: the variance of their mean is
    corrected as Nadeau and Bengio (2003) do, by the number of test rows per training row.
    """
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


def _scores(model: Any, X: Any, y: Any, fold: Any, names: Sequence[str]) -> list[float]:
    scored = cross_validate(model, X, y, cv=[fold], scoring=list(names), error_score="raise")
    return [float(scored[f"test_{name}"][0]) for name in names]


def _seeded(model: Any, seed: int) -> Any:
    """With a seed where it has none, so that it gives the same scores each time."""
    if model.get_params(deep=False).get("random_state", seed) is None:
        model.set_params(random_state=seed)
    return model


def _pass_on(caught: Sequence[warnings.WarningMessage]) -> None:
    """Show what was not expected, once."""
    distinct = {(w.category, str(w.message)): w for w in caught if w.category not in EXPECTED}
    for w in distinct.values():
        warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)
