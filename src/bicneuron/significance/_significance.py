"""The result of a test: patterns with p-values, and words for them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron._writing._p_values import LEVEL, format_carriers, format_p, format_summary


class Significance(NamedTuple):
    """Patterns with the probability that chance gives such a pattern.

    Parameters
    ----------
    patterns : list of Subgroup, Pattern or ContrastivePair
        What was tested, in the order of the model.
    method : {"blind", "aware", "group"}
    carriers : list of dict
        For each pattern and class, how many of its rows carry it, and how many rows it has. Without
        labels under the label None.
    p_values : array of shape (n_patterns,)
        Of each pattern alone.
    family_p_values : array of shape (n_patterns,)
        Corrected for all patterns: the probability that any of them would be as clear.
    q_values : array of shape (n_patterns,)
        Share of false discoveries among patterns that are at least as clear (Benjamini and
        Hochberg).
    clearness : array of shape (n_patterns,)
        What was compared, larger for clearer patterns: their strength or, of "blind", the negative
        decimal logarithm of the probability of the carriers.
    null_clearness : array of shape (n_permutations,)
        That of the clearest pattern by chance, in each repetition.
    n_permutations : int
        Repetitions: orders of the labels, or tables without groups.
    smallest_p : float
        No corrected p can be smaller with so many of them.
    """

    patterns: list[Any]
    method: str
    carriers: list[Mapping[Any, tuple[int, int]]]
    p_values: FloatArray
    family_p_values: FloatArray
    q_values: FloatArray
    clearness: FloatArray
    null_clearness: FloatArray
    n_permutations: int
    smallest_p: float

    def significant(self, level: float = LEVEL) -> BoolArray:
        """Which patterns are better than chance, corrected for all of them."""
        return np.asarray(self.family_p_values <= level)

    def words(self, pattern: int) -> str:
        """Carriers and p of one pattern, as in "15 of 50 case, 0 of 50 control; p = 0.001"."""
        counts = [(label, *count) for label, count in self.carriers[pattern].items()]
        return f"{format_carriers(counts)}; {format_p(self.family_p_values[pattern])}"

    def summary(self, level: float = LEVEL) -> str:
        """One line for all patterns."""
        return format_summary(self.family_p_values.tolist(), self.method, self.smallest_p, level)
