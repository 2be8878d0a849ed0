"""The search that led to a fitted model, as plain data: the technical part of a page."""

from collections import Counter
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._formats import class_name
from bicneuron._shared._names import feature_names
from bicneuron.classifier import BicNeuronClassifier
from bicneuron.explanation import formula_of
from bicneuron.patterns import Pattern

# Patterns that a page lists, and column names of each.
MOST_PATTERNS, MOST_COLUMNS = 10, 30
# Terms of a formula, and columns of a pattern, that are shown at once.
MOST_TERMS = 12
# Training rows listed whose label is in doubt.
MOST_ROWS = 10


def describe_classifier(model: Any) -> list[dict[str, Any]]:
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
                "others": _ranked_pairs(classifier, names),
            }
        )
    return described


def _ranked_pairs(classifier: BicNeuronClassifier, names: list[str]) -> list[dict[str, Any]]:
    """The pairs of rows that the filter kept, the best first."""
    ranked = zip(classifier.pairs_[:MOST_PATTERNS], classifier.scores_, strict=False)
    return [
        {
            "number": number,
            "selected": pair == classifier.selected_pair_,
            "group": str(pair.anchor_class),
            "rows": f"{len(pair.rows)} / {len(pair.contrast_rows)}",
            "ratio": pair.msr_ratio,
            "score": float(score),
            "n_columns": len(pair.columns),
            "columns": [names[column] for column in pair.columns[:MOST_COLUMNS].tolist()],
        }
        for number, (pair, score) in enumerate(ranked, start=1)
    ]


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


def describe_network(model: Any) -> dict[str, Any]:
    """The numbers and the strongest patterns of a network."""
    patterns = model.patterns_
    kinds = Counter(repr(pattern.neuron.estimator) for pattern in patterns)
    told = "; ".join(f"{count} {kind}" for kind, count in kinds.items())
    shares = [pattern.strength for pattern in patterns]
    tested = int(np.sum(~np.isnan(model.test_scores_).any(axis=1)))
    slope = f"log odds of {model.slope_:.3g} per unit of score"
    return {
        "stages": [
            _stage("Patterns in the network", len(patterns), told),
            _stage("Columns used", len(model.columns_in_use_), f"of {model.n_features_in_}"),
            _stage(
                "Rows of the output layer", len(model.output_rows_), f"penalty {model.penalty_:.3g}"
            ),
            _stage("Rows of the self-test", tested, slope),
            _labels_in_doubt(model.label_doubt_),
        ],
        "n_patterns": len(patterns),
        "listed_share": float(np.sum(shares[:MOST_PATTERNS])),
    }


def _labels_in_doubt(doubt: FloatArray) -> dict[str, Any]:
    """Training rows whose label the others contradict, the most doubtful first."""
    of_rows = np.nan_to_num(doubt.reshape(len(doubt), -1)).max(axis=1)
    order = np.argsort(-of_rows, kind="stable")[: int(np.sum(of_rows > 0.5))].tolist()
    listed = ", ".join(f"{row} ({of_rows[row]:.2f})" for row in order[:MOST_ROWS])
    more = ", ..." if len(order) > MOST_ROWS else ""
    detail = f"training rows, counted from 0: {listed}{more}" if order else ""
    return _stage("Labels in doubt", len(order), detail)
