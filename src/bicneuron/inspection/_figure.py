"""Axes and legends."""

from importlib import import_module
from typing import Any


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


def check_matplotlib() -> None:
    """Raise an `ImportError` that says how to install matplotlib if it is missing."""
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise ImportError("plots need matplotlib; run pip install 'bicneuron[plot]'.") from error
