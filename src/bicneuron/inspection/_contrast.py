"""Heat maps of a bicluster and its contrast."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import IndexArray
from bicneuron._shared._plots import ANCHOR, CONTRAST, colour_limits, name_ticks, open_axes
from bicneuron.inspection._display import PairDisplay, draw_cells
from bicneuron.metrics import mean_squared_residue, msr_ratio


class ContrastDisplay(PairDisplay):
    """Heat maps of B and B^c on one colour scale, with their mean squared residues.

    Columns are sorted by their means in the bicluster and rows, within each block, by their own
    means: a coherent block then shades evenly from one corner to the other.

    Parameters
    ----------
    {pair}

    Attributes
    ----------
    axes_ : tuple of two matplotlib Axes
    figure_ : matplotlib Figure
    ims_ : tuple of two matplotlib images
    colorbar_ : matplotlib Colorbar or None

    Examples
    --------
    {fitted}
    >>> from bicneuron.inspection import ContrastDisplay
    >>> display = ContrastDisplay.from_estimator(model, X)
    >>> display.axes_[1].get_title(loc="left").partition(":")[0]
    'contrast'
    """

    @property
    def row_orders(self) -> tuple[IndexArray, IndexArray]:
        """Rows of ``X`` from top to bottom, in the bicluster and in its contrast."""
        rows = self.pair.rows, self.pair.contrast_rows
        orders = (np.argsort(block.mean(axis=1), kind="stable") for block in self._blocks())
        anchor, contrast = (side[order] for side, order in zip(rows, orders, strict=True))
        return anchor, contrast

    def _open(self, ax: Any) -> None:
        axes = np.ravel(open_axes(ax, nrows=2, figsize=(8, 6)))
        if len(axes) != 2:
            raise ValueError(f"axes has {len(axes)} Axes; give two, or None for a new figure.")
        self.ax_ = self.axes_ = tuple(axes)
        self.figure_ = axes[0].figure

    def _draw(self, ax: Any, colorbar: bool = True, residues: bool = True) -> None:
        blocks, columns = self._blocks(), self.column_order
        low, high, extend = colour_limits(np.vstack(blocks))
        first, second = (f"MSR {mean_squared_residue(block):.3g}" for block in blocks)
        facts = f"{first}, MSR ratio {msr_ratio(*blocks):.3g}", second
        ims, labels = [], self._side_labels()
        panels = zip(ax, self.row_orders, labels, facts, (ANCHOR, CONTRAST), strict=True)
        for panel, rows, label, fact, colour in panels:
            ims.append(draw_cells(panel, self.X[np.ix_(rows, columns)], (low, high)))
            title = f"{label}\n{fact}" if residues else label
            panel.set_title(title, loc="left", color=colour, fontsize="medium")
            panel.spines[:].set(color=colour, linewidth=2)
            name_ticks(panel.yaxis, np.arange(len(rows)), self._row_names(rows))
            panel.set_ylabel("rows")
        ax[0].set_xticks([])
        name_ticks(ax[1].xaxis, np.arange(len(columns)), self._column_names(columns))
        self.ims_ = tuple(ims)
        scale = {"ax": list(ax), "extend": extend, "label": "scaled value"}
        self.colorbar_ = self.figure_.colorbar(ims[0], **scale) if colorbar else None
