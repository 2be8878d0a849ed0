"""Plots of patterns."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from bicneuron.classifier import BicNeuronClassifier
from bicneuron.exceptions import NoContrastivePairError
from bicneuron.inspection import (
    ContrastDisplay,
    PairProjectionDisplay,
    ParallelCoordinatesDisplay,
    SubgroupDisplay,
)
from bicneuron.inspection._pattern import fitted_pattern
from bicneuron.inspection._svg import draw_svg


class Plot(NamedTuple):
    """An ``<svg>`` element and its caption."""

    svg: str
    caption: str


def pattern_plots(model: Any, X: Any, name: str) -> tuple[list[Plot], str | None]:
    """Draw the strongest pattern of a model of two classes or of a network.

    Parameters
    ----------
    model : fitted estimator
    X : frame or array
        The data it was fitted on.
    name : str
        Unique on the page.

    Returns
    -------
    plots : list of Plot
    reason : str or None
        Why there are no plots; None also if the model has no pattern.
    """
    if isinstance(model, BicNeuronClassifier) and not hasattr(model, "pairs_"):
        return [], "No plots: the model file does not contain the pairs."
    try:
        fitted_pattern(model, X, None)
    except NoContrastivePairError:
        return [], None
    except ValueError as error:
        return [], f"No plots: {error}"
    return [
        Plot(draw_svg(partial(draw, model, X), f"{name}-{draw.__name__}", label=caption), caption)
        for draw, caption in _PLOTS.items()
    ], None


def subgroup_plot(miner: Any, X: Any, y: Any, place: int) -> Plot:
    """Draw a group of a fitted `SubgroupBiclustering`, by its position in ``found_``."""

    def draw(figure: Any) -> None:
        figure.set(size_inches=(8, 7), layout_engine="constrained")
        SubgroupDisplay.from_estimator(miner, X, y, pattern=place, ax=figure.subplots())

    caption = f"Carriers of pattern {place + 1}, above the rows that they differ from"
    return Plot(draw_svg(draw, f"pattern-{place + 1}", label=caption), caption)


def _contrast(model: Any, X: Any, figure: Any) -> None:
    figure.set(size_inches=(8, 6), layout_engine="constrained")
    ContrastDisplay.from_estimator(model, X, axes=figure.subplots(2))


def _coordinates(model: Any, X: Any, figure: Any) -> None:
    figure.set(size_inches=(8, 4.5), layout_engine="constrained")
    ParallelCoordinatesDisplay.from_estimator(model, X, ax=figure.subplots())


def _projection(model: Any, X: Any, figure: Any) -> None:
    figure.set(size_inches=(8, 5.5), layout_engine="constrained")
    PairProjectionDisplay.from_estimator(model, X, ax=figure.subplots())


_PLOTS: dict[Callable[[Any, Any, Any], None], str] = {
    _contrast: "The bicluster above its contrast, on one colour scale",
    _coordinates: "The rows of the pair, column by column, with both centroids",
    _projection: "The pair projected to two directions, with the decision boundary of its neuron",
}
