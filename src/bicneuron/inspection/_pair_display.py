"""Base class of the plots of one block or pair."""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._shared._plots import plain
from bicneuron.inspection._pattern import pattern_in_table
from bicneuron.patterns import Pattern

PARAMETERS = """
    X : float64 array of shape (n_rows, n_columns)
        Columns on a common scale.
    pair : Pattern
        Its rows and columns are those of ``X``.
    feature_names : array-like of shape (n_columns,), default=None
        Names of the columns; None names them x0, x1, ...
    row_names : array-like of shape (n_rows,), default=None
        Names of the rows; None uses their positions.
    side_labels : (str, str), default=None
        Labels of anchor and contrast; None gives their sizes.
"""


@dataclass(eq=False, repr=False)
class PairDisplay(ABC):
    """Base class of the plots of a contrastive pair in its matrix."""

    X: FloatArray
    pair: Pattern
    _: KW_ONLY
    feature_names: Any = None
    row_names: Any = None
    side_labels: tuple[str, str] | None = None

    def __init_subclass__(cls) -> None:
        """Fill in the parameters, which all of these plots have."""
        cls.__doc__ = (cls.__doc__ or "").replace("{parameters}\n", PARAMETERS.lstrip())

    @abstractmethod
    def plot(self) -> Self:
        """Draw the plot."""

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
        **options
            Arguments of `plot`.

        Returns
        -------
        display : object
        """
        Z, found, names = pattern_in_table(estimator, X, pattern)
        cls._check(found, side_labels)
        return cls(Z, found, **names, side_labels=side_labels).plot(**options)

    @classmethod
    def _check(cls, pattern: Pattern, side_labels: tuple[str, str] | None) -> None:
        """Refuse a pattern of a model that the plot cannot show."""
        check_has_contrast(pattern, cls.__name__)

    def _column_names(self, columns: IndexArray) -> list[Any]:
        if self.feature_names is None:
            return [f"x{column}" for column in columns]
        return [self.feature_names[column] for column in columns]

    def _row_names(self, rows: IndexArray) -> list[Any]:
        return [row if self.row_names is None else self.row_names[row] for row in rows]

    def _blocks(self) -> tuple[FloatArray, FloatArray]:
        """The bicluster and its contrast."""
        rows = self.pair.rows, self.pair.contrast_rows
        anchor, contrast = (self.X[np.ix_(side, self.pair.columns)] for side in rows)
        return anchor, contrast

    def _side_labels(self) -> tuple[str, str]:
        """Labels of the anchor and of the contrast rows."""
        return self.side_labels or size_labels(self.pair)


def check_has_contrast(pattern: Pattern, display: str) -> None:
    """Refuse a pattern without contrast rows."""
    if not len(pattern.contrast_rows):
        raise ValueError(
            f"the pattern has no contrast rows, which {display} shows; use BiclusterDisplay, or "
            "SubgroupDisplay for a group."
        )


def anchor_label(pattern: Pattern) -> str:
    """Label of the rows of a pattern."""
    if not len(pattern.contrast_rows):
        return f"{pattern.kind}: {count(pattern.rows, 'row')}"
    of_class = "" if pattern.anchor_class is None else f" of class {plain(pattern.anchor_class)}"
    return f"anchor: {count(pattern.rows, 'row')}{of_class}"


def size_labels(pair: Pattern) -> tuple[str, str]:
    """Labels of anchor and contrast with their sizes."""
    return anchor_label(pair), f"contrast: {count(pair.contrast_rows, 'other row')}"


def count(indices: IndexArray, unit: str) -> str:
    """``1 row`` or ``2 rows``."""
    return f"{len(indices)} {unit}" if len(indices) == 1 else f"{len(indices)} {unit}s"
