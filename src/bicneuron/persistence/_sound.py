"""Check that a model that was read could have been fitted: a file may hold any values.

First the values that a model decides by are checked, then it is tried on three rows. So a file
that was altered is refused when it is loaded, and does not fail, or give NaN, when it is used.
"""

import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import singledispatch
from math import comb
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from bicneuron._estimators._filling import Filling
from bicneuron._estimators._scaling import Scaling
from bicneuron.biclustering import BiclusterMiner, Subgroup
from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
from bicneuron.contrast import ContrastivePair
from bicneuron.exceptions import ModelFileError
from bicneuron.network import BicNeuronNetwork, Pattern
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron

# Methods that say something about rows.
ANSWERS = ("decision_function", "predict", "predict_proba", "coverage", "transform")
MOST_FEATURES = 10_000_000
# Exponents of floats, and some room.
MOST_EXPONENT = 1100
# Larger sizes leave no room for a product with a value of a row.
LARGEST = 1e300


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
    """Yield a model and all its parts."""
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
        or classes.ndim != 1
        or len(classes) < 2
        or not np.array_equal(np.unique(classes), classes)
    ):
        raise ModelFileError("is damaged: its classes are not distinct and sorted.")


def _deciding(model: Any) -> Iterator[Any]:
    """Yield the model itself, or the models of bicneuron in a pipeline."""
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


def is_number(value: Any, *, above: float = -np.inf) -> bool:
    """True if a value is a number greater than ``above``, and not so large that it overflows."""
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and bool(abs(value) <= LARGEST and value > above)


def are_numbers(value: Any, *shape: int, above: float = -np.inf) -> bool:
    """True if a value is an array of such numbers, of this shape; -1 is any length."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == np.float64
        and value.ndim == len(shape)
        and all(wanted in (-1, length) for wanted, length in zip(shape, value.shape, strict=True))
        and bool((np.abs(value) <= LARGEST).all() and (value > above).all())
    )


def are_indices(value: Any, *, ordered: bool = True) -> bool:
    """True if a value is an array of distinct indices, at least one, sorted if ``ordered``."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == np.intp
        and value.ndim == 1
        and len(value) > 0
        and int(value.min()) >= 0
        and bool((np.diff(value if ordered else np.sort(value)) > 0).all())
    )


def refuse_unless(sound: bool, part: Any) -> None:
    """Refuse a model with a part that is not sound."""
    if not sound:
        raise ModelFileError(
            f"is damaged: a {type(part).__name__} in it has values that no fit gives."
        )


@singledispatch
def check_part(part: Any) -> None:
    """Refuse values that no fit gives; parts without a rule are not checked."""


@check_part.register
def _(part: Scaling) -> None:
    n_columns = len(part.scale)
    shape = (n_columns,)
    refuse_unless(
        part.exponent.dtype == np.intp
        and part.exponent.shape == part.shift.shape == part.scale.shape == shape
        and bool((np.abs(part.exponent) <= MOST_EXPONENT).all())
        and are_numbers(part.shift, -1)
        and are_numbers(part.scale, -1, above=0.0),
        part,
    )


@check_part.register
def _(part: Filling) -> None:
    n_columns = len(part.mean)
    refuse_unless(
        are_numbers(part.mean, n_columns)
        and are_numbers(part.loadings, n_columns, -1)
        and are_numbers(part.noise, n_columns, above=0.0),
        part,
    )


@check_part.register
def _(part: ContrastivePair) -> None:
    refuse_unless(
        are_indices(part.columns)
        and are_indices(part.anchor_rows)
        and are_indices(part.contrast_rows, ordered=False),
        part,
    )


@check_part.register
def _(part: BiclusterMiner) -> None:
    if hasattr(part, "found_"):
        part._check_found((part._n_rows, part.n_features_in_))


@check_part.register
def _(part: Subgroup) -> None:
    axis = part.axis
    n_columns = len(axis.linear)
    refuse_unless(
        are_numbers(axis.linear, n_columns)
        and are_numbers(axis.squares, n_columns)
        and are_numbers(axis.common, n_columns)
        and are_numbers(axis.removed, -1)
        and is_number(axis.cut)
        and is_number(axis.scale, above=0.0),
        part,
    )


@check_part.register
def _(part: OnlinePerceptron) -> None:
    if hasattr(part, "coef_"):
        n_problems = _n_scores(part)
        refuse_unless(
            are_numbers(part.coef_, n_problems, part.n_features_in_)
            and are_numbers(part.intercept_, n_problems),
            part,
        )


@check_part.register
def _(part: KernelPerceptron) -> None:
    if not hasattr(part, "dual_coef_"):
        return
    if part.kernel == "precomputed":
        n_support = len(part.support_)
        exist = np.isin(part.support_, np.arange(part.n_features_in_)).all()
        known = bool(exist) and (n_support == 0 or are_indices(part.support_))
    else:
        n_support = len(part.support_vectors_)
        known = are_numbers(part.support_vectors_, n_support, part.n_features_in_)
    refuse_unless(known and are_numbers(part.dual_coef_, _n_scores(part), n_support), part)


@check_part.register
def _(part: KernelNeuron) -> None:
    if not hasattr(part, "intercept_"):
        return
    n_columns = part.n_features_in_
    if part.kernel == "linear":
        known = are_numbers(part.coef_, n_columns)
    else:
        known = (
            are_numbers(part.support_vectors_, len(part.dual_coef_), n_columns)
            and are_numbers(part.dual_coef_, -1)
            and is_number(part.squared_width_, above=0.0)
        )
    refuse_unless(
        known and is_number(part.intercept_) and are_numbers(part.centre_, n_columns), part
    )


@check_part.register
def _(part: GaussianNeuron) -> None:
    if hasattr(part, "means_"):
        refuse_unless(
            are_numbers(part.means_, 2, part.n_features_in_)
            and are_numbers(part.variances_, 2, part.n_features_in_, above=0.0),
            part,
        )


@check_part.register
def _(part: Pattern) -> None:
    n_columns = len(part.pair.columns)
    refuse_unless(
        part.neuron.n_features_in_ == n_columns
        and is_number(part.typical_score, above=0.0)
        and is_number(part.contribution)
        and is_number(part.radius)
        and are_numbers(part.weight, -1)
        and are_numbers(part.anchor_centroid, n_columns)
        and are_numbers(part.contrast_centroid, n_columns),
        part,
    )


@check_part.register
def _(part: BicNeuronNetwork) -> None:
    if not hasattr(part, "patterns_"):
        return
    n_columns, n_scores = part.n_features_in_, len(part.intercept_)
    expected = 1 if len(part.classes_) == 2 and not part._multilabel else len(part.classes_)
    refuse_unless(
        len(part.patterns_) > 0
        and all(isinstance(pattern, Pattern) for pattern in part.patterns_)
        and all(pattern.weight.shape == (n_scores,) for pattern in part.patterns_)
        and all(int(pattern.pair.columns[-1]) < n_columns for pattern in part.patterns_)
        and n_scores == expected
        and are_numbers(part.intercept_, n_scores)
        and is_number(part.slope_, above=0.0)
        and len(part._scaling.robust.scale) == len(part._scaling.standard.scale) == n_columns
        and len(part._filling.mean) == n_columns,
        part,
    )


@check_part.register
def _(part: BicNeuronClassifier) -> None:
    if not hasattr(part, "classes_"):
        return
    if len(part.classes_) > 2:
        _check_joined(part)
        return
    columns = part._deciding_columns
    refuse_unless(
        int(columns[-1]) < part.n_features_in_ == len(part._scaling.scale)
        and part.estimator_.n_features_in_ == len(columns)
        and are_numbers(part.centroids_, 2, len(columns))
        and is_number(part.threshold_)
        and is_number(part.slope_, above=0.0),
        part,
    )


@check_part.register
def _(part: BicNeuronClassifierCV) -> None:
    if len(getattr(part, "classes_", ())) > 2:
        _check_joined(part)


def _check_joined(part: BicNeuronClassifier | BicNeuronClassifierCV) -> None:
    """Check a model that consists of several binary ones."""
    n_classes = len(part.classes_)
    n_problems = comb(n_classes, 2) if part.multi_class == "ovo" else n_classes
    refuse_unless(
        len(part.estimators_) == n_problems
        and all(type(one) is type(part) for one in part.estimators_)
        and all(one.n_features_in_ == part.n_features_in_ for one in part.estimators_)
        and are_numbers(part._slopes, n_problems)
        and are_numbers(part._offsets, n_problems),
        part,
    )


def _n_scores(part: Any) -> int:
    """Number of scores that a neuron gives to a row."""
    return 1 if len(part.classes_) == 2 else len(part.classes_)
