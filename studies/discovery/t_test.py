"""Rival: the columns in which all cases differ from all controls."""

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron.metrics._recovery import BlockLike
from studies.discovery.rows import CASE


def t_test(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """One pattern: all cases, and the columns with the largest t statistics."""
    is_case = np.asarray(y) == CASE
    return [(np.flatnonzero(is_case), largest(np.abs(t_statistics(X, is_case)), n_columns))]


def t_statistics(X: FloatArray, inside: BoolArray) -> FloatArray:
    """Student's t of each column, the rows inside against all others; 0 for constant columns."""
    group, others = X[inside], X[~inside]
    squares = len(group) * group.var(axis=0) + len(others) * others.var(axis=0)
    error = np.sqrt(squares / (len(X) - 2) * (1 / len(group) + 1 / len(others)))
    difference = group.mean(axis=0) - others.mean(axis=0)
    t: FloatArray = np.divide(difference, error, out=np.zeros_like(error), where=error > 0)
    return t


def largest(values: FloatArray, how_many: int) -> IndexArray:
    """Sorted indices of the largest values."""
    return np.sort(np.argsort(-values, kind="stable")[:how_many])
