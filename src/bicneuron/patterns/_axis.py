"""The axis of a group: the function of a row that says how clearly it belongs to the group."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray

NO_COMPONENTS = np.empty((0, 0))


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
        A row carries the pattern if its value exceeds ``cut``; its score is the distance from it in
        units of ``scale``.
    """

    linear: FloatArray
    squares: FloatArray
    common: FloatArray
    removed: FloatArray
    floor: float
    cut: float = 0.0
    scale: float = 1.0

    @property
    def is_linear(self) -> bool:
        """True if the value is a weighted sum of the columns."""
        return not bool(self.squares.any() or self.common.any())

    def values(self, Z: FloatArray, components: FloatArray = NO_COMPONENTS) -> FloatArray:
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

    def take(self, places: IndexArray) -> "Axis":
        """The part of it that some of the columns make."""
        linear, squares, common = (factor[places] for factor in self[:3])
        return self._replace(linear=linear, squares=squares, common=common)

    def scores(self, Z: FloatArray, components: FloatArray) -> FloatArray:
        """Distance beyond the cut; see `values`."""
        return (self.values(Z, components) - self.cut) / self.scale

    def frozen(self, n_columns: int) -> "Axis":
        """Copy with read-only arrays; refuse values that no fit gives, as a file may hold any."""
        factors = [constant(factor, np.float64) for factor in self[:4]]
        copy = Axis._make([*factors, *map(float, self[4:])])
        if any(len(factor) != n_columns for factor in factors[:3]):
            raise ValueError(
                f"a pattern of {n_columns} columns does not fit its axis of "
                f"{', '.join(str(len(factor)) for factor in factors[:3])}."
            )
        finite = all(np.isfinite(factor).all() for factor in factors)
        finite = finite and bool(np.isfinite([copy.cut, copy.scale]).all())
        if not (finite and copy.floor < np.inf and copy.scale > 0):  # a floor of -inf is none
            raise ValueError("a pattern has an axis that is not finite.")
        return copy


def constant(values: AnyArray, dtype: type[np.generic]) -> AnyArray:
    """A read-only copy of an array of one dimension."""
    copy = np.array(values, dtype=dtype)
    if copy.ndim != 1:
        raise ValueError(f"a pattern has an array of shape {copy.shape}; it needs one dimension.")
    copy.setflags(write=False)
    return copy[:]  # an array that owns its data could be made writable again
