"""A page about a fitted model: which columns matter, what decides, and which rows."""

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._formats import class_name, shortened
from bicneuron._shared._names import feature_names
from bicneuron._shared._version import __version__
from bicneuron.classifier import BicNeuronClassifier
from bicneuron.explanation import formula_of
from bicneuron.metrics import CrossValidatedScores, RowsLeftOut, cross_validated_scores
from bicneuron.patterns import Pattern, check_patterns, pattern_facts
from bicneuron.report._lists import PatternLists, Record, class_means, pattern_lists
from bicneuron.report._plots import OTHERS, Palette, heat_map, pattern_plots, roc_plot
from bicneuron.report._records import table_values
from bicneuron.report._rows import RowsExplained
from bicneuron.significance import column_evidence, with_folds

# Labels of what the command line records about a fit.
ABOUT = {
    "table": "Table",
    "n_rows": "Training rows",
    "target": "Class column",
    "id": "Name column",
    "read": "What was read",
    "command": "Command that fitted the model",
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
# Patterns of a network; terms of a formula, and columns of a pattern, that are shown at once.
MOST_PATTERNS, MOST_TERMS = 10, 12
MOST_DOUBTED = 10  # training rows listed whose label is in doubt


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
    check_patterns(model, "write_report")
    if X is None and (y is not None or rows is not None):
        raise ValueError("y and rows belong to the rows of X; give X too.")
    if y is not None and len(y) != np.shape(X)[0]:
        raise ValueError(f"y has {len(y)} values for the {np.shape(X)[0]} rows of X.")
    about = dict(about or {})
    is_network = not hasattr(model, "binary_models")
    is_multilabel = is_network and model._multilabel
    labels = None if y is None or is_multilabel else np.asarray(y)
    lists, not_located = _lists(model, X, y, labels)
    scored = None if labels is None else _scores(model, X, labels, scores, about)
    if scored is not None and scored["reason"] is None and lists is not None:
        model = with_folds(model, X, labels, scored["scores"])
    own = [str(label) for label in model.classes_.tolist()]
    of_classes = {} if X is None else class_means(table_values(model, X), labels)
    # A new table may have classes that the model does not know.
    sizes = Counter([] if labels is None else sorted(labels.tolist()))
    classes = own + [str(label) for label in sizes if str(label) not in own]
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
        "sizes": sizes,
        "mean_classes": [classes.index(str(label)) for label in sizes],
        "patterns": patterns[:MOST_PATTERNS] if is_network else patterns,
        "problems": [] if is_network else _classifier(model),
        "network": _network(model) if is_network else None,
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
        "reading": about.get("reading"),
        "most_terms": MOST_TERMS,
        "most_columns": MOST_COLUMNS,
    }


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
    model: Any, lists: PatternLists | None, of_classes: Mapping[str, FloatArray]
) -> list[Record]:
    """Each pattern with its columns and their means or, without the table of the fit, centres."""
    names = feature_names(model)
    described: list[Record] = []
    by_name = {(one["pattern"], one["column"]): one for one in (lists.columns if lists else [])}
    for number, pattern in enumerate(model.patterns_, start=1):
        columns = pattern.ranked_columns.tolist()
        if lists is not None:
            lines = [by_name[number, names[column]] for column in columns]
        else:
            centres = model.in_table_units(pattern.neuron.centroids, pattern.columns)
            sides = zip(columns, *centres[:, pattern.column_order].tolist(), strict=True)
            lines = [
                {"column": names[column], "mean_in_group": group, "mean_in_contrast": contrast}
                | {name: float(means[column]) for name, means in of_classes.items()}
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
    model: Any, X: Any, y: Any, scores: CrossValidatedScores | None, about: Mapping[str, Any]
) -> dict[str, Any]:
    """Scores of copies of a fitted model, or the ``reason`` why there are none."""
    try:
        if scores is None:
            groups = about.get("groups")  # of the rows of the fit
            if groups is not None:
                model.check_table(X, y)
            folds: Any = {"groups": groups, "n_splits": about.get("folds", 5)}
            scores = cross_validated_scores(model, np.asarray(X, dtype=np.float64), y, **folds)
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
        "interest": interest,
        "others": [one for one in classes if one is not interest],
        "only": named[0].label if len(named) == 1 else None,
        "rare": [one for one in classes if one.is_rare],
        "calibration": rows.calibration(interest.label),
    }


def _classifier(model: Any) -> list[dict[str, Any]]:
    """One description per binary problem."""
    names = feature_names(model)
    described: list[dict[str, Any]] = []
    parts = zip(model.binary_models(), model.explained_patterns(), strict=True)
    for (problem, classifier), explained in parts:
        negative, positive = problem.sides
        negative = class_name(negative) if negative is None else negative
        described.append(
            {
                "title": f"{positive} against {negative}",
                "fallback": classifier.selected_pair_ is None,
                "search": classifier if hasattr(classifier, "cv_results_") else None,
                "stages": _stages(classifier),
                "formula": _formula(explained, (negative, positive), names),
            }
        )
    return described


def _stages(classifier: BicNeuronClassifier) -> list[dict[str, Any]]:
    found, ratios, most, best = classifier.diagnostics_, "", "", ""
    if found.best_ratio is not None and found.worst_ratio is not None:
        ratios = f"MSR ratios from {found.best_ratio:.3g} to {found.worst_ratio:.3g}"
    ratio = getattr(classifier, "best_params_", {}).get("max_ratio", classifier.max_ratio)
    if ratio is not None:
        most = f"MSR ratio of at most {ratio:g}"
    if len(classifier.scores_):
        best = f"{classifier.selection}: {classifier.scores_.max():.3f}"
    return [
        _stage("Seeds of the search", found.n_seeds),
        _stage("Biclusters, each with its contrast", found.n_pairs, ratios),
        _stage("Kept by the filter", found.n_kept, most),
        _stage("Selected", 1 if found.n_kept else 0, best),
    ]


def _stage(name: str, count: int, detail: str = "") -> dict[str, Any]:
    return {"name": name, "count": count, "detail": detail}


def _formula(explained: Pattern, sides: tuple[Any, Any], names: list[str]) -> dict[str, Any] | None:
    """Formula of a linear neuron, shortened to a dozen terms, and the full one if it is longer."""
    try:
        formula = formula_of(explained, names, sides)
    except ValueError:
        return None
    ranked = explained.ranked_columns
    full = str(formula) if len(ranked) > MOST_TERMS else None
    return {"short": formula.shortened(ranked[:MOST_TERMS].tolist()), "full": full}


def _network(model: Any) -> dict[str, Any]:
    """The numbers and the strongest patterns of a network."""
    patterns = model.patterns_
    kinds = Counter(repr(pattern.neuron.estimator) for pattern in patterns)
    told = "; ".join(f"{count} {kind}" for kind, count in kinds.items())
    shares = [pattern.strength for pattern in patterns]
    tested = int(np.sum(~np.isnan(model.test_scores_).any(axis=1)))
    penalty = f"penalty {model.penalty_:.3g}"
    slope = f"log odds of {model.slope_:.3g} per unit of score"
    # Training rows whose label the others contradict, the most doubtful first.
    doubt = np.nan_to_num(model.label_doubt_.reshape(len(model.label_doubt_), -1)).max(axis=1)
    order = np.argsort(-doubt, kind="stable")[: int(np.sum(doubt > 0.5))].tolist()
    listed = ", ".join(f"{row} ({doubt[row]:.2f})" for row in order[:MOST_DOUBTED])
    more = ", ..." if len(order) > MOST_DOUBTED else ""
    in_doubt = f"training rows, counted from 0: {listed}{more}" if order else ""
    return {
        "stages": [
            _stage("Patterns in the network", len(patterns), told),
            _stage("Columns used", len(model.columns_in_use_), f"of {model.n_features_in_}"),
            _stage("Rows of the output layer", len(model.output_rows_), penalty),
            _stage("Rows of the self-test", tested, slope),
            _stage("Labels in doubt", len(order), in_doubt),
        ],
        "n_patterns": len(patterns),
        "listed_share": float(np.sum(shares[:MOST_PATTERNS])),
    }
