"""Estimators with parameters from all of their ranges, fitted to tables of extreme numbers."""

import os
import traceback
from collections.abc import Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils._param_validation import Interval, StrOptions

import bicneuron
from bicneuron import neurons
from hardening._judge import PACKAGE, RefusedError, expect

NEURONS = [
    bicneuron.neurons.OnlinePerceptron,
    bicneuron.neurons.KernelPerceptron,
    neurons.GaussianNeuron,
    neurons.KernelNeuron,
]
MINERS = [
    bicneuron.CoherentBiclustering,
    bicneuron.biclustering.ContrastBiclustering,
    bicneuron.biclustering.ChengChurchBiclustering,
    bicneuron.biclustering.DifferenceBiclustering,
    bicneuron.biclustering.SDCBiclustering,
    bicneuron.biclustering.DiRAPOCCBiclustering,
    bicneuron.biclustering.InformationCoclustering,
    bicneuron.SubgroupBiclustering,
]
MODELS = [
    bicneuron.BicNeuronClassifier,
    bicneuron.PatternClassifier,
    bicneuron.BicNeuronNetwork,
    bicneuron.biclustering.BiclusterFeatures,
    bicneuron.biclustering.BiclusterSelector,
]
_REALS = [0.0, 5e-324, 1e-320, 1e-200, 1e-100, 1e-9, 1e-3, 0.1, 0.5, 0.9, 1.0, 1.5, 2.0, 10.0]
_REALS += [1e3, 1e9, 1e100, 1e200, 1.7e308, np.inf]
_INTEGERS = [1, 2, 3, 4, 5, 10, 30, 100, 10**6, 10**9]
# Classes of a table in which each row is one.
MOST_CLASSES = 12
# Numbers that decide how long a fit takes, and parameters whose constraint names no values.
_SMALL: dict[str, list[Any]] = {
    "n_neurons": [1, 2, 3, 7, 20],
    "max_iter": [1, 2, 5, 20],
    "n_init": [1, 2, 3],
    "n_patterns": [1, 2, 5],
    "n_biclusters": [1, 2, 10, 100],
    "max_candidates": [1, 10, 1000],
    "n_jobs": [None, 1],
    "random_state": [0, 1, 2, 3, 4],
    "selection": ["label_auc", "score_auc", "f1_macro", "balanced_accuracy", "neg_log_loss"],
    "kinds": ["shift", "tight", "coexpressed", ["shift", "tight"]],
    "kernel": ["linear", "rbf"],
    "class_weight": [None, "balanced", {}],
    "search": [None, "best", "paper", "local", {"max_ratio": [0.0, np.inf]}],
    "max_patterns": [1, 2, 5],
    "miners": [None, ()],
    "cv": [2, 3],
}
_METHODS = ["decision_function", "predict", "predict_proba", "transform", "coverage"]
_METHODS += ["column_scores", "explain", "pattern_scores", "carriers"]


def draw_case(random: np.random.Generator, folder: Path) -> None:
    """Fit an estimator to a table, and ask it about that and about extreme rows."""
    # Models are the most intricate, and neurons the quickest.
    kinds = _pick([NEURONS, MINERS, MODELS, MODELS], random)
    estimator = _draw_estimator(_pick(kinds, random), random)
    X, y = _draw_table(random)
    if isinstance(estimator, bicneuron.BicNeuronNetwork) and random.random() < 0.15:
        y = random.integers(2, size=(len(X), _pick([2, 3], random)))
        if random.random() < 0.3:
            y[:] = random.integers(2)
    try_estimator(estimator, X, y)


def try_estimator(estimator: Any, X: Any, y: Any) -> None:
    """Fit an estimator and ask it for all that it can tell of rows."""
    try:
        estimator.fit(X, y)
        for rows in _rows(X, get_tags(estimator).input_tags.allow_nan):
            for name in _METHODS:
                if hasattr(estimator, name):
                    _ask(estimator, name, rows)
    except ValueError as error:
        if not str(error) or not _is_a_check(error):
            raise
        raise RefusedError(str(error).splitlines()[0]) from error


def _ask(estimator: Any, name: str, rows: Any) -> None:
    answer = getattr(estimator, name)(rows)
    if name == "explain":
        answer = answer.to_frame()
        return
    answer = np.asarray(answer)
    expect(len(answer) == len(rows) or name == "column_scores", f"{name} gives other rows")
    if name == "predict" and hasattr(estimator, "classes_") and answer.ndim == 1:
        expect(np.isin(answer, estimator.classes_).all(), "predict gives an unknown class")
    missing_kept = name == "transform" and np.isnan(rows).any()
    if answer.dtype.kind == "f" and not missing_kept:
        expect(np.isfinite(answer).all(), f"{name} gives NaN or infinity")
    if name == "predict_proba":
        expect((answer >= 0).all() and (answer <= 1).all(), "probabilities beyond 0 and 1")


def _is_a_check(error: ValueError) -> bool:
    """True if the package or scikit-learn's checks of input raised it, and not some library."""
    file = os.path.abspath(traceback.extract_tb(error.__traceback__)[-1].filename)
    is_of_sklearn = os.path.basename(file) in ("validation.py", "_param_validation.py")
    return is_of_sklearn or file.startswith(PACKAGE)


def _rows(X: Any, allow_nan: bool) -> list[Any]:
    """The rows of the fit, rows of extreme numbers, and one that is unknown."""
    extreme = np.repeat([[0.0], [1.0], [1e300], [-1.7e308], [5e-324], [1.7e308]], X.shape[1], 1)
    extreme[-1, ::2] *= -1
    unknown = [np.full((1, X.shape[1]), np.nan)] if allow_nan else []
    return [X, extreme, *unknown]


def _draw_estimator(kind: type, random: np.random.Generator) -> Any:
    known = kind().get_params(deep=False)
    parameters = {}
    for name, constraints in kind._parameter_constraints.items():
        # What a fit takes long with is always drawn.
        if name in known and (name in _SMALL or random.random() < 0.5):
            parameters[name] = _draw_value(name, constraints, known[name], random)
    return kind(**parameters)


def _draw_value(name: str, constraints: Any, default: Any, random: np.random.Generator) -> Any:
    if name == "miner":
        return _draw_estimator(_pick(MINERS, random), random)
    if name == "neuron":
        return _draw_estimator(_pick(NEURONS, random), random)
    if name == "neuron_kinds":
        n_kinds = random.integers(1, 3)
        return [_draw_estimator(_pick(NEURONS, random), random) for _ in range(n_kinds)]
    if name == "anchor" and default is not None:
        return _pick(["minority", "majority", "both"], random)
    if name in _SMALL:
        return _pick(_SMALL[name], random)
    values = [value for allowed in constraints for value in _values(allowed)]
    return _pick(values, random) if values and constraints != "no_validation" else default


def _values(allowed: Any) -> Sequence[Any]:
    """Values that a constraint allows, the extreme ones among them."""
    if allowed is None:
        return [None]
    if isinstance(allowed, StrOptions):
        return sorted(allowed.options)
    if isinstance(allowed, Interval):
        pool = _INTEGERS if allowed.type is Integral else _REALS
        return [value for value in pool if value in allowed]
    return [False, True] if allowed == "boolean" else []


def _draw_table(random: np.random.Generator) -> tuple[Any, Any]:
    n_rows, n_columns = _pick([2, 3, 4, 6, 10, 25, 60], random), _pick([1, 2, 3, 5, 12], random)
    X = _distorted(random.normal(size=(n_rows, n_columns)), random)
    if random.random() < 0.25:
        X[random.random(X.shape) < _pick([0.1, 0.5, 0.9], random)] = np.nan
    labels = random.integers(6)
    if labels == 0:  # of many classes, each pair is a problem of its own
        X = X[:MOST_CLASSES]
        return X, np.arange(len(X))
    if labels == 1:
        return X, random.integers(3, size=n_rows)
    if labels == 2:
        return X, (np.arange(n_rows) == 0).astype(int)
    y = random.integers(2, size=n_rows)
    if labels == 3:
        with np.errstate(over="ignore"):
            X = X + 2.0 * y[:, None]
    return X, y


def _distorted(X: Any, random: np.random.Generator) -> Any:
    """Values, mostly as they are, or as they should not be."""
    change = random.integers(12)
    if change == 0:
        return X * _pick([1e300, 1e-300, 5e-321], random)
    if change == 1:
        return np.full_like(X, _pick([0.0, 1.0, -1e300, 1.7e308, 5e-324], random))
    if change == 2:
        X[:, random.integers(X.shape[1])] = 3.0
    if change == 3:
        return X[random.integers(len(X), size=len(X))]
    if change == 4:
        return np.round(X)
    if change == 5:
        return X * np.logspace(-300, 300, X.shape[1])
    if change == 6:
        place = random.integers(len(X)), random.integers(X.shape[1])
        X[place] = _pick([1.7e308, -1.7e308, 1e200, 1e20], random)
    if change == 7:
        return X + _pick([1e300, 1e16, 1e8], random)
    return X


def _pick(values: Sequence[Any], random: np.random.Generator) -> Any:
    return values[random.integers(len(values))]
