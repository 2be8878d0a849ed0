"""A group of rows that differs from all others in some columns, as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.biclustering._evidence import Evidence


class Axis(NamedTuple):
    """The value of a row: a function of its standardised columns.

    Parameters
    ----------
    linear, squares, common : arrays of shape (n_columns,)
        Factors of the columns, of their squares, and of the columns in a sum whose square counts.
    removed : array of shape (n_components,)
        Factors of the leading components of the table, which are taken off; none if the group was
        found in the table as it is.
    floor : float
        Least value.
    cut, scale : float
        A row is a member if its value exceeds ``cut``; its score is the distance from it in units
        of ``scale``.
    """

    linear: FloatArray
    squares: FloatArray
    common: FloatArray
    removed: FloatArray
    floor: float
    cut: float = 0.0
    scale: float = 1.0

    def values(self, Z: FloatArray, components: FloatArray) -> FloatArray:
        """Values of rows.

        Parameters
        ----------
        Z : array of shape (n_rows, n_columns)
            The standardised columns of the group.
        components : array of shape (n_rows, n_all_components)
            Scores of the rows on the components of the table, the largest component first.
        """
        # No matrix product: its bits may depend on the number of rows.
        values = np.einsum("ij,j->i", Z, self.linear)
        values += np.einsum("ij,j->i", np.square(Z), self.squares)
        values += np.square(np.einsum("ij,j->i", Z, self.common))
        for factor, scores in zip(self.removed.tolist(), components.T, strict=False):
            values -= factor * scores
        floored: FloatArray = np.maximum(values, self.floor)
        return floored

    def scores(self, Z: FloatArray, components: FloatArray) -> FloatArray:
        """Distance beyond the cut; see `values`."""
        scores: FloatArray = (self.values(Z, components) - self.cut) / self.scale
        return scores


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Subgroup:
    """Rows of a class that differ in some columns from the rest of it and from the other classes.

    Parameters
    ----------
    rows, columns : arrays of intp
        Sorted indices into the table. All arrays are stored as read-only copies.
    msr : float
        Mean squared residue of the block.
    anchor_class : label or None
        Class of the rows; None if there were no labels.
    kind : {"shift", "tight", "coexpressed"}
        The rows share other means, almost one value, or values that rise and fall together.
    directions : array of intp, shape (n_columns,)
        +1 for columns in which the group is higher than the other rows, -1 where it is lower. For a
        coexpressed group, +1 and -1 for columns that rise when the others fall.
    strength : float
        Evidence for the group in nats: how much more likely two normal densities make the rows
        of the class than one does, on axes that were made without them, plus the information of
        the group about the class, less the cost of naming the rows. Noise seldom exceeds 10.
    carriers : dict of label to (int, int), or pairs of both
        Members of each class in the training set, and its rows. Without labels, of all rows, under
        the label None. Stored as a dict.
    parent : int or None
        Position in ``found_`` of the smallest stronger group that includes most of its rows.
    weights : array of shape (n_columns,)
        Correlation of each column with the group, with its direction.
    axis : Axis
        The function of a row that gives its membership score.
    evidence : Evidence or None, default=None
        Results of tests of it.
    """

    rows: IndexArray
    columns: IndexArray
    msr: float
    anchor_class: Any
    kind: str
    directions: IndexArray
    strength: float
    carriers: Mapping[Any, tuple[int, int]]
    parent: int | None
    weights: FloatArray
    axis: Axis
    evidence: Evidence | None = None

    def __post_init__(self) -> None:
        """Store read-only copies, and refuse what does not fit together: a file may be forged."""
        for name in ("rows", "columns", "directions"):
            object.__setattr__(self, name, _constant(getattr(self, name), np.intp))
        object.__setattr__(self, "weights", _constant(self.weights, np.float64))
        factors = (_constant(factor, np.float64) for factor in self.axis[:4])
        object.__setattr__(self, "axis", Axis._make([*factors, *map(float, self.axis[4:])]))
        object.__setattr__(self, "carriers", dict(self.carriers))
        self._check()

    def _check(self) -> None:
        for name, indices in (("rows", self.rows), ("columns", self.columns)):
            if np.any(indices < 0) or np.any(np.diff(indices) <= 0):
                raise ValueError(f"{name} of a group are {indices}, no sorted indices.")
        per_column = (self.directions, self.weights, *self.axis[:3])
        if any(len(values) != len(self.columns) for values in per_column):
            raise ValueError(
                f"a group of {len(self.columns)} columns does not fit its directions, weights and "
                f"axis of {', '.join(str(len(values)) for values in per_column)}."
            )
        axis = self.axis
        finite = all(np.isfinite(values).all() for values in (self.weights, *axis[:4]))
        finite = finite and bool(np.isfinite([axis.cut, axis.scale]).all())
        if not (finite and axis.floor < np.inf and axis.scale > 0):  # a floor of -inf is none
            raise ValueError("a group has weights or an axis that are not finite.")

    def __reduce__(self) -> tuple[Any, ...]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        # As pairs, because a model file holds the keys of a dict as text.
        values["carriers"] = tuple(self.carriers.items())
        return type(self), tuple(values.values())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Subgroup):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.rows.tobytes(), self.columns.tobytes(), self.strength))

    def _content(self) -> list[Any]:
        values = [getattr(self, name.name) for name in fields(self) if name.name != "axis"]
        return [
            value.tolist() if isinstance(value, np.ndarray) else value
            for value in (*values, *self.axis)
        ]

    def __repr__(self) -> str:
        who = "all rows" if self.anchor_class is None else f"class {self.anchor_class!r}"
        return (
            f"<Subgroup: {len(self.rows)} rows of {who} in {len(self.columns)} columns, "
            f"{self.kind}, strength {self.strength:.4g}>"
        )

    @property
    def direction_words(self) -> tuple[str, str]:
        """One word for a direction of +1 and one for -1."""
        return ("together", "opposite") if self.kind == "coexpressed" else ("higher", "lower")

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.rows), len(self.columns)


def _constant(values: AnyArray, dtype: type[np.generic]) -> AnyArray:
    """A read-only copy of an array of one dimension."""
    copy = np.array(values, dtype=dtype)
    if copy.ndim != 1:
        raise ValueError(f"a group has an array of shape {copy.shape}; one dimension is needed.")
    copy.setflags(write=False)
    return copy
