"""The answer: what was found and whether it is chance, in the same words everywhere.

The terminal, the page and ``summary()`` print these lines. They are made from patterns and their
evidence alone, so that a model that was saved and loaded gives the same ones.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bicneuron._writing._formats import (
    COARSE,
    LEVEL,
    counted,
    format_found,
    listed,
    round_p,
    shortened,
)
from bicneuron.patterns._evidence import Evidence
from bicneuron.patterns._pattern import CLASS_WIDE, Pattern

# Columns that are named of one finding, and of each of several.
MOST_NAMES, FEWER_NAMES = 6, 4
# Findings that are described one by one, and classes that are counted one by one.
MOST_FINDINGS, MOST_CLASSES = 5, 4
# Rows below which hardly any group can be told from chance.
FEW_ROWS = 20
# Share of the rows that two sides of a split have in common, at most.
FEW_SHARED = 0.1
NOT_TESTED = Evidence()


class Answer:
    """What the patterns of a model say, in lines.

    Parameters
    ----------
    patterns : sequence of Pattern
        With their evidence, findings first.
    names : sequence of str
        Of all columns of the table.
    n_rows : int
        Of the table.
    set_aside : sequence of str, default=()
        Kinds of known structure that the search set aside.
    """

    def __init__(
        self,
        patterns: Sequence[Pattern],
        names: Sequence[str],
        n_rows: int,
        set_aside: Sequence[str] = (),
    ) -> None:
        self._patterns, self._names, self._n_rows = patterns, names, n_rows
        self._set_aside = set_aside
        is_group = all(one.axis is not None for one in patterns)
        self._noun = "group" if is_group else "pattern"

    @property
    def lines(self) -> list[str]:
        """The answer, each sentence or finding in a line of its own."""
        found = [one for one in self._patterns if one.kind != "class"]
        proven = proven_patterns(found)
        if not found:
            lines = [self._nothing()]
        elif proven:
            lines = self._findings(proven)
        elif any(_evidence(one).is_tested for one in found):
            lines = [self._none_proven(found)]
        else:
            told = [
                self._shares(found[0]),
                *_again(found[0]),
                "Whether it is chance was not tested",
            ]
            lines = [f"{'. '.join(told)}."]
        lines += self._others(found, proven)
        if self._set_aside:
            lines.append(f"{listed(self._set_aside).capitalize()} were set aside.")
        return lines

    def _findings(self, proven: Sequence[Pattern]) -> list[str]:
        if len(proven) == 1:
            (one,) = proven
            sentences = [self._shares(one), f"This is {_verdict(one)}", *_again(one)]
            return [f"{'. '.join(sentences)}."]
        lines = [f"{len(proven)} {self._noun}s are not chance:"]
        for number, one in enumerate(self._patterns, start=1):
            if one in proven[:MOST_FINDINGS]:
                sentences = [f"{self._shares(one, FEWER_NAMES)}: {_verdict(one)}", *_again(one)]
                lines.append(f"{number}. {'. '.join(sentences)}.")
        return lines

    def _none_proven(self, found: Sequence[Pattern]) -> str:
        clearest, word = min(found, key=lambda one: _evidence(one).smallest_tested), "clearest"
        blind = [one for one in found if _evidence(one).method == "blind"]
        if blind:  # these may be groups all the same: the strongest says most about the table
            clearest, word = max(blind, key=lambda one: one.strength), "strongest"
        evidence = _evidence(clearest)
        seen = f"The {word}: {self._shares(clearest)}, {_p_words(evidence)}."
        if evidence.family_p_value is None:
            if (evidence.smallest_group_p or 0.0) > LEVEL:
                return (
                    f"Too few tables without {self._noun}s to tell whether this is chance. {seen}"
                )
            return f"No {self._noun} here is clearer than those of tables without groups. {seen}"
        if (evidence.smallest_p or 0.0) > LEVEL:
            sizes = listed([f"{total:,} {_class(label)}" for label, _, total in evidence.carriers])
            return f"Too few rows to tell whether this is chance: {sizes}. {seen}"
        none = f"No {self._noun} here is tied to a class more than chance would give. {seen}"
        is_open = self._noun == "group" and evidence.group_p_value is None
        return f"{none} Whether it is a group at all was not tested." if is_open else none

    def _nothing(self) -> str:
        size = f"{self._n_rows:,} rows and {len(self._names):,} columns"
        if self._n_rows < FEW_ROWS:
            rows = counted(self._n_rows, "row")
            return f"No {self._noun} was found: {rows} are too few to tell one from chance."
        return f"No {self._noun} was found in {size}: no rows share columns that others do not."

    def _others(self, found: Sequence[Pattern], proven: Sequence[Pattern]) -> list[str]:
        """How many patterns are not in the lines before."""
        lines = []
        if len(proven) > MOST_FINDINGS:
            more = len(proven) - MOST_FINDINGS
            lines.append(f"And {more:,} more that {'is' if more == 1 else 'are'} not chance.")
        # Not the other sides of findings.
        rest = sum(not _evidence(one).is_finding for one in found) - (not proven)
        n_sides = sum(_evidence(one).is_finding for one in found) - len(proven)
        if n_sides:
            are = "is the other side" if n_sides == 1 else "are other sides"
            lines.append(f"{n_sides:,} more {are} of {'it' if len(proven) == 1 else 'these'}.")
        if rest > 0:
            how = "proven" if any(_evidence(one).is_tested for one in found) else "tested"
            was = "was seen" if rest == 1 else "were seen"
            lines.append(f"{rest:,} more {was}, not {how}.")
        return lines

    def _shares(self, pattern: Pattern, most: int = MOST_NAMES) -> str:
        """Who shares which columns."""
        size = f"{len(pattern.columns):,} of {counted(len(self._names), 'column')}"
        return f"{_carriers(pattern, self._n_rows)} share {size} ({self._columns(pattern, most)})"

    def _columns(self, pattern: Pattern, most: int) -> str:
        """The columns of the largest weights, those of one direction together.

        How clear each is may not be known yet, and the answer stays the same when it is.
        """
        order = pattern.weight_order
        names = [shortened(self._names[column]) for column in pattern.columns[order].tolist()]
        n_shown = most if len(names) > most + 2 else len(names)
        if not len(pattern.weights):
            return ", ".join([*names[:n_shown], *(["..."] if n_shown < len(names) else [])])
        ways = pattern.directions[order].tolist()
        told = []
        for sign in dict.fromkeys(ways):  # that of the first column first
            word = pattern.direction_words[0 if sign > 0 else 1]
            own = [name for name, way in zip(names, ways, strict=True) if way == sign]
            shown = own[: ways[:n_shown].count(sign)]
            more = ["..."] if len(shown) < len(own) else []
            told.append(f"{', '.join([*shown, *more]) if shown else f'{len(own):,}'} {word}")
        return "; ".join(told)


def proven_patterns(patterns: Sequence[Pattern]) -> list[Pattern]:
    """Patterns that passed a test against chance; of the two sides of a split, the first."""
    findings: list[Pattern] = []
    for one in patterns:
        if _evidence(one).is_finding and not any(is_other_side(one, of) for of in findings):
            findings.append(one)
    return findings


def is_other_side(pattern: Pattern, of: Pattern) -> bool:
    """True if a pattern is what other rows look like in the columns of a clearer one.

    They have hardly a row in common, and most columns, with the opposite direction.
    """
    if not len(pattern.weights) or not len(of.weights):
        return False
    shared, own, others = np.intersect1d(pattern.columns, of.columns, return_indices=True)
    opposite = int(np.count_nonzero(pattern.directions[own] != of.directions[others]))
    n_rows = len(np.intersect1d(pattern.rows, of.rows))
    return (
        n_rows <= FEW_SHARED * min(len(pattern.rows), len(of.rows))
        and 2 * len(shared) >= min(len(pattern.columns), len(of.columns))
        and opposite >= (1 - FEW_SHARED) * len(shared)
    )


def _evidence(pattern: Pattern) -> Evidence:
    return pattern.evidence or NOT_TESTED


def _verdict(pattern: Pattern) -> str:
    """What the tests say of a finding."""
    evidence = _evidence(pattern)
    if evidence.family_p_value is None or evidence.family_p_value <= LEVEL:
        return f"not chance ({_p_words(evidence)})"
    return f"a group ({_group_p(evidence)}), but not tied to a class ({_class_p(evidence)})"


def _p_words(evidence: Evidence) -> str:
    if evidence.family_p_value is None:
        return _group_p(evidence)
    if evidence.group_p_value is None:
        return _class_p(evidence)
    return f"{_class_p(evidence)}; as a group {_group_p(evidence)}"


def _class_p(evidence: Evidence) -> str:
    p, least = evidence.family_p_value or 0.0, evidence.smallest_p or 0.0
    return f"p = {round_p(p)}, corrected{_limit(p, least)}"


def _group_p(evidence: Evidence) -> str:
    p, least = evidence.group_p_value or 0.0, evidence.smallest_group_p or 0.0
    return f"p = {round_p(p)}{_limit(p, least)}"


def _limit(p: float, least: float) -> str:
    """That p could not be much smaller, where few repetitions or rows limit it."""
    # The p of a group that was found without classes is exact, and may be below that of others.
    if not COARSE < least <= LEVEL or not least <= p <= 2 * least:
        return ""
    if round_p(p) == round_p(least):
        return ", the smallest possible here"
    return f", where {round_p(least)} is the smallest possible"


def _again(pattern: Pattern) -> list[str]:
    evidence = _evidence(pattern)
    if evidence.n_subsamples is None:
        return []
    return [f"It was {format_found(evidence.found or 0, evidence.n_subsamples)}"]


def _carriers(pattern: Pattern, n_rows: int) -> str:
    """Carriers of each class, the class with the largest share first."""
    counts = [*_evidence(pattern).carriers] or [
        (label, *count) for label, count in (pattern.carrier_counts or {}).items()
    ]
    if not counts:
        counts = [(None, len(pattern.rows), n_rows)]
    counts = sorted(counts, key=lambda count: -count[1] / max(count[2], 1))
    shown, others = counts[:MOST_CLASSES], counts[MOST_CLASSES:]
    words = [f"{own:,} of {total:,} {_class(label)}" for label, own, total in shown]
    if others:
        own, total = (sum(count[place] for count in others) for place in (1, 2))
        words.append(f"{own:,} of {total:,} others")
    first, carriers = counts[0], sum(count[1] for count in counts)
    is_wide = first[1] > CLASS_WIDE * (first[2] + carriers - first[1]) and len(counts) > 1
    if is_wide:
        words[0] += " (all)" if first[1] == first[2] else " (nearly all)"
    return listed(words)


def _class(label: Any) -> str:
    """A class as a word; a number would be taken for one."""
    if label is None:
        return "rows"
    text = shortened(str(label))
    return text if text[:1].isalpha() else f"of class {text}"
