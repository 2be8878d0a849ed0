"""What a fitted model is made of, as plain data for a page."""

from dataclasses import replace
from typing import Any

import numpy as np

from bicneuron.classifier import BicNeuronClassifier
from bicneuron.classifier._one_neuron import explained_neuron
from bicneuron.classifier._problems import BinaryProblem, binary_problems
from bicneuron.explanation._names import feature_names
from bicneuron.explanation._numbers import class_name

# Patterns that are listed beside the one that decides, and columns named of each.
MOST_PATTERNS = 10
MOST_COLUMNS = 30


def describe_classifier(model: Any) -> list[dict[str, Any]]:
    """Each binary problem, with what was found for it."""
    fitted = [model] if len(model.classes_) == 2 else model.estimators_
    problems = binary_problems(model.classes_, model.multi_class)
    names = feature_names(model)
    return [
        _describe_problem(binary, problem, names)
        for binary, problem in zip(fitted, problems, strict=True)
    ]


def _describe_problem(binary: Any, problem: BinaryProblem, names: list[str]) -> dict[str, Any]:
    search = None
    single: BicNeuronClassifier = binary
    if hasattr(binary, "best_estimator_"):
        single = binary.best_estimator_
        search = {
            "score": binary.best_score_,
            "n_splits": binary.n_splits_,
            "n_points": len(binary.cv_results_["params"]),
            "params": {name: str(value) for name, value in binary.best_params_.items()},
        }
    negative, positive = map(class_name, problem.sides)
    return {
        "title": f"{positive} against {negative}",
        "fallback": single.selected_pair_ is None,
        "search": search,
        "stages": _stages(single),
        "pattern": _pattern(single, problem, names),
        "formula": _formula(binary, problem),
        "others": _others(single, names),
    }


def _stages(single: BicNeuronClassifier) -> list[dict[str, Any]]:
    if not hasattr(single, "diagnostics_"):  # a file may hold no more than the neuron
        return []
    found = single.diagnostics_
    ratios = ""
    if found.best_ratio is not None and found.worst_ratio is not None:
        ratios = f"MSR ratios from {found.best_ratio:.3g} to {found.worst_ratio:.3g}"
    best = f"{single.selection}: {single.scores_.max():.3f}" if len(single.scores_) else ""
    return [
        {"name": "Starts of the search", "count": found.n_seeds, "detail": ""},
        {"name": "Biclusters, each with its contrast", "count": found.n_pairs, "detail": ratios},
        {
            "name": "Kept by the filter",
            "count": found.n_kept,
            "detail": f"MSR ratio of at most {single.max_ratio:g}",
        },
        {"name": "Decides", "count": 1 if found.n_kept else 0, "detail": best},
    ]


def _pattern(
    single: BicNeuronClassifier, problem: BinaryProblem, names: list[str]
) -> dict[str, Any]:
    """The neuron that decides and its columns, in the user's own units."""
    explained, pair = explained_neuron(single, problem), single.selected_pair_
    scaling, linear = single._scaling.take(explained.columns), explained.linear
    anchor, contrast = scaling.undo(explained.centroids)
    weights = None if linear is None else scaling.per_unit(linear.coef)
    apart = np.abs(explained.centroids[0] - explained.centroids[1])
    order = np.argsort(-(apart if linear is None else apart * np.abs(linear.coef)), kind="stable")
    negative, positive = map(class_name, problem.sides)
    return {
        "anchor": positive if pair is None else str(pair.anchor_class),
        "contrast": negative if pair is None else "contrast",
        "n_anchor": None if pair is None else len(pair.anchor_rows),
        "n_contrast": None if pair is None else len(pair.contrast_rows),
        "ratio": None if pair is None else pair.msr_ratio,
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


def _formula(binary: Any, problem: BinaryProblem) -> str | None:
    negative, positive = problem.sides
    sides = "the rest" if negative is None else negative, positive
    try:
        return str(replace(binary.to_formula(), labels=sides))
    except ValueError:
        return None


def _others(single: BicNeuronClassifier, names: list[str]) -> list[dict[str, Any]]:
    """The best-ranked pairs, the selected one marked."""
    if not hasattr(single, "pairs_"):
        return []
    return [
        {
            "number": number,
            "selected": pair == single.selected_pair_,
            "anchor": str(pair.anchor_class),
            "rows": f"{len(pair.anchor_rows)} / {len(pair.contrast_rows)}",
            "value": pair.msr_ratio,
            "score": float(single.scores_[number]),
            **named_columns(pair.columns, names),
        }
        for number, pair in enumerate(single.pairs_[:MOST_PATTERNS])
    ]


def describe_network(model: Any) -> dict[str, Any]:
    """The patterns of a network, those that count most first."""
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
                "name": "Columns that they read",
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
                "detail": f"log odds of {model.slope_:.3g} for one unit of score",
            },
        ],
        "told": float(shares[:MOST_PATTERNS].sum()),
        "patterns": [
            {
                "number": number,
                "anchor": str(pattern.pair.anchor_class),
                "rows": f"{len(pattern.pair.anchor_rows)} / {len(pattern.pair.contrast_rows)}",
                "value": pattern.pair.msr_ratio,
                "score": pattern.contribution,
                **named_columns(pattern.pair.columns, names),
            }
            for number, pattern in enumerate(model.patterns_[:MOST_PATTERNS])
        ],
    }


def named_columns(columns: Any, names: list[str]) -> dict[str, Any]:
    """How many columns, and the names of the first of them."""
    return {
        "n_columns": len(columns),
        "columns": [names[column] for column in columns[:MOST_COLUMNS].tolist()],
    }
