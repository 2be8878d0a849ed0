"""Contributions of one pattern, and of each of its columns, to the score of a row."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from bicneuron._shared._formats import class_name, number, signed
from bicneuron._shared._visible import visible

# Columns shown in text and on pages; the value holds all of them.
SHOWN_COLUMNS = 12


class ColumnContribution(NamedTuple):
    """Value of one column of a pattern, and its part in a decision.

    Parameters
    ----------
    feature : str
    value : float
        Of the row, in the user's own units; NaN if it is missing.
    estimate : float or None
        Estimate of a missing value by the rest of the row; None if the model has none.
    anchor, contrast : float
        Centroids of the two sides of the pattern, in the same units.
    nearness : float
        Share of this column in the difference between the squared distances of the row to contrast
        and anchor, which is the mean over the columns: positive is nearer to the anchor. It is not
        added to the score.
    weight : float or None
        Change of the score by one more unit of this column; None unless the neuron is linear.
    contribution : float or None
        Part of the score due to the column, with its value measured from the midpoint between both
        centroids if the neuron is linear; None if the score is not a sum over columns.
    """

    feature: str
    value: float
    estimate: float | None
    anchor: float
    contrast: float
    nearness: float
    weight: float | None
    contribution: float | None

    @property
    def written_value(self) -> str:
        """The value as text; of a missing one, its estimate."""
        if self.estimate is not None:
            return f"missing, about {number(self.estimate)}"
        return number(self.value)


@dataclass(frozen=True, slots=True)
class PatternContribution:
    """Contribution of one pattern, a contrastive pair with its neuron, to a score.

    Parameters
    ----------
    number : int
        Its position in ``patterns_`` of a network or, beyond two classes, in ``estimators_`` of a
        classifier.
    anchor_class, contrast_class : label or None
        Of its two sides; None for several classes together.
    is_pair : bool
        False for a neuron on all rows and columns, which a classifier without a pair falls back
        to: the centroids are then those of two whole classes.
    contribution : float
    bias : float or None
        The share of it that no column has: ``bias`` and the contributions of the columns add up
        to ``contribution``. None if the score is not a sum over columns.
    threshold : float
        Subtracted from the neuron's own score.
    anchor_distance, contrast_distance : float
        Root mean square over the columns of the row's differences from the centroids, in ranges of
        the columns (a classifier) or on the soft scale of a network; NaN if all are missing.
    columns : tuple of ColumnContribution
        Largest contribution first.
    """

    number: int
    anchor_class: Any
    contrast_class: Any
    is_pair: bool
    contribution: float
    bias: float | None
    threshold: float
    anchor_distance: float
    contrast_distance: float
    columns: tuple[ColumnContribution, ...]

    @property
    def shown_columns(self) -> tuple[ColumnContribution, ...]:
        """The columns that are shown in text, on pages and in plots."""
        return self.columns[:SHOWN_COLUMNS]

    @property
    def nearer(self) -> Literal["anchor", "contrast"]:
        """The side whose centroid is nearer to the row."""
        return "anchor" if self.anchor_distance <= self.contrast_distance else "contrast"

    @property
    def title(self) -> str:
        """The pattern, its two sides and its contribution, in one line."""
        name = f"Pattern {self.number}" if self.is_pair else "All rows and columns"
        sides = f"{class_name(self.anchor_class)} against {class_name(self.contrast_class)}"
        return f"{name}, {sides}: {signed(self.contribution)}"

    @property
    def distances(self) -> str:
        """The nearer centroid, and the distances to both, in one line."""
        if math.isnan(self.anchor_distance):
            return "All of its columns are missing"
        anchor, contrast = class_name(self.anchor_class), class_name(self.contrast_class)
        return (
            f"Nearer to {anchor if self.nearer == 'anchor' else contrast}: distance "
            f"{number(self.anchor_distance)} to {anchor}, "
            f"{number(self.contrast_distance)} to {contrast}"
        )

    def __str__(self) -> str:
        return visible("\n".join([self.title, self.distances, *self._column_lines()]))

    def _column_lines(self) -> Iterator[str]:
        shown = self.shown_columns
        width = max(len(column.feature) for column in shown)
        for column in shown:
            line = f"  {column.feature:<{width}}  {column.written_value:>10}"
            line += f"  (centroids {number(column.anchor)}, {number(column.contrast)})"
            if column.contribution is not None:
                line += f"  {signed(column.contribution)}"
            yield line
        if len(self.columns) > len(shown):
            yield f"  and {len(self.columns) - len(shown)} more columns"
        if self.bias:
            yield f"  for every row  {signed(self.bias)}"
