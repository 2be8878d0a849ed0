"""Effects of the columns of a pattern, in a second cohort and in the training table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared import _plots as plots
from bicneuron.inspection._display import ReplicationDisplay

MOST_COLUMNS = 30  # that are drawn


@dataclass(eq=False, repr=False)
class ColumnEffectsDisplay(ReplicationDisplay):
    """How much members differ from other rows in each column, here against there.

    A line is a column, the clearest of the training table first; at most 30 are drawn. An open mark
    is the difference there, a filled one the difference here, in standard deviations of the column.
    Columns in which members differ in the same direction in both tables are orange, others grey.

    Parameters
    ----------
    effects_here, effects_there : arrays of shape (n_columns,)
        Difference between members and other rows in the cohort, and between rows that carry the
        pattern and others in the training table.
    feature_names : sequence of shape (n_columns,)
        Names of the columns.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    here_, there_ : matplotlib PathCollection
        Marks from top to bottom, in the order of `column_order`.

    Examples
    --------
    {replicated}
    >>> from bicneuron.inspection import ColumnEffectsDisplay
    >>> display = ColumnEffectsDisplay.from_result(result)
    >>> int(display.is_same.sum()), len(display.is_same)
    (10, 10)
    """

    effects_here: FloatArray
    effects_there: FloatArray
    feature_names: Sequence[Any]

    @classmethod
    def _of_pattern(cls, one: Any, **_: Any) -> Self:
        members = one.found.members
        if members is None or not members.any() or members.all():
            raise ValueError(f"{one.name} has no members, or no other rows, to compare.")
        return cls(one.found.effects_here, one.found.effects_there, one.found.present)

    @property
    def is_same(self) -> BoolArray:
        """True for columns with the same direction in both tables."""
        return np.asarray(np.sign(self.effects_here) == np.sign(self.effects_there))

    @property
    def column_order(self) -> IndexArray:
        """Columns that are drawn, the clearest of the training table first."""
        return np.argsort(-np.abs(self.effects_there), kind="stable")[:MOST_COLUMNS]

    @property
    def _size(self) -> tuple[float, float]:
        return 7, 1.6 + 0.26 * len(self.column_order)

    def _draw(self, ax: Any) -> None:
        columns, is_same = self.column_order, self.is_same
        places = np.arange(len(columns))
        here, there = self.effects_here[columns], self.effects_there[columns]
        colours = np.where(is_same[columns], plots.ANCHOR, plots.OTHERS).tolist()
        ax.hlines(places, here, there, color=plots.CHANCE, linewidth=1.5, zorder=1)
        ax.axvline(0, color="black", linewidth=0.8, zorder=0)
        style: Any = {"s": 34, "zorder": 2, "linewidths": 1.3}
        self.there_ = ax.scatter(there, places, facecolors="white", edgecolors=colours, **style)
        self.here_ = ax.scatter(here, places, facecolors=colours, edgecolors=colours, **style)
        ax.set_ylim(len(columns) - 0.4, -0.6)
        names = [self.feature_names[j] for j in columns]
        if plots.all_fit(ax.yaxis, places):
            ax.set_yticks(places, [*map(plots.plain, names)])
        else:
            plots.name_ticks(ax.yaxis, places, names)
        ax.set_xlabel("members less other rows, in standard deviations of the column")
        ax.spines[["top", "right"]].set_visible(False)
        n_same = int(is_same.sum())
        colour = plots.ANCHOR if n_same else plots.OTHERS
        style = {"marker": "o", "linestyle": "none", "color": colour}
        same = f"here (same direction as there in {n_same} of {len(is_same)} columns)"
        keys = ax.plot([], [], **style, label=same)
        style |= {"markerfacecolor": "white", "label": "there, in the training table"}
        plots.legend_above(ax, handles=[*keys, *ax.plot([], [], **style)], fontsize="small")
