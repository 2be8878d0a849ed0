"""A statistic of a pattern in a second cohort, beside its draws."""

from dataclasses import KW_ONLY, dataclass
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
# Words for the statistic of each test, and for draws by what they are of.
STATISTICS = {
    "together": "variance of the scores",
    "group": "gain of two groups over one (nats)",
}
DRAWS = {"random columns": "random columns", "one hump": "draws from a single hump"}


@dataclass(eq=False, repr=False)
class DrawsDisplay(Display):
    """The statistic of one of the two tests of a replication, on the histogram of its draws.

    The line is orange if the test by itself has a p of at most 0.05, and otherwise grey.

    Parameters
    ----------
    observed : float
    draws : array of shape (n_draws,)
    p : float
        Share of all values, the observed one among them, that are at least as large as it.
    test : {"together", "group"}, default="together"
    null : {"random columns", "one hump"}, default="random columns"
        What was drawn.

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
    >>> DrawsDisplay.from_result(result, test="group").p
    0.01
    """

    observed: float
    draws: FloatArray
    p: float
    _: KW_ONLY
    test: str = "together"
    null: str = "random columns"
    _size = (6, 3.4)

    @classmethod
    def from_result(
        cls, replication: Any, k: int = 0, *, test: str = "together", ax: Any = None
    ) -> Self:
        """Draw a test of a pattern.

        Parameters
        ----------
        replication : Replication
            What `bicneuron.significance.replicate` returned.
        k : int, default=0
            Position of the pattern.
        test : {"together", "group"}, default="together"
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        if test not in STATISTICS:
            raise ValueError(f"test is {test!r}; choose from {', '.join(STATISTICS)}.")
        one = replicated_pattern(replication, k)
        if one.reason:
            raise ValueError(f"{one.name} was not tested: {one.reason}.")
        compared, p = {
            "together": (one.together, one.p_together),
            "group": (one.group, one.p_group),
        }[test]
        null = one.null if test == "group" else "random columns"
        return cls(compared.observed, compared.draws, p, test=test, null=null).plot(ax)

    def _draw(self, ax: Any) -> None:
        draws = np.asarray(self.draws)
        values = np.append(draws, self.observed)
        # Draws that are far from the pattern and close together are still seen.
        width = max(np.ptp(draws) / min(40, max(10, len(draws) // 20)), np.ptp(values) / MOST_BINS)
        n_bins = max(1, int(np.ceil(np.ptp(draws) / width))) if width else 1
        bins = draws.min() + (width or 1.0) * np.arange(n_bins + 1)
        label = f"{len(draws)} {DRAWS[self.null]}"
        _, _, self.histogram_ = ax.hist(draws, bins, color=CHANCE, label=label)
        self.line_ = ax.axvline(
            self.observed,
            color=ANCHOR if self.p <= LEVEL else OTHERS,
            linewidth=2,
            label=f"this pattern: p = {round_p(self.p)}",
        )
        margin = 0.03 * max(float(np.ptp(values)), 1e-9)
        ax.set_xlim(float(values.min()) - margin, float(values.max()) + margin)
        ax.set_xlabel(STATISTICS[self.test])
        ax.set_ylabel("draws")
        ax.spines[["top", "right"]].set_visible(False)
        legend_above(ax, fontsize="small", ncols=2)
