"""Axes and legends."""

from typing import Any

from bicneuron._writing._svg import check_matplotlib


def open_axes(ax: Any = None, **figure: Any) -> Any:
    """Return the given axes, or those of a new figure.

    ``figure`` holds arguments of ``matplotlib.pyplot.subplots``.
    """
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
    """Make axes narrower by so many inches, unless a layout engine leaves room beside them."""
    if ax.figure.get_layout_engine() is None:
        box = ax.get_position()
        ax.set_position((box.x0, box.y0, box.width - width * _inch(ax), box.height))


def axes_beside(ax: Any, gap: float, width: float, **options: Any) -> Any:
    """Axes as high as others, at their right; gap and width in inches.

    The width does not depend on that of the others: a constrained layout would not settle.
    ``options`` are arguments of ``inset_axes``.
    """
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
