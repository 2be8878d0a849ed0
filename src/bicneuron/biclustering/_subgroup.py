"""A group of rows that differs from all others in some columns, as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Subgroup:
    """Rows of a class that differ in some columns from the rest of it and from the other classes.

    Parameters
    ----------
    rows, columns : arrays of intp
        Sorted indices into the table.
    msr : float
        Mean squared residue of the block.
    anchor_class : label or None
        Class of the rows; None if there were no labels.
    directions : array of intp, shape (n_columns,)
        +1 for columns in which the group is higher than the other rows, -1 where it is lower.
    strength : float
        Evidence for the group in nats: how much more likely two normal densities make the rows
        than one does, on axes that were made without them, plus what the group tells about the
        class, less what choosing the rows costs. Noise has strengths around 0 to 15.
    carriers : dict of label to (int, int)
        Members of each class in the training set, and its rows. Without labels, of all rows, under
        the label None.
    parent : int or None
        Position in ``found_`` of the smallest stronger group that includes most of its rows.
    weights : array of shape (n_columns,)
        The axis of the group: a row's value is the sum of its standardised columns times these.
    cut, scale : float
        A row is a member if its value exceeds ``cut``; its score is the distance from it in units
        of ``scale``.
    """

    rows: IndexArray
    columns: IndexArray
    msr: float
    anchor_class: Any
    directions: IndexArray
    strength: float
    carriers: Mapping[Any, tuple[int, int]]
    parent: int | None
    weights: FloatArray
    cut: float
    scale: float

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for array in (self.rows, self.columns, self.directions, self.weights):
            array.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Subgroup):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.rows.tobytes(), self.columns.tobytes(), self.strength))

    def _content(self) -> list[Any]:
        values = [getattr(self, name.name) for name in fields(self)]
        return [value.tolist() if isinstance(value, np.ndarray) else value for value in values]

    def __repr__(self) -> str:
        who = "all rows" if self.anchor_class is None else f"class {self.anchor_class!r}"
        return (
            f"<Subgroup: {len(self.rows)} rows of {who} in {len(self.columns)} columns, "
            f"strength {self.strength:.4g}>"
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.rows), len(self.columns)

    def score(self, Z: FloatArray) -> FloatArray:
        """Scores of rows of the standardised table; members have positive ones."""
        # Not a matrix product: its bits may depend on the number of rows.
        values = np.einsum("ij,j->i", np.take(Z, self.columns, axis=1), self.weights)
        scores: FloatArray = (values - self.cut) / self.scale
        return scores
