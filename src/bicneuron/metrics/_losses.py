"""How wrong a model is on each row, when it was not trained on it."""

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_predict
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, column_or_1d, has_fit_parameter

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._estimators import draw_seed
from bicneuron.metrics._cross_validation import check_class_sizes


def losses_left_out(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: int = 5,
    groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> FloatArray:
    """Loss of each row, by copies of a model that were fitted without it.

    Of a classifier the negative logarithm of the probability of the true class; without
    ``predict_proba``, 1 for a wrong class and 0 for the right one. Of a regressor the absolute
    error. `bicneuron.find_groups` finds groups of rows with large or small losses.

    Parameters
    ----------
    model : classifier or regressor
        It is copied, not changed; copies that have no ``random_state`` get one.
    X : array-like or data frame of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
        Classes, at least two rows of each, or numbers.
    cv : int, default=5
        Shuffled folds, stratified by class; fewer if a class has fewer rows, or groups.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group (one patient, say) are in the same fold.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same result on each call.
    n_jobs : int, default=None
        Processes; the result does not depend on it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from bicneuron.metrics import losses_left_out
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> losses = losses_left_out(RandomForestClassifier(20), X, y, random_state=0)
    >>> losses.shape, bool(losses.mean() < 0.5)
    ((569,), True)
    """
    if not (is_classifier(model) or is_regressor(model)):
        raise ValueError(f"model is {model!r}; give a classifier or a regressor of scikit-learn.")
    if cv < 2:
        raise ValueError(f"cv is {cv}; it must be at least 2.")
    y, rows = column_or_1d(y), np.arange(len(y))
    units = rows if groups is None else column_or_1d(groups)
    check_consistent_length(X, y, units)
    classes = np.zeros_like(rows)  # folds of numbers are not stratified
    if is_classifier(model):
        check_class_sizes(y)
        classes = np.unique(y, return_inverse=True)[1]
    else:
        y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    n_units = [len(np.unique(units[classes == one])) for one in np.unique(classes)]
    if min(n_units) < 2:
        raise ValueError("groups leave one group of rows with some class; two are needed.")
    seed = draw_seed(random_state)
    folds = StratifiedKFold if groups is None else StratifiedGroupKFold
    split = folds(min(cv, *n_units), shuffle=True, random_state=seed).split(rows, classes, groups)
    settings = model.get_params().items()
    unset = [name for name, own in settings if own is None and name.endswith("random_state")]
    model = clone(model).set_params(**dict.fromkeys(unset, seed))
    options: dict[str, Any] = {"cv": list(split), "n_jobs": n_jobs}
    if groups is not None and has_fit_parameter(model, "groups"):
        options["params"] = {"groups": groups}
    if is_classifier(model) and hasattr(model, "predict_proba"):
        chances = cross_val_predict(model, X, y, method="predict_proba", **options)
        possible = np.maximum(chances[rows, classes], np.finfo(np.float64).eps)  # as log_loss
        return np.asarray(np.abs(np.log(possible)), dtype=np.float64)
    predicted = cross_val_predict(model, X, y, **options)
    return np.asarray(predicted != y if is_classifier(model) else np.abs(predicted - y), float)
