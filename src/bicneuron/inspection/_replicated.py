"""Base class of the plots of a pattern in a second cohort."""

from abc import abstractmethod
from typing import Any, Self

from bicneuron.inspection._display import Display


class ReplicationDisplay(Display):
    """A plot of a pattern of what `replicate` returned."""

    @classmethod
    def from_result(cls, replication: Any, k: int = 0, *, ax: Any = None, **values: Any) -> Self:
        """Draw a pattern of a result.

        Parameters
        ----------
        replication : Replication
            What ``replicate`` returned.
        k : int, default=0
            Position of the pattern.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **values
            Of `SurvivalDisplay`: ``time`` and ``event`` as for ``replicate``, and ``time_name``.

        Returns
        -------
        display : object
        """
        n_patterns = len(replication.patterns)
        if not 0 <= k < n_patterns:
            raise ValueError(f"k={k}, but replication has {n_patterns} patterns.")
        return cls._of_pattern(replication.patterns[k], **values).plot(ax)

    @classmethod
    @abstractmethod
    def _of_pattern(cls, one: Any, **values: Any) -> Self:
        """The display of a pattern; refuse one that has nothing to draw."""
