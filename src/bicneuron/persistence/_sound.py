"""Check that a model that was read can be used, not that it is a good one: it could be forged."""

import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from bicneuron.exceptions import ModelFileError
from bicneuron.patterns import Pattern, PatternModel

# Methods that say something about rows.
DECISIONS = ("decision_function", "predict", "predict_proba")
ANSWERS = (*DECISIONS, "coverage", "transform", "pattern_scores")
MOST_FEATURES = 10_000_000


def check_sound(model: Any) -> None:
    """Refuse a model with values of wrong types, or that fails on simple rows."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for part in _parts(model):
                if isinstance(part, BaseEstimator):
                    _check_estimator(part)
                if isinstance(part, PatternModel) and hasattr(part, "patterns_"):
                    _check_patterns(part)
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


def _check_estimator(estimator: BaseEstimator) -> None:
    """Check parameters, classes, and the number and names of features."""
    estimator._validate_params()
    fitted = vars(estimator)
    n_features = fitted.get("n_features_in_", 1)
    if type(n_features) is not int or not 1 <= n_features <= MOST_FEATURES:
        raise ModelFileError(f"is damaged: it is for {n_features!r} features.")
    names, classes = fitted.get("feature_names_in_"), fitted.get("classes_")
    if names is not None and np.shape(names) != (n_features,):
        raise ModelFileError(f"is damaged: {n_features} features do not have as many names.")
    if classes is not None and not np.array_equal(np.unique(classes), classes):
        raise ModelFileError("is damaged: its classes are not distinct and sorted.")


def _check_patterns(model: Any) -> None:
    """Refuse patterns that do not lie in the table that the model remembers."""
    table, patterns = model._fingerprint, model.patterns_
    n_rows, n_columns = len(table.rows), model.n_features_in_
    hashes = [one for one in table if one is not None]
    if (
        any(one.dtype != np.uint64 or one.ndim != 1 for one in hashes)
        or not isinstance(patterns, list)
        or not all(isinstance(pattern, Pattern) and all(pattern.shape) for pattern in patterns)
    ):
        raise ModelFileError("is damaged: its patterns are not those of a table.")
    for pattern in patterns:
        contrast = np.sort(pattern.contrast_rows)
        for places, n in ((pattern.columns, n_columns), (pattern.rows, n_rows), (contrast, n_rows)):
            if np.any(np.diff(places, prepend=-1, append=n) <= 0):
                raise ModelFileError("is damaged: a pattern does not lie in its table.")


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
