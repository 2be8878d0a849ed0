"""The whole matrix, reordered to show a bicluster or a pair as one block."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._shared._plots import (
    ANCHOR,
    COLOUR_MAP,
    CONTRAST,
    all_fit,
    colour_limits,
    legend_above,
    name_ticks,
)
from bicneuron.inspection._display import HeatMapDisplay
from bicneuron.inspection._pair_display import PairDisplay, anchor_label, count
from bicneuron.patterns import Pattern

# The outlined rows and columns take at least this share of the height and width.
MIN_SHARE = 0.45


class BiclusterDisplay(HeatMapDisplay, PairDisplay):
    """The whole matrix, reordered so that a bicluster or contrastive pair is one outlined block.

    Rows are ordered as anchor, contrast, others and columns as pattern, others. Within each group
    they keep the order of the matrix, except that contrast rows are sorted by their distance to the
    bicluster. If the pattern is small in a large matrix, the other cells are drawn smaller, so that
    the outlined block takes at least 45 % of the width and of the height. Values outside the
    central 98 % have the colours of the ends of the scale.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    im_ : matplotlib image
    outlines_ : list of matplotlib Rectangle
        Around the anchor and, for a pair, the contrast.
    colorbar_ : matplotlib Colorbar or None

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.inspection import BiclusterDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
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

    def _draw(self, ax: Any, cmap: Any = COLOUR_MAP, colorbar: bool = True) -> None:
        from matplotlib.patches import Rectangle
        from matplotlib.patheffects import withStroke

        n_rows, n_columns = map(len, self.pair.block)
        x_edges = _edges(n_columns, self.X.shape[1])
        y_edges = _edges(n_rows, len(self.X))
        ordered = self.X[np.ix_(self.row_order, self.column_order)]
        low, high, extend = colour_limits(self.X)
        self.im_ = ax.pcolorfast(x_edges, y_edges, ordered, cmap=cmap, vmin=low, vmax=high)
        ax.set(xlim=(0, x_edges[-1]), ylim=(y_edges[-1], 0))
        halo = [withStroke(linewidth=5, foreground="white")]
        self.outlines_ = [
            ax.add_patch(
                Rectangle(
                    (0, y_edges[first]),
                    x_edges[n_columns],
                    y_edges[last] - y_edges[first],
                    fill=False,
                    edgecolor=colour,
                    linewidth=2.5,
                    path_effects=halo,
                    clip_on=False,
                    zorder=3,
                    label=label,
                )
            )
            for first, last, colour, label in self._outlined()
        ]
        legend_above(ax, handles=self.outlines_)
        self.colorbar_ = None
        if colorbar:
            self.colorbar_ = ax.figure.colorbar(
                self.im_, ax=ax, extend=extend, label="scaled value"
            )
        self._label_axes(ax, x_edges, y_edges)

    def _outlined(self) -> list[tuple[int, int, str, str]]:
        """First and last row, colour and label of each outline."""
        pair = self.pair
        if not len(pair.contrast_rows):
            return [(0, len(pair.rows), ANCHOR, anchor_label(pair))]
        middle = len(pair.rows)
        anchor, contrast = self._side_labels()
        return [(0, middle, ANCHOR, anchor), (middle, len(pair.block[0]), CONTRAST, contrast)]

    def _label_axes(self, ax: Any, x_edges: FloatArray, y_edges: FloatArray) -> None:
        rows, columns = self.pair.block
        across, down = (x_edges[:-1] + x_edges[1:]) / 2, (y_edges[:-1] + y_edges[1:]) / 2
        named = self.column_order if all_fit(ax.xaxis, across[len(columns) :]) else columns
        name_ticks(ax.xaxis, across[: len(named)], self._column_names(named))
        name_ticks(ax.yaxis, down[: len(rows)], self._row_names(rows))
        for axis, unit, own, size in zip(
            (ax.yaxis, ax.xaxis), ("row", "column"), (rows, columns), self.X.shape, strict=True
        ):
            n_others = size - len(own)
            more = f", then {n_others} other" + "s" * (n_others > 1) if n_others else ""
            axis.set_label_text(f"{count(own, unit)} of the pattern{more}")


def _moved_to_front(chosen: IndexArray, size: int) -> IndexArray:
    """All indices below ``size``, the chosen ones first."""
    return np.concatenate([chosen, np.setdiff1d(np.arange(size), chosen)])


def _edges(n_chosen: int, size: int) -> FloatArray:
    """Edges of the cells: width 1, but the others narrower if the chosen ones need more space."""
    n_rest = size - n_chosen
    widest = n_chosen * (1 - MIN_SHARE) / MIN_SHARE / max(n_rest, 1)
    return np.concatenate(
        [np.arange(n_chosen), n_chosen + min(1.0, widest) * np.arange(n_rest + 1)]
    )
