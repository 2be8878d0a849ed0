"""Accuracy of a few patterns, compared with rivals of the same size."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from bicneuron.experiments._ablation_study import MINED, RANDOM
from bicneuron.experiments._curves import curves_svg
from bicneuron.experiments._means import (
    MeanRow,
    Scores,
    markdown_table,
    mean_of,
    scores_of,
    scores_table,
)
from bicneuron.experiments._models import MODELS, Model, rival
from bicneuron.experiments._protocols import PATTERNS
from bicneuron.experiments._rivals import SparseLogisticRegression, rule_fit

SIZES = (5, 10, 20)
REFERENCE = MODELS["RandomForest"]


def _rivals(name: str, make: Callable[[int], Any], standardize: bool = False) -> dict[int, Model]:
    return {
        size: Model(f"{name}-{size}", partial(rival, estimator=make(size), standardize=standardize))
        for size in SIZES
    }


KINDS = {
    "network, mined pairs": MINED,
    "network, random pairs": RANDOM,
    "L1 logistic regression": _rivals("l1", SparseLogisticRegression, standardize=True),
    "decision tree": _rivals("tree", lambda size: DecisionTreeClassifier(max_leaf_nodes=size)),
    "small random forest": _rivals("forest", RandomForestClassifier),
    "rules": {size: Model(f"rules-{size}", partial(rule_fit, max_terms=size)) for size in SIZES},
}
SMALL_MODELS = (*(kind[size] for kind in KINDS.values() for size in SIZES), REFERENCE)


def describe_small(rows: Sequence[MeanRow]) -> str:
    """Write accuracy against size as Markdown."""
    scores = scores_of(rows)
    lines = [
        "# Accuracy against the number of patterns",
        "",
        f"Means over at most {PATTERNS.n_folds} clean folds with at most {PATTERNS.max_rows} rows",
        "of a data set; all rows of a person are on one side of a fold. Models of size n are: a",
        "network of n patterns, mined or random; L1 logistic regression with at most n columns, by",
        "the weakest penalty that allows it; a tree with n leaves; a forest of n trees; L1",
        "logistic regression with at most n terms, each a rule of boosted trees of four leaves or",
        f"a column. {REFERENCE.name}, with 300 trees, is the reference.",
        "",
        *markdown_table(
            ("mean ACC", *map(str, SIZES)),
            [
                (kind, *(f"{value:.3f}" for value in values))
                for kind, values in _curves(scores).items()
            ],
        ),
        "",
        "![Mean accuracy against the number of patterns](small.svg)",
    ]
    for size in SIZES:
        models = [*(kind[size].name for kind in KINDS.values()), REFERENCE.name]
        lines += ["", f"## {size} patterns", "", *scores_table(scores, models)]
    return "\n".join(lines) + "\n"


def plot_small(rows: Sequence[MeanRow]) -> dict[str, str]:
    """Draw mean accuracy against the number of patterns."""
    curves = _curves(scores_of(rows))
    return {"small.svg": curves_svg(curves, [*map(str, SIZES)], x="patterns", y="mean ACC")}


def _curves(scores: Scores) -> dict[str, list[float]]:
    return {
        **{
            name: [mean_of(scores, kind[size].name) for size in SIZES]
            for name, kind in KINDS.items()
        },
        "random forest of 300": [mean_of(scores, REFERENCE.name)] * len(SIZES),
    }
