"""Patterns beside what chance gives."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._axes import legend_above, line_share
from bicneuron._shared._colours import ANCHOR, CHANCE, OTHERS
from bicneuron._shared._formats import LEVEL, round_p
from bicneuron.inspection._display import Display

# Patterns that are labelled at most; they leave this share of the height to the histogram.
MOST_LABELLED, LEAST_SHARE = 12, 0.4


@dataclass(eq=False, repr=False)
class SignificanceDisplay(Display):
    """Test statistic of each pattern, beside that of the clearest pattern by chance.

    The histogram shows what chance gives: the clearest pattern of each repetition of the test. Each
    pattern is a mark; the clearest, at most twelve, have a line, their number (from 1) and their
    corrected p. Patterns that pass the test are orange and filled, the others are grey and
    open. A pattern of infinite statistic is a triangle at the right.

    Parameters
    ----------
    statistic : float64 array of shape (n_patterns,)
        Larger for clearer patterns; NaN for those that were not tested, which are not drawn.
    null_statistic : float64 array of shape (n_repetitions,)
        That of the clearest pattern by chance; minus infinity where chance gave no pattern.
    family_p_values : float64 array of shape (n_patterns,)
        Corrected p.
    level : float, default=0.05
        Patterns with a larger corrected p are grey.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    histogram_ : matplotlib BarContainer
    marks_ : list of matplotlib Line2D
        One for each pattern.
    lines_, labels_ : dicts of int to matplotlib Line2D and Text
        Those of the labelled patterns, by their positions.
    more_ : matplotlib Text or None
        How many patterns have no label.

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.inspection import SignificanceDisplay
    >>> from bicneuron.significance import significance_test
    >>> table = make_subgroups("shift", shift=2.5, n_columns=300, random_state=0)
    >>> result = significance_test(SubgroupBiclustering(), table.X, table.y, random_state=0)
    >>> display = SignificanceDisplay.from_result(result)
    >>> display.labels_[0].get_text()
    '1: p = 0.001'
    """

    statistic: FloatArray
    null_statistic: FloatArray
    family_p_values: FloatArray
    _: KW_ONLY
    level: float = LEVEL

    @classmethod
    def from_result(cls, result: Any, *, level: float = LEVEL, ax: Any = None) -> Self:
        """Draw the result of a test.

        Parameters
        ----------
        result : Significance
            What `bicneuron.significance.significance_test` returned.
        level : float, default=0.05
            Patterns with a larger corrected p are grey.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        if np.isnan(result.family_p_values).all():
            raise ValueError("result has no pattern that was tested; there is nothing to draw.")
        return cls(
            result.statistic,
            result.null_statistic,
            result.family_p_values,
            level=level,
        ).plot(ax)

    @property
    def better_than_chance(self) -> BoolArray:
        """True for the patterns that are drawn in colour."""
        return np.asarray(self.family_p_values) <= self.level

    @property
    def _size(self) -> tuple[float, float]:
        return 7, 4 + 0.2 * min(len(self.statistic), MOST_LABELLED)

    def _draw(self, ax: Any) -> None:
        # The clearest first. A line ends at its own label and has those of clearer patterns at its
        # right, so that no line crosses a label.
        order = np.argsort(-np.asarray(self.statistic), kind="stable")  # NaN last
        order = order[: len(order) - int(np.isnan(self.statistic).sum())]
        share = 1.2 * line_share(ax.yaxis)  # of the height, for a line of text
        n_labelled = min(MOST_LABELLED, max(1, int((1 - LEAST_SHARE) / share) - 2))
        labelled, others = order[:n_labelled], order[n_labelled:]
        top = self._draw_null()
        whole = top / (1 - share * (len(labelled) + bool(len(others)) + 0.5))
        heights = np.full(len(self.statistic), top + share * whole * (len(labelled) + 0.5))
        heights[labelled] = top + share * whole * (np.arange(len(labelled)) + 0.5)
        ax.set_ylim(0, whole)
        self._draw_patterns(self._places(), heights, labelled, others)
        ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= top])
        ax.set_ylabel("repetitions", y=top / whole / 2)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlabel("-log10 of the probability of the carriers")
        legend_above(ax, fontsize="small")

    def _places(self) -> FloatArray:
        """Horizontal positions of the patterns: infinite ones to the right of all others."""
        statistic = np.asarray(self.statistic, np.float64)
        finite = np.concatenate([statistic, np.asarray(self.null_statistic)])
        finite = finite[np.isfinite(finite)]
        right = 1.1 * float(finite.max(initial=0.0)) or 1.0
        return np.where(np.isposinf(statistic), right, statistic)

    def _draw_null(self) -> float:
        """Draw the histogram and return the height of its largest bar."""
        null = np.asarray(self.null_statistic)
        found = null[np.isfinite(null)]
        label = f"clearest pattern by chance, in {len(null)} orders of the labels"
        if len(found) < len(null):
            label += f" (none in {len(null) - len(found)})"
        bins = np.histogram_bin_edges(found, min(40, max(10, len(found) // 20)))
        counts, _, self.histogram_ = self.ax_.hist(found, bins, color=CHANCE, label=label)
        return float(np.max(counts, initial=1.0))

    def _draw_patterns(
        self, places: FloatArray, heights: FloatArray, labelled: IndexArray, others: IndexArray
    ) -> None:
        is_better = self.better_than_chance
        colours = np.where(is_better, ANCHOR, OTHERS).tolist()
        style = {"textcoords": "offset points", "va": "center", "fontsize": "small"}
        self.lines_, self.labels_, self.more_ = {}, {}, None
        for k in labelled.tolist():
            (self.lines_[k],) = self.ax_.plot(
                [places[k]] * 2, [0, heights[k]], color=colours[k], linewidth=0.8
            )
            text = f"{k + 1}: p = {round_p(self.family_p_values[k])}"
            at = places[k], heights[k]
            self.labels_[k] = self.ax_.annotate(text, at, (7, 0), color=colours[k], **style)
        if len(others):
            at = places[others].max(), heights[others[0]]
            self.more_ = self.ax_.annotate(f"{len(others)} more", at, (7, 0), color=OTHERS, **style)
        self.marks_ = []
        for k, colour in enumerate(colours):
            (mark,) = self.ax_.plot(
                places[k],
                heights[k],
                marker=">" if np.isposinf(self.statistic[k]) else "o",
                color=colour,
                markerfacecolor=colour if is_better[k] else "white",
                linestyle="none",
            )
            self.marks_.append(mark)
        is_tested = ~np.isnan(places)
        for kind, word in ((is_better, ""), (is_tested & ~is_better, "not ")):
            if kind.any():
                passed = f"{word}of a class more than by chance"
                label = f"{passed}: {int(kind.sum())} of {int(is_tested.sum())} patterns"
                self.marks_[int(np.argmax(kind))].set_label(label)
        # Room for the label of the clearest, about seven times as wide as high.
        low, high = self.ax_.get_xlim()
        room = min(7 * line_share(self.ax_.xaxis), 0.5)
        self.ax_.set_xlim(low, max(high, low + (float(np.nanmax(places)) - low) / (1 - room)))
