"""Check that a model that was read could have been fitted: a file may hold any values.

First the values that a model decides by are checked, then it is tried on three rows. So a file
that was altered is refused when it is loaded, and does not fail, or give NaN, when it is used.
"""

import math
import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import singledispatch
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from bicneuron._core._arrays import IndexArray
from bicneuron._shared._filling import Filling
from bicneuron._shared._scaling import Scaling
from bicneuron.biclustering import BiclusterMiner, SubgroupBiclustering
from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
from bicneuron.exceptions import ModelFileError
from bicneuron.network import BicNeuronNetwork, PatternClassifier
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import Axis, Evidence, Pattern, PatternModel, TrainedNeuron

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
                if not is_sound(part):
                    raise ModelFileError(
                        f"is damaged: a {type(part).__name__} in it has values that no fit gives."
                    )
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


def are_hashes(value: Any, length: int) -> bool:
    """True if a value is an array of this many hashes."""
    return isinstance(value, np.ndarray) and value.dtype == np.uint64 and value.shape == (length,)


def is_count(value: Any) -> bool:
    """True if a value is a whole number from 0 on."""
    return type(value) is int and value >= 0


def are_members(own: Any, total: Any) -> bool:
    """True if so many of so many rows may carry a pattern."""
    return is_count(own) and is_count(total) and own <= total


@singledispatch
def is_sound(part: Any) -> bool:
    """True if a fit may give such values; parts without a rule are not checked."""
    return True


@is_sound.register
def _(part: Scaling) -> bool:
    shape = (len(part.scale),)
    return (
        part.exponent.dtype == np.intp
        and part.exponent.shape == part.shift.shape == part.scale.shape == shape
        and bool((np.abs(part.exponent) <= MOST_EXPONENT).all())
        and are_numbers(part.shift, -1)
        and are_numbers(part.scale, -1, above=0.0)
    )


@is_sound.register
def _(part: Filling) -> bool:
    n_columns = len(part.mean)
    return (
        are_numbers(part.mean, n_columns)
        and are_numbers(part.loadings, n_columns, -1)
        and are_numbers(part.noise, n_columns, above=0.0)
    )


@is_sound.register
def _(part: Pattern) -> bool:
    axis, neuron, n_columns = part.axis, part.neuron, len(part.columns)
    evidence, counts = part.evidence, part.carrier_counts or {}
    tested = evidence if isinstance(evidence, Evidence) else Evidence()
    frequencies, order = tested.column_frequency, tested.column_order
    proven = tested.proven_columns
    return (
        are_indices(part.columns)
        and are_indices(part.rows)
        and (len(part.contrast_rows) == 0 or are_indices(part.contrast_rows, ordered=False))
        and (len(part.weights) == 0 or are_numbers(part.weights, n_columns))
        and len(part.effects) == len(part.differences)
        and are_numbers(np.nan_to_num(part.effects), len(part.effects))
        and not np.any(np.sign(part.effects) * np.sign(part.differences) < 0)
        and all(isinstance(value, Real) for value in (part.msr, part.msr_ratio, part.criterion))
        and (math.isnan(part.strength) or is_number(part.strength))
        and isinstance(part.kind, str)
        and (neuron is None or are_numbers(neuron.centroids, 2, n_columns))
        and all(are_members(own, total) for own, total in counts.values())
        and (evidence is None or isinstance(evidence, Evidence))
        and (frequencies is None or len(frequencies) == n_columns)
        and (order is None or sorted(order) == [*range(n_columns)])
        and (proven is None or [*proven] == sorted({*proven} & {*range(n_columns)}))
        and (axis is None or _fits(axis, n_columns))
    )


def _fits(axis: Axis, n_columns: int) -> bool:
    """True if an axis is a function of so many columns."""
    return (
        all(are_numbers(one, n_columns) for one in (axis.linear, axis.squares, axis.common))
        and are_numbers(axis.removed, -1)
        and is_number(axis.cut)
        and is_number(axis.scale, above=0.0)
    )


@is_sound.register
def _(part: Evidence) -> bool:
    of_tests = (part.p_value, part.family_p_value, part.smallest_p, part.separate_p)
    shares = (*of_tests, *(part.column_frequency or ()))
    numbers = (part.n_permutations, part.found, part.n_subsamples)
    return (
        isinstance(part.separate_reason, str)
        and isinstance(part.is_class_difference, bool)
        and all(are_members(own, total) for _, own, total in (*part.carriers, *part.left_out))
        and all(share is None or (is_number(share) and 0 <= share <= 1) for share in shares)
        and all(number is None or is_count(number) for number in numbers)
        and (part.n_subsamples is None or are_members(part.found, part.n_subsamples))
        and (part.n_folds is None or are_members(part.n_found, part.n_folds))
        and all(map(is_count, (*(part.column_order or ()), *(part.proven_columns or ()))))
    )


def _has_patterns(part: PatternModel, n_columns: int) -> bool:
    """True if the patterns lie in the table that the model remembers."""
    table = part._fingerprint
    n_rows = len(table.rows)
    return (
        are_hashes(table.rows, n_rows)
        and are_hashes(table.columns, n_columns)
        and (table.labels is None or are_hashes(table.labels, n_rows))
        and (part.class_columns_ is None or are_members(part.class_columns_, n_columns))
        and isinstance(part.patterns_, list)
        and all(
            isinstance(pattern, Pattern)
            and _are_below(pattern.columns, n_columns)
            and _are_below(pattern.rows, n_rows)
            and _are_below(pattern.contrast_rows, n_rows)
            and (pattern.parent is None or pattern.parent in range(len(part.patterns_)))
            for pattern in part.patterns_
        )
        and _has_reference(part, n_columns)
    )


def _has_reference(part: PatternModel, n_columns: int) -> bool:
    """True if what is kept of the training table fits the patterns; parts of models have none."""
    kept: Any = getattr(part, "_reference", None)
    if kept is None:
        return True
    n_patterns = len(part.patterns_)
    n_effects = sum(len(pattern.columns) for pattern in part.patterns_)
    n_quantiles = len(kept.rank_quantiles.T)
    return (
        are_numbers(kept.effects, n_effects)
        and are_numbers(kept.shares, n_patterns)
        and are_numbers(np.nan_to_num(kept.gaps), n_patterns)
        and are_numbers(np.nan_to_num(kept.agreement), n_patterns)
        and n_quantiles > 1
        and are_numbers(kept.rank_quantiles, n_patterns, n_quantiles)
        and (len(kept.mean_ranks) == 0 or are_numbers(kept.mean_ranks, n_columns))
        and are_hashes(kept.names, len(kept.names))
    )


def _are_below(indices: IndexArray, length: int) -> bool:
    return int(indices.max(initial=-1)) < length


@is_sound.register
def _(part: TrainedNeuron) -> bool:
    return (
        part.estimator.n_features_in_ == part.centroids.shape[1]
        and part.sign in (-1, 1)
        and is_count(part.target)
        and part.scaling is None
        and len(part.fill) == 0
        and is_number(part.threshold)
        and is_number(part.typical_score, above=0.0)
        and (math.isinf(part.radius) or is_number(part.radius))
        and are_numbers(part.weight, -1)
    )


def _is_sound_search(part: SubgroupBiclustering) -> bool:
    starts, rows = part._candidates, part._known_rows
    return (
        all(found.axis is not None for found in part.patterns_)
        and starts.carriers.shape == (len(starts.labels), part._n_rows)
        and starts.carriers.dtype == bool
        and len(starts.kinds) == len(starts.labels)
        and (part._set_aside is None) == (rows is None)
        and (rows is None or are_numbers(rows, part._n_rows, -1))
    )


@is_sound.register
def _(part: BiclusterMiner) -> bool:
    if not hasattr(part, "patterns_"):
        return True
    known = _has_patterns(part, part.n_features_in_)
    known = known and part._n_rows == len(part._fingerprint.rows)
    if isinstance(part, SubgroupBiclustering):
        return known and _is_sound_search(part)
    return (
        known
        and are_numbers(part._reaches, len(part.patterns_), above=0.0)
        and len(part._profiles) == len(part.patterns_)
        and all(
            are_numbers(profile, len(found.columns))
            for profile, found in zip(part._profiles, part.patterns_, strict=True)
        )
    )


@is_sound.register
def _(part: OnlinePerceptron) -> bool:
    return not hasattr(part, "coef_") or (
        are_numbers(part.coef_, _n_scores(part), part.n_features_in_)
        and are_numbers(part.intercept_, _n_scores(part))
    )


@is_sound.register
def _(part: KernelPerceptron) -> bool:
    if not hasattr(part, "dual_coef_"):
        return True
    if part.kernel == "precomputed":
        n_support = len(part.support_)
        exist = np.isin(part.support_, np.arange(part.n_features_in_)).all()
        known = bool(exist) and (n_support == 0 or are_indices(part.support_))
    else:
        n_support = len(part.support_vectors_)
        known = are_numbers(part.support_vectors_, n_support, part.n_features_in_)
    return known and are_numbers(part.dual_coef_, _n_scores(part), n_support)


@is_sound.register
def _(part: KernelNeuron) -> bool:
    if not hasattr(part, "intercept_"):
        return True
    n_columns = part.n_features_in_
    if part.kernel == "linear":
        known = are_numbers(part.coef_, n_columns)
    else:
        known = (
            are_numbers(part.support_vectors_, len(part.dual_coef_), n_columns)
            and are_numbers(part.dual_coef_, -1)
            and is_number(part.squared_width_, above=0.0)
        )
    return known and is_number(part.intercept_) and are_numbers(part.centre_, n_columns)


@is_sound.register
def _(part: GaussianNeuron) -> bool:
    return not hasattr(part, "means_") or (
        are_numbers(part.means_, 2, part.n_features_in_)
        and are_numbers(part.variances_, 2, part.n_features_in_, above=0.0)
    )


@is_sound.register
def _(part: BicNeuronNetwork | PatternClassifier) -> bool:
    if not hasattr(part, "patterns_"):
        return True
    n_columns, n_scores = part.n_features_in_, len(part.intercept_)
    expected = 1 if len(part.classes_) == 2 and not part._multilabel else len(part.classes_)
    return (
        _has_patterns(part, n_columns)
        and (len(part.patterns_) > 0 or part.finds_blind_groups)
        and _has_blind_groups(part)
        and _have_neurons(part.patterns_, n_scores)
        and all(neuron.weight.shape == (n_scores,) for neuron in _neurons(part.patterns_))
        and n_scores == expected
        and are_numbers(part.intercept_, n_scores)
        and is_number(part.slope_, above=0.0)
        and len(part._scaling.robust.scale) == len(part._scaling.standard.scale) == n_columns
        and len(part._filling.mean) == n_columns
    )


def _has_blind_groups(part: Any) -> bool:
    """True if the groups that were found without labels fit the patterns."""
    if not part.finds_blind_groups:
        return True
    n_patterns, (n_rows, n_groups) = len(part.patterns_), part._groups.shape
    group_of = np.asarray(part._group_of)
    return (
        part._groups.dtype == bool
        and n_rows == len(part.output_rows_)
        and group_of.shape == (n_patterns,)
        and bool(np.all((group_of >= -1) & (group_of < n_groups)))
    )


@is_sound.register
def _(part: BicNeuronClassifier) -> bool:
    if len(getattr(part, "classes_", ())) != 2:
        return _is_joined(part)
    columns = part._deciding_columns
    return (
        _has_pattern_of_each(part, 1)
        and int(columns[-1]) < part.n_features_in_ == len(part._scaling.scale)
        and part.estimator_.n_features_in_ == len(columns)
        and are_numbers(part.centroids_, 2, len(columns))
        and is_number(part.threshold_)
        and is_number(part.slope_, above=0.0)
    )


@is_sound.register
def _(part: BicNeuronClassifierCV) -> bool:
    if len(getattr(part, "classes_", ())) != 2:
        return _is_joined(part)
    return _has_pattern_of_each(part, 1)


def _has_pattern_of_each(
    part: BicNeuronClassifier | BicNeuronClassifierCV, n_problems: int
) -> bool:
    """True if there is one pattern for each of the binary models."""
    return (
        _has_patterns(part, part.n_features_in_)
        and _have_neurons(part.patterns_, n_problems)
        and len(part.patterns_) == n_problems
        and len({neuron.target for neuron in _neurons(part.patterns_)}) == n_problems
    )


def _have_neurons(patterns: list[Pattern], n_targets: int) -> bool:
    neurons = _neurons(patterns)
    return len(neurons) == len(patterns) and all(one.target < n_targets for one in neurons)


def _neurons(patterns: list[Pattern]) -> list[TrainedNeuron]:
    neurons = [pattern.neuron for pattern in patterns]
    return [neuron for neuron in neurons if isinstance(neuron, TrainedNeuron)]


def _is_joined(part: BicNeuronClassifier | BicNeuronClassifierCV) -> bool:
    """True for a model that is not fitted, or that consists of several sound binary ones."""
    if not hasattr(part, "classes_"):
        return True
    n_classes = len(part.classes_)
    n_problems = math.comb(n_classes, 2) if part.multi_class == "ovo" else n_classes
    return (
        _has_pattern_of_each(part, n_problems)
        and len(part.estimators_) == n_problems
        and all(type(one) is type(part) for one in part.estimators_)
        and all(one.n_features_in_ == part.n_features_in_ for one in part.estimators_)
        and are_numbers(part._slopes, n_problems)
        and are_numbers(part._offsets, n_problems)
    )


def _n_scores(part: Any) -> int:
    """Number of scores that a neuron gives to a row."""
    return 1 if len(part.classes_) == 2 else len(part.classes_)
