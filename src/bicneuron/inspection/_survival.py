"""Survival of the members of a pattern and of other rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bicneuron._core._survival import n_at_risk, survival_curve
from bicneuron._shared._plots import ANCHOR, OTHERS, legend_above, plain
from bicneuron.inspection._numbers import OutcomeDisplay
from bicneuron.outcomes import Survival


@dataclass(eq=False, repr=False)
class SurvivalDisplay(OutcomeDisplay):
    """Kaplan-Meier curves of members and other rows, with the numbers at risk below.

    A tick is a row that was last seen then, without an event.

    Parameters
    ----------
    outcome : Survival
    members : bool array of shape (n_rows,)

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    curves_ : list of matplotlib Line2D
        Of members and others.
    at_risk_ : list of lists of int
        Numbers at risk of both, at each tick of the axis.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.inspection import SurvivalDisplay
    >>> from bicneuron.outcomes import Survival
    >>> random = np.random.default_rng(0)
    >>> members = np.arange(60) < 20
    >>> survival = Survival(random.exponential(np.where(members, 2.0, 8.0)), np.ones(60))
    >>> display = SurvivalDisplay(survival, members).plot()
    >>> [own[0] for own in display.at_risk_]
    [20, 40]
    """

    outcome: Survival
    _kind = Survival
    _size = (7, 4.5)

    def _draw(self, ax: Any) -> None:
        all_times, events, is_known = self.outcome.time, self.outcome.event, self.outcome.is_known
        latest = float(np.max(all_times[is_known], initial=0.0)) or 1.0
        ax.set(xlim=(0, 1.02 * latest), ylim=(0, 1.03))
        self.curves_: list[Any] = []
        self.at_risk_: list[list[int]] = []
        moments = np.array([tick for tick in ax.get_xticks() if 0 <= tick <= latest])
        sides = (self.members, ANCHOR, "members"), (~self.members, OTHERS, "other rows")
        for line, (own, colour, name) in enumerate(sides):
            time, event = all_times[own & is_known], events[own & is_known]
            label = f"{name}: {int(event.sum())} events in {len(time)} rows"
            times, shares = survival_curve(time, event)
            end, last = float(np.max(time, initial=0.0)), shares[-1]
            style: Any = {"drawstyle": "steps-post", "linewidth": 2, "color": colour}
            whole = np.append(times, end), np.append(shares, last)
            self.curves_ += ax.plot(*whole, label=label, **style)
            seen = time[~event]
            at = shares[np.searchsorted(times, seen, side="right") - 1]
            ax.plot(seen, at, marker="|", linestyle="none", color=colour, markersize=7)
            self.at_risk_.append(n_at_risk(time, moments).tolist())
            style = {"textcoords": "offset points", "fontsize": "small", "color": colour}
            where: Any = {"xycoords": ("data", "axes fraction"), "ha": "center"}
            down = -50 - 13 * line  # below the axis
            for moment, count in zip(moments.tolist(), self.at_risk_[line], strict=True):
                ax.annotate(str(count), (moment, 0), (0, down), **where, **style)
            where = {"xycoords": "axes fraction", "ha": "right"}
            ax.annotate(f"{name} at risk", (0, 0), (-22, down), **where, **style)
        ax.set(xticks=moments, xlabel=plain(self.outcome.name), ylabel="share without an event")
        ax.spines[["top", "right"]].set_visible(False)
        legend_above(ax, fontsize="small", ncols=2)
