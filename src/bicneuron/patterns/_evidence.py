"""Evidence: the results of tests, as a value that a pattern carries."""

import math
from typing import Any, NamedTuple

from bicneuron._shared._formats import LEVEL, format_carriers, round_p, shortened
from bicneuron.outcomes import Effect

FOUND_AGAIN = 0.6  # share of the folds in which a finding is found again, at least


class Evidence(NamedTuple):
    """Results of tests of a pattern; see `bicneuron.significance.with_evidence`.

    None stands for what was not tested.

    Parameters
    ----------
    carriers : tuple of (label, int, int)
        For each class, its rows that carry the pattern, and all; under None without classes.
    p_value, family_p_value : float or None
        P of a tie to a class, or to an outcome, of the pattern alone and corrected for all.
    n_permutations, smallest_p : int or None, float or None
        Repetitions of that test, and the smallest corrected p that so many can give.
    separate_p, separate_reason : float or None, str
        P of `separate_test`, corrected for the patterns before it; or why it was not made if asked.
    is_class_difference : bool
        True if whole classes differ in its columns, among many, and no separate group was shown.
    left_out : tuple of (label, int, int)
        As ``carriers``, of rows left out of the folds in which a pattern that predicts was found.
    column_order, proven_columns : tuple of int or None
        Positions of its columns, by own tests of them, and of those with evidence of their own.
    n_found, n_folds : int or None
        Folds in whose other rows it was found again, and all folds.
    effect : Effect or None
        Of numbers or survival, how much carriers differ from other rows.
    """

    carriers: tuple[tuple[Any, int, int], ...] = ()
    p_value: float | None = None
    family_p_value: float | None = None
    n_permutations: int | None = None
    smallest_p: float | None = None
    separate_p: float | None = None
    separate_reason: str = ""
    is_class_difference: bool = False
    left_out: tuple[tuple[Any, int, int], ...] = ()
    column_order: tuple[int, ...] | None = None
    proven_columns: tuple[int, ...] | None = None
    n_found: int | None = None
    n_folds: int | None = None
    effect: Effect | None = None

    @property
    def tied_to(self) -> str:
        """What the test of a tie was about, in words."""
        return "the class" if self.effect is None else shortened(self.effect.name)

    @property
    def is_tested(self) -> bool:
        """True if a test against chance was made, or could not be made where it was asked for."""
        return self.decisive_p != math.inf or bool(self.separate_reason)

    @property
    def decisive_p(self) -> float:
        """P of the tie or, without classes and outcome, of a separate group; else infinite."""
        p = self.separate_p if self.family_p_value is None else self.family_p_value
        return math.inf if p is None else p

    @property
    def is_chance(self) -> bool:
        """True if it did not pass the test against chance that was made."""
        return self.is_tested and self.decisive_p > LEVEL

    @property
    def is_significant(self) -> bool:
        """True if it passed the test against chance."""
        return self.decisive_p <= LEVEL

    @property
    def is_fragile(self) -> bool:
        """True if it is found again in too few folds."""
        return self.n_folds is not None and (self.n_found or 0) < FOUND_AGAIN * self.n_folds

    @property
    def is_finding(self) -> bool:
        """True if it passed the test, has proven columns, and is found again in most folds."""
        return self.is_significant and bool(self.proven_columns) and not self.is_fragile

    @property
    def is_separate(self) -> bool:
        """True if it was shown to be a separate group."""
        return self.separate_p is not None and self.separate_p <= LEVEL

    @property
    def verdict(self) -> str:
        """What the tests against chance say, in words; empty if there were none."""
        words = []
        if self.family_p_value is not None:
            what = "a class" if self.effect is None else self.tied_to
            tie = f"not tied to {what} more than chance or clearer groups would give"
            if (self.smallest_p or 0.0) > LEVEL:
                tie = f"too few rows to tell whether it is tied to {what}"
            words.append(f"tied to {self.tied_to}" if self.is_significant else tie)
        if self.separate_p is not None:
            words.append("a separate group" if self.is_separate else "no separate group was shown")
        if self.is_significant and self.is_fragile:
            words.append("fragile: leaving out a part of the rows loses it")
        elif self.is_significant and self.proven_columns == ():
            words.append("no column has evidence of its own")
        return "; ".join(words)

    @property
    def lines(self) -> list[str]:
        """P and how often it was found again, in words; only what was tested."""
        lines = [] if self.effect is None else [self.effect.words]
        if self.family_p_value is not None:
            lines.append(f"p = {round_p(self.family_p_value)} corrected for all patterns")
        if self.separate_p is not None:
            lines.append(f"as a separate group p = {round_p(self.separate_p)}")
        elif self.separate_reason:
            lines.append(f"not tested as a separate group: {self.separate_reason}")
        if self.n_folds is not None:
            lines.append(f"found again in {self.n_found} of {self.n_folds} folds")
        return lines

    def __str__(self) -> str:
        carriers = [format_carriers(self.carriers)] if self.carriers else []
        return "; ".join([*carriers, *self.lines])
