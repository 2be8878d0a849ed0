"""Scores of rows with the best two humps and the best single one."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from scipy.stats import norm

from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron._core._one_hump import FlatHump, Hump, best_hump, fit_flat_hump
from bicneuron._core._valley import best_pair
from bicneuron._shared._formats import round_p
from bicneuron._shared._plots import ANCHOR, OTHERS, legend_above
from bicneuron.inspection._display import ReplicationDisplay

# Bins, places at which densities are drawn, and rows below which there are none.
MOST_BINS, FEWEST_BINS, N_PLACES, LEAST_ROWS = 30, 12, 200, 8


@dataclass(eq=False, repr=False)
class SeparateDisplay(ReplicationDisplay):
    """Scores of rows as a histogram, with the best two normal densities and the best single hump.

    Rows that carry the pattern are orange and stand on the other rows, which are grey. Look for a
    valley between two humps, and whether the single hump, skewed or flat if need be, misses it.

    Parameters
    ----------
    scores : array of shape (n_rows,)
        As given to `bicneuron.significance.separate_test`; NaN for rows without a score.
    carriers : bool array of shape (n_rows,)
        Rows that carry the pattern.
    p : float, default=None
        P of `separate_test`, for the legend.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    histogram_ : list of matplotlib BarContainer
        Other rows, and rows that carry the pattern.
    two_, one_ : matplotlib Line2D or None
        Both densities, and the single hump; None where scores are few or equal.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.inspection import SeparateDisplay
    >>> scores = np.random.default_rng(0).normal(size=80)
    >>> scores[:20] += 5
    >>> display = SeparateDisplay(scores, np.arange(80) < 20).plot()
    >>> display.two_.get_label()
    'best two humps'
    """

    scores: FloatArray
    carriers: BoolArray
    _: KW_ONLY
    p: float | None = None
    _size = (6, 3.4)

    @classmethod
    def _of_pattern(cls, one: Any, **_: Any) -> Self:
        if one.levels is None:
            reason = one.reason or one.separate.reason
            raise ValueError(f"{one.name} has no scores to draw: {reason}.")
        return cls(one.levels, one.found.members, p=one.separate.p_value)

    @classmethod
    def from_evidence(cls, evidence: Any, *, p: float | None = None, **options: Any) -> Self:
        """Draw scores of the rows of the first cohort, by searches without them.

        Parameters
        ----------
        evidence : ColumnEvidence
            One of those that `bicneuron.significance.column_evidence` returned.
        p : float, default=None
            P of `separate_test` on its scores, for the legend.
        {drawn}
        """
        if not np.isfinite(evidence.scores).any():
            raise ValueError(
                f"pattern {evidence.number} has no scores to draw: it was not found again without "
                "a part of the rows, or is not a matter of levels."
            )
        carriers = np.isin(np.arange(len(evidence.scores)), evidence.pattern.rows)
        return cls(evidence.scores, carriers, p=p).plot(**options)

    def _draw(self, ax: Any) -> None:
        is_known = np.isfinite(self.scores)
        scores, carriers = self.scores[is_known], np.asarray(self.carriers)[is_known]
        bins = np.histogram_bin_edges(scores, np.clip(len(scores) // 4, FEWEST_BINS, MOST_BINS))
        sides = [scores[~carriers], scores[carriers]]
        label = [f"other rows: {len(sides[0])}", f"rows that carry it: {len(sides[1])}"]
        style = {"color": [OTHERS, ANCHOR], "stacked": True, "rwidth": 0.92}
        _, _, self.histogram_ = ax.hist(sides, bins, label=label, **style)
        self.two_ = self.one_ = None
        if len(scores) >= LEAST_ROWS and scores.std() > 0:
            self._draw_humps(ax, np.sort(scores), bins)
        ax.set_xlabel("score" if self.p is None else f"score (one hump: p = {round_p(self.p)})")
        ax.set_ylabel("rows")
        ax.spines[["top", "right"]].set_visible(False)
        legend_above(ax, fontsize="small", ncols=2)

    def _draw_humps(self, ax: Any, s: FloatArray, bins: FloatArray) -> None:
        """Densities, as rows in a bin."""
        centre, deviation = float(np.median(s)), float(s.std())
        places = np.linspace(bins[0], bins[-1], N_PLACES)
        x, of_axis = (places - centre) / deviation, (s - centre) / deviation
        rows = len(s) * (bins[1] - bins[0]) / deviation
        share, high, low, high_spread, low_spread = best_pair(of_axis)
        two = share * norm.pdf(x, high, high_spread) + (1 - share) * norm.pdf(x, low, low_spread)
        single: list[Hump | FlatHump] = [best_hump(of_axis), fit_flat_hump(of_axis)]
        likeliest = max(single, key=lambda hump: hump.likelihood)
        one = np.exp(likeliest.likelihoods_as_it_is(x[None])) / np.sqrt(2 * np.pi)
        style = {"color": "black", "label": "best two humps"}
        (self.two_,) = ax.plot(places, rows * two, linewidth=2, **style)
        style |= {"linestyle": "--", "label": "best single hump"}
        (self.one_,) = ax.plot(places, rows * one, linewidth=1.5, **style)
