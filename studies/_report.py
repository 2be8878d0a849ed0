"""Tables and curves of reports."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

from bicneuron._shared._plots import draw_svg

MARKERS = "os^vDPX*"


class Panel(NamedTuple):
    """Lines over evenly spaced marks.

    Parameters
    ----------
    curves : mapping of str to sequence of float
        Name of a line to its values, one per mark.
    marks : sequence of str
        Labels of the x axis.
    x : str
        Title of the x axis.
    """

    curves: Mapping[str, Sequence[float]]
    marks: Sequence[str]
    x: str


def svg_file(svg: str) -> str:
    """Turn an SVG element for a page into a file of its own, black on white."""
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    style = 'style="background: white; font-family: sans-serif"'
    svg = re.sub(r"var\(--\w+, (#\w+)\)", r"\1", svg)  # not every program knows variables
    return svg.replace("<svg", f"<svg {names} {style}", 1) + "\n"


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
    return panels_svg([Panel(curves, marks, x)], y=y)


def panels_svg(panels: Sequence[Panel], *, y: str) -> str:
    """Draw panels side by side, with one y axis and one legend.

    Parameters
    ----------
    panels : sequence of Panel
        A name has the same colour in all of them.
    y : str
        Title of the y axis.

    Returns
    -------
    str
        The content of an SVG file; the same for the same arguments.
    """
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))

    def draw(figure: Any) -> None:
        figure.set_size_inches(4.5 + 3.0 * len(panels), 4.0)
        figure.set_layout_engine("constrained")
        row = figure.subplots(ncols=len(panels), sharey=True, squeeze=False)[0]
        lines = {}
        for axes, panel in zip(row, panels, strict=True):
            for place, (marker, name) in enumerate(zip(cycle(MARKERS), names, strict=False)):
                if name in panel.curves:
                    style = {"marker": marker, "markersize": 4, "color": f"C{place}"}
                    (lines[name],) = axes.plot(panel.marks, panel.curves[name], **style)
            axes.set(xlabel=panel.x)
            axes.grid(alpha=0.3)
        row[0].set(ylabel=y)
        figure.legend([lines[name] for name in names], names, loc="outside right upper")

    against = ", ".join(panel.x for panel in panels)
    return svg_file(draw_svg(draw, "curves", label=f"{y} against {against}: {', '.join(names)}"))


def markdown_table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *lines)]
