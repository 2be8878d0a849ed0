"""The content of a report as plain data."""

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bicneuron._core._arrays import BoolArray
from bicneuron._shared._version import __version__
from bicneuron.metrics import CrossValidatedScores, RowsLeftOut, cross_validated_scores
from bicneuron.patterns import check_patterns
from bicneuron.report._colours import OTHERS, class_colours
from bicneuron.report._lists import class_means, lists_of
from bicneuron.report._model import describe_classifier, describe_network
from bicneuron.report._patterns import MOST_PATTERNS, page_patterns, table_values
from bicneuron.report._rows import RowsExplained
from bicneuron.significance import column_evidence, with_folds

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
# Names of the measures of cross-validation.
MEASURES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "roc_auc": "Area under the ROC curve",
}
# Columns of the ranking that the page shows.
MOST_RANKED = 30


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
    check_patterns(model, "write_report")
    if not hasattr(model, "explain"):
        raise TypeError(
            f"model is a {type(model).__name__}, which does not predict classes; a report is about "
            "a network or classifier, and write_subgroup_report writes one about groups."
        )
    if X is None and (y is not None or rows is not None):
        raise ValueError("y and rows belong to the rows of X; give X too.")
    if issparse(X):
        raise TypeError("X is sparse, but a report needs dense rows; give X.toarray().")
    about = dict(about or {})
    is_network = not hasattr(model, "binary_models")
    labels = None if y is None else np.asarray(y)
    if labels is not None and len(labels) != len(X):
        raise ValueError(f"y has {len(labels)} values for the {len(X)} rows of X.")
    is_multilabel = is_network and model._multilabel
    if is_multilabel:
        labels = None
    values: Any = None if X is None else table_values(model, X)[0]
    of_classes = {} if values is None else class_means(values, labels)
    carriers, not_located = _carriers(model, X, y)
    # Patterns of a model are compared by their classes, which takes no search.
    evidence = [] if labels is None or carriers is None else column_evidence(model, X, labels)
    lists = None if carriers is None else lists_of(model, X, labels, evidence=evidence)
    scored = _scores(model, X, labels, scores)
    if scored is not None and scored["reason"] is None and carriers is not None:
        model = with_folds(model, X, labels, scored["scores"])
    left_out = None if scored is None else scored["left_out"]
    own = [str(label) for label in model.classes_.tolist()]
    found = [] if labels is None else [str(label) for label in np.unique(labels).tolist()]
    # A new table may have classes that the model does not know.
    classes = own + [label for label in found if label not in own]
    return {
        "model_name": type(model).__name__,
        "settings": repr(model),
        "classes": classes,
        "n_classes": len(own),
        "colours": class_colours(len(classes)),
        "others_colour": OTHERS,
        "n_features": int(model.n_features_in_),
        "about": [(label, _text(about[key])) for key, label in ABOUT.items() if about.get(key)],
        "data": None if X is None else _data(X, labels),
        "mean_classes": [classes.index(str(label)) for label in of_classes],
        "patterns": page_patterns(
            model, carriers, values, of_classes, MOST_PATTERNS if is_network else None
        ),
        "problems": [] if is_network else describe_classifier(model),
        "network": describe_network(model) if is_network else None,
        "answer": model.summary().splitlines(),
        "scores": scored,
        "ranking": None if lists is None else _shown(lists.ranking, len(model.patterns_)),
        "n_ranked": 0 if lists is None else len(lists.ranking),
        "not_located": not_located,
        "downloads": {} if lists is None else lists.files,
        "rows": (
            None
            if X is None or is_multilabel
            else RowsExplained(
                model, X, labels, left_out, carriers, values, of_classes, classes
            ).on_page(rows)
        ),
        "balanced_probabilities": not is_network and model.class_weight is None,
        "versions": {
            "bicneuron": __version__,
            "Python": platform.python_version(),
            **{name: version(name) for name in PACKAGES},
        },
        "fitted_with": about.get("versions"),
        "command": about.get("command"),
    }


def _shown(ranking: Sequence[dict[str, Any]], n_patterns: int) -> list[dict[str, Any]]:
    """The first columns and, if patterns are few, the first of each pattern."""
    shown: list[dict[str, Any]] = []
    named: set[str] = set()
    for line in ranking:
        new = {*line["patterns"].split()} - named if n_patterns <= MOST_PATTERNS else set()
        if len(shown) < MOST_RANKED or new:
            shown.append(line)
            named |= new
    return shown


def _carriers(model: Any, X: Any, y: Any) -> tuple[BoolArray | None, str | None]:
    """Carriers of the patterns in the table of the fit, or why they are not known."""
    if X is None:
        return None, "This needs the table that the model was fitted on."
    try:
        model.check_table(X, y)
        return model.carriers(X), None
    except ValueError as error:
        return None, f"This needs the table that the model was fitted on: {error}"


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
    if labels is None:
        return None
    if scores is not None:
        return _described(scores)
    return cross_validated(model, np.asarray(X, dtype=np.float64), labels)


def cross_validated(model: Any, X: Any, y: Any) -> dict[str, Any]:
    """Scores of copies of a fitted model, or the ``reason`` why there are none."""
    try:
        return _described(cross_validated_scores(model, X, y))
    except ValueError as error:
        reason = f"The model could not be scored: {error}"
        return {"reason": reason, "left_out": None, "on_left_out": None}


def _described(scores: CrossValidatedScores) -> dict[str, Any]:
    """Scores in the order and the words of the page."""
    return {
        "reason": None,
        "scores": scores,
        "left_out": scores.left_out,
        "on_left_out": None if scores.left_out is None else _on_left_out(scores.left_out),
        "is_chance": scores.model["balanced_accuracy"].low <= scores.majority_balanced_accuracy,
        "is_worse": scores.difference.high < 0,
        "measures": [
            {"name": words, "model": scores.model[name], "rival": scores.logistic_regression[name]}
            for name, words in MEASURES.items()
            if name in scores.model
        ],
    }


def _on_left_out(rows: RowsLeftOut) -> dict[str, Any]:
    """Predictions for the rows that were left out, compared with their classes."""
    classes = rows.class_scores
    interest = next(one for one in classes if one.label == rows.of_interest)
    named = [one for one in classes if one.precision.total]
    return {
        "n_rows": len(rows.y),
        "labels": [str(label) for label in rows.classes],
        "accuracy": rows.accuracy,
        "balanced_accuracy": rows.balanced_accuracy,
        "classes": classes,
        "interest": interest,
        "others": [one for one in classes if one is not interest],
        "only": named[0].label if len(named) == 1 else None,
        "rare": [one for one in classes if one.is_rare],
        "confusion": rows.confusion.tolist(),
        "roc_auc": rows.roc_auc,
        "calibration": rows.calibration(interest.label),
    }
