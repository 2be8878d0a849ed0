"""Parallel coordinates of a pair."""

from typing import Any

import numpy as np

from bicneuron._shared._plots import ANCHOR, CONTRAST, legend_above, name_ticks
from bicneuron.inspection._display import PairDisplay

OPAQUE_CELLS = 400  # lines of blocks with more cells are drawn fainter


class ParallelCoordinatesDisplay(PairDisplay):
    """One line over the columns per row of a pair, with both centroids.

    Rows of a coherent bicluster run in parallel; a column in which the two centroids are far apart
    separates the sides. Columns are sorted by their means in the bicluster.

    Parameters
    ----------
    {pair}

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : tuple of two matplotlib LineCollection
        Rows of the anchor and of the contrast.
    centroids_ : tuple of two matplotlib Line2D

    Examples
    --------
    {fitted}
    >>> from bicneuron.inspection import ParallelCoordinatesDisplay
    >>> display = ParallelCoordinatesDisplay.from_estimator(model, X)
    >>> len(display.centroids_)
    2
    """

    _size = (8, 5)

    def _draw(self, ax: Any) -> None:
        from matplotlib.collections import LineCollection
        from matplotlib.patheffects import withStroke

        columns = self.column_order
        positions = np.arange(len(columns))
        lines, centroids = [], []
        width = 2.5 if len(columns) <= 100 else 1.5
        sides = (self.pair.rows, ANCHOR, "o"), (self.pair.contrast_rows, CONTRAST, "^")
        for (rows, colour, marker), label in zip(sides, self._side_labels(), strict=True):
            block = self.X[np.ix_(rows, columns)]
            paths = [np.column_stack([positions, row]) for row in block]
            alpha = float(np.clip(min(8 / len(rows), OPAQUE_CELLS / block.size), 0.02, 0.6))
            drawn = LineCollection(paths, colors=colour, alpha=alpha, linewidths=0.8)
            lines.append(ax.add_collection(drawn))
            style = {"color": colour, "linewidth": width, "label": label, "zorder": 3}
            style |= {"marker": marker, "markersize": 5, "markevery": max(1, len(columns) // 20)}
            halo = [withStroke(linewidth=width + 1.5, foreground="white")]
            centroids += ax.plot(positions, block.mean(axis=0), path_effects=halo, **style)
        ax.autoscale_view()
        ax.set_xlim(-0.5, len(columns) - 0.5)
        name_ticks(ax.xaxis, positions, self._column_names(columns))
        ax.grid(axis="x", color="0.9", linewidth=0.8)
        ax.set_axisbelow(True)
        ax.set_ylabel("scaled value")
        legend_above(ax)
        self.lines_, self.centroids_ = tuple(lines), tuple(centroids)
