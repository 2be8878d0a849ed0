"""Base class of the plots of one block or pair."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._shared._formats import counted
from bicneuron._shared._plots import plain
from bicneuron.inspection._display import Display, pattern_in_table
from bicneuron.patterns import Pattern


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
