"""How well a model does on rows that it has not seen, and how sure that is."""

import warnings
from typing import Any

import numpy as np
from scipy.stats import t
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.classifier import BicNeuronClassifierCV
from bicneuron.exceptions import FewerFoldsWarning, NoContrastivePairWarning

N_SPLITS, N_REPEATS = 5, 2
# A page should not take hours: folds of a search, which has folds of its own, are not repeated, and
# of a longer table this many rows are looked at.
MOST_ROWS = 2000
CONFIDENCE = 0.95
MEASURES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy (label AUC)",
    "roc_auc": "Area under the ROC curve (score AUC)",
}


def cross_validated(model: Any, X: FloatArray, y: AnyArray) -> dict[str, Any]:
    """Scores by repeated stratified cross-validation of clones of a model.

    Parameters
    ----------
    model : fitted classifier
    X : array of shape (n_rows, n_columns)
    y : array of shape (n_rows,)

    Returns
    -------
    dict
        ``measures`` with mean, standard deviation and interval of each, or ``reason`` why there are
        none.
    """
    labels, sizes = np.unique(y, return_counts=True)
    if len(labels) < 2 or sizes.min() < 2:
        return {"reason": "Cross-validation needs two classes with two rows each."}
    if len(y) > MOST_ROWS:
        X, _, y, _ = train_test_split(X, y, train_size=MOST_ROWS, stratify=y, random_state=0)
        sizes = np.unique(y, return_counts=True)[1]
    n_splits = int(min(N_SPLITS, sizes.min()))
    n_repeats = 1 if isinstance(model, BicNeuronClassifierCV) else N_REPEATS
    folds = RepeatedStratifiedKFold(n_splits=n_splits, n_repeats=n_repeats, random_state=0)
    names = [name for name in MEASURES if name != "roc_auc" or len(labels) == 2]
    values: dict[str, list[float]] = {name: [] for name in names}
    n_fallbacks = 0
    for train, test in folds.split(X, y):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted = _fresh(model).fit(X[train], y[train])
        n_fallbacks += any(w.category is NoContrastivePairWarning for w in caught)
        _pass_on(caught)
        for name in names:
            values[name].append(float(get_scorer(name)(fitted, X[test], y[test])))
    return {
        "reason": None,
        "n_rows": len(y),
        "n_splits": n_splits,
        "n_repeats": n_repeats,
        "n_fallbacks": n_fallbacks,
        "measures": [
            {"name": MEASURES[name], **spread(np.array(values[name]), n_splits)} for name in names
        ],
        "majority": float(sizes.max() / sizes.sum()),
    }


def spread(values: FloatArray, n_splits: int) -> dict[str, float]:
    """Mean, standard deviation and an interval for the mean.

    Training sets overlap, so that the scores of folds depend on each other: the variance of their
    mean is corrected as Nadeau and Bengio (2003) do, by the test rows for each training row.
    """
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    correction = 1.0 / len(values) + 1.0 / (n_splits - 1)
    half = float(t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * deviation * np.sqrt(correction)
    return {
        "mean": mean,
        "sd": deviation,
        "low": max(0.0, mean - half),
        "high": min(1.0, mean + half),
    }


def _fresh(model: Any) -> Any:
    """An unfitted copy that gives the same scores each time."""
    copy = clone(model)
    return copy.set_params(random_state=0) if copy.random_state is None else copy


def _pass_on(caught: list[warnings.WarningMessage]) -> None:
    """Show what is no part of what the page tells."""
    for w in caught:
        if not issubclass(w.category, NoContrastivePairWarning | FewerFoldsWarning):
            warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)
