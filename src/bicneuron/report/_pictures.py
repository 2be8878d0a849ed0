"""Pictures of the pattern that decides, for a page."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from bicneuron.classifier import BicNeuronClassifier
from bicneuron.exceptions import NoContrastivePairError
from bicneuron.inspection import (
    ContrastDisplay,
    PairProjectionDisplay,
    ParallelCoordinatesDisplay,
)
from bicneuron.inspection._pattern import fitted_pattern
from bicneuron.inspection._svg import draw_svg


class Picture(NamedTuple):
    """An ``<svg>`` element and what it shows."""

    svg: str
    caption: str


def pattern_pictures(model: Any, X: Any, name: str) -> tuple[list[Picture], str | None]:
    """Draw the strongest pattern of a model of two classes or of a network.

    Parameters
    ----------
    model : fitted estimator
    X : frame or array
        What it was fitted on.
    name : str
        Unlike that of other patterns on the page.

    Returns
    -------
    pictures : list of Picture
    reason : str or None
        Why there are none, unless there is no pattern.
    """
    if isinstance(model, BicNeuronClassifier) and not hasattr(model, "pairs_"):
        return [], "No pictures: the file that the model comes from says nothing of its pairs."
    try:
        fitted_pattern(model, X, None)
    except NoContrastivePairError:
        return [], None
    except ValueError as error:
        return [], f"No pictures: {error}"
    return [
        Picture(
            draw_svg(partial(draw, model, X), f"{name}-{draw.__name__}", label=caption), caption
        )
        for draw, caption in _PICTURES.items()
    ], None


def _contrast(model: Any, X: Any, figure: Any) -> None:
    figure.set(size_inches=(8, 6), layout_engine="constrained")
    ContrastDisplay.from_estimator(model, X, axes=figure.subplots(2))


def _coordinates(model: Any, X: Any, figure: Any) -> None:
    figure.set(size_inches=(8, 4.5), layout_engine="constrained")
    ParallelCoordinatesDisplay.from_estimator(model, X, ax=figure.subplots())


def _projection(model: Any, X: Any, figure: Any) -> None:
    figure.set(size_inches=(8, 5.5), layout_engine="constrained")
    PairProjectionDisplay.from_estimator(model, X, ax=figure.subplots())


_PICTURES: dict[Callable[[Any, Any, Any], None], str] = {
    _contrast: "The bicluster above its contrast, on one colour scale",
    _coordinates: "The rows of the pair, column by column, with both centroids",
    _projection: "The pair in its two most telling directions, with the border of its neuron",
}
