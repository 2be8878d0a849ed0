"""Curves: one line for each model."""

import io
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

MARKERS = "os^vDPX*"


def curves_svg(
    curves: Mapping[str, Sequence[float]], marks: Sequence[str], *, x: str, y: str
) -> str:
    """Draw lines over marks at equal distances.

    Parameters
    ----------
    curves : mapping of str to sequence of float
        Name of a line to its values, one for each mark.
    marks : sequence of str
        What stands below the values.
    x, y : str
        Labels of the axes.

    Returns
    -------
    str
        The content of an SVG file; the same for the same arguments.
    """
    import matplotlib
    from matplotlib.figure import Figure

    style: Any = {"svg.hashsalt": "curves", "svg.fonttype": "none"}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(7.5, 4.0), layout="constrained")
        axes = figure.subplots()
        for marker, (name, values) in zip(cycle(MARKERS), curves.items(), strict=False):
            axes.plot(marks, values, marker=marker, markersize=4, label=name)
        axes.set(xlabel=x, ylabel=y)
        axes.grid(alpha=0.3)
        figure.legend(loc="outside right upper")
        buffer = io.StringIO()
        no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(buffer, format="svg", metadata=no_metadata)
    return buffer.getvalue()
