"""The answer: what was found and what was tested of it, in the same words everywhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bicneuron._shared._formats import (
    COARSE,
    LEVEL,
    counted,
    format_carriers,
    listed,
    round_p,
    shortened,
)
from bicneuron.patterns._evidence import Evidence
from bicneuron.patterns._pattern import Pattern

MOST_NAMES, FEWER_NAMES = 6, 4  # columns that are named of one finding, and of each of several
# Findings that are described one by one, patterns of a model that predicts, and classes.
MOST_FINDINGS, MOST_PATTERNS, MOST_CLASSES = 5, 10, 4
FEW_ROWS = 20  # below which hardly any group can be told from chance
FEW_SHARED = 0.1  # of the rows that two sides of a split have in common, at most

# All that is claimed of groups; docs/guide/how_sure.md has the test behind each sentence.
TIED = "more often {label} than chance gives (p = {p}, corrected for all groups)"
UNEVEN = (
    "spread over the classes more unevenly than chance gives (p = {p}, corrected for all groups)"
)
DIFFERENT = "{medians} ({size}; p = {p}, corrected for all groups)"
SEPARATE = "they are a separate group (p = {p}, corrected for the groups before it)"
GRADIENT = "they may be the end of a gradient (p = {p} of a separate group)"
NOT_ASKED = "whether they are a separate group or the end of a gradient was not tested: {reason}"
COLUMNS = "differ from the other rows in {n} of {total} ({names})"
FRAGILE = (
    "fragile: leaving out a fifth of the rows loses it (found again in {found} of {folds} folds); "
    "take it as a lead"
)
NO_COLUMNS = "no column differs in rows that did not choose it; take it as a lead"
CLASSES = "the classes differ in {n} of {total} (false discovery rate 5 %)"
DIFFERENCE = f"{CLASSES}; no separate group inside a class was shown"


@dataclass(frozen=True)
class Answer:
    """What patterns with evidence, findings first, say of a table."""

    patterns: Sequence[Pattern]
    names: Sequence[str]
    n_rows: int
    set_aside: Sequence[str] = ()
    class_columns: int | None = None

    @property
    def lines(self) -> list[str]:
        """The answer, each sentence or finding in a line of its own."""
        found = [one for one in self.patterns if one.kind != "class"]
        told = proven_patterns(found) or significant_patterns(found)
        lines = self._told(told) if told else [self._none_told(found)]
        lines += self._others(found, told)
        if self.class_columns is not None:
            differences = [_evidence(one).is_class_difference for one in told]
            n, are_all = f"{self.class_columns:,}", differences and all(differences)
            claim = (DIFFERENCE if are_all else CLASSES).format(n=n, total=self._n_columns)
            # Groups that are a part of the difference come after it.
            lines.insert(0 if any(differences) else len(lines), f"{claim.capitalize()}.")
        if self.set_aside:
            lines.append(f"{listed(self.set_aside).capitalize()} were set aside.")
        effects = [_evidence(one).effect for one in found]
        if unknown := next((one.unknown_words for one in effects if one is not None), ""):
            lines.append(f"Not tested: {unknown}.")
        return lines

    @property
    def _n_columns(self) -> str:
        return counted(len(self.names), "column")

    @property
    def _noun(self) -> str:
        return "group" if all(one.axis is not None for one in self.patterns) else "pattern"

    def _told(self, told: Sequence[Pattern]) -> list[str]:
        """Findings; where there are none, patterns that only passed the test against chance."""
        if len(told) == 1:
            return [f"{self._claims(told[0], MOST_NAMES)}."]
        lines = [f"{len(told)} {self._noun}s are {_passed(told[0])}:"]
        for number, one in enumerate(self.patterns, start=1):
            if one in told[:MOST_FINDINGS]:
                lines.append(f"{number}. {self._claims(one, FEWER_NAMES)}.")
        return lines

    def _claims(self, one: Pattern, most: int) -> str:
        """All that is claimed of a pattern that passed the test against chance."""
        evidence = _evidence(one)
        part = "Part of this difference: " if evidence.is_class_difference else ""
        sentence = f"{part}{self._differ(one, most)}: {tie_words(one)}"
        if evidence.is_fragile:
            lost = FRAGILE.format(found=evidence.n_found, folds=evidence.n_folds)
            return f"{sentence}. But it is {lost}"
        if evidence.proven_columns == ():
            return f"{sentence}. But {NO_COLUMNS}"
        if evidence.proven_columns is None:
            sentence += ". Its columns were not tested"
        if evidence.family_p_value is not None:
            words = separate_words(evidence)
            sentence += f". {words[0].upper()}{words[1:]}"
        return sentence.rstrip(".")

    def _none_told(self, found: Sequence[Pattern]) -> str:
        """The answer where nothing passed a test, or nothing was tested or found."""
        noun = self._noun
        if not found:
            rows = counted(self.n_rows, "row")
            if self.n_rows < FEW_ROWS:
                return f"No {noun} was found: {rows} are too few to tell one from chance."
            size = f"{rows} and {self._n_columns}"
            return f"No {noun} was found in {size}: no rows share columns that others do not."
        if not any(_evidence(one).is_tested for one in found):
            return f"{self._differ(found[0])}. This was not tested against chance."
        clearest = max(found, key=lambda one: one.strength)
        evidence = _evidence(clearest)
        seen = f"The strongest: {self._differ(clearest)}; {_p_words(evidence)}."
        if evidence.family_p_value is None:
            return f"No {noun} here was shown to be separate from the other rows. {seen}"
        if (evidence.smallest_p or 0.0) > LEVEL:
            sizes = [f"{total:,} {class_words(label)}" for label, _, total in evidence.carriers]
            return f"Too few rows to tell whether this is chance: {listed(sizes)}. {seen}"
        what = "a class" if evidence.effect is None else evidence.tied_to
        return f"No {noun} here is tied to {what} more than chance gives. {seen}"

    def _others(self, found: Sequence[Pattern], told: Sequence[Pattern]) -> list[str]:
        """How many patterns are not in the lines before."""
        lines = []
        if len(told) > MOST_FINDINGS:
            lines.append(f"And {len(told) - MOST_FINDINGS:,} more like these.")
        rest = [one for one in found if one not in told]
        sides = [one for one in rest if any(is_other_side(one, of) for of in told)]
        leads = [one for one in rest if one not in sides and _evidence(one).is_significant]
        n_seen = len(rest) - len(sides) - len(leads) - (not told)
        if sides:
            are = "is the other side" if len(sides) == 1 else "are other sides"
            lines.append(f"{len(sides):,} more {are} of {'it' if len(told) == 1 else 'these'}.")
        if leads:
            are, what = "are", "leads, not findings"
            if len(leads) == 1:
                are, what = "is", "a lead, not a finding"
            lines.append(f"{len(leads):,} more {are} {_passed(leads[0])}, but {what}.")
        if n_seen > 0:
            is_tested = any(_evidence(one).is_tested for one in found)
            how = "shown to be separate" if is_tested else "tested"
            if any(_evidence(one).family_p_value is not None for one in found):
                how = "clearer than chance or clearer groups give"
            lines.append(f"{n_seen:,} more {'was' if n_seen == 1 else 'were'} seen, not {how}.")
        return lines

    def _differ(self, pattern: Pattern, most: int = MOST_NAMES) -> str:
        """Who differs from the others in which columns."""
        carriers, named = _carriers(pattern, self.n_rows), pattern.named_columns
        carriers = f"{shortened(pattern.name)}: {carriers}" if pattern.name else carriers
        if not len(named):
            is_tested = _evidence(pattern).proven_columns is not None
            what = "evidence of its own" if is_tested else "a clear difference"
            size = f"{len(pattern.columns):,} of {self._n_columns}"
            return f"{carriers} share {size}, none with {what}"
        n, names = f"{len(named):,}", self._columns(pattern, named, most)
        differ = COLUMNS.format(n=n, total=self._n_columns, names=names)
        if pattern.kind == "coexpressed":
            differ = differ.replace("differ from the other rows in", "rise and fall together in")
        return f"{carriers} {differ}"

    def _columns(self, pattern: Pattern, order: Any, most: int) -> str:
        """The names of columns, the clearest first, those of one direction together."""
        names = [shortened(self.names[column]) for column in pattern.columns[order].tolist()]
        n_shown = most if len(names) > most + 2 else len(names)
        words = pattern.direction_words or [""] * len(pattern.columns)
        ways = [words[place] for place in order.tolist()]
        told = []
        for word in dict.fromkeys(ways):  # that of the first column first
            own = [name for name, way in zip(names, ways, strict=True) if way == word]
            shown = own[: ways[:n_shown].count(word)]
            more = ["..."] if len(shown) < len(own) else []
            columns = ", ".join([*shown, *more]) if shown else f"{len(own):,}"
            told.append(f"{columns} {word}".rstrip())
        return "; ".join(told)


def _evidence(pattern: Pattern) -> Evidence:
    return pattern.evidence or Evidence()


def significant_patterns(patterns: Sequence[Pattern]) -> list[Pattern]:
    """Patterns that passed the test against chance; of the two sides of a split, the first."""
    return _distinct([one for one in patterns if _evidence(one).is_significant])


def proven_patterns(patterns: Sequence[Pattern]) -> list[Pattern]:
    """Findings: see `Evidence.is_finding`; of the two sides of a split, the first."""
    return _distinct([one for one in patterns if _evidence(one).is_finding])


def _distinct(patterns: Sequence[Pattern]) -> list[Pattern]:
    distinct: list[Pattern] = []
    for one in patterns:
        if not any(is_other_side(one, of) for of in distinct):
            distinct.append(one)
    return distinct


def is_other_side(pattern: Pattern, of: Pattern) -> bool:
    """True if a pattern is a clearer one's other side: other rows, opposite in most columns."""
    if not len(pattern.weights) or not len(of.weights):
        return False
    shared, own, others = np.intersect1d(pattern.columns, of.columns, return_indices=True)
    opposite = int(np.count_nonzero(pattern.weights[own] * of.weights[others] < 0))
    n_rows = len(np.intersect1d(pattern.rows, of.rows))
    return (
        n_rows <= FEW_SHARED * min(len(pattern.rows), len(of.rows))
        and 2 * len(shared) >= min(len(pattern.columns), len(of.columns))
        and opposite >= (1 - FEW_SHARED) * len(shared)
    )


def _passed(pattern: Pattern) -> str:
    """The test against chance that a pattern passed, in short."""
    evidence = _evidence(pattern)
    is_tied = evidence.family_p_value is not None
    return f"tied to {evidence.tied_to}" if is_tied else "separate from the other rows"


def tie_words(pattern: Pattern) -> str:
    """What the test against chance says of a pattern that was tested, in words."""
    evidence = _evidence(pattern)
    p = evidence.family_p_value
    if p is None:
        return separate_words(evidence).removeprefix("they are ").removeprefix("they ")
    if p > LEVEL:
        what = "a class" if evidence.effect is None else evidence.tied_to
        return f"not tied to {what} more than chance gives ({_p_words(evidence)})"
    told = f"{round_p(p)}{_limit(evidence)}"
    if evidence.effect is not None:
        medians, size = evidence.effect.medians, evidence.effect.size_words
        return DIFFERENT.format(medians=medians, size=size, p=told)
    shares = {label: own / max(total, 1) for label, own, total in evidence.carriers}
    label = max(shares, key=shares.__getitem__, default=None)
    claim = TIED if len(shares) == 2 else UNEVEN
    return claim.format(label=class_words(label), p=told)


def separate_words(evidence: Evidence) -> str:
    """Whether the rows are a separate group, in words."""
    if evidence.separate_p is None:
        return NOT_ASKED.format(reason=evidence.separate_reason or "only find_groups tests it")
    claim = SEPARATE if evidence.is_separate else GRADIENT
    return claim.format(p=round_p(evidence.separate_p))


def _p_words(evidence: Evidence) -> str:
    if evidence.family_p_value is None:
        return separate_words(evidence)
    effect = "" if evidence.effect is None else f"{evidence.effect.words}; "
    return f"{effect}p = {round_p(evidence.family_p_value)}, corrected{_limit(evidence)}"


def _limit(evidence: Evidence) -> str:
    """That p could not be much smaller, where few repetitions or rows limit it."""
    p, least = evidence.family_p_value or 0.0, evidence.smallest_p or 0.0
    # The p of a group that was found without classes is exact, and may be below that of others.
    if not COARSE < least <= LEVEL or not least <= p <= 2 * least:
        return ""
    if round_p(p) == round_p(least):
        return ", the smallest possible here"
    return f", where {round_p(least)} is the smallest possible"


def _carriers(pattern: Pattern, n_rows: int) -> str:
    """Carriers of each class, the class with the largest share first."""
    counted_rows = [(label, *n) for label, n in (pattern.carrier_counts or {}).items()]
    counts = _evidence(pattern).carriers or counted_rows or [(None, len(pattern.rows), n_rows)]
    counts = sorted(counts, key=lambda count: (-count[1] / max(count[2], 1), -count[1]))
    shown, others = counts[:MOST_CLASSES], counts[MOST_CLASSES:]
    words = [f"{own:,} of {total:,} {class_words(label)}" for label, own, total in shown]
    if others:
        own, total = (sum(count[place] for count in others) for place in (1, 2))
        words.append(f"{own:,} of {total:,} others")
    return listed(words)


def class_words(label: Any) -> str:
    """A class as a word; a number would be taken for one."""
    if label is None:
        return "rows"
    text = shortened(str(label))
    return text if text[:1].isalpha() else f"of class {text}"


def model_lines(patterns: Sequence[Pattern], names: Sequence[str], n_rows: int) -> list[str]:
    """One line about each pattern; only how many there are if they are many."""
    if len(patterns) > MOST_PATTERNS:
        return [f"{len(patterns):,} patterns decide together."]
    lines = []
    if all(one.kind == "class" for one in patterns):
        size = f"{counted(n_rows, 'row')} and {counted(len(names), 'column')}"
        lines.append(f"No pattern that predicts the class was found in {size}.")
    for number, pattern in enumerate(patterns, start=1):
        told = [_ranked(pattern, names), _origin(pattern), *pattern_facts(pattern)]
        lines.append(f"{number}. {'; '.join(told)}")
    return lines


def pattern_facts(pattern: Pattern) -> list[str]:
    """Who carries a pattern on rows left out, how often it was chosen again, and its exact p."""
    if pattern.kind == "class":  # no pattern: the score tells all
        return []
    evidence, facts = _evidence(pattern), []
    if evidence.left_out:
        own_first = sorted(evidence.left_out, key=lambda one: one[0] != pattern.anchor_class)
        facts.append(f"carried on rows left out by {format_carriers(own_first)}")
    if evidence.n_folds is not None:
        facts.append(f"chosen again in {evidence.n_found} of {evidence.n_folds} folds")
    if evidence.family_p_value is not None and evidence.carriers:
        facts.append(tie_words(pattern))
    return facts


def _ranked(pattern: Pattern, names: Sequence[str]) -> str:
    columns = [shortened(names[column]) for column in pattern.ranked_columns.tolist()]
    if pattern.kind == "class":
        return f"one neuron on all {counted(len(columns), 'column')}"
    more = ", ..." if len(columns) > MOST_NAMES else ""
    return f"{counted(len(columns), 'column')} ({', '.join(columns[:MOST_NAMES])}{more})"


def _origin(pattern: Pattern) -> str:
    """Its share in a network, or the rows that a neuron was trained on."""
    if pattern.neuron is not None and len(pattern.neuron.weight):
        share = pattern.strength
        return f"{'under 1' if 0 < share < 0.005 else f'{100 * share:.0f}'} % of the decision"
    other = pattern.contrast_class
    others = "others" if other is None else f"of {shortened(str(other))}"
    own = f"{counted(len(pattern.rows), 'row')} of {shortened(str(pattern.anchor_class))}"
    return f"learned from {own} and {len(pattern.contrast_rows):,} {others}"
