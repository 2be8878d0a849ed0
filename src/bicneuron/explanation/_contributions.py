"""Contributions of one pattern, and of each of its columns, to the score of a row."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from bicneuron._shared._escapes import visible
from bicneuron._shared._formats import class_name, number, signed

# Columns shown in text and on pages; the value holds all of them.
SHOWN_COLUMNS = 12


class ColumnContribution(NamedTuple):
    """Value of one column of a pattern, and its part in a decision.

    ``value`` is in the user's own units, NaN if it is missing, and ``estimate`` then its estimate
    or None. ``anchor`` and ``contrast`` are the centroids of the two sides. ``nearness`` is the
    column's share of how much nearer the row is to the anchor; it is not added to the score.
    ``weight`` is the change of the score by one more unit, None unless the neuron is linear, and
    ``contribution`` the part of the score, None if the score is not a sum over columns.
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

    ``number`` is its place in ``patterns_`` or, beyond two classes, in ``estimators_``. The classes
    of its sides are None for several together. ``is_pair`` is False for a neuron on all rows and
    columns. ``bias`` and the contributions of ``columns`` (largest first) add up to
    ``contribution``; it is None if the score is not a sum over columns. ``threshold`` is subtracted
    from the neuron's own score. Distances are root mean squares over the columns of scaled values.
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
