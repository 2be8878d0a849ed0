"""Axes, legends and names in plots: plain text, shortened, and thinned out if it would overlap."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron._shared._svg import check_matplotlib
from bicneuron._shared._visible import visible

LONGEST = 24
# Longer names are vertical: slanted ones would take much space at the side.
LONGEST_SLANTED = 14


def open_axes(ax: Any = None, **figure: Any) -> Any:
    """Return the given axes, or those of a new figure."""
    check_matplotlib()
    import matplotlib.pyplot as plt

    if ax is not None:
        return ax
    _, axes = plt.subplots(layout="constrained", **figure)
    return axes


def legend_above(ax: Any, **options: Any) -> None:
    """Put the legend above the axes, where it covers no data."""
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.01),
        borderaxespad=0,
        frameon=False,
        **options,
    )


def leave_room(ax: Any, width: float) -> None:
    """Make axes narrower by ``width`` inches, unless a layout engine leaves room beside them."""
    if ax.figure.get_layout_engine() is None:
        box = ax.get_position()
        ax.set_position((box.x0, box.y0, box.width - width * _inch(ax), box.height))


def axes_beside(ax: Any, gap: float, width: float, **options: Any) -> Any:
    """Axes as high as others, at their right; gap and width in inches."""
    from matplotlib.transforms import Bbox

    def place(*_: Any) -> Any:
        box, inch = ax.get_position(), _inch(ax)
        return Bbox.from_bounds(box.x1 + gap * inch, box.y0, width * inch, box.height)

    beside = ax.inset_axes((1, 0, 1, 1), **options)
    beside.set_axes_locator(place)
    return beside


def _inch(ax: Any) -> float:
    """An inch as a share of the width of the figure."""
    return float(ax.figure.dpi / ax.figure.bbox.width)


def plain(name: Any, longest: int = LONGEST) -> str:
    """One line, escaped so that matplotlib reads no formula; long names lose their middle.

    Examples
    --------
    >>> from bicneuron._shared._axes import plain
    >>> plain("very_long_feature_name_number_17")
    'very_long_feat…number_17'
    """
    text = visible(" ".join(str(name).split()))
    if len(text) > longest:
        tail = (longest - 1) * 2 // 5
        text = f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"
    return text.replace("$", r"\$")


def name_ticks(axis: Any, ticks: AnyArray, names: Sequence[Any]) -> None:
    """Label the ticks of an axis whose limits are set; only every k-th if not all of them fit."""
    height, gap = _line_height(), _gap(axis, ticks)
    # Column names are laid out later and then reduce the height of the axes.
    step = max(1, int(np.ceil((height if axis.axis_name == "x" else 1.5 * height) / gap)))
    shown = [plain(name) for name in names[::step]]
    axis.set_ticks(ticks[::step], labels=shown)
    longest = max(map(len, shown))
    if axis.axis_name == "x" and (longest + 2) * height / 2 > gap * step:
        if longest <= LONGEST_SLANTED and gap * step > 1.5 * height:
            axis.set_tick_params(rotation=45)
            for label in axis.get_ticklabels():
                label.set(ha="right", rotation_mode="anchor")
        else:
            axis.set_tick_params(rotation=90)


def all_fit(axis: Any, ticks: AnyArray) -> bool:
    """True if the ticks are far enough apart to label each of them."""
    return _gap(axis, ticks) >= _line_height()


def line_share(axis: Any) -> float:
    """Height of a line of text as a share of the length of an axis."""
    return _line_height() / _length(axis)


def _gap(axis: Any, ticks: AnyArray) -> float:
    """Mean distance between ticks in points; for a single tick, the length of the axis."""
    length = _length(axis)
    if len(ticks) < 2:
        return length
    low, high = sorted(axis.get_view_interval())
    return float(length * np.ptp(ticks) / (len(ticks) - 1) / (high - low))


def _length(axis: Any) -> float:
    """Length of an axis in points."""
    box = axis.axes.bbox
    pixels = box.width if axis.axis_name == "x" else box.height
    return float(pixels / axis.axes.figure.dpi * 72)


def _line_height() -> float:
    """Height of a line of text in the size of tick labels, in points."""
    import matplotlib
    from matplotlib.font_manager import FontProperties

    size = FontProperties(size=matplotlib.rcParams["xtick.labelsize"]).get_size_in_points()
    return 1.4 * float(size)
