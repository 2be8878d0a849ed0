"""Plots as SVG elements that follow the light or dark colours of a page."""

import io
import re
from collections.abc import Callable
from html import escape
from typing import Any

from bicneuron._shared._colours import ANCHOR, CONTRAST, OTHERS
from bicneuron._shared._extras import import_extra
from bicneuron._shared._visible import visible

# Placeholder for the text colour of the page.
_TEXT = "#010203"
# Colours that the page may override to be readable on its background.
_PAGE_COLOURS = {
    _TEXT: "currentColor",
    "#000000": "currentColor",
    ANCHOR.lower(): f"var(--anchor, {ANCHOR})",
    CONTRAST.lower(): f"var(--contrast, {CONTRAST})",
    OTHERS.lower(): f"var(--others, {OTHERS})",
}
# Of every SVG file of matplotlib, whatever the resolution of the pictures in it.
_SVG_DPI = 72
_OF_FILE = re.compile(r' (xmlns(:\w+)?|version)="[^"]*"')
_STYLE = re.compile(r"<style[^<]*+</style>")
_GROUP_ID = re.compile(r'<g id="[^"]*"')
_FONT = re.compile(r"font-family: [^;:\"]*+; ")


def draw_svg(draw: Callable[[Any], None], name: str, *, label: str, **options: Any) -> str:
    """Draw a new figure and return it as an ``<svg>`` element."""
    check_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    text_colours = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    style: Any = {
        "svg.hashsalt": name,
        "svg.fonttype": "none",
        "legend.frameon": False,
        **dict.fromkeys(text_colours, _TEXT),
    }
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context(style):
        figure = Figure()
        draw(figure)
        _lay_out(figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata=no_metadata, **options)
    return _for_page(buffer.getvalue(), label)


def _lay_out(figure: Any) -> None:
    """Place the axes. ``savefig`` would draw the whole figure once more to do so."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    layout = figure.get_layout_engine()
    if layout is not None:
        FigureCanvasSVG(figure)  # measures texts as they will be written
        dpi, figure.dpi = figure.dpi, _SVG_DPI
        layout.execute(figure)
        figure.dpi = dpi
        figure.set_layout_engine(None)


def check_matplotlib() -> None:
    """Raise an `ImportError` that says how to install matplotlib if it is missing."""
    import_extra("matplotlib", "plots need matplotlib; run pip install 'bicneuron[plot]'.")


def _for_page(svg: str, label: str) -> str:
    """Remove what only a separate file needs, and styles and ids that would affect the page."""
    svg = visible(svg[svg.index("<svg") :].rstrip())
    svg = _OF_FILE.sub("", svg, count=3)
    svg = _STYLE.sub("", svg)
    svg = _GROUP_ID.sub("<g", svg)
    svg = _FONT.sub("", svg)
    for drawn, shown in _PAGE_COLOURS.items():
        svg = svg.replace(drawn, shown)
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(visible(label))}"', 1)
