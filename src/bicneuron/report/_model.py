"""A page about a fitted model: which columns matter, what decides, and which rows."""

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._formats import shortened
from bicneuron._shared._names import feature_names
from bicneuron._shared._version import __version__
from bicneuron.metrics import CrossValidatedScores, RowsLeftOut, cross_validated_scores
from bicneuron.patterns import check_patterns, pattern_facts
from bicneuron.report._lists import (
    PatternLists,
    Record,
    class_means,
    means_of_classes,
    pattern_lists,
)
from bicneuron.report._plots import OTHERS, Palette, heat_map, pattern_plots, roc_plot
from bicneuron.report._records import table_values
from bicneuron.report._rows import RowsExplained
from bicneuron.report._search import (
    MOST_PATTERNS,
    MOST_TERMS,
    describe_classifier,
    describe_network,
)
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
# Columns of the ranking that the page shows, and those of a pattern that can be unfolded.
MOST_RANKED, MOST_COLUMNS = 30, 60


def model_page(
    model: Any, X: Any, y: Any, about: Mapping[str, Any], rows: Any, scores: Any
) -> tuple[dict[str, Any], dict[str, str], dict[str, Any]]:
    """What the page shows, the lists that it saves, and what its script looks up."""
    content = summarise(model, X, y, about, rows, scores)
    content["plots"] = _draw(model, X, y, content)
    explained = content["rows"] or {}
    looked_up = {
        "classes": [*map(shortened, content["classes"])],
        "meanClasses": content["mean_classes"],
        "rows": explained.get("all", []),
        **{key: explained.get(key, {}) for key in ("patterns", "columns")},
    }
    return content, content["lists"], looked_up


def summarise(
    model: Any,
    X: Any = None,
    y: Any = None,
    about: Mapping[str, Any] | None = None,
    rows: Sequence[Any] | None = None,
    scores: CrossValidatedScores | None = None,
) -> dict[str, Any]:
    """The content of a page as plain data; `write_report` describes the arguments."""
    _check(model, X, y, rows)
    about = dict(about or {})
    is_network = not hasattr(model, "binary_models")
    is_multilabel = is_network and model._multilabel
    labels = None if y is None or is_multilabel else np.asarray(y)
    lists, not_located = _lists(model, X, y, labels)
    scored = None if labels is None else _scores(model, X, labels, scores)
    if scored is not None and scored["reason"] is None and lists is not None:
        model = with_folds(model, X, labels, scored["scores"])
    own = [str(label) for label in model.classes_.tolist()]
    of_classes = {} if X is None else class_means(table_values(model, X), labels)
    # A new table may have classes that the model does not know.
    classes = own + [str(label) for label in of_classes if str(label) not in own]
    patterns = _patterns(model, lists, of_classes)
    explained: dict[str, Any] | None = None
    if X is not None and not is_multilabel:
        left_out = None if scored is None else scored["left_out"]
        explained = RowsExplained(model, X, labels, left_out, patterns, classes).on_page(rows)
    return {
        "model_name": type(model).__name__,
        "settings": repr(model),
        "classes": classes,
        "n_classes": len(own),
        "colours": Palette.of(classes).colours,
        "others_colour": OTHERS,
        "n_features": int(model.n_features_in_),
        "about": [(label, _text(about[key])) for key, label in ABOUT.items() if about.get(key)],
        "shape": None if X is None else np.shape(X),
        "sizes": Counter([] if labels is None else sorted(labels.tolist())),
        "mean_classes": [classes.index(str(label)) for label in of_classes],
        "patterns": patterns[:MOST_PATTERNS] if is_network else patterns,
        "problems": [] if is_network else describe_classifier(model),
        "network": describe_network(model) if is_network else None,
        "answer": model.summary().splitlines(),
        "scores": scored,
        "ranking": None if lists is None else _shown(lists.ranking, len(model.patterns_)),
        "n_ranked": 0 if lists is None else len(lists.ranking),
        "not_located": not_located,
        "lists": {} if lists is None else lists.files,
        "rows": explained,
        "balanced_probabilities": not is_network and model.class_weight is None,
        "versions": {
            "bicneuron": __version__,
            "Python": platform.python_version(),
            **{name: version(name) for name in PACKAGES},
        },
        "fitted_with": about.get("versions"),
        "command": about.get("command"),
        "most_terms": MOST_TERMS,
        "most_columns": MOST_COLUMNS,
    }


def _check(model: Any, X: Any, y: Any, rows: Any) -> None:
    check_patterns(model, "write_report")
    if X is None and (y is not None or rows is not None):
        raise ValueError("y and rows belong to the rows of X; give X too.")
    if issparse(X):
        raise TypeError("X is sparse, but a report needs dense rows; give X.toarray().")
    if y is not None and len(y) != len(X):
        raise ValueError(f"y has {len(y)} values for the {len(X)} rows of X.")


def _lists(model: Any, X: Any, y: Any, labels: Any) -> tuple[PatternLists | None, str | None]:
    """The lists of the table of the fit, or why it is not known."""
    needed = "This needs the table that the model was fitted on"
    if X is None:
        return None, f"{needed}."
    table_values(model, X)  # other columns are refused
    try:
        model.check_table(X, y)
    except ValueError as error:
        return None, f"{needed}: {error}"
    if not model.patterns_:
        return None, None
    # Patterns of a model are compared by their classes, which takes no search.
    evidence = [] if labels is None else column_evidence(model, X, labels)
    return pattern_lists(model, X, labels, evidence=evidence), None


def _patterns(
    model: Any, lists: PatternLists | None, of_classes: Mapping[Any, FloatArray]
) -> list[Record]:
    """Each pattern with its columns, those that matter most first, and the means of both sides.

    Without the table of the fit these are the centres that the model knows.
    """
    names = feature_names(model)
    described: list[Record] = []
    listed = [] if lists is None else lists.columns
    by_name = {(line["pattern"], line["column"]): line for line in listed}
    for number, pattern in enumerate(model.patterns_, start=1):
        columns = pattern.ranked_columns.tolist()
        if lists is not None:
            lines = [by_name[number, names[column]] for column in columns]
        else:
            centres = model.in_table_units(pattern.neuron.centroids, pattern.columns)
            sides = zip(columns, *centres[:, pattern.column_order].tolist(), strict=True)
            lines = [
                {"column": names[column], "mean_in_group": group, "mean_in_contrast": contrast}
                | means_of_classes(of_classes, column)
                for column, group, contrast in sides
            ]
        described.append(
            {
                "number": number,
                "problem": pattern.neuron.target,
                "group_class": pattern.anchor_class,
                "contrast_class": pattern.contrast_class,
                "is_pair": pattern.kind != "class",
                "n_rows": len(pattern.rows),
                "n_contrast": len(pattern.contrast_rows),
                "share": pattern.strength,
                "facts": pattern_facts(pattern),
                "are_means": lists is not None,
                "n_columns": len(columns),
                "columns": lines,
            }
        )
    return described


def _draw(model: Any, X: Any, y: Any, content: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the plots of a page: of the scores, of the whole table and of the patterns."""
    palette = Palette(content["classes"], content["colours"])
    drawn: dict[str, Any] = {"roc": None, "heat_map": None, "patterns": []}
    left_out = content["scores"] and content["scores"]["left_out"]
    if left_out is not None and left_out.scores is not None:
        drawn["roc"] = roc_plot(left_out, palette)
    if content["ranking"]:
        names = feature_names(model)
        shown = [line["column"] for line in content["ranking"]]
        values = table_values(model, X)[:, [names.index(name) for name in shown]]
        labels = None if np.ndim(y) != 1 else np.asarray(y)
        drawn["heat_map"] = heat_map(values, labels, shown, palette)
    if X is not None:
        # Of a network the strongest only.
        shown = content["patterns"] if content["problems"] else content["patterns"][:1]
        drawn["patterns"] = [pattern_plots(model, X, one, palette) for one in shown]
    return drawn


def _shown(ranking: Sequence[Record], n_patterns: int) -> list[Record]:
    """The first columns and, if patterns are few, the first of each pattern."""
    shown: list[Record] = []
    named: set[str] = set()
    for line in ranking:
        new = {*line["patterns"].split()} - named if n_patterns <= MOST_PATTERNS else set()
        if len(shown) < MOST_RANKED or new:
            shown.append(line)
            named |= new
    return shown


def _text(value: Any) -> str:
    if not isinstance(value, list | tuple):
        return str(value)
    words = [str(one) for one in value]
    return ("; " if any(", " in word for word in words) else ", ").join(words)


def _scores(
    model: Any, X: Any, y: Any, scores: CrossValidatedScores | None = None
) -> dict[str, Any]:
    """Scores of copies of a fitted model, or the ``reason`` why there are none."""
    try:
        scores = scores or cross_validated_scores(model, np.asarray(X, dtype=np.float64), y)
    except ValueError as error:
        reason = f"The model could not be scored: {error}"
        return {"reason": reason, "left_out": None, "on_left_out": None}
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
    """What else is told of predictions for the rows that were left out."""
    classes = rows.class_scores
    (interest,) = (one for one in classes if one.label == rows.of_interest)
    named = [one for one in classes if one.precision.total]
    return {
        "rows": rows,
        "labels": [str(label) for label in rows.classes],
        "interest": interest,
        "others": [one for one in classes if one is not interest],
        "only": named[0].label if len(named) == 1 else None,
        "rare": [one for one in classes if one.is_rare],
        "calibration": rows.calibration(interest.label),
    }
