"""What the plots have in common: axes, heat maps, documentation, and patterns of a model."""

from abc import ABC, abstractmethod
from inspect import cleandoc
from typing import Any, Self

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._names import feature_names, row_names
from bicneuron._shared._plots import COLOUR_MAP, open_axes
from bicneuron.patterns import Pattern, check_patterns

# What several plots document in the same words.
_PAIR = """
X : float64 array of shape (n_rows, n_columns)
    Columns on a common scale.
pair : Pattern
    Its rows and columns are those of ``X``.
feature_names : sequence of shape (n_columns,), default=None
    Names of the columns, where they are shown; None names them x0, x1, ...
row_names : sequence of shape (n_rows,), default=None
    Names of the rows, where they are shown; None uses their positions.
side_labels : (str, str), default=None
    Labels of anchor and contrast; None gives their sizes.
"""
_DRAWN = """
**options
    Arguments of `plot`.

Returns
-------
display : object
"""


class Display(ABC):
    """A plot on one pair of axes, ``ax_``, of ``figure_``."""

    # Width and height of a new figure in inches.
    _size: Any = None

    def __init_subclass__(cls) -> None:
        """Fill in what several plots document in the same words."""
        makers = (one.__func__ for one in vars(cls).values() if isinstance(one, classmethod))
        for one in (cls, *makers):
            text = cleandoc(one.__doc__ or "").replace("{pair}", _PAIR.strip())
            one.__doc__ = text.replace("{drawn}", _DRAWN.strip())

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw into the axes."""

    def plot(self, ax: Any = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self : object
        """
        self._open(ax)
        self._draw(self.ax_)
        return self

    def _open(self, ax: Any) -> None:
        self.ax_ = open_axes(ax, figsize=self._size)
        self.figure_ = self.ax_.figure


class HeatMapDisplay(Display):
    """A plot whose colours stand for values."""

    @abstractmethod
    def _draw(self, ax: Any, colorbar: bool = True) -> None:
        """Draw into the axes."""

    def plot(self, ax: Any = None, *, colorbar: bool = True) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        colorbar : bool, default=True
            Whether to show the colour scale.

        Returns
        -------
        self : object
        """
        self._open(ax)
        self._draw(self.ax_, colorbar)
        return self


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


def draw_cells(ax: Any, values: FloatArray, limits: tuple[float, float], **where: Any) -> Any:
    """Draw rows against columns, one colour for each value."""
    low, high = limits
    style = {"aspect": "auto", "interpolation": "nearest", "cmap": COLOUR_MAP}
    return ax.imshow(values, vmin=low, vmax=high, **style, **where)


def pattern_in_table(
    estimator: Any, X: Any, position: int, y: Any = None
) -> tuple[FloatArray, Pattern, dict[str, Any]]:
    """The scaled table of a fit, a pattern in it, and names; other tables are refused."""
    check_patterns(estimator, "the plot")
    patterns = estimator.patterns_
    if not patterns:
        raise ValueError(
            f"there is nothing to draw: {type(estimator).__name__} found no pattern, as the "
            "warning of its fit says."
        )
    if not 0 <= position < len(patterns):
        raise ValueError(f"pattern={position} is not in patterns_; give 0 to {len(patterns) - 1}.")
    estimator.check_table(X, y)
    Z = estimator.scaled_table(X)
    names = {"feature_names": feature_names(estimator), "row_names": row_names(X, len(Z))}
    return Z, patterns[position], names
