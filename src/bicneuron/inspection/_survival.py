"""Survival of the members of a pattern and of other rows."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron._core._survival import n_at_risk, survival_curve
from bicneuron._shared._plots import ANCHOR, OTHERS, legend_above
from bicneuron.inspection._display import ReplicationDisplay


@dataclass(eq=False, repr=False)
class SurvivalDisplay(ReplicationDisplay):
    """Kaplan-Meier curves of members and other rows, with the numbers at risk below.

    A tick is a row that was last seen then, without an event.

    Parameters
    ----------
    time : array of shape (n_rows,)
        NaN is unknown.
    event : array of shape (n_rows,)
        1 for an event, 0 for a row that was last seen without one; NaN is unknown.
    members : bool array of shape (n_rows,)
    time_name : str, default="time"

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
    >>> random = np.random.default_rng(0)
    >>> members = np.arange(60) < 20
    >>> time = random.exponential(np.where(members, 2.0, 8.0))
    >>> display = SurvivalDisplay(time, np.ones(60), members).plot()
    >>> [own[0] for own in display.at_risk_]
    [20, 40]
    """

    time: FloatArray
    event: FloatArray
    members: BoolArray
    _: KW_ONLY
    time_name: str = "time"
    _size = (7, 4.5)

    @classmethod
    def _of_pattern(  # type: ignore[override]  # it needs the times, too
        cls, one: Any, *, time: Any, event: Any, time_name: str = "time"
    ) -> Self:
        members = one.found.members
        if members is None:
            raise ValueError(f"{one.name} has no members to draw: {one.reason}.")
        times, events = np.asarray(time, np.float64), np.asarray(event, np.float64)
        if not len(times) == len(events) == len(members):
            sizes = f"time has {len(times)} and event {len(events)} values for {len(members)} rows"
            raise ValueError(f"{sizes}; give one for each.")
        return cls(times, events, members, time_name=time_name)

    def _draw(self, ax: Any) -> None:
        is_known = ~(np.isnan(self.time) | np.isnan(self.event))
        latest = float(np.max(self.time[is_known], initial=0.0)) or 1.0
        ax.set(xlim=(0, 1.02 * latest), ylim=(0, 1.03))
        self.curves_: list[Any] = []
        self.at_risk_: list[list[int]] = []
        moments = np.array([tick for tick in ax.get_xticks() if 0 <= tick <= latest])
        sides = (self.members, ANCHOR, "members"), (~self.members, OTHERS, "other rows")
        for line, (own, colour, name) in enumerate(sides):
            time, event = self.time[own & is_known], self.event[own & is_known] > 0
            label = f"{name}: {int(event.sum())} events in {len(time)} rows"
            times, shares = survival_curve(time, event)
            end, last = float(np.max(time, initial=0.0)), shares[-1]
            style: Any = {"drawstyle": "steps-post", "linewidth": 2, "color": colour}
            self.curves_ += ax.plot(
                np.append(times, end), np.append(shares, last), label=label, **style
            )
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
        ax.set(xticks=moments, xlabel=self.time_name, ylabel="share without an event")
        ax.spines[["top", "right"]].set_visible(False)
        legend_above(ax, fontsize="small", ncols=2)
