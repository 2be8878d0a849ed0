"""Whether a model that was read could have been fitted: a file may hold any values.

First the values that a model decides by are looked at, then it is tried on three rows. So a file
that was altered is refused when it is loaded, and does not fail, or give NaN, when it is used.
"""

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
from bicneuron.persistence._sound_parts import check_part, is_number

# Methods that say something about rows.
ANSWERS = ("decision_function", "predict", "predict_proba", "coverage", "transform")
MOST_FEATURES = 10_000_000


def check_sound(model: Any) -> None:
    """Refuse a model whose values cannot be those of a fit, or that fails on simple rows."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for part in _parts(model):
                if isinstance(part, BaseEstimator):
                    _check_estimator(part)
                check_part(part)
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
    """A model, and all that it is made of."""
    seen, unseen = set(), [value]
    while unseen:
        part = unseen.pop()
        if id(part) in seen or isinstance(part, type):
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, BaseEstimator):
            unseen.extend(vars(part).values())
        elif is_dataclass(part):
            unseen.extend(getattr(part, field.name) for field in fields(part))
        elif isinstance(part, dict):
            unseen.extend(part.values())
        elif isinstance(part, list | tuple):
            unseen.extend(part)


def _check_estimator(estimator: BaseEstimator) -> None:
    """Parameters, classes, and the number and names of features."""
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
        or classes.ndim != 1
        or len(classes) < 2
        or not np.array_equal(np.unique(classes), classes)
    ):
        raise ModelFileError("is damaged: its classes are not distinct and sorted.")


def _deciding(model: Any) -> Iterator[Any]:
    """The model itself, or those of bicneuron in a pipeline."""
    if isinstance(model, Pipeline | ColumnTransformer):
        for part in _parts(list(vars(model).values())):
            if isinstance(part, BaseEstimator) and hasattr(part, "n_features_in_"):
                yield from _deciding(part)
    elif type(model).__module__.startswith("bicneuron."):
        yield model


def _try(model: Any) -> None:
    """Refuse a model that fails on simple rows, or whose answers are not finite."""
    n_features = model.n_features_in_
    values = [0.0, 1.0, *([np.nan] if get_tags(model).input_tags.allow_nan else [])]
    for value in values:
        row = np.full((1, n_features), value)
        for name in ANSWERS:
            if hasattr(model, name):
                answers = np.asarray(getattr(model, name)(row))
                known = answers.dtype.kind != "f" or np.isfinite(answers).all()
                if not known and not (name == "transform" and np.isnan(value)):
                    raise ModelFileError(
                        f"is damaged: its {name} gives values that are not finite."
                    )
    if hasattr(model, "slope_") and not is_number(model.slope_):
        raise ModelFileError(f"is damaged: its slope is {model.slope_!r}.")
