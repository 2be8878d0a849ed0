"""A fitted neuron as one formula in the user's own units."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray

# Names of features that need no brackets.
_PLAIN_NAME = re.compile(r"\w[\w .]*")


@dataclass(frozen=True, slots=True)
class Formula:
    """Score of a linear neuron in the units of the table, scaling and threshold included.

    Parameters
    ----------
    intercept : float
    coefficients : tuple of float
        For one unit of each feature.
    features : tuple of str
        Names of the columns that the formula reads.
    columns : tuple of int
        Their places in the table.
    labels : tuple of two labels
        The class of scores up to 0, and that of scores above.

    Examples
    --------
    >>> from bicneuron.explanation import Formula
    >>> formula = Formula(3.2, (0.51, -2.0), ("age", "dose"), (0, 1), ("A", "B"))
    >>> print(formula)
    score = 3.2 + 0.51·age − 2·dose; 'B' if score > 0, else 'A'
    >>> formula.evaluate([[10.0, 4.0]]).round(6)
    array([0.3])
    """

    intercept: float
    coefficients: tuple[float, ...]
    features: tuple[str, ...]
    columns: tuple[int, ...]
    labels: tuple[Any, Any]

    def evaluate(self, X: Any) -> FloatArray:
        """Score of each row.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Columns of a frame are found by name, those of an array by their places.

        Returns
        -------
        scores : array of shape (n_rows,)
        """
        if hasattr(X, "columns"):
            values = np.asarray(X[list(self.features)], dtype=np.float64)
        else:
            values = np.asarray(X, dtype=np.float64)[:, list(self.columns)]
        # Sums of large terms that cancel keep their digits.
        terms = np.column_stack(
            [np.full(len(values), self.intercept), values * np.array(self.coefficients)]
        )
        return np.array([math.fsum(line) for line in terms.tolist()])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with all digits."""
        return {
            "intercept": self.intercept,
            "coefficients": dict(zip(self.features, self.coefficients, strict=True)),
            "above_zero": self.labels[1],
            "otherwise": self.labels[0],
        }

    def __str__(self) -> str:
        return self._written(range(len(self.features)))

    def shortened(self, columns: Sequence[int]) -> str:
        """The same with the terms of some columns only, and the number of the others.

        Parameters
        ----------
        columns : sequence of int
            Places in the table, in the order of the terms.

        Returns
        -------
        str
        """
        return self._written([self.columns.index(column) for column in columns])

    def _written(self, places: Sequence[int]) -> str:
        words = [f"score = {self.intercept:.6g}".replace("-", "\N{MINUS SIGN}")]
        for place in places:
            feature, coefficient = self.features[place], self.coefficients[place]
            if coefficient:
                sign = "+" if coefficient > 0 else "\N{MINUS SIGN}"
                name = feature if _PLAIN_NAME.fullmatch(feature) else f"[{feature}]"
                words.append(f"{sign} {abs(coefficient):.6g}\N{MIDDLE DOT}{name}")
        n_more = sum(map(bool, self.coefficients)) - (len(words) - 1)
        if n_more:
            words.append(f"+ {n_more} more term" + "s" * (n_more > 1))
        return f"{' '.join(words)}; {self.labels[1]!r} if score > 0, else {self.labels[0]!r}"
