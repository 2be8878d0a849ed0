"""Heat maps of a bicluster and its contrast."""

from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import IndexArray
from bicneuron._shared._plots import (
    ANCHOR,
    COLOUR_MAP,
    CONTRAST,
    colour_limits,
    name_ticks,
    open_axes,
)
from bicneuron.inspection._pair_display import PairDisplay
from bicneuron.metrics import mean_squared_residue, msr_ratio


class ContrastDisplay(PairDisplay):
    """Heat maps of B and B^c on one colour scale, with their mean squared residues.

    Columns are sorted by their means in the bicluster and rows, within each block, by their own
    means: a coherent block then shades evenly from one corner to the other.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    axes_ : tuple of two matplotlib Axes
    figure_ : matplotlib Figure
    ims_ : tuple of two matplotlib images
    colorbar_ : matplotlib Colorbar or None

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.inspection import ContrastDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
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

    def plot(
        self,
        axes: Any = None,
        *,
        cmap: Any = COLOUR_MAP,
        colorbar: bool = True,
        residues: bool = True,
    ) -> Self:
        """Draw both heat maps.

        Parameters
        ----------
        axes : sequence of two matplotlib Axes, default=None
            Where to draw the bicluster and its contrast; None makes a new figure.
        cmap : str or matplotlib Colormap, default="viridis"
            Sequential.
        colorbar : bool, default=True
            Whether to show the colour scale.
        residues : bool, default=True
            Whether the titles give the mean squared residues and their ratio.

        Returns
        -------
        self : object
        """
        axes = np.ravel(open_axes(axes, nrows=2, figsize=(8, 6)))
        if len(axes) != 2:
            raise ValueError(f"axes has {len(axes)} Axes; give two, or None for a new figure.")
        blocks = self._blocks()
        first, second = (f"MSR {mean_squared_residue(block):.3g}" for block in blocks)
        facts = f"{first}, MSR ratio {msr_ratio(*blocks):.3g}", second
        low, high, extend = colour_limits(np.vstack(blocks))
        columns, ims = self.column_order, []
        labels = self._side_labels()
        panels = zip(axes, self.row_orders, labels, facts, (ANCHOR, CONTRAST), strict=True)
        for ax, rows, label, fact, colour in panels:
            block = self.X[np.ix_(rows, columns)]
            limits = {"cmap": cmap, "vmin": low, "vmax": high}
            ims.append(ax.imshow(block, aspect="auto", interpolation="nearest", **limits))
            title = f"{label}\n{fact}" if residues else label
            ax.set_title(title, loc="left", color=colour, fontsize="medium")
            for spine in ax.spines.values():
                spine.set(color=colour, linewidth=2)
            name_ticks(ax.yaxis, np.arange(len(rows)), self._row_names(rows))
            ax.set_ylabel("rows")
        axes[0].set_xticks([])
        name_ticks(axes[1].xaxis, np.arange(len(columns)), self._column_names(columns))
        self.axes_, self.figure_, self.ims_ = tuple(axes), axes[0].figure, tuple(ims)
        self.colorbar_ = None
        if colorbar:
            self.colorbar_ = self.figure_.colorbar(
                ims[0], ax=list(axes), extend=extend, label="scaled value"
            )
        return self
