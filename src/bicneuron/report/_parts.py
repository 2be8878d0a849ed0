"""What a fitted model is made of, as plain data for a page."""

from dataclasses import replace
from typing import Any

import numpy as np

from bicneuron._classifier import BicNeuronClassifier
from bicneuron._multiclass import BinaryProblem, binary_problems
from bicneuron.explanation._names import feature_names

# Patterns that are listed beside the one that decides, and columns named of each.
MOST_PATTERNS = 10
MOST_COLUMNS = 30


def describe_classifier(model: Any) -> list[dict[str, Any]]:
    """Each problem of two sides, with what was found for it."""
    parts = [model] if len(model.classes_) == 2 else model.estimators_
    problems = binary_problems(model.classes_, model.multi_class)
    names = feature_names(model)
    return [
        _describe_part(part, _sides(problem), names)
        for part, problem in zip(parts, problems, strict=True)
    ]


def _sides(problem: BinaryProblem) -> tuple[Any, Any]:
    """What scores up to 0 and above 0 speak for."""
    (positive,), negative = problem.positive.tolist(), problem.negative.tolist()
    return negative[0] if len(negative) == 1 else "the rest", positive


def _describe_part(part: Any, sides: tuple[Any, Any], names: list[str]) -> dict[str, Any]:
    search = None
    single: BicNeuronClassifier = part
    if hasattr(part, "best_estimator_"):
        single = part.best_estimator_
        search = {
            "score": part.best_score_,
            "n_splits": part.n_splits_,
            "n_points": len(part.cv_results_["params"]),
            "params": {name: str(value) for name, value in part.best_params_.items()},
        }
    return {
        "title": f"{sides[1]} against {sides[0]}",
        "fallback": single.selected_pair_ is None,
        "search": search,
        "stages": _stages(single),
        "pattern": _pattern(single, sides, names),
        "formula": _formula(part, sides),
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
        {"name": "Biclusters found", "count": found.n_biclusters, "detail": ""},
        {"name": "Paired with their contrast", "count": found.n_pairs, "detail": ratios},
        {
            "name": "Kept by the filter",
            "count": found.n_kept,
            "detail": f"MSR ratio of at most {single.max_ratio:g}",
        },
        {"name": "Decides", "count": 1 if found.n_kept else 0, "detail": best},
    ]


def _pattern(
    single: BicNeuronClassifier, sides: tuple[Any, Any], names: list[str]
) -> dict[str, Any]:
    """The neuron that decides and its columns, in the user's own units."""
    deciding = single._deciding()
    pair = deciding.pair
    anchor, contrast = deciding.scaling.undo(deciding.centroids)
    linear = deciding.linear()
    weights = None if linear is None else deciding.scaling.per_unit(linear.coef)
    apart = np.abs(deciding.centroids[0] - deciding.centroids[1])
    order = np.argsort(-(apart if linear is None else apart * np.abs(linear.coef)), kind="stable")
    negative, positive = sides
    return {
        "anchor": str(positive if pair is None else pair.anchor_class),
        "contrast": str(negative) if pair is None else "contrast",
        "n_anchor": None if pair is None else len(pair.anchor_rows),
        "n_contrast": None if pair is None else len(pair.contrast_rows),
        "ratio": None if pair is None else pair.msr_ratio,
        "neuron": repr(deciding.neuron),
        "linear": linear is not None,
        "threshold": deciding.threshold,
        "n_columns": len(deciding.columns),
        "columns": [
            {
                "name": names[deciding.columns[k]],
                "anchor": float(anchor[k]),
                "contrast": float(contrast[k]),
                "weight": None if weights is None else float(weights[k]),
            }
            for k in order[:MOST_COLUMNS].tolist()
        ],
    }


def _formula(part: Any, sides: tuple[Any, Any]) -> str | None:
    try:
        return str(replace(part.to_formula(), labels=sides))
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
                **named_columns(pattern.telling_columns, names),
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
