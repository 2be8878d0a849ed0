"""Description of a fitted model as plain data."""

from dataclasses import replace
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.classifier import BicNeuronClassifier
from bicneuron.classifier._one_neuron import binary_estimators, explained_neuron
from bicneuron.classifier._problems import BinaryProblem
from bicneuron.explanation._names import feature_names
from bicneuron.explanation._numbers import class_name

# Patterns listed for a model, and column names shown for each of them.
MOST_PATTERNS = 10
MOST_COLUMNS = 30
# Training rows listed whose label is in doubt.
MOST_ROWS = 10


def describe_classifier(model: Any) -> list[dict[str, Any]]:
    """One description per binary problem."""
    names = feature_names(model)
    return [
        _describe_problem(problem, binary_estimator, names)
        for problem, binary_estimator in binary_estimators(model)
    ]


def _describe_problem(
    problem: BinaryProblem, binary_estimator: Any, names: list[str]
) -> dict[str, Any]:
    search = None
    classifier: BicNeuronClassifier = binary_estimator
    if hasattr(binary_estimator, "best_estimator_"):
        classifier = binary_estimator.best_estimator_
        search = {
            "score": binary_estimator.best_score_,
            "n_splits": binary_estimator.n_splits_,
            "n_points": len(binary_estimator.cv_results_["params"]),
            "params": {name: str(value) for name, value in binary_estimator.best_params_.items()},
        }
    negative, positive = map(class_name, problem.sides)
    return {
        "title": f"{positive} against {negative}",
        "fallback": classifier.selected_pair_ is None,
        "search": search,
        "stages": _stages(classifier),
        "pattern": _pattern(classifier, problem, names),
        "formula": _formula(binary_estimator, problem),
        "others": _others(classifier, names),
    }


def _stages(classifier: BicNeuronClassifier) -> list[dict[str, Any]]:
    if not hasattr(classifier, "diagnostics_"):  # JSON model files have none
        return []
    found = classifier.diagnostics_
    ratios = ""
    if found.best_ratio is not None and found.worst_ratio is not None:
        ratios = f"MSR ratios from {found.best_ratio:.3g} to {found.worst_ratio:.3g}"
    best = (
        f"{classifier.selection}: {classifier.scores_.max():.3f}" if len(classifier.scores_) else ""
    )
    return [
        {"name": "Seeds of the search", "count": found.n_seeds, "detail": ""},
        {"name": "Biclusters, each with its contrast", "count": found.n_pairs, "detail": ratios},
        {
            "name": "Kept by the filter",
            "count": found.n_kept,
            "detail": f"MSR ratio of at most {classifier.max_ratio:g}",
        },
        {"name": "Selected", "count": 1 if found.n_kept else 0, "detail": best},
    ]


def _pattern(
    classifier: BicNeuronClassifier, problem: BinaryProblem, names: list[str]
) -> dict[str, Any]:
    """The neuron that decides and its columns, in the units of the table."""
    explained, pair = explained_neuron(classifier, problem), classifier.selected_pair_
    scaling, linear = classifier._scaling.take(explained.columns), explained.linear
    anchor, contrast = scaling.undo(explained.centroids)
    weights = None if linear is None else scaling.per_unit(linear.coef)
    distances = np.abs(explained.centroids[0] - explained.centroids[1])
    order = np.argsort(
        -(distances if linear is None else distances * np.abs(linear.coef)), kind="stable"
    )
    negative, positive = map(class_name, problem.sides)
    return {
        "anchor": positive if pair is None else str(pair.anchor_class),
        "contrast": negative if pair is None else "contrast",
        "n_anchor": None if pair is None else len(pair.anchor_rows),
        "n_contrast": None if pair is None else len(pair.contrast_rows),
        "ratio": None if pair is None else pair.msr_ratio,
        "evidence": None if pair is None else pair.evidence,
        "neuron": repr(explained.neuron),
        "linear": linear is not None,
        "threshold": explained.threshold,
        "n_columns": len(explained.columns),
        "columns": [
            {
                "name": names[explained.columns[k]],
                "anchor": float(anchor[k]),
                "contrast": float(contrast[k]),
                "weight": None if weights is None else float(weights[k]),
            }
            for k in order[:MOST_COLUMNS].tolist()
        ],
    }


def _formula(binary_estimator: Any, problem: BinaryProblem) -> str | None:
    negative, positive = problem.sides
    sides = "the rest" if negative is None else negative, positive
    try:
        return str(replace(binary_estimator.to_formula(), labels=sides))
    except ValueError:
        return None


def _others(classifier: BicNeuronClassifier, names: list[str]) -> list[dict[str, Any]]:
    """The best-ranked pairs, the selected one marked."""
    if not hasattr(classifier, "pairs_"):
        return []
    return [
        {
            "number": number,
            "selected": pair == classifier.selected_pair_,
            "anchor": str(pair.anchor_class),
            "rows": f"{len(pair.anchor_rows)} / {len(pair.contrast_rows)}",
            "value": pair.msr_ratio,
            "score": float(classifier.scores_[number]),
            "evidence": pair.evidence,
            **named_columns(pair.columns, names),
        }
        for number, pair in enumerate(classifier.pairs_[:MOST_PATTERNS])
    ]


def describe_network(model: Any) -> dict[str, Any]:
    """The numbers and the strongest patterns of a network."""
    names = feature_names(model)
    kinds: dict[str, int] = {}
    for pattern in model.patterns_:
        kinds[repr(pattern.neuron)] = kinds.get(repr(pattern.neuron), 0) + 1
    columns = np.unique(np.concatenate([pattern.pair.columns for pattern in model.patterns_]))
    shares = np.array([pattern.contribution for pattern in model.patterns_])
    tested = int(np.sum(~np.isnan(model.test_scores_).any(axis=1)))
    return {
        "stages": [
            {
                "name": "Patterns in the network",
                "count": len(model.patterns_),
                "detail": "; ".join(f"{count} {kind}" for kind, count in kinds.items()),
            },
            {
                "name": "Columns used",
                "count": len(columns),
                "detail": f"of {model.n_features_in_}",
            },
            {
                "name": "Rows of the output layer",
                "count": len(model.output_rows_),
                "detail": f"penalty {model.penalty_:.3g}",
            },
            {
                "name": "Rows of the self-test",
                "count": tested,
                "detail": f"log odds of {model.slope_:.3g} per unit of score",
            },
            _labels_in_doubt(model.label_doubt_),
        ],
        "listed_share": float(shares[:MOST_PATTERNS].sum()),
        "patterns": [
            {
                "number": number,
                "anchor": str(pattern.pair.anchor_class),
                "rows": f"{len(pattern.pair.anchor_rows)} / {len(pattern.pair.contrast_rows)}",
                "value": pattern.pair.msr_ratio,
                "score": pattern.contribution,
                "evidence": pattern.evidence,
                **named_columns(pattern.ranked_columns, names),
            }
            for number, pattern in enumerate(model.patterns_[:MOST_PATTERNS])
        ],
    }


def _labels_in_doubt(doubt: FloatArray) -> dict[str, Any]:
    """Training rows whose label the others contradict, the most doubtful first."""
    of_rows = np.nan_to_num(doubt.reshape(len(doubt), -1)).max(axis=1)
    order = np.argsort(-of_rows, kind="stable")[: int(np.sum(of_rows > 0.5))].tolist()
    listed = ", ".join(f"{row} ({of_rows[row]:.2f})" for row in order[:MOST_ROWS])
    more = ", ..." if len(order) > MOST_ROWS else ""
    return {
        "name": "Labels in doubt",
        "count": len(order),
        "detail": f"training rows, counted from 0: {listed}{more}" if order else "",
    }


def deciding_patterns(model: Any) -> list[Any]:
    """Patterns that decide: those of a network, or the selected pair of each binary problem."""
    if hasattr(model, "patterns_"):
        return list(model.patterns_)
    selected = [estimator.selected_pair_ for _, estimator in binary_estimators(model)]
    return [pair for pair in selected if pair is not None]


def named_columns(columns: Any, names: list[str]) -> dict[str, Any]:
    """Number of columns, and the names of the first of them."""
    return {
        "n_columns": len(columns),
        "columns": [names[column] for column in columns[:MOST_COLUMNS].tolist()],
    }
