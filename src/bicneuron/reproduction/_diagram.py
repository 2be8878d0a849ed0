"""The critical-difference diagram of a comparison, as an SVG element for a page."""

from typing import Any

from bicneuron._writing._svg import draw_svg
from bicneuron.inspection import CriticalDifferenceDisplay
from bicneuron.metrics._comparison import Comparison, compare_models


def critical_difference_svg(comparison: Comparison, name: str) -> str:
    """Draw mean ranks, with a bar over models that no test tells apart.

    A bar joins models whose signed-rank p-values exceed 0.05 after Holm's correction.

    Parameters
    ----------
    comparison : Comparison
        At least two models.
    name : str
        Unique on the page, so that ids inside the diagrams do not collide.

    Returns
    -------
    str
        An ``<svg>`` element in the text colour and font of its surroundings, without addresses,
        date or version; the same for the same arguments.
    """

    def draw(figure: Any) -> None:
        display = CriticalDifferenceDisplay.from_comparison(comparison, ax=figure.subplots())
        bottom, top = display.ax_.get_ylim()
        figure.set_size_inches(6.5, 0.5 + 0.22 * (top - bottom))

    ranks = zip(comparison.models, comparison.mean_ranks, strict=True)
    label = "Mean ranks: " + ", ".join(f"{model} {rank:.2f}" for model, rank in ranks)
    return draw_svg(draw, name, label=label, bbox_inches="tight")


def check_can_draw() -> None:
    """Raise an `ImportError` before a long run if its diagrams could not be drawn."""
    critical_difference_svg(compare_models({"any": {"first": 1.0, "second": 0.0}}), "check")
