"""A heat map of the most important columns, with a bar for each class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._plots import COLOUR_MAP, colour_limits, name_ticks, plain
from bicneuron.report._patterns import mean_of

# Rows that are drawn at most.
MOST_ROWS = 1000
# An optimal order of more than these takes long.
MOST_OPTIMAL = 200


def draw_heat_map(
    figure: Any,
    values: FloatArray,
    numbers: AnyArray | None,
    names: Sequence[str],
    classes: Sequence[str],
    colours: Sequence[str],
) -> None:
    """Draw rows by class and, within a class, similar rows side by side; likewise the columns."""
    figure.set(size_inches=(8, 6), layout_engine="constrained")
    numbers = np.zeros(len(values), dtype=np.intp) if numbers is None else numbers
    kept = _thinned(numbers)
    numbers = numbers[kept]
    Z = _standardised(values[kept])
    filled = np.nan_to_num(Z)
    columns = leaf_order(filled.T)
    rows, edges = [], []
    for number in np.unique(numbers).tolist():
        own = np.flatnonzero(numbers == number)
        edges.append((number, len(own)))
        rows.append(own[leaf_order(filled[own])])
    order = np.concatenate(rows)
    shown = Z[np.ix_(order, columns)]
    ax = figure.subplots()
    low, high, extend = colour_limits(filled)
    image = ax.imshow(
        shown, aspect="auto", interpolation="nearest", cmap=COLOUR_MAP, vmin=low, vmax=high
    )
    if len(edges) > 1:
        _draw_strip(ax, edges, classes, colours)
    else:
        ax.set_yticks([])
    ax.spines[:].set_visible(False)
    name_ticks(ax.xaxis, np.arange(len(columns)), [names[column] for column in columns])
    figure.colorbar(image, ax=ax, extend=extend, label="standardised value", fraction=0.05)


def leaf_order(Z: FloatArray) -> IndexArray:
    """Order of rows in a dendrogram (average linkage), similar ones side by side."""
    if len(Z) < 3:
        return np.arange(len(Z))
    tree = linkage(Z, "average", optimal_ordering=len(Z) <= MOST_OPTIMAL)
    order: IndexArray = leaves_list(tree)
    return order


def _draw_strip(
    ax: Any, edges: Sequence[tuple[int, int]], classes: Sequence[str], colours: Sequence[str]
) -> None:
    """Draw a bar in the colour of each class, with its name, at the left of its rows."""
    from matplotlib.patches import Rectangle

    top, middles = 0, []
    for number, size in edges:
        ax.add_patch(
            Rectangle(
                (-0.035, top - 0.5),
                0.02,
                size,
                transform=ax.get_yaxis_transform(),
                color=colours[number],
                linewidth=0,
                clip_on=False,
            )
        )
        middles.append(top + (size - 1) / 2)
        top += size
        if top < sum(size for _, size in edges):
            ax.axhline(top - 0.5, color="white", linewidth=1.5)
    ax.set_yticks(
        middles, [plain(classes[number]) for number, _ in edges], rotation=90, va="center"
    )
    ax.tick_params(axis="y", length=0, pad=20)


def _thinned(numbers: AnyArray) -> IndexArray:
    """Rows to draw: at most `MOST_ROWS`, evenly spread over each class."""
    if len(numbers) <= MOST_ROWS:
        return np.arange(len(numbers))
    order = np.argsort(numbers, kind="stable")
    return np.sort(order[np.linspace(0, len(order) - 1, MOST_ROWS).astype(np.intp)])


def _standardised(values: FloatArray) -> FloatArray:
    centred = values - mean_of(values)
    deviations = np.sqrt(mean_of(centred**2))
    return centred / np.where(deviations > 0, deviations, 1.0)
