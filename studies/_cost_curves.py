"""What more and more damage to the data costs each model."""

from collections.abc import Sequence

from bicneuron.reproduction._protocols import Protocol
from studies._means import MeanRow, Measure, mean_of, scores_of


def cost_curves(
    rows: Sequence[MeanRow],
    protocols: Sequence[Protocol],
    models: Sequence[str],
    measure: Measure = "acc",
) -> dict[str, list[float]]:
    """Mean of each model that has the measure, under each protocol."""
    levels = [
        scores_of((row for row in rows if row.protocol == each.name), measure) for each in protocols
    ]
    measured = {model for level in levels for values in level.values() for model in values}
    return {
        model: [mean_of(scores, model) for scores in levels]
        for model in models
        if model in measured
    }


def cost_lines(
    rows: Sequence[MeanRow],
    protocols: Sequence[Protocol],
    models: Sequence[str],
    measure: Measure = "acc",
) -> list[tuple[str, ...]]:
    """Lines of a table: the first mean, and the others with their difference to it."""
    return [
        (model, f"{first:.3f}", *(f"{value:.3f} ({value - first:+.3f})" for value in others))
        for model, (first, *others) in cost_curves(rows, protocols, models, measure).items()
    ]
