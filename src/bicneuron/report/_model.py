"""A page about a fitted model: which columns matter, what decides, and which rows."""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._formats import class_name, shortened
from bicneuron._shared._names import feature_names
from bicneuron._shared._version import __version__
from bicneuron.metrics import CrossValidatedScores, RowsLeftOut, cross_validated_scores
from bicneuron.patterns import check_patterns, pattern_facts
from bicneuron.report._lists import PatternLists, Record, class_means, lists_of, means_of_classes
from bicneuron.report._page import OTHERS, Palette, check_path, write_page
from bicneuron.report._plots import heat_map, pattern_plots, score_plots
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


def write_report(
    path: str | os.PathLike[str],
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    about: Mapping[str, Any] | None = None,
    rows: Sequence[Any] | None = None,
    scores: CrossValidatedScores | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a self-contained HTML report about a fitted model.

    Its one script, to look up rows and to save lists, needs no network.

    Parameters
    ----------
    path : path-like
        The file to write.
    model : BicNeuronClassifier or BicNeuronNetwork
        Fitted.
    X : frame or array-like of shape (n_rows, n_columns), default=None
        Rows to explain; the index of a frame has their names. If they are the data that the model
        was fitted on, the pattern that decides is plotted.
    y : array-like of shape (n_rows,), default=None
        Classes of the rows. If given, copies of the model are scored by cross-validation, beside
        logistic regression on the same folds.
    about : mapping, default=None
        How the model was fitted: ``table``, ``n_rows``, ``target``, ``id``, ``dropped``,
        ``command``.
    rows : sequence, default=None
        Names or positions of the rows to explain. None is the most certain row of each class, the
        least certain row and some misclassified ones.
    scores : CrossValidatedScores, default=None
        Scores of this model, if they are already known. None computes them.
    overwrite : bool, default=False
        Whether to replace an existing file.

    Returns
    -------
    Path
        The file. The same arguments give the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronNetwork, PatternClassifier
    >>> from bicneuron.report import write_report
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = PatternClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(Path(folder) / "report.html", model, X)
    ...     "Which columns matter" in page.read_text()
    True
    """
    path = check_path(path, overwrite=overwrite)
    content = summarise(model, X, y, about=about, rows=rows, scores=scores)
    content["plots"] = _draw(model, X, y, content)
    explained = content["rows"] or {"all": [], "patterns": {}, "columns": {}}
    script_data = {
        "classes": [*map(shortened, content["classes"])],
        "meanClasses": content["mean_classes"],
        "rows": explained["all"],
        "patterns": explained["patterns"],
        "columns": explained["columns"],
    }
    lists = content["lists"]
    return write_page(path, "report.html", content, lists, script_data, overwrite=overwrite)


def summarise(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
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
    lines = _lines(model, lists, of_classes)
    explained = None
    if X is not None and not is_multilabel:
        left_out = None if scored is None else scored["left_out"]
        explained = RowsExplained(
            model, X, labels, left_out, lines, classes, lists is not None
        ).on_page(rows)
    return {
        "model_name": type(model).__name__,
        "settings": repr(model),
        "classes": classes,
        "n_classes": len(own),
        "colours": Palette.of(classes).colours,
        "others_colour": OTHERS,
        "n_features": int(model.n_features_in_),
        "about": [(label, _text(about[key])) for key, label in ABOUT.items() if about.get(key)],
        "data": None if X is None else _data(X, labels),
        "mean_classes": [classes.index(str(label)) for label in of_classes],
        "patterns": _patterns(model, lines, lists is not None, is_network),
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
    }


def _check(model: Any, X: Any, y: Any, rows: Any) -> None:
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
    # Patterns of a model are compared by their classes, which takes no search.
    evidence = [] if labels is None else column_evidence(model, X, labels)
    return lists_of(model, X, labels, evidence), None


def _lines(
    model: Any, lists: PatternLists | None, of_classes: Mapping[Any, FloatArray]
) -> list[list[Record]]:
    """Columns of each pattern, those that matter most first, with the means of both sides.

    Without the table of the fit these are the centres that the model knows.
    """
    names = feature_names(model)
    if lists is not None:
        by_name = {(line["pattern"], line["column"]): line for line in lists.columns}
        return [
            [by_name[number, names[column]] for column in pattern.ranked_columns]
            for number, pattern in enumerate(model.patterns_, start=1)
        ]
    lines = []
    for pattern in model.patterns_:
        centres = model.in_table_units(pattern.neuron.centroids, pattern.columns)
        cells = zip(pattern.ranked_columns, *centres[:, pattern.column_order], strict=True)
        lines.append(
            [
                {
                    "column": names[column],
                    "mean_in_group": float(group),
                    "mean_in_contrast": float(contrast),
                    **means_of_classes(of_classes, column),
                }
                for column, group, contrast in cells
            ]
        )
    return lines


def _patterns(
    model: Any, lines: Sequence[Sequence[Record]], are_means: bool, is_network: bool
) -> list[dict[str, Any]]:
    """Each pattern as the page shows it; of a network the strongest."""
    shown = model.patterns_[:MOST_PATTERNS] if is_network else model.patterns_
    described = []
    for number, pattern in enumerate(shown, start=1):
        is_pair = pattern.kind != "class"
        described.append(
            {
                "number": number,
                "problem": pattern.neuron.target,
                "group": class_name(pattern.anchor_class),
                "contrast": class_name(pattern.contrast_class),
                "group_class": pattern.anchor_class,
                "contrast_class": pattern.contrast_class,
                "is_pair": is_pair,
                "n_rows": len(pattern.rows) if is_pair else None,
                "n_contrast": len(pattern.contrast_rows) if is_pair else None,
                "share": pattern.strength,
                "facts": pattern_facts(pattern),
                "are_means": are_means,
                "n_columns": len(pattern.columns),
                "columns": lines[number - 1][:MOST_COLUMNS],
            }
        )
    return described


def _draw(model: Any, X: Any, y: Any, content: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the plots of a page: of the scores, of the whole table and of the patterns.

    Of each binary estimator or of a network, with the reason if there are none.
    """
    palette = Palette(content["classes"], content["colours"])
    left_out = None if content["scores"] is None else content["scores"]["left_out"]
    drawn: dict[str, Any] = {
        "scores": [] if left_out is None else score_plots(left_out, palette),
        "heat_map": None,
        "patterns": [],
    }
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


def _data(X: Any, labels: Any) -> dict[str, Any]:
    found, sizes = np.unique([] if labels is None else labels, return_counts=True)
    classes = [
        {"label": str(label), "rows": size, "share": size / len(labels)}
        for label, size in zip(found.tolist(), sizes.tolist(), strict=True)
    ]
    n_rows, n_columns = np.shape(X)
    return {"n_rows": n_rows, "n_columns": n_columns, "classes": classes}


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
