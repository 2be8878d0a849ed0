"""Check that a model that was read can be used: a file may hold any values.

The types of its values, the table that its patterns lie in, and its answers to three rows are
checked. Whether the values are good ones is not: who forges a file can as well fit a bad model.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from bicneuron.exceptions import ModelFileError
from bicneuron.patterns import Pattern, PatternModel

# Methods that say something about rows.
ANSWERS = (
    "decision_function",
    "predict",
    "predict_proba",
    "coverage",
    "transform",
    "pattern_scores",
)
MOST_FEATURES = 10_000_000


def check_sound(model: Any) -> None:
    """Refuse a model with values of wrong types, or that fails on simple rows."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for part in _parts(model):
                _check_part(part)
            for estimator in _deciding(model):
                _try(estimator)
        except ModelFileError:
            raise
        except Exception as error:  # whatever a wrong value leads to
            reason = " ".join(str(error).split())[:200].rstrip(".")
            raise ModelFileError(
                f"is damaged: its values do not fit together ({type(error).__name__}: {reason})."
            ) from error


def _parts(value: Any) -> Iterator[Any]:
    """Yield a model and all its parts."""
    seen, unseen = set(), [value]
    while unseen:
        part = unseen.pop()
        if id(part) in seen or isinstance(part, type):
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, BaseEstimator | dict):
            unseen.extend((part if isinstance(part, dict) else vars(part)).values())
        elif is_dataclass(part):
            unseen.extend(getattr(part, field.name) for field in fields(part))
        elif isinstance(part, list | tuple):
            unseen.extend(part)


def _check_part(part: Any) -> None:
    if isinstance(part, BaseEstimator):
        _check_estimator(part)
        if isinstance(part, PatternModel) and hasattr(part, "patterns_"):
            _check_patterns(part)
    elif is_dataclass(part) or hasattr(part, "_fields"):
        for name, kind in get_type_hints(type(part)).items():
            _ensure(_is_a(getattr(part, name), kind), f"{name} of its {type(part).__name__}")


def _ensure(is_right: Any, what: str) -> None:
    if not is_right:
        raise ModelFileError(f"is damaged: {what} is wrong.")


def _is_a(value: Any, kind: Any) -> bool:
    """True if a value is of a declared type."""
    origin, given = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin in (Union, UnionType):
        return any(_is_a(value, one) for one in given)
    if origin is np.ndarray:
        (wanted,) = get_args(given[1])
        return isinstance(value, np.ndarray) and (wanted is Any or value.dtype == wanted)
    if kind in (int, float):
        numbers = int | np.integer if kind is int else float | int | np.number
        return isinstance(value, numbers) and not isinstance(value, bool)
    if not isinstance(value, origin or kind):
        return False
    if origin is tuple and given[-1] is not ...:
        return len(given) == len(value) and all(map(_is_a, value, given))
    if origin is Mapping:
        return all(_is_a(one, given[1]) for one in value.values())
    return origin is None or all(_is_a(one, given[0]) for one in value)


def _check_estimator(estimator: BaseEstimator) -> None:
    """Check parameters, classes, and the number and names of features."""
    estimator._validate_params()
    fitted = vars(estimator)
    n_features = fitted.get("n_features_in_", 1)
    if type(n_features) is not int or not 1 <= n_features <= MOST_FEATURES:
        raise ModelFileError(f"is damaged: it is for {n_features!r} features.")
    names = fitted.get("feature_names_in_")
    if names is not None and (
        np.shape(names) != (n_features,) or not all(isinstance(name, str) for name in names)
    ):
        raise ModelFileError(f"is damaged: {n_features} features do not have as many names.")
    classes = fitted.get("classes_")
    if classes is not None and (
        not isinstance(classes, np.ndarray)
        or len(classes) < 2
        or not np.array_equal(np.unique(classes), classes)
    ):
        raise ModelFileError("is damaged: its classes are not distinct and sorted.")


def _check_patterns(model: Any) -> None:
    """Refuse patterns that do not lie in the table that the model remembers."""
    table, patterns = model._fingerprint, model.patterns_
    n_rows, n_columns = len(table.rows), model.n_features_in_
    hashes = [one for one in table if one is not None]
    _ensure(all(one.dtype == np.uint64 and one.ndim == 1 for one in hashes), "its table")
    _ensure(isinstance(patterns, list), "its list of patterns")
    for pattern in patterns:
        _ensure(isinstance(pattern, Pattern) and all(pattern.shape), "a pattern")
        for places, n in (
            (pattern.columns, n_columns),
            (pattern.rows, n_rows),
            (np.sort(pattern.contrast_rows), n_rows),
        ):
            _ensure(np.all(np.diff(places, prepend=-1, append=n) > 0), "a place of a pattern")


def _deciding(model: Any) -> Iterator[Any]:
    """Yield the model itself, or the models of bicneuron in a pipeline."""
    if isinstance(model, Pipeline | ColumnTransformer):
        for part in _parts(list(vars(model).values())):
            if isinstance(part, BaseEstimator) and hasattr(part, "n_features_in_"):
                yield from _deciding(part)
    elif type(model).__module__.startswith("bicneuron."):
        yield model if isinstance(model, BaseEstimator) else model.miner  # of findings


def _try(model: Any) -> None:
    """Refuse a model that fails on simple rows, or whose answers are not finite."""
    for value in [0.0, 1.0, *([np.nan] if get_tags(model).input_tags.allow_nan else [])]:
        row = np.full((1, model.n_features_in_), value)
        for name in ANSWERS:
            if hasattr(model, name):
                answers = np.asarray(getattr(model, name)(row))
                known = answers.dtype.kind != "f" or np.isfinite(answers).all()
                if not known and not (name == "transform" and np.isnan(value)):
                    raise ModelFileError(
                        f"is damaged: its {name} gives values that are not finite."
                    )
