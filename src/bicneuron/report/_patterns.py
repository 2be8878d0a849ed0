"""The patterns that decide, in words and in the units of the table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._writing._names import feature_names
from bicneuron._writing._numbers import class_name
from bicneuron.biclustering import Evidence
from bicneuron.classifier._one_neuron import binary_estimators, explained_neuron
from bicneuron.classifier._problems import BinaryProblem
from bicneuron.network import BicNeuronNetwork
from bicneuron.report._located import LocatedPattern, column_sizes
from bicneuron.report._model import MOST_PATTERNS

# Columns of a pattern, and terms of a formula, that are shown at once.
MOST_TERMS = 12
# Columns of a pattern that can be unfolded; all are in the lists.
MOST_COLUMNS = 60


class _Known(NamedTuple):
    """What a model knows of a pattern without its table."""

    number: int
    group_class: Any
    contrast_class: Any
    n_rows: int | None
    n_contrast: int | None
    columns: IndexArray
    centres: FloatArray
    share: float | None
    evidence: Evidence | None
    formula: dict[str, Any] | None


def page_patterns(
    model: Any,
    located: Sequence[LocatedPattern] | None,
    values: FloatArray | None,
    of_classes: Mapping[Any, FloatArray],
) -> list[dict[str, Any]]:
    """The strongest patterns of a network, or those of a classifier, one per binary problem.

    Parameters
    ----------
    model : fitted network or classifier
    located : sequence of LocatedPattern or None
        The patterns in the table of the fit. Without it the centres of their rows, which the model
        knows, stand in the place of means.
    values : array of shape (n_rows, n_columns) or None
    of_classes : mapping of label to array
        Mean of each column in each class.
    """
    names = feature_names(model)
    if isinstance(model, BicNeuronNetwork):
        known = [*_of_network(model)]
    else:
        known = [*_of_classifier(model)]
    told = []
    for pattern in known:
        means = pattern.centres
        if located is not None and values is not None:
            means = np.array(located[pattern.number].means(values))
        shown = range(min(len(pattern.columns), MOST_COLUMNS))
        told.append(
            {
                "number": pattern.number,
                "group": class_name(pattern.group_class),
                "contrast": class_name(pattern.contrast_class),
                "group_class": pattern.group_class,
                "contrast_class": pattern.contrast_class,
                "is_pair": pattern.n_rows is not None,
                "n_rows": pattern.n_rows,
                "n_contrast": pattern.n_contrast,
                "share": pattern.share,
                "evidence": pattern.evidence,
                "formula": pattern.formula,
                "are_means": located is not None,
                "n_columns": len(pattern.columns),
                "columns": [
                    {
                        "name": names[pattern.columns[k]],
                        "group_mean": float(means[0, k]),
                        "contrast_mean": float(means[1, k]),
                        "class_means": [
                            float(of_class[pattern.columns[k]]) for of_class in of_classes.values()
                        ],
                    }
                    for k in shown
                ],
            }
        )
    return told


def _of_network(model: BicNeuronNetwork) -> Iterator[_Known]:
    for number, pattern in enumerate(model.patterns_[:MOST_PATTERNS]):
        columns = pattern.pair.columns
        centres = np.array([pattern.anchor_centroid, pattern.contrast_centroid])
        order = np.argsort(-np.abs(centres[0] - centres[1]), kind="stable")
        yield _Known(
            number=number,
            group_class=pattern.pair.anchor_class,
            contrast_class=pattern.contrast_class,
            n_rows=len(pattern.pair.anchor_rows),
            n_contrast=len(pattern.pair.contrast_rows),
            columns=columns[order],
            centres=model._scaling.take(columns).undo(centres)[:, order],
            share=pattern.contribution,
            evidence=pattern.evidence,
            formula=None,
        )


def _of_classifier(model: Any) -> Iterator[_Known]:
    for number, (problem, binary) in enumerate(binary_estimators(model)):
        explained, pair = explained_neuron(binary, problem, number), binary.selected_pair_
        order = np.argsort(-column_sizes(explained), kind="stable")
        columns = explained.columns[order]
        yield _Known(
            number=number,
            group_class=explained.anchor_class,
            contrast_class=explained.contrast_class,
            n_rows=None if pair is None else len(pair.anchor_rows),
            n_contrast=None if pair is None else len(pair.contrast_rows),
            columns=columns,
            centres=explained.scaling.undo(explained.centroids)[:, order],
            share=None,
            evidence=None if pair is None else pair.evidence,
            formula=_formula(binary, problem, columns),
        )


def _formula(binary: Any, problem: BinaryProblem, columns: IndexArray) -> dict[str, Any] | None:
    """The formula of a linear neuron with at most a dozen terms, and all of a longer one."""
    negative, positive = problem.sides
    try:
        formula = replace(
            binary.to_formula(), labels=("the rest" if negative is None else negative, positive)
        )
    except ValueError:
        return None
    full, short = str(formula), formula.shortened(columns[:MOST_TERMS].tolist())
    return {"short": short, "full": full if len(columns) > MOST_TERMS else None}
