"""What became of groups in a second cohort, as values and in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._formats import LEVEL, counted, format_carriers, round_p, shortened
from bicneuron._shared._html import fragment, sentences, table
from bicneuron.outcomes import Effect
from bicneuron.patterns import class_words
from bicneuron.replication._column_draws import Compared
from bicneuron.replication._transfer import TransferredPattern
from bicneuron.significance._separate import Separate

FOUND_AGAIN, NOT_FOUND = "found again", "not found again"
NOT_TIED = "its columns move together, but it is not tied to {} here"
NOT_TESTABLE = "cannot be tested"
SHOWN_PATTERNS = 10  # that a notebook lists
# Patterns that are named in one sentence, and classes whose members are counted in it.
MOST, MOST_CLASSES = 5, 4


class Corrected(NamedTuple):
    """P of the three answers about a pattern, corrected for those before it; None if not tested."""

    together: float | None = None
    tied: float | None = None
    separate: float | None = None


NOT_CORRECTED = Corrected()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReplicatedPattern:
    """What became of one pattern in a second cohort.

    Parameters
    ----------
    number : int
        Position of the pattern in the model, counted from 1.
    found : TransferredPattern
        The pattern there: columns present, scores, members, shares, gaps and effects.
    reason : str
        Why it cannot be tested; else empty.
    together, p_together : Compared or None, float or None
        Variance of the scores, with that on random columns, and p of the first answer.
    p_tied : float or None
        P of the tie to the class or the outcome, against labels in another order and against random
        columns, the larger. None if not asked for.
    p_tied_labels_only : float or None
        Against labels in another order alone. Not the answer: in real tables most scores are tied
        to most labels, so that a small value says nothing about this pattern.
    separate, levels : Separate or None, array of shape (n_rows,) or None
        The third answer, or why it cannot be given, and the scores that it is tested on: of values,
        less the median of their stratum.
    p_found, corrected : float or None, Corrected
        P that decides, the larger of the first two, and p of each of the three answers, corrected.
    members_of_classes : tuple of (label, int, int)
        For each class, its rows that are members, and all its rows; empty without classes.
    effect : Effect or None
        Of numbers or survival, how much members differ from other rows.
    """

    number: int
    found: TransferredPattern
    reason: str = ""
    together: Compared | None = None
    p_together: float | None = None
    p_tied: float | None = None
    p_tied_labels_only: float | None = None
    separate: Separate | None = None
    levels: FloatArray | None = None
    p_found: float | None = None
    corrected: Corrected = NOT_CORRECTED
    members_of_classes: tuple[tuple[Any, int, int], ...] = ()
    effect: Effect | None = None

    @property
    def tied_to(self) -> str:
        """What the second answer is about, in words."""
        return "the class" if self.effect is None else shortened(self.effect.name)

    @property
    def is_found(self) -> bool:
        """True if the first answer, and the second if it was asked for, say so."""
        return _is_small(self.p_found)

    @property
    def is_separate(self) -> bool:
        """True if its rows are a separate group here, by the third answer."""
        return _is_small(self.corrected.separate)

    @property
    def verdict(self) -> str:
        """What the first two answers say, in words."""
        if self.p_found is None:
            return NOT_TESTABLE
        if self.is_found:
            return FOUND_AGAIN
        if _is_small(self.corrected.together) and not _is_small(self.corrected.tied):
            return NOT_TIED.format(self.tied_to)
        return NOT_FOUND

    @property
    def separate_words(self) -> str:
        """What the third answer says, in words; empty if the pattern cannot be tested."""
        if self.separate is None:
            return ""
        if self.corrected.separate is None:
            return f"whether it is a separate group was not tested ({self.separate.reason})"
        start = "a separate group here" if self.is_separate else "may be the end of a gradient"
        return f"{start} (p = {round_p(self.corrected.separate)})"

    @property
    def name(self) -> str:
        """Its number in words, as in "group 1"."""
        return f"group {self.number}"

    @property
    def carried_there(self) -> str:
        """Rows of the training table that carry it, as in "15 of 50 case"."""
        pattern = self.found.pattern
        counts, anchor = pattern.carrier_counts, pattern.anchor_class
        if counts is None:
            carriers = f"{len(pattern.rows)} rows"
        elif anchor not in counts:
            carriers = _by_share([(label, *count) for label, count in counts.items()])
        else:
            name = "" if anchor is None else f" {shortened(str(anchor))}"
            carriers = "{} of {}{}".format(*counts[anchor], name)
        return f"{shortened(pattern.name)}: {carriers}" if pattern.name else carriers

    @property
    def figures(self) -> str:
        """Members, columns, gap and p here, in words; empty if it cannot be tested."""
        found = self.found
        if found.members is None or self.p_found is None:
            return ""
        columns = f"{len(found.here)} of its {len(found.pattern.columns)} columns"
        classes = f"{_by_share(self.members_of_classes)}; " if self.members_of_classes else ""
        line = f"{int(found.members.sum())} of {len(found.members)} rows here ({classes}{columns})"
        if self.effect is not None:
            line += f", {self.effect.words}"
        if found.gap_here is not None:
            there = "" if found.gap_there is None else f" ({found.gap_there:.1f} there)"
            line += f", gap {found.gap_here:.1f} standard deviations{there}"
        line += f", p = {round_p(self.p_found)}"
        return f"{line}, {self.separate_words}" if self.is_found else line

    @property
    def words(self) -> str:
        """Pattern, verdict and figures in one line."""
        start = f"{self.name} ({self.carried_there} there): {self.verdict}"
        return f"{start}: {self.figures or self.reason}"

    def __repr__(self) -> str:
        return f"<{self.words}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Replication:
    """Patterns of a model in a second cohort.

    Parameters
    ----------
    patterns : tuple of ReplicatedPattern
        In the order of the model. Tested are findings of the first cohort before all others.
    n_rows, n_common : int
        Rows of the cohort, and columns that it shares with the training table.
    ranks : bool
        True if ranks within rows were taken.
    n_draws : int
    notes : tuple of str
        What a reader has to know, such as rows that are in both tables.
    draws_needed : tuple of str
        How many draws are needed where so few cannot give a small p, one line for each question.
    """

    patterns: tuple[ReplicatedPattern, ...]
    n_rows: int
    n_common: int
    ranks: bool
    n_draws: int
    notes: tuple[str, ...] = ()
    draws_needed: tuple[str, ...] = ()

    @property
    def found(self) -> tuple[ReplicatedPattern, ...]:
        """Patterns that are found again."""
        return tuple(one for one in self.patterns if one.is_found)

    @property
    def words(self) -> str:
        """How many patterns are found again, in one line."""
        n_found, n_other = len(self.found), sum(one.p_found is None for one in self.patterns)
        other = f" ({n_other} cannot be tested)" if n_other else ""
        are = "is" if n_found == 1 else "are"
        return f"{n_found} of {counted(len(self.patterns), 'group')} {are} found again{other}"

    @property
    def sentence(self) -> str:
        """The same, and which patterns these are, in one sentence."""
        found = self.found
        named = [f"{one.name} ({one.carried_there} there) in {one.figures}" for one in found[:MOST]]
        named += [f"and {len(found) - MOST} more"] if len(found) > MOST else []
        return f"{self.words}: {'; '.join(named)}" if named else self.words

    def plot(self, k: int = 0, *, ax: Any = None) -> Any:
        """Draw the scores of the pattern at position ``k`` here, as `Findings.plot` does there."""
        from bicneuron.inspection import SeparateDisplay

        return SeparateDisplay.from_result(self, k, ax=ax)

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence, and a verdict for each pattern."""
        rows = [
            (one.number, one.carried_there, one.verdict, one.figures or one.reason)
            for one in self.patterns[:SHOWN_PATTERNS]
        ]
        parts = [sentences(f"{self.words}, in {self.n_rows} rows.", *self.notes)]
        if rows:
            parts.append(table(("pattern", "carried there by", "here", ""), rows))
        n_more = len(self.patterns) - len(rows)
        parts += [sentences(f"And {counted(n_more, 'more pattern')}.")] if n_more else []
        return fragment(*parts)

    def __repr__(self) -> str:
        return f"<Replication: {self.words}, in {self.n_rows} rows>"


def _by_share(counts: Sequence[tuple[Any, int, int]]) -> str:
    """Rows of classes that carry a pattern, the class with the largest share first."""
    ordered = sorted(counts, key=lambda count: -count[1] / max(count[2], 1))
    more = ", ..." if len(ordered) > MOST_CLASSES else ""
    named = [(class_words(label), *count) for label, *count in ordered[:MOST_CLASSES]]
    return f"{format_carriers(named)}{more}"


def _is_small(p: float | None) -> bool:
    return p is not None and p <= LEVEL
