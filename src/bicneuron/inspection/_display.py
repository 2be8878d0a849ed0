"""Base classes of the plots on one pair of axes."""

from abc import ABC, abstractmethod
from typing import Any, Self

from bicneuron._shared._plots import COLOUR_MAP, open_axes


class Display(ABC):
    """A plot on one pair of axes, ``ax_``, of ``figure_``."""

    @property
    def _size(self) -> tuple[float, float] | None:
        """Width and height of a new figure in inches; None is matplotlib's own size."""
        return None

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
    def _draw(self, ax: Any, cmap: Any = COLOUR_MAP, colorbar: bool = True) -> None:
        """Draw into the axes."""

    def plot(self, ax: Any = None, *, cmap: Any = COLOUR_MAP, colorbar: bool = True) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        cmap : str or matplotlib Colormap, default="viridis"
            Sequential.
        colorbar : bool, default=True
            Whether to show the colour scale.

        Returns
        -------
        self : object
        """
        self._open(ax)
        self._draw(self.ax_, cmap, colorbar)
        return self
