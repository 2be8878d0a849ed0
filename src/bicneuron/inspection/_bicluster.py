"""The whole matrix, reordered to show a bicluster or a pair as one block."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._shared import _plots as plots
from bicneuron._shared._formats import counted
from bicneuron.inspection._display import PairDisplay
from bicneuron.patterns import Pattern

MIN_SHARE = 0.45  # of height and width that the outlined rows and columns take at least


class BiclusterDisplay(PairDisplay):
    """The whole matrix, reordered so that a bicluster or contrastive pair is one outlined block.

    Rows are ordered as anchor, contrast, others and columns as pattern, others, contrast rows by
    their distance to the bicluster. If the pattern is small in a large matrix, the other cells are
    drawn smaller, so that the outlined block takes at least 45 % of the width and of the height.
    Values outside the central 98 % have the colours of the ends of the scale.

    Parameters
    ----------
    {pair}

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    im_ : matplotlib image
    outlines_ : list of matplotlib Rectangle
        Around the anchor and, for a pair, the contrast.
    colorbar_ : matplotlib Colorbar or None

    Examples
    --------
    {fitted}
    >>> from bicneuron.inspection import BiclusterDisplay
    >>> display = BiclusterDisplay.from_estimator(model, X)
    >>> len(display.outlines_)
    2
    """

    _size = (8, 6)

    @classmethod
    def _check(cls, pattern: Pattern, side_labels: tuple[str, str] | None) -> None:
        if side_labels is not None and not len(pattern.contrast_rows):
            raise ValueError("the pattern has no contrast to label; leave side_labels out.")

    @property
    def row_order(self) -> IndexArray:
        """Rows of ``X`` from top to bottom."""
        return _moved_to_front(self.pair.block[0], len(self.X))

    @property
    def column_order(self) -> IndexArray:
        """Columns of ``X`` from left to right."""
        return _moved_to_front(self.pair.columns, self.X.shape[1])

    def _draw(self, ax: Any, colorbar: bool = True) -> None:
        from matplotlib.patches import Rectangle
        from matplotlib.patheffects import withStroke

        rows, columns = self.pair.block
        y_edges, x_edges = map(_edges, (len(rows), len(columns)), self.X.shape)
        ordered = self.X[np.ix_(self.row_order, self.column_order)]
        low, high, extend = plots.colour_limits(self.X)
        scale: Any = {"cmap": plots.COLOUR_MAP, "vmin": low, "vmax": high}
        self.im_ = ax.pcolorfast(x_edges, y_edges, ordered, **scale)
        ax.set(xlim=(0, x_edges[-1]), ylim=(y_edges[-1], 0))
        style: Any = {"fill": False, "linewidth": 2.5, "clip_on": False, "zorder": 3}
        style["path_effects"] = [withStroke(linewidth=5, foreground="white")]
        top, self.outlines_ = 0.0, []  # frames around the sides
        ends = y_edges[np.cumsum([len(self.pair.rows), len(self.pair.contrast_rows)])]
        colours = plots.ANCHOR, plots.CONTRAST
        for label, end, colour in zip(self._side_labels(), ends, colours, strict=False):
            shape = x_edges[len(columns)], end - top
            frame = Rectangle((0, top), *shape, edgecolor=colour, label=label, **style)
            self.outlines_.append(ax.add_patch(frame))
            top = end
        plots.legend_above(ax, handles=self.outlines_)
        scale = {"ax": ax, "extend": extend, "label": "scaled value"}
        self.colorbar_ = ax.figure.colorbar(self.im_, **scale) if colorbar else None
        across, down = ((edges[:-1] + edges[1:]) / 2 for edges in (x_edges, y_edges))
        named = self.column_order if plots.all_fit(ax.xaxis, across[len(columns) :]) else columns
        plots.name_ticks(ax.xaxis, across[: len(named)], self._column_names(named))
        plots.name_ticks(ax.yaxis, down[: len(rows)], self._row_names(rows))
        sides = (ax.yaxis, "row", rows), (ax.xaxis, "column", columns)
        for (axis, unit, own), size in zip(sides, self.X.shape, strict=True):
            more = f", then {counted(size - len(own), 'other')}" if size > len(own) else ""
            axis.set_label_text(f"{counted(len(own), unit)} of the pattern{more}")


def _moved_to_front(chosen: IndexArray, size: int) -> IndexArray:
    """All indices below ``size``, the chosen ones first."""
    return np.concatenate([chosen, np.setdiff1d(np.arange(size), chosen)])


def _edges(n_chosen: int, size: int) -> FloatArray:
    """Edges of the cells: width 1, but the others narrower if the chosen ones need more space."""
    n_rest = size - n_chosen
    widest = n_chosen * (1 - MIN_SHARE) / MIN_SHARE / max(n_rest, 1)
    rest = n_chosen + min(1.0, widest) * np.arange(n_rest + 1)
    return np.concatenate([np.arange(n_chosen), rest])
