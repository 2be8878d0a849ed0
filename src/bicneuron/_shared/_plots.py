"""Plots: colours, axes, names on them, and SVG elements that follow the colours of a page."""

import io
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._formats import visible
from bicneuron._shared._version import import_extra

# Okabe and Ito's palette, distinguishable with any colour vision and in greyscale print. Each
# colour has the same meaning in all plots.
ANCHOR, CONTRAST = "#D55E00", "#0072B2"
OTHERS = "#5F5F5F"  # rows on neither side, as the rest of the class of a group
CHANCE = "#BDBDBD"  # what others are compared with
FOR, AGAINST = "#009E73", "#CC79A7"  # contributions for and against a class
# Marks with a white halo; not pure black, which pages replace by the colour of their text.
MARK = "#111111"
COLOUR_MAP = "viridis"
# Share of the values at either end that may exceed the colour scale: outliers do not compress it.
TAIL = 0.01
LONGEST, LINE = 24, 14.0  # longer names lose their middle; height of a line of names in points
# Placeholder for the text colour of the page, and colours that the page may override.
_TEXT = "#010203"
_NAMED = {"anchor": ANCHOR, "contrast": CONTRAST, "others": OTHERS}
_PAGE_COLOURS = dict.fromkeys((_TEXT, "#000000"), "currentColor")
_PAGE_COLOURS |= {colour.lower(): f"var(--{name}, {colour})" for name, colour in _NAMED.items()}
_SVG_DPI = 72  # of every SVG file of matplotlib
# What only a separate file needs, and styles and ids that would affect the page.
_OF_FILE = re.compile(r' (xmlns(:\w+)?|version)="[^"]*"')
_OF_STYLE = re.compile(r'<style[^<]*+</style>|(?<=<g) id="[^"]*"|font-family: [^;:"]*+; ')


def check_matplotlib() -> Any:
    """Import matplotlib; where it is missing, the error says how to install it."""
    return import_extra("matplotlib", "plots need matplotlib; run pip install 'bicneuron[plot]'.")


def colour_limits(values: FloatArray) -> tuple[float, float, str]:
    """Limits of the colour scale, and at which ends values exceed them."""
    low, high = np.quantile(values, [TAIL, 1 - TAIL], method="inverted_cdf").tolist()
    least, most = float(values.min()), float(values.max())
    if low == high:
        low, high = least, most
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max"}
    return low, high, extend.get((least < low, most > high), "both")


def open_axes(ax: Any = None, **figure: Any) -> Any:
    """Return the given axes, or those of a new figure."""
    check_matplotlib()
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained", **figure)[1] if ax is None else ax


def legend_above(ax: Any, **options: Any) -> None:
    """Put the legend above the axes, where it covers no data."""
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1.01), "borderaxespad": 0}
    ax.legend(frameon=False, **place, **options)


def plain(name: Any, longest: int = LONGEST) -> str:
    """One line, escaped so that matplotlib reads no formula; long names lose their middle."""
    text = visible(" ".join(str(name).split()))
    if len(text) > longest:
        tail = (longest - 1) * 2 // 5
        text = f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"
    return text.replace("$", r"\$")


def name_ticks(axis: Any, ticks: AnyArray, names: Sequence[Any]) -> None:
    """Label the ticks of an axis whose limits are set; only every k-th if not all of them fit."""
    gap, is_x = _gap(axis, ticks), axis.axis_name == "x"
    # Column names are laid out later and then reduce the height of the axes.
    step = max(1, int(np.ceil((1 if is_x else 1.5) * LINE / gap)))
    shown = [plain(name) for name in names[::step]]
    axis.set_ticks(ticks[::step], labels=shown)
    if is_x and (max(map(len, shown)) + 2) * LINE / 2 > gap * step:
        axis.set_tick_params(rotation=90)


def all_fit(axis: Any, ticks: AnyArray) -> bool:
    """True if the ticks are far enough apart to label each of them."""
    return _gap(axis, ticks) >= LINE


def line_share(axis: Any) -> float:
    """Height of a line of text as a share of the length of an axis."""
    return LINE / _length(axis)


def _gap(axis: Any, ticks: AnyArray) -> float:
    """Mean distance between ticks in points; for a single tick, the length of the axis."""
    low, high = sorted(axis.get_view_interval())
    share = np.ptp(ticks) / (len(ticks) - 1) / (high - low) if len(ticks) > 1 else 1.0
    return float(_length(axis) * share)


def _length(axis: Any) -> float:
    """Length of an axis in points."""
    box = axis.axes.bbox
    pixels = box.width if axis.axis_name == "x" else box.height
    return float(pixels / axis.axes.figure.dpi * 72)


def draw_svg(draw: Callable[[Any], None], name: str, *, label: str, **options: Any) -> str:
    """Draw a new figure and return it as an ``<svg>`` element."""
    matplotlib = check_matplotlib()
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    text_colours = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    style: Any = {"svg.hashsalt": name, "svg.fonttype": "none", "legend.frameon": False}
    style |= dict.fromkeys(text_colours, _TEXT)
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    buffer = io.StringIO()
    with matplotlib.rc_context(style):
        figure: Any = Figure()
        draw(figure)
        layout = figure.get_layout_engine()
        if layout is not None:  # savefig would draw the whole figure once more to place the axes
            FigureCanvasSVG(figure)  # measures texts as they will be written
            dpi, figure.dpi = figure.dpi, _SVG_DPI
            layout.execute(figure)
            figure.dpi = dpi
            figure.set_layout_engine(None)
        figure.savefig(buffer, format="svg", transparent=True, metadata=no_metadata, **options)
    written = buffer.getvalue()
    svg = visible(written[written.index("<svg") :].rstrip())
    svg = _OF_STYLE.sub("", _OF_FILE.sub("", svg, count=3))
    for drawn, shown in _PAGE_COLOURS.items():
        svg = svg.replace(drawn, shown)
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(visible(label))}"', 1)
