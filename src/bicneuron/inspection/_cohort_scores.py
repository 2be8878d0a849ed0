"""Scores of rows for a pattern, in a second cohort and in the training table."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._writing._axes import legend_above, plain
from bicneuron._writing._colours import ANCHOR, CHANCE, OTHERS
from bicneuron.inspection._display import Display
from bicneuron.inspection._replicated import replicated_pattern

# Bins, and the share of scores at either end that is drawn in the outermost.
MOST_BINS, FEWEST_BINS, TAIL = 30, 10, 0.005


@dataclass(eq=False, repr=False)
class CohortScoresDisplay(Display):
    """Histograms of the scores of a pattern: above in a second cohort, below in the training table.

    Scores are distances from the cut between two groups, in standard deviations within both. Rows
    to the right of the cut are members. Scores beyond the ends are counted in the outermost bins.

    Parameters
    ----------
    scores : array of shape (n_rows,)
        Of the rows of the cohort.
    scores_there : array of shape (n_quantiles,)
        Quantiles of the scores in the training table.
    n_there : str, default=""
        Rows that carry the pattern there, in words.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    here_, there_ : lists of matplotlib BarContainer
        Rows left of the cut and members in the cohort; all rows in the training table.
    cut_ : matplotlib Line2D

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.inspection import CohortScoresDisplay
    >>> from bicneuron.significance import replicate
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X[::2])
    >>> result = replicate(miner, X[1::2], n_draws=99, random_state=0)
    >>> display = CohortScoresDisplay.from_result(result)
    >>> len(display.scores)
    50
    """

    scores: FloatArray
    scores_there: FloatArray
    _: KW_ONLY
    n_there: str = ""
    _size = (7, 4)

    @classmethod
    def from_result(cls, replication: Any, k: int = 0, *, ax: Any = None) -> Self:
        """Draw a pattern of a result.

        Parameters
        ----------
        replication : Replication
            What `bicneuron.significance.replicate` returned.
        k : int, default=0
            Position of the pattern.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        one = replicated_pattern(replication, k)
        if not len(one.found.here):
            raise ValueError(f"none of the columns of {one.name} is there; it has no scores.")
        return cls(one.found.scores, one.found.scores_there, n_there=one.carried_there).plot(ax)

    @property
    def bins(self) -> FloatArray:
        """Edges of the bins; one of them is the cut."""
        both = np.concatenate([self.scores, self.scores_there])
        low, high = np.quantile(np.append(both, 0.0), [TAIL, 1 - TAIL])
        low, high = min(float(low), 0.0), max(float(high), 0.0)
        n_bins = min(MOST_BINS, max(FEWEST_BINS, len(self.scores) // 4))
        width = max(high - low, 1e-9) / n_bins
        n_below = max(1, int(np.ceil(-low / width)))
        n_above = max(1, int(np.ceil(high / width)))
        return width * np.arange(-n_below, n_above + 1, dtype=np.float64)

    def _draw(self, ax: Any) -> None:
        bins = self.bins
        middle = (bins[:-1] + bins[1:]) / 2
        here, there = (_shares(values, bins) for values in (self.scores, self.scores_there))
        is_member = middle > 0
        n_members, n_rows = int(np.sum(self.scores > 0)), len(self.scores)
        style = {"width": 0.92 * np.diff(bins)[0], "linewidth": 0}
        self.here_ = [
            ax.bar(middle[own], here[own], color=colour, label=label, **style)
            for own, colour, label in (
                (is_member, ANCHOR, f"here, above: {n_members} members of {n_rows} rows"),
                (~is_member, OTHERS, "here, above: other rows"),
            )
        ]
        carried = f" ({plain(self.n_there, 40)} carry the pattern)" if self.n_there else ""
        label = f"there, below: training table{carried}"
        self.there_ = [ax.bar(middle, -there, color=CHANCE, label=label, **style)]
        ax.axhline(0, color="black", linewidth=0.8)
        self.cut_ = ax.axvline(0, color="black", linewidth=1, linestyle="--")
        ax.annotate(
            "cut", (0, 1), (3, -2), xycoords=("data", "axes fraction"), va="top",
            textcoords="offset points", fontsize="small",
        )  # fmt: skip
        top = 1.08 * max(float(here.max()), float(there.max()))
        ax.set(xlim=(bins[0], bins[-1]), ylim=(-top, top))
        ax.yaxis.set_major_formatter(lambda share, _: f"{100 * abs(share):.0f} %")
        ax.set_xlabel("score: distance from the cut, in standard deviations")
        ax.set_ylabel("share of the rows")
        ax.spines[["top", "right"]].set_visible(False)
        legend_above(ax, fontsize="small")


def _shares(values: FloatArray, bins: FloatArray) -> FloatArray:
    """Share of values in each bin; those beyond the ends are in the outermost."""
    places = np.clip(np.searchsorted(bins, values, side="left") - 1, 0, len(bins) - 2)
    shares: FloatArray = np.bincount(places, minlength=len(bins) - 1) / len(values)
    return shares
