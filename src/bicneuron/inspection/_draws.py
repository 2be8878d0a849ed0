"""How much the scores of a pattern vary in a second cohort, beside random columns."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._writing._axes import legend_above
from bicneuron._writing._colours import ANCHOR, CHANCE, OTHERS
from bicneuron._writing._formats import LEVEL, round_p
from bicneuron.inspection._display import Display
from bicneuron.inspection._replicated import replicated_pattern

# Bins that the whole axis has at most.
MOST_BINS = 60


@dataclass(eq=False, repr=False)
class DrawsDisplay(Display):
    """Variance of the scores of a pattern, on the histogram of that on random columns.

    The line is orange if p by itself is at most 0.05, and otherwise grey.

    Parameters
    ----------
    observed : float
    draws : array of shape (n_draws,)
    p : float
        Share of all values, the observed one among them, that are at least as large as it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    histogram_ : matplotlib BarContainer
    line_ : matplotlib Line2D

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.inspection import DrawsDisplay
    >>> from bicneuron.significance import replicate
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X[::2])
    >>> result = replicate(miner, X[1::2], n_draws=99, random_state=0)
    >>> DrawsDisplay.from_result(result).p
    0.01
    """

    observed: float
    draws: FloatArray
    p: float
    _size = (6, 3.4)

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
        if one.reason:
            raise ValueError(f"{one.name} was not tested: {one.reason}.")
        return cls(one.together.observed, one.together.draws, one.p_together).plot(ax)

    def _draw(self, ax: Any) -> None:
        draws = np.asarray(self.draws)
        values = np.append(draws, self.observed)
        # Draws that are far from the pattern and close together are still seen.
        width = max(np.ptp(draws) / min(40, max(10, len(draws) // 20)), np.ptp(values) / MOST_BINS)
        n_bins = max(1, int(np.ceil(np.ptp(draws) / width))) if width else 1
        bins = draws.min() + (width or 1.0) * np.arange(n_bins + 1)
        bins[-1] = max(bins[-1], draws.max())  # whatever is lost in the last bit
        label = f"{len(draws)} random columns"
        _, _, self.histogram_ = ax.hist(draws, bins, color=CHANCE, label=label)
        self.line_ = ax.axvline(
            self.observed,
            color=ANCHOR if self.p <= LEVEL else OTHERS,
            linewidth=2,
            label=f"this pattern: p = {round_p(self.p)}",
        )
        margin = 0.03 * max(float(np.ptp(values)), 1e-9)
        ax.set_xlim(float(values.min()) - margin, float(values.max()) + margin)
        ax.set_xlabel("variance of the scores")
        ax.set_ylabel("draws")
        ax.spines[["top", "right"]].set_visible(False)
        legend_above(ax, fontsize="small", ncols=2)
