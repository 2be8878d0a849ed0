"""Checks of the input that every estimator makes."""

from math import inf
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray

FLOATS = [np.float64, np.float32]


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
    try:
        return validate_data(estimator, X, y, reset=reset, **checks)
    except ValueError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        about_cells = any(word in reason for word in ("NaN", "infinity", "could not convert"))
        cell = _first_bad_cell(X, allow_nan) if about_cells else None
        if cell is None:
            raise
        row, column, value = cell
        way_out = "Fill in or drop such cells."
        if isinstance(value, str):
            way_out = "bicneuron.tables.TableEncoder makes numbers of words."
        raise ValueError(f"{reason}: {column}, row {row}, is {value!r}. {way_out}") from error


def _check_labels_are_there(y: Any) -> None:
    """Refuse labels of which some are None, which cannot be sorted."""
    if y is None or isinstance(y, str):  # no labels, or none that are to be checked
        return
    labels = np.asarray(y)
    if labels.dtype == object and labels.ndim == 1:
        rows = [row for row, label in enumerate(labels) if label is None]
        if rows:
            more = f" ({len(rows)} such rows)" if len(rows) > 1 else ""
            raise ValueError(f"y is None in row {rows[0]}{more}; leave out rows without a label.")


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


def checked_groups(groups: Any, X: Any) -> AnyArray | None:
    """Groups of rows as an array, one for each row of ``X``; None stays None."""
    if groups is None:
        return None
    checked: AnyArray = column_or_1d(groups)
    if len(checked) != X.shape[0]:
        raise ValueError(f"groups has {len(checked)} values for {X.shape[0]} rows.")
    return checked


def takes_missing(estimator: Any) -> bool:
    """True if an estimator accepts NaN as a missing value."""
    return bool(get_tags(estimator).input_tags.allow_nan)


def _first_bad_cell(X: Any, allow_nan: bool) -> tuple[int, str, Any] | None:
    """Row, name of the column and value of the first cell that is not a finite number."""
    if issparse(X):
        return _first_bad_entry(X.tocoo(), allow_nan)
    try:
        cells = np.asarray(X)
        if cells.dtype.kind not in "biuf":
            cells = np.asarray(X, dtype=object)
    except ValueError:
        return None
    if cells.ndim != 2 or cells.size == 0:
        return None
    if cells.dtype != object:
        bad = _is_bad(cells, allow_nan)
    else:
        bad = np.vectorize(lambda cell: _is_bad_object(cell, allow_nan), otypes=[bool])(cells)
    if not bad.any():
        return None
    column = int(bad.any(axis=0).argmax())
    row = int(bad[:, column].argmax())
    names = getattr(X, "columns", None)
    name = f"column {column}" if names is None else f"column {names[column]!r}"
    return row, name, cells.item(row, column)


def _first_bad_entry(X: Any, allow_nan: bool) -> tuple[int, str, Any] | None:
    """The same in a sparse matrix of single entries."""
    bad = np.flatnonzero(_is_bad(X.data, allow_nan))
    if not len(bad):
        return None
    first = bad[np.lexsort((X.row[bad], X.col[bad]))[0]]
    return int(X.row[first]), f"column {X.col[first]}", X.data.item(first)


def _is_bad(cells: AnyArray, allow_nan: bool) -> BoolArray:
    return np.isinf(cells) if allow_nan else ~np.isfinite(cells)


def _is_bad_object(cell: Any, allow_nan: bool) -> bool:
    try:
        value = np.nan if cell is None else float(cell)
    except (TypeError, ValueError):
        return True
    return bool(_is_bad(np.array(value), allow_nan))


def weights_of_classes(class_weight: Any, classes: AnyArray, sizes: IndexArray) -> FloatArray:
    """Weight of each class."""
    if class_weight == "balanced":
        balanced: FloatArray = sizes.sum() / (len(classes) * sizes)
        return balanced
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
