"""The critical-difference diagram of a comparison, as a piece of SVG for a page."""

import io
import re
from typing import Any

from bicneuron.inspection import CriticalDifferenceDisplay
from bicneuron.inspection._figure import check_matplotlib
from bicneuron.metrics._comparison import Comparison, compare_models

_INK = "#010203"  # stands for the text colour of the page, light or dark


def critical_difference_svg(comparison: Comparison, name: str) -> str:
    """Draw mean ranks, with a bar over models that no test tells apart.

    A bar joins models whose signed-rank p-values exceed 0.05 after Holm's correction.

    Parameters
    ----------
    comparison : Comparison
        At least two models.
    name : str
        Unlike that of any other diagram on the page, to keep their inner references apart.

    Returns
    -------
    str
        An ``<svg>`` element in the text colour and font of its surroundings, without addresses,
        date or version; the same for the same arguments.
    """
    check_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    style: Any = {
        "svg.hashsalt": name,
        "svg.fonttype": "none",
        "axes.edgecolor": _INK,
        "text.color": _INK,
        "xtick.color": _INK,
    }
    with matplotlib.rc_context(style):
        figure = Figure()
        display = CriticalDifferenceDisplay.from_comparison(comparison, ax=figure.subplots())
        bottom, top = display.ax_.get_ylim()
        figure.set_size_inches(6.5, 0.5 + 0.22 * (top - bottom))
        buffer = io.StringIO()
        no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(
            buffer, format="svg", bbox_inches="tight", transparent=True, metadata=no_metadata
        )
    return _for_a_page(buffer.getvalue())


def check_can_draw() -> None:
    """Raise an `ImportError` before a long run if its diagrams could not be drawn."""
    critical_difference_svg(compare_models({"any": {"first": 1.0, "second": 0.0}}), "check")


def svg_file(svg: str) -> str:
    """Make a file of its own of a piece for a page: black on white."""
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    style = 'style="background: white; font-family: sans-serif"'
    return svg.replace("<svg", f"<svg {names} {style}", 1) + "\n"


def _for_a_page(svg: str) -> str:
    """Take away what only a file of its own needs, and all that speaks to the whole page."""
    svg = svg[svg.index("<svg") :].rstrip()
    svg = re.sub(r' (xmlns(:\w+)?|version)="[^"]*"', "", svg, count=3)
    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*">', "<g>", svg)
    svg = re.sub(r"font-family: [^;\"]*; ", "", svg)
    return svg.replace(_INK, "currentColor").replace("<svg", '<svg role="img"', 1)
