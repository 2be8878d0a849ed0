"""Evidence: the results of tests, as a value that a pattern carries."""

import math
from typing import Any, NamedTuple

from bicneuron._writing._formats import (
    LEVEL,
    format_carriers,
    format_found,
    format_group_p,
    format_p,
)

# What the tests say of a pattern.
IS_GROUP, NO_GROUP = "a group", "no clearer than in tables without groups"
IS_OF_CLASS = "belongs to a class"
NOT_OF_CLASS = "does not belong to a class more than chance or clearer groups would give"
JOINED = {
    (IS_GROUP, IS_OF_CLASS): "a group that belongs to a class",
    (IS_GROUP, NOT_OF_CLASS): "a group, but not tied to a class",
}
TOO_FEW_TABLES = "too few tables to tell whether it is a group"
TOO_FEW_ROWS = "too few rows to tell whether it belongs to a class"


class Evidence(NamedTuple):
    """Results of tests of a pattern; see `bicneuron.significance.with_evidence`.

    There are three questions: does it belong to a class, is it a group at all, and is it found
    again in parts of the rows?

    Parameters
    ----------
    method : "blind" or None
        Method of the test whether it belongs to a class; None if there was none.
    carriers : tuple of (label, int, int)
        For each class, its rows that carry the pattern, and all its rows.
    p_value, family_p_value : float or None
        P of that test, of the pattern alone and corrected for all patterns.
    n_permutations : int or None
        Repetitions of the test.
    found : int or None
        Number of subsamples in which the pattern was found again; None if that was not tried.
    n_subsamples : int or None
    column_frequency : tuple of float or None
        Share of the subsamples in which each of its columns was found again.
    smallest_p : float or None
        No corrected p can be smaller with so many repetitions.
    group_p_value : float or None
        P of the test whether it is a group, corrected for all patterns.
    n_group_tables : int or None
        Tables without groups that it was compared with.
    smallest_group_p : float or None
        No p of that test can be smaller with so many tables.
    n_folds : int or None
        Folds of the score of the model; see `bicneuron.significance.with_folds`.
    chosen_again : int or None
        Folds whose model has the pattern, too.
    left_out : tuple of (label, int, int)
        In these folds, for each class, rows left out that carry it, and all rows left out.
    column_order : tuple of int or None
        Positions of its columns, the clearest by a test of its own first; None if there was none.
    """

    method: str | None = None
    carriers: tuple[tuple[Any, int, int], ...] = ()
    p_value: float | None = None
    family_p_value: float | None = None
    n_permutations: int | None = None
    found: int | None = None
    n_subsamples: int | None = None
    column_frequency: tuple[float, ...] | None = None
    smallest_p: float | None = None
    group_p_value: float | None = None
    n_group_tables: int | None = None
    smallest_group_p: float | None = None
    n_folds: int | None = None
    chosen_again: int | None = None
    left_out: tuple[tuple[Any, int, int], ...] = ()
    column_order: tuple[int, ...] | None = None

    @property
    def is_tested(self) -> bool:
        """True if a test against chance was made."""
        return self.family_p_value is not None or self.group_p_value is not None

    @property
    def smallest_tested(self) -> float:
        """The smallest p of the tests against chance; infinite if there were none."""
        tested = [p for p in (self.family_p_value, self.group_p_value) if p is not None]
        return min(tested, default=math.inf)

    @property
    def is_chance(self) -> bool:
        """True if it passed none of the tests against chance that were made."""
        return self.is_tested and self.smallest_tested > LEVEL

    @property
    def is_finding(self) -> bool:
        """True if it passed a test against chance."""
        return self.smallest_tested <= LEVEL

    @property
    def verdict(self) -> str:
        """What the tests against chance say, in words; empty if there were none."""
        both = self._of_group, self._of_class
        return JOINED.get(both) or "; ".join(words for words in both if words)

    @property
    def _of_class(self) -> str:
        if self.family_p_value is None:
            return ""
        if self.family_p_value <= LEVEL:
            return IS_OF_CLASS
        return TOO_FEW_ROWS if (self.smallest_p or 0.0) > LEVEL else NOT_OF_CLASS

    @property
    def _of_group(self) -> str:
        if self.group_p_value is None:
            return ""
        if self.group_p_value <= LEVEL:
            return IS_GROUP
        return TOO_FEW_TABLES if (self.smallest_group_p or 0.0) > LEVEL else NO_GROUP

    @property
    def lines(self) -> list[str]:
        """P and how often it was found again, in words; only what was tested."""
        lines = []
        if self.group_p_value is not None:
            lines.append(format_group_p(self.group_p_value))
        if self.family_p_value is not None:
            lines.append(format_p(self.family_p_value))
        if self.n_subsamples is not None:
            lines.append(format_found(self.found or 0, self.n_subsamples))
        return lines

    def __str__(self) -> str:
        carriers = [format_carriers(self.carriers)] if self.carriers else []
        return "; ".join([*carriers, *self.lines])
