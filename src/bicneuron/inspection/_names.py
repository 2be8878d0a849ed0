"""Names in pictures: plain text, short, and no more of them than there is room for."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray

LONGEST = 24
# Longer names stand upright where they do not lie; slanted ones would need much room at the side.
SLANTED = 14


def plain(name: Any, longest: int = LONGEST) -> str:
    """One line that matplotlib does not take for a formula; a long name loses its middle.

    Examples
    --------
    >>> from bicneuron.inspection._names import plain
    >>> plain("very_long_feature_name_number_17")
    'very_long_feat…number_17'
    """
    text = " ".join(str(name).split())
    if len(text) > longest:
        tail = (longest - 1) * 2 // 5
        text = f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"
    return text.replace("$", r"\$")


def frame_names(X: Any) -> tuple[AnyArray | None, AnyArray | None]:
    """Names of the columns and of the rows, where ``X`` has them."""
    columns, index = getattr(X, "columns", None), getattr(X, "index", None)
    return (
        None if columns is None else np.asarray(columns, dtype=object),
        None if index is None else np.asarray(index, dtype=object),
    )


def name_ticks(axis: Any, places: AnyArray, names: Sequence[Any]) -> None:
    """Name cells along an axis whose limits are set; every k-th where not all of them have room.

    Names of columns are turned where they would touch.
    """
    height, gap = _line_height(), _gap(axis, places)
    # Names of columns, laid out later, leave less height to the axes.
    step = max(1, int(np.ceil((height if axis.axis_name == "x" else 1.5 * height) / gap)))
    shown = [plain(name) for name in names[::step]]
    axis.set_ticks(places[::step], labels=shown)
    longest = max(map(len, shown))
    if axis.axis_name == "x" and (longest + 2) * height / 2 > gap * step:
        if longest <= SLANTED and gap * step > 1.5 * height:
            axis.set_tick_params(rotation=45)
            for label in axis.get_ticklabels():
                label.set(ha="right", rotation_mode="anchor")
        else:
            axis.set_tick_params(rotation=90)


def have_room(axis: Any, places: AnyArray) -> bool:
    """Whether each of these cells can be named."""
    return _gap(axis, places) >= _line_height()


def _gap(axis: Any, places: AnyArray) -> float:
    """Mean distance of places on an axis in points; of a single one, the length of the axis."""
    box = axis.axes.bbox
    pixels = box.width if axis.axis_name == "x" else box.height
    length = float(pixels / axis.axes.figure.dpi * 72)
    if len(places) < 2:
        return length
    low, high = sorted(axis.get_view_interval())
    return float(length * np.ptp(places) / (len(places) - 1) / (high - low))


def _line_height() -> float:
    """Room that a line of text in the size of tick labels takes, in points."""
    import matplotlib
    from matplotlib.font_manager import FontProperties

    size = FontProperties(size=matplotlib.rcParams["xtick.labelsize"]).get_size_in_points()
    return 1.4 * float(size)
