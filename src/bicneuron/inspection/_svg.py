"""A picture as a piece of SVG for a page, in the colours of the page, light or dark."""

import io
import re
from collections.abc import Callable
from html import escape
from typing import Any

from bicneuron.inspection._colours import ANCHOR, CONTRAST
from bicneuron.inspection._figure import check_matplotlib

# Stands for the colour of the page's text while a picture is drawn.
_INK = "#010203"
# Colours that a page may set to what can be read on its ground.
_ON_A_PAGE = {
    _INK: "currentColor",
    "#000000": "currentColor",
    ANCHOR.lower(): f"var(--anchor, {ANCHOR})",
    CONTRAST.lower(): f"var(--contrast, {CONTRAST})",
}


def draw_svg(draw: Callable[[Any], None], name: str, *, label: str, **options: Any) -> str:
    """Draw in a new figure and give it as an ``<svg>`` element.

    Parameters
    ----------
    draw : callable
        Draws in the matplotlib ``Figure`` that it is given.
    name : str
        Unlike that of any other picture on the page, to keep their inner references apart.
    label : str
        What the picture shows, for those who do not see it.
    **options
        Arguments of ``savefig``.

    Returns
    -------
    str
        In the text colour and font of its surroundings, without addresses, date or version; the
        same for the same arguments.
    """
    check_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    inks = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    style: Any = {
        "svg.hashsalt": name,
        "svg.fonttype": "none",
        "legend.frameon": False,
        **dict.fromkeys(inks, _INK),
    }
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context(style):
        figure = Figure()
        draw(figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata=no_metadata, **options)
    return _for_a_page(buffer.getvalue(), label)


def _for_a_page(svg: str, label: str) -> str:
    """Take away what only a file of its own needs, and all that speaks to the whole page."""
    svg = svg[svg.index("<svg") :].rstrip()
    svg = re.sub(r' (xmlns(:\w+)?|version)="[^"]*"', "", svg, count=3)
    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r"font-family: [^;\"]*; ", "", svg)
    for drawn, shown in _ON_A_PAGE.items():
        svg = svg.replace(drawn, shown)
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"', 1)
