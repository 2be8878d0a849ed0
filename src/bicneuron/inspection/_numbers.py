"""Numbers of the members of a pattern and of other rows."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from bicneuron._core._arrays import BoolArray
from bicneuron._shared._formats import counted
from bicneuron._shared._plots import ANCHOR, OTHERS, plain
from bicneuron.inspection._display import ReplicationDisplay
from bicneuron.outcomes import Numbers, Outcome, as_outcome

# Dots are spread across their strip by multiples of the golden ratio, which never line up.
GOLDEN, HALF_WIDTH = 0.6180339887498949, 0.3


@dataclass(eq=False, repr=False)
class OutcomeDisplay(ReplicationDisplay):
    """Base class of the plots of an outcome of members and other rows."""

    outcome: Outcome
    members: BoolArray
    _kind: ClassVar[type[Any]] = Outcome

    @classmethod
    def _of_pattern(cls, one: Any, *, y: Any) -> Self:  # type: ignore[override]  # y is needed
        outcome = as_outcome(y)
        if not isinstance(outcome, cls._kind):
            raise TypeError(f"y is no {cls._kind.__name__}; give what was tested.")
        if not hasattr(one, "found"):  # a pattern of the first table
            members = np.isin(np.arange(len(outcome)), one.rows)
        elif (members := one.found.members) is None:
            raise ValueError(f"{one.name} has no members to draw: {one.reason}.")
        if len(outcome) != len(members):
            raise ValueError(f"y has {len(outcome)} values for {len(members)} rows.")
        return cls(outcome, members)


@dataclass(eq=False, repr=False)
class NumbersDisplay(OutcomeDisplay):
    """A dot for each row, members above other rows, with the medians of both.

    Parameters
    ----------
    outcome : Numbers
    members : bool array of shape (n_rows,)

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    medians_ : list of float
        Of members and of others; NaN without any.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.inspection import NumbersDisplay
    >>> from bicneuron.outcomes import Numbers
    >>> members = np.arange(60) < 20
    >>> display = NumbersDisplay(Numbers(np.arange(60.0)), members).plot()
    >>> display.medians_
    [9.5, 39.5]
    """

    outcome: Numbers
    _kind = Numbers
    _size = (7, 2.6)

    def _draw(self, ax: Any) -> None:
        is_known, names = self.outcome.is_known, []
        self.medians_: list[float] = []
        sides = (self.members, ANCHOR, "members"), (~self.members, OTHERS, "other rows")
        for place, (own, colour, name) in enumerate(sides):
            values = np.sort(self.outcome.values[own & is_known])
            across = (np.arange(len(values)) * GOLDEN % 1 - 0.5) * 2 * HALF_WIDTH
            ax.scatter(values, across - place, s=14, color=colour, alpha=0.7, linewidths=0)
            median = float(np.median(values)) if len(values) else float("nan")
            ends = (-place - HALF_WIDTH - 0.1, -place + HALF_WIDTH + 0.1)
            ax.plot([median, median], ends, color=colour, linewidth=2.5)
            self.medians_.append(median)
            names.append(f"{name}: {counted(len(values), 'row')}")
        ax.set_yticks([0, -1], names)
        ax.set(xlabel=f"{plain(self.outcome.name)} (bars: medians)", ylim=(-1.5, 0.5))
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
