"""Columns that are found again in parts of the rows."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._axes import all_fit, legend_above, line_share, name_ticks, plain
from bicneuron._shared._colours import ANCHOR, CHANCE
from bicneuron.inspection._display import Display

# Columns that are drawn at most.
MOST_COLUMNS = 30


@dataclass(eq=False, repr=False)
class StabilityDisplay(Display):
    """Frequency with which columns are found again in subsamples of the rows.

    There is a bar for each column, the most frequent first: orange for the columns of the pattern,
    grey for others that belong to it in some subsamples. At most 30 are drawn.

    Parameters
    ----------
    frequencies : float64 array of shape (n_columns,)
        Share of the subsamples in which each column of the table was one of the pattern.
    in_pattern : bool array of shape (n_columns,)
        Which columns the pattern has.
    feature_names : sequence of shape (n_columns,)
        Names of the columns.
    title : str, default=""

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : matplotlib BarContainer
        From top to bottom, in the order of `column_order`.

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.inspection import StabilityDisplay
    >>> from bicneuron.significance import stability
    >>> X, y, (group,) = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(anchor="case", kinds="shift", n_patterns=3)
    >>> again = stability(miner, X, y, n_subsamples=5, random_state=0)
    >>> display = StabilityDisplay.from_result(again)
    >>> display.title, sorted(display.column_order[:10].tolist()) == group.columns.tolist()
    ('found again in 5 of 5 parts of the table', True)
    """

    frequencies: FloatArray
    in_pattern: BoolArray
    feature_names: Sequence[Any]
    _: KW_ONLY
    title: str = ""

    @classmethod
    def from_result(
        cls, stability: Any, k: int = 0, *, feature_names: Any = None, ax: Any = None
    ) -> Self:
        """Draw a pattern of a result.

        Parameters
        ----------
        stability : Stability
            What `bicneuron.significance.stability` returned.
        k : int, default=0
            Position of the pattern.
        feature_names : sequence of shape (n_columns,), default=None
            Names of the columns, as ``X.columns``; None numbers them: x0, x1, ...
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        n_patterns = len(stability.patterns)
        if not 0 <= k < n_patterns:
            raise ValueError(f"k={k}, but stability has {n_patterns} patterns.")
        frequencies = stability.column_frequency[k]
        if feature_names is None:
            feature_names = [f"x{j}" for j in range(len(frequencies))]
        if len(feature_names) != len(frequencies):
            raise ValueError(
                f"feature_names has {len(feature_names)} names for {len(frequencies)} columns; "
                "give one for each."
            )
        in_pattern = np.zeros(len(frequencies), dtype=bool)
        in_pattern[stability.patterns[k].columns] = True
        return cls(frequencies, in_pattern, feature_names, title=stability.words(k)).plot(ax)

    @property
    def column_order(self) -> IndexArray:
        """Columns to draw, most frequent first; ties go to columns of the pattern."""
        worth_a_bar = np.flatnonzero((np.asarray(self.frequencies) > 0) | self.in_pattern)
        order = np.lexsort((~self.in_pattern[worth_a_bar], -self.frequencies[worth_a_bar]))
        return worth_a_bar[order][:MOST_COLUMNS]

    @property
    def _size(self) -> tuple[float, float]:
        return 7, 1.6 + 0.26 * len(self.column_order)

    def _draw(self, ax: Any) -> None:
        from matplotlib.patches import Patch

        columns = self.column_order
        places = np.arange(len(columns))
        own = self.in_pattern[columns]
        self.bars_ = ax.barh(
            places, self.frequencies[columns], color=np.where(own, ANCHOR, CHANCE).tolist()
        )
        ax.set(xlim=(0, 1), ylim=(len(columns) - 0.4, -0.6))
        names = [self.feature_names[j] for j in columns]
        if all_fit(ax.yaxis, places):
            ax.set_yticks(places, [plain(name) for name in names])
        else:
            name_ticks(ax.yaxis, places, names)
        ax.set_xlabel("share of the subsamples")
        ax.spines[["top", "right"]].set_visible(False)
        n_shown, n_own = int(own.sum()), int(np.sum(self.in_pattern))
        counted = f"{n_shown} of {n_own}" if n_shown < n_own else f"{n_own}"
        keys = [Patch(color=ANCHOR, label=f"columns of the pattern: {counted}")]
        if not own.all():
            keys.append(Patch(color=CHANCE, label="others"))
        legend_above(ax, handles=keys, ncols=2, fontsize="small")
        # Above the legend, which is a hundredth of the height above the axes.
        pad = 22 + 0.14 / line_share(ax.yaxis)
        ax.set_title(plain(self.title, 70), loc="left", fontsize="medium", pad=pad)
