"""The contrastive pair as a value."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bicneuron._core._arrays import IndexArray
from bicneuron._core._value import ArrayValue
from bicneuron.biclustering import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class ContrastivePair(ArrayValue):
    """A bicluster of one class and the nearest rows of the other, in the same columns.

    Parameters
    ----------
    anchor_class : label
        Class of the bicluster.
    anchor_rows : array of intp
        I, sorted.
    contrast_rows : array of intp
        I^c, rows of the other class in order of their distance to the bicluster's centroid.
    columns : array of intp
        J, sorted.
    msr_ratio : float
        Mean squared residue of the bicluster over that of its contrast; small is good.
    criterion : float
        The value by which the pair is ranked; smaller is better.
    evidence : Evidence or None, default=None
        Results of tests of it.
    """

    anchor_class: Any
    anchor_rows: IndexArray
    contrast_rows: IndexArray
    columns: IndexArray
    msr_ratio: float
    criterion: float
    evidence: Evidence | None = None

    @property
    def rows(self) -> IndexArray:
        """Rows that a neuron is trained on: I, then I^c in order of distance."""
        return np.concatenate([self.anchor_rows, self.contrast_rows])

    @property
    def block(self) -> tuple[IndexArray, IndexArray]:
        """Rows and columns that a neuron is trained on."""
        return self.rows, self.columns

    def __repr__(self) -> str:
        return (
            f"<ContrastivePair: {len(self.anchor_rows)} rows of class {self.anchor_class!r} "
            f"against {len(self.contrast_rows)} others in {len(self.columns)} columns, "
            f"msr_ratio {self.msr_ratio:.4g}>"
        )
