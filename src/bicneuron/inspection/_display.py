"""What the plots have in common: axes, heat maps, documentation, and patterns of a model."""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from inspect import cleandoc
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._shared._formats import counted
from bicneuron._shared._names import feature_names, row_names
from bicneuron._shared._plots import COLOUR_MAP, open_axes, plain
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
    Arguments of `plot`, which returns the display.
"""
_FITTED = """
>>> from sklearn.datasets import load_breast_cancer
>>> from bicneuron import BicNeuronClassifier
>>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
>>> model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
"""
_REPLICATED = """
>>> from bicneuron import Findings, SubgroupBiclustering
>>> from bicneuron.datasets import make_subgroups
>>> from bicneuron.replication import replicate
>>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
>>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X[::2])
>>> result = replicate(Findings.untested(miner, X[::2]), X[1::2], n_draws=99, random_state=0)
"""
_SHARED = {"{pair}": _PAIR, "{drawn}": _DRAWN, "{fitted}": _FITTED, "{replicated}": _REPLICATED}


class Display(ABC):
    """A plot on one pair of axes, ``ax_``, of ``figure_``."""

    # Width and height of a new figure in inches.
    _size: Any = None

    def __init_subclass__(cls) -> None:
        """Fill in what several plots document in the same words."""
        makers = (one.__func__ for one in vars(cls).values() if isinstance(one, classmethod))
        for one in (cls, *makers):
            one.__doc__ = cleandoc(one.__doc__ or "")
            for name, text in _SHARED.items():
                one.__doc__ = one.__doc__.replace(name, text.strip())

    @abstractmethod
    def _draw(self, ax: Any, *arguments: Any, **options: Any) -> None:
        """Draw into the axes."""

    def plot(self, ax: Any = None, **options: Any) -> Self:
        """Draw the plot, and return it.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure. Of `ContrastDisplay` two of them.
        **options
            Of a heat map ``colorbar``, whether to show the colour scale (default=True), and of
            `ContrastDisplay` ``residues``, whether to give mean squared residues (default=True).
        """
        self._open(ax)
        self._draw(self.ax_, **options)
        return self

    def _open(self, ax: Any) -> None:
        self.ax_ = open_axes(ax, figsize=self._size)
        self.figure_ = self.ax_.figure


@dataclass(eq=False, repr=False)
class PairDisplay(Display):
    """Base class of the plots of a contrastive pair in its matrix."""

    X: FloatArray
    pair: Pattern
    _: KW_ONLY
    feature_names: Any = None
    row_names: Any = None
    side_labels: tuple[str, str] | None = None

    @property
    def column_order(self) -> IndexArray:
        """Columns of ``X`` from left to right."""
        anchor, _ = self._blocks()
        return self.pair.columns[np.argsort(anchor.mean(axis=0), kind="stable")]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        pattern: int = 0,
        side_labels: tuple[str, str] | None = None,
        **options: Any,
    ) -> Self:
        """Draw a pattern of a fitted model, in the data as scaled by the model.

        Parameters
        ----------
        estimator : miner, BicNeuronClassifier or BicNeuronNetwork
            Fitted.
        X : array-like of shape (n_rows, n_columns)
            The data it was fitted on. Column and row names of a frame are shown.
        pattern : int, default=0
            Position in ``patterns_``.
        side_labels : (str, str), default=None
            Labels of anchor and contrast; None gives their sizes.
        {drawn}
        """
        Z, found, names = pattern_in_table(estimator, X, pattern)
        cls._check(found, side_labels)
        return cls(Z, found, **names, side_labels=side_labels).plot(**options)

    @classmethod
    def _check(cls, pattern: Pattern, side_labels: tuple[str, str] | None) -> None:
        """Refuse a pattern of a model that the plot cannot show."""
        if not len(pattern.contrast_rows):
            raise ValueError(
                f"the pattern has no contrast rows, which {cls.__name__} shows; use "
                "BiclusterDisplay, or SubgroupDisplay for a group."
            )

    def _column_names(self, columns: IndexArray) -> list[Any]:
        names = self.feature_names
        return [f"x{column}" if names is None else names[column] for column in columns]

    def _row_names(self, rows: IndexArray) -> list[Any]:
        return [row if self.row_names is None else self.row_names[row] for row in rows]

    def _blocks(self) -> tuple[FloatArray, FloatArray]:
        """The bicluster and its contrast."""
        rows = self.pair.rows, self.pair.contrast_rows
        anchor, contrast = (self.X[np.ix_(side, self.pair.columns)] for side in rows)
        return anchor, contrast

    def _side_labels(self) -> tuple[str, ...]:
        """Labels of the anchor and of the contrast rows, if there are any."""
        pair = self.pair
        size = counted(len(pair.rows), "row")
        if not len(pair.contrast_rows):
            return (f"{pair.kind}: {size}",)
        of_class = "" if pair.anchor_class is None else f" of class {plain(pair.anchor_class)}"
        others = counted(len(pair.contrast_rows), "other row")
        return self.side_labels or (f"anchor: {size}{of_class}", f"contrast: {others}")


class ReplicationDisplay(Display):
    """A plot of a pattern of what `replicate` returned."""

    @classmethod
    def from_result(cls, replication: Any, k: int = 0, *, ax: Any = None, **values: Any) -> Self:
        """Draw a pattern of what ``replicate`` returned, and return the display.

        Parameters
        ----------
        replication : Replication
            What ``replicate`` returned; of `NumbersDisplay` and `SurvivalDisplay` also `Findings`.
        k : int, default=0
            Position of the pattern.
        ax : matplotlib Axes, default=None
            As in `plot`.
        **values
            Of `NumbersDisplay` and `SurvivalDisplay` ``y``, as it was tested.
        """
        if not 0 <= k < len(replication.patterns):
            raise ValueError(f"k={k}, but replication has {len(replication.patterns)} patterns.")
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
    patterns, name = estimator.patterns_, type(estimator).__name__
    if not patterns:
        raise ValueError(f"there is nothing to draw: {name} found no pattern, as its fit warned.")
    if not 0 <= position < len(patterns):
        raise ValueError(f"pattern={position} is not in patterns_; give 0 to {len(patterns) - 1}.")
    estimator.check_table(X, y)
    Z = estimator.scaled_table(X)
    names = {"feature_names": feature_names(estimator), "row_names": row_names(X, len(Z))}
    return Z, patterns[position], names
