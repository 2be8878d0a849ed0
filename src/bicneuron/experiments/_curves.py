"""Curves: one line per model."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from bicneuron.inspection._svg import draw_svg, svg_file

MARKERS = "os^vDPX*"


def curves_svg(
    curves: Mapping[str, Sequence[float]], marks: Sequence[str], *, x: str, y: str
) -> str:
    """Draw lines over evenly spaced marks.

    Parameters
    ----------
    curves : mapping of str to sequence of float
        Name of a line to its values, one per mark.
    marks : sequence of str
        Labels of the x axis.
    x, y : str
        Titles of the axes.

    Returns
    -------
    str
        The content of an SVG file; the same for the same arguments.
    """

    def draw(figure: Any) -> None:
        figure.set_size_inches(7.5, 4.0)
        figure.set_layout_engine("constrained")
        axes = figure.subplots()
        for marker, (name, values) in zip(cycle(MARKERS), curves.items(), strict=False):
            axes.plot(marks, values, marker=marker, markersize=4, label=name)
        axes.set(xlabel=x, ylabel=y)
        axes.grid(alpha=0.3)
        figure.legend(loc="outside right upper")

    return svg_file(draw_svg(draw, "curves", label=f"{y} against {x}: {', '.join(curves)}"))
