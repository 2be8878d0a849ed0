"""The signature of a pattern: what its columns say of a row of any table."""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.patterns._pattern import Pattern

# From this share of the columns on, a matrix product is faster than a sum over columns.
MANY = 0.05


class Signature(NamedTuple):
    """A function of the standard scores of some columns; the larger, the more a row is like those.

    Parameters
    ----------
    linear, squares, common : arrays of shape (n_columns,)
        Factors of the columns, of their squares, and of the columns in a sum whose square counts.
    """

    linear: FloatArray
    squares: FloatArray
    common: FloatArray

    @property
    def is_linear(self) -> bool:
        """True if it is a weighted sum of the columns."""
        return not bool(self.squares.any() or self.common.any())

    @property
    def sizes(self) -> FloatArray:
        """Weight of each column; their sum is 1."""
        sizes = self.linear**2 + self.squares**2 + self.common**2
        shares: FloatArray = sizes / max(float(sizes.sum()), np.finfo(float).tiny)
        return shares

    def take(self, places: AnyArray) -> "Signature":
        """The part of it that some of the columns make."""
        return Signature(*(factor[places] for factor in self))

    def values(self, Z: FloatArray) -> FloatArray:
        """Values of rows, of shape (n_rows,), from the standard scores of its columns."""
        # No matrix product: its bits may depend on the number of rows.
        values: FloatArray = np.einsum("ij,j->i", Z, self.linear)
        if not self.is_linear:
            values += np.einsum("ij,j->i", np.square(Z), self.squares)
            values += np.square(np.einsum("ij,j->i", Z, self.common))
        return values

    def on_columns(self, Z: FloatArray, columns: IndexArray) -> FloatArray:
        """Values of rows if other columns took the place of its own.

        Parameters
        ----------
        Z : array of shape (n_rows, n_all_columns)
        columns : array of intp, shape (n_columns, n_draws)
            For each draw a column in the place of each of its own.

        Returns
        -------
        values : array of shape (n_rows, n_draws)
        """
        if self.is_linear and len(columns) > MANY * Z.shape[1]:
            factors = np.zeros((Z.shape[1], columns.shape[1]))
            np.put_along_axis(factors, columns, self.linear[:, None], axis=0)
            product: FloatArray = Z @ factors
            return product
        values = np.zeros((len(Z), columns.shape[1]))
        in_common = np.zeros_like(values)
        for linear, square, common, drawn in zip(*self, columns, strict=True):
            column = Z[:, drawn]
            values += linear * column
            if square:
                values += square * column**2
            if common:
                in_common += common * column
        values += in_common**2
        return values


def signature_of(pattern: Pattern, effects: FloatArray) -> Signature:
    """The signature of a pattern.

    A group of other means has the correlations of its columns with it, a group of other kinds the
    factors of its axis, and any other pattern the differences between rows that carry it and rows
    that do not.
    """
    none = np.zeros(len(pattern.columns))
    if pattern.axis is None:
        return Signature(effects, none, none)
    if pattern.kind == "shift":
        return Signature(pattern.weights, none, none)
    return Signature(*pattern.axis[:3])
