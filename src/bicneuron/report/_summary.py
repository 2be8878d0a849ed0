"""The content of a report as plain data."""

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from bicneuron._version import __version__
from bicneuron.biclustering._evidence import told_all
from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
from bicneuron.explanation._names import row_names
from bicneuron.metrics import CrossValidatedScores
from bicneuron.network import BicNeuronNetwork
from bicneuron.report._model import deciding_patterns, describe_classifier, describe_network
from bicneuron.report._rows import choose_rows, find_rows
from bicneuron.report._scores import cross_validated, described

# Labels of what the command line records about a fit.
ABOUT = {
    "table": "Table",
    "n_rows": "Training rows",
    "target": "Class column",
    "id": "Name column",
    "dropped": "Dropped columns",
    "changes": "Columns that were changed",
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
    """Collect the content of a report; `write_report` describes the arguments."""
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
        raise TypeError("X is sparse, but a report needs dense rows; give X.toarray().")
    about = dict(about or {})
    is_network = isinstance(model, BicNeuronNetwork)
    labels = None if y is None else np.asarray(y)
    if labels is not None and len(labels) != len(X):
        raise ValueError(f"y has {len(labels)} values for the {len(X)} rows of X.")
    is_multilabel = is_network and model._multilabel
    return {
        "kind": type(model).__name__,
        "settings": repr(model),
        "classes": [str(label) for label in model.classes_.tolist()],
        "n_features": int(model.n_features_in_),
        "about": [(label, _text(about[key])) for key, label in ABOUT.items() if about.get(key)],
        "data": None if X is None else _data(X, None if is_multilabel else labels),
        "problems": [] if is_network else describe_classifier(model),
        "network": describe_network(model) if is_network else None,
        "evidence": _evidence(model),
        "scores": _scores(model, X, None if is_multilabel else labels, scores),
        "explained": [] if X is None or is_multilabel else _explained(model, X, labels, rows),
        "versions": {
            "bicneuron": __version__,
            "Python": platform.python_version(),
            **{name: version(name) for name in PACKAGES},
        },
        "fitted_with": about.get("versions"),
        "command": about.get("command"),
    }


def _evidence(model: Any) -> dict[str, Any] | None:
    """How many patterns were tested and are better than chance; None if none was tested."""
    tested = [
        pattern.evidence for pattern in deciding_patterns(model) if pattern.evidence is not None
    ]
    tested = [evidence for evidence in tested if evidence.family_p_value is not None]
    if not tested:
        return None
    first = tested[0]
    p_values = [evidence.family_p_value for evidence in tested]
    return {
        "summary": told_all(p_values, str(first.method), float(first.smallest_p or 0.0)),
        "n_tested": len(tested),
        "n_clear": sum(not evidence.is_chance for evidence in tested),
        "n_permutations": first.n_permutations,
    }


def _text(value: Any) -> str:
    if not isinstance(value, list | tuple):
        return str(value)
    words = [str(one) for one in value]
    return ("; " if any(", " in word for word in words) else ", ").join(words)


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
        return {"reason": "The model file does not contain the settings of the model."}
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
            "true": None if labels is None else str(labels[position]),
            "explanation": explanations[position],
        }
        for position, why in chosen
    ]
