"""Effects of the columns of a pattern with their intervals, from rows that did not choose them."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron._shared._axes import all_fit, legend_above, line_share, name_ticks, plain
from bicneuron._shared._colours import ANCHOR, OTHERS
from bicneuron.inspection._display import Display

# Columns that are drawn at most.
MOST_COLUMNS = 30


@dataclass(eq=False, repr=False)
class ColumnEvidenceDisplay(Display):
    """Standardised difference of the rows of a pattern from the others in each column.

    A line is a column, the clearest first; at most 30 are drawn. The mark is the difference and the
    bar its interval of 95 %. Columns that are proven are orange, others grey. An open mark is a
    column that is proven, though the pattern does not have it. A column that does not vary within
    the two sides has no mark.

    Parameters
    ----------
    effect, low, high : arrays of shape (n_columns,)
        Differences in standard deviations, and the ends of their intervals, the clearest first.
    is_proven, in_pattern : bool arrays of shape (n_columns,)
        Columns that are proven, and those of the pattern.
    feature_names : sequence of shape (n_columns,)
        Names of the columns.
    title : str, default=""

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    intervals_ : matplotlib LineCollection
    marks_ : matplotlib PathCollection
        Both from top to bottom.

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import column_evidence
    >>> X, y, _ = make_subgroups("shift", shift=2.5, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(X, y)
    >>> (evidence,) = column_evidence(miner, X, y, patterns=[0], n_folds=3, random_state=0)
    >>> display = evidence.plot()
    >>> display.title
    'pattern 1: 10 of 10 columns are proven'
    """

    effect: FloatArray
    low: FloatArray
    high: FloatArray
    is_proven: BoolArray
    in_pattern: BoolArray
    feature_names: Sequence[Any]
    _: KW_ONLY
    title: str = ""

    @classmethod
    def from_result(cls, evidence: Any, *, ax: Any = None) -> Self:
        """Draw the columns of a pattern.

        Parameters
        ----------
        evidence : ColumnEvidence
            One of those that `bicneuron.significance.column_evidence` returned.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        if evidence.reason:
            raise ValueError(f"pattern {evidence.number} has nothing to draw: {evidence.words}.")
        columns, own = evidence.listed_columns, evidence.pattern.columns
        proven = evidence.is_proven
        return cls(
            evidence.effect[columns],
            evidence.low[columns],
            evidence.high[columns],
            proven[columns],
            np.isin(columns, own),
            [evidence.names[column] for column in columns.tolist()],
            title=f"pattern {evidence.number}: {int(proven[own].sum())} of {len(own)} columns are "
            "proven",
        ).plot(ax)

    @property
    def _size(self) -> tuple[float, float]:
        return 7, 1.6 + 0.26 * min(len(self.effect), MOST_COLUMNS)

    def _draw(self, ax: Any) -> None:
        shown = slice(MOST_COLUMNS)
        effect, names = self.effect[shown], self.feature_names[shown]
        places = np.arange(len(effect))
        colours = np.where(self.is_proven[shown], ANCHOR, OTHERS).tolist()
        inside = [
            colour if own else "white"
            for colour, own in zip(colours, self.in_pattern[shown], strict=True)
        ]
        ax.axvline(0, color="black", linewidth=0.8, zorder=0)
        self.intervals_ = ax.hlines(
            places, self.low[shown], self.high[shown], color=colours, linewidth=1.5, zorder=1
        )
        self.marks_ = ax.scatter(
            *(effect, places), s=34, zorder=2, linewidths=1.3, facecolors=inside, edgecolors=colours
        )
        ax.set_ylim(len(places) - 0.4, -0.6)
        if all_fit(ax.yaxis, places):
            ax.set_yticks(places, [plain(name) for name in names])
        else:
            name_ticks(ax.yaxis, places, names)
        ax.set_xlabel("rows of the pattern less others, in standard deviations (95 % intervals)")
        ax.spines[["top", "right"]].set_visible(False)
        self._add_legend(ax)
        # Above the legend, which is a hundredth of the height above the axes.
        pad = 22 + 0.14 / line_share(ax.yaxis)
        ax.set_title(plain(self.title, 70), loc="left", fontsize="medium", pad=pad)

    def _add_legend(self, ax: Any) -> None:
        from matplotlib.lines import Line2D

        proven, own = self.is_proven[:MOST_COLUMNS], self.in_pattern[:MOST_COLUMNS]
        keys = {
            "proven": (ANCHOR, ANCHOR, (proven & own).any()),
            "proven, not of the pattern": (ANCHOR, "white", (proven & ~own).any()),
            "not proven": (OTHERS, OTHERS, (~proven).any()),
        }
        handles = [
            Line2D([], [], marker="o", color=colour, markerfacecolor=inside, label=label)
            for label, (colour, inside, is_there) in keys.items()
            if is_there
        ]
        legend_above(ax, handles=handles, ncols=3, fontsize="small")
