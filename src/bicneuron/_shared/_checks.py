"""Checks of the input that every estimator makes."""

from math import inf
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import gen_batches, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_X_y, validate_data

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray

FLOATS = [np.float64, np.float32]
CELLS_AT_ONCE = 2**22


def check_numbers(
    estimator: Any,
    X: Any,
    y: Any = "no_validation",
    *,
    reset: bool = True,
    to_be_scaled: bool = False,
    **checks: Any,
) -> Any:
    """Return ``X``, or ``X`` and ``y``, as scikit-learn's ``validate_data`` does, in float64."""
    checks |= (
        {"dtype": FLOATS, "order": None} if to_be_scaled else {"dtype": FLOATS[0], "order": "C"}
    )
    allow_nan = takes_missing(estimator)
    checks.setdefault("accept_sparse", "csc" if get_tags(estimator).input_tags.sparse else False)
    checks.setdefault("ensure_all_finite", "allow-nan" if allow_nan else True)
    if issparse(X) and not getattr(X, "has_canonical_format", True):
        X = X.copy()
        X.sum_duplicates()  # while they are what they are: True twice is True, not 2
    _check_labels_are_there(y)
    if allow_nan and isinstance(X, np.ndarray) and X.dtype in FLOATS and X.ndim == 2:
        parts = gen_batches(len(X), max(1, CELLS_AT_ONCE // max(X.shape[1], 1)))
        if X.size > CELLS_AT_ONCE and not any(np.isinf(X[some]).any() for some in parts):
            checks["ensure_all_finite"] = False  # which would make a mask of the whole table
    try:
        if set(getattr(X, "dtypes", ())) == {np.dtype(FLOATS[0])} and y is not None:
            # scikit-learn looks at each column of a frame, which takes longer than many answers.
            validate_data(estimator, X, reset=reset, skip_check_array=True)
            table, checks = np.asarray(X), checks | {"estimator": estimator}
            if isinstance(y, str) and y == "no_validation":
                return check_array(table, input_name="X", **checks)
            return check_X_y(table, y, **checks)
        return validate_data(estimator, X, y, reset=reset, **checks)
    except ValueError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        about_cells = any(word in reason for word in ("NaN", "infinity", "could not convert"))
        where = _first_bad_cell(X, allow_nan) if about_cells else ""
        if not where:
            raise
        raise ValueError(f"{reason}: {where}") from error


def _check_labels_are_there(y: Any) -> None:
    """Refuse labels of which some are None, which cannot be sorted."""
    labels = np.asarray(y)
    if labels.dtype == object and labels.ndim == 1:
        rows = [row for row, label in enumerate(labels) if label is None]
        if rows:
            more = f" ({len(rows)} such rows)" if len(rows) > 1 else ""
            raise ValueError(f"y is None in row {rows[0]}{more}; leave out rows without a label.")


def _first_bad_cell(X: Any, allow_nan: bool) -> str:
    """Place and value of the first cell that is not a finite number, and what to do about it."""
    values = cells = X.toarray() if issparse(X) else np.asarray(X)
    if cells.dtype.kind not in "biuf":
        cells = np.asarray(X, dtype=object)
        values = np.vectorize(_as_number, otypes=[float])(cells)
    bad = np.argwhere((np.isinf(values) if allow_nan else ~np.isfinite(values)).T)
    if cells.ndim != 2 or not len(bad):
        return ""
    column, row = bad[0].tolist()
    name, value = getattr(X, "columns", range(column + 1))[column], cells.item(row, column)
    way_out = "Fill in or drop such cells."
    if isinstance(value, str):
        way_out = "bicneuron.tables.TableEncoder makes numbers of words."
    return f"column {name!r}, row {row}, is {value!r}. {way_out}"


def _as_number(cell: Any) -> float:
    """An object as a number, infinity if it is none."""
    try:
        return np.nan if cell is None else float(cell)
    except (TypeError, ValueError):
        return inf


def takes_missing(estimator: Any) -> bool:
    """True if an estimator accepts NaN as a missing value."""
    return bool(get_tags(estimator).input_tags.allow_nan)


def check_classes(y: AnyArray) -> tuple[AnyArray, IndexArray]:
    """Sorted classes and their sizes; fewer than two are refused."""
    check_classification_targets(y)
    classes, sizes = np.unique(y, return_counts=True)
    if len(classes) == 1:
        raise ValueError(f"y has one class, {classes.tolist()[0]!r}; two are needed.")
    return classes, sizes


def by_size(y: AnyArray) -> tuple[AnyArray, IndexArray]:
    """Classes, and the place of each label among them, in an order that names have no part in."""
    classes, first, encoded, sizes = np.unique(
        y, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    return classes[order], np.argsort(order)[encoded]


def weights_of_classes(class_weight: Any, classes: AnyArray, sizes: IndexArray) -> FloatArray:
    """Weight of each class, as the parameter ``class_weight`` gives it."""
    if class_weight == "balanced":
        return np.asarray(sizes.sum() / (len(classes) * sizes))
    labels = classes.tolist()
    for label, weight in class_weight.items():
        if label not in labels:
            raise ValueError(f"class_weight names {label!r}, which is not a class of y.")
        if not (isinstance(weight, Real) and 0 < float(weight) < inf):
            raise ValueError(
                f"class_weight[{label!r}] is {weight!r}; weights are finite and positive. Leave "
                "the rows of a class out instead of giving it no weight."
            )
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])


def refuse_label_weights(neuron: Any) -> None:
    """Refuse class weights by label where a neuron is trained on True and False instead."""
    if isinstance(getattr(neuron, "class_weight", None), dict):
        raise ValueError(
            f"{type(neuron).__name__} has class_weight={neuron.class_weight!r}, but it is trained "
            'on one class against the rest, not on these labels; use "balanced" or None.'
        )
