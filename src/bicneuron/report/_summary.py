"""All that a page tells, as plain data."""

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

import bicneuron
from bicneuron._classifier import BicNeuronClassifier
from bicneuron._classifier_cv import BicNeuronClassifierCV
from bicneuron.explanation._names import row_names
from bicneuron.metrics import CrossValidatedScores
from bicneuron.network import BicNeuronNetwork
from bicneuron.report._parts import describe_classifier, describe_network
from bicneuron.report._rows import choose_rows, find_rows
from bicneuron.report._scores import cross_validated, described

# What the command line tells of a fit, in words.
ABOUT = {
    "table": "Table",
    "n_rows": "Rows it was fitted on",
    "target": "Column of the classes",
    "id": "Column of the names",
    "dropped": "Columns left out",
}
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def summarise(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    about: Mapping[str, Any] | None = None,
    rows: Sequence[Any] | None = None,
    scores: CrossValidatedScores | None = None,
) -> dict[str, Any]:
    """Gather what is to be told about a fitted model; `write_report` describes the arguments."""
    known = BicNeuronClassifier, BicNeuronClassifierCV, BicNeuronNetwork
    if not isinstance(model, known):
        raise TypeError(
            f"model is a {type(model).__name__}; a report is about a BicNeuronClassifier, a "
            "BicNeuronClassifierCV or a BicNeuronNetwork."
        )
    check_is_fitted(model)
    if X is None and (y is not None or rows is not None):
        raise ValueError("y and rows belong to the rows of X; give X too.")
    if issparse(X):
        raise TypeError("X is sparse; a report shows rows as they are, give X.toarray().")
    about = dict(about or {})
    is_network = isinstance(model, BicNeuronNetwork)
    labels = None if y is None else np.asarray(y)
    if labels is not None and len(labels) != len(X):
        raise ValueError(f"y has {len(labels)} values for the {len(X)} rows of X.")
    several = is_network and model._multilabel
    return {
        "kind": type(model).__name__,
        "settings": repr(model),
        "classes": [str(label) for label in model.classes_.tolist()],
        "n_features": int(model.n_features_in_),
        "about": [(words, _told(about[key])) for key, words in ABOUT.items() if about.get(key)],
        "data": None if X is None else _data(X, None if several else labels),
        "parts": [] if is_network else describe_classifier(model),
        "network": describe_network(model) if is_network else None,
        "scores": _scores(model, X, None if several else labels, scores),
        "explained": [] if X is None or several else _explained(model, X, labels, rows),
        "versions": {
            "bicneuron": bicneuron.__version__,
            "Python": platform.python_version(),
            **{name: version(name) for name in PACKAGES},
        },
        "fitted_with": about.get("versions"),
        "command": about.get("command"),
    }


def _told(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _data(X: Any, labels: Any) -> dict[str, Any]:
    classes = []
    if labels is not None:
        found, sizes = np.unique(labels, return_counts=True)
        classes = [
            {"label": str(label), "rows": int(size), "share": float(size / len(labels))}
            for label, size in zip(found.tolist(), sizes, strict=True)
        ]
    n_rows, n_columns = np.shape(X)
    return {"n_rows": n_rows, "n_columns": n_columns, "classes": classes}


def _scores(
    model: Any, X: Any, labels: Any, scores: CrossValidatedScores | None
) -> dict[str, Any] | None:
    if scores is not None:
        return described(scores)
    if labels is None:
        return None
    if isinstance(model, BicNeuronClassifier) and not hasattr(model, "rows_used_"):
        return {"reason": "The file that the model comes from does not hold its settings."}
    return cross_validated(model, np.asarray(X, dtype=np.float64), labels)


def _explained(model: Any, X: Any, labels: Any, rows: Sequence[Any] | None) -> list[dict[str, Any]]:
    if rows is None:
        chosen = choose_rows(model.decision_function(X), model.predict(X), labels, model.classes_)
    else:
        chosen = find_rows(rows, row_names(X, len(X)))
    explanations = model.explain(X)
    return [
        {
            "why": why,
            "true": None if labels is None else str(labels[place]),
            "explanation": explanations[place],
        }
        for place, why in chosen
    ]
