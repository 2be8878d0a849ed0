"""Are patterns found again in a second cohort? Nothing is searched there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import check_scalar

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._shared._estimators import draw_seed
from bicneuron._shared._formats import LEVEL, counted, format_carriers, round_p, shortened
from bicneuron._shared._html import fragment, sentences, table
from bicneuron._shared._steps import tell_step
from bicneuron._shared._workers import one_blas_thread
from bicneuron.patterns import (
    Pattern,
    carrier_counts,
    class_masks,
    proven_patterns,
)
from bicneuron.persistence import load_model
from bicneuron.replication._column_draws import (
    Compared,
    RandomColumns,
    compared_variances,
    random_columns,
)
from bicneuron.replication._ties import (
    Tie,
    p_value,
    tie_to_class,
    tie_to_number,
    tie_to_survival,
)
from bicneuron.replication._transfer import (
    Transfer,
    TransferredPattern,
    column_weights,
    transfer,
)
from bicneuron.significance import Findings
from bicneuron.significance._known import row_numbers, within_strata
from bicneuron.significance._separate import (
    NO_LEVEL,
    SAFETY,
    Separate,
    in_order,
    separate_in_order,
    sorted_scores,
)

# A pattern is tested if so many of its columns are there, with this share of its weight. Columns
# count that vary and have values in this share of the rows.
LEAST_COLUMNS, LEAST_WEIGHT, LEAST_KNOWN = 5, 0.3, 0.75
# Probability with which the signature of a pattern must tell rows that carry it from others.
LEAST_AGREEMENT = 0.8
FOUND_AGAIN, NOT_FOUND = "found again", "not found again"
NOT_TIED = "its columns move together, but it is not tied to the {} here"
NOT_TESTABLE = "cannot be tested"
# Patterns that a notebook lists.
SHOWN_PATTERNS = 10
# Patterns that are named in one sentence, and classes whose members are counted in it.
MOST, MOST_CLASSES = 5, 4


class Corrected(NamedTuple):
    """P of the three answers about a pattern, corrected for the patterns before it.

    Parameters
    ----------
    together, tied, separate : float or None
        None if it was not asked for, or cannot be tested.
    """

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
    together : Compared or None
        Variance of the scores, with that on random columns.
    p_together : float or None
        P of the first answer: the columns move together as the pattern says.
    p_class, p_outcome : float or None
        P of the tie to the class and to the outcome, against labels in another order and against
        random columns, the larger. None if not asked for.
    p_class_labels_only, p_outcome_labels_only : float or None
        Against labels in another order alone. Not the answer: in real tables most scores are tied
        to most labels, so that a small value says nothing about this pattern.
    separate : Separate or None
        The third answer: p that the rows are not a separate group, or why that cannot be tested.
    levels : array of shape (n_rows,) or None
        Scores that this is tested on: of values, less the median of their stratum.
    p_found : float or None
        P that decides: the larger of the first two, corrected.
    corrected : Corrected
        P of each of the three answers, corrected.
    members_of_classes : tuple of (label, int, int)
        For each class, its rows that are members, and all its rows; empty without classes.
    """

    number: int
    found: TransferredPattern
    reason: str = ""
    together: Compared | None = None
    p_together: float | None = None
    p_class: float | None = None
    p_class_labels_only: float | None = None
    p_outcome: float | None = None
    p_outcome_labels_only: float | None = None
    separate: Separate | None = None
    levels: FloatArray | None = None
    p_found: float | None = None
    corrected: Corrected = NOT_CORRECTED
    members_of_classes: tuple[tuple[Any, int, int], ...] = ()

    @property
    def p_tied(self) -> float | None:
        """P of the second answer: of the tie to the class or, without classes, to the outcome."""
        return self.p_outcome if self.p_class is None else self.p_class

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
            return NOT_TIED.format("outcome" if self.p_class is None else "class")
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
        """What it is and its number, as in "group 1"."""
        return f"{_kind([self])} {self.number}"

    @property
    def carried_there(self) -> str:
        """Rows of the training table that carry it, as in "15 of 50 case"."""
        return _carried(self.found.pattern)

    @property
    def figures(self) -> str:
        """Members, columns, gap and p here, in words; empty if it cannot be tested."""
        found = self.found
        if found.members is None or self.p_found is None:
            return ""
        columns = f"{len(found.here)} of its {len(found.pattern.columns)} columns"
        classes = f"{_by_share(self.members_of_classes)}; " if self.members_of_classes else ""
        line = f"{int(found.members.sum())} of {len(found.members)} rows here ({classes}{columns})"
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
    n_rows : int
        Rows of the cohort.
    n_common : int
        Columns that it shares with the training table.
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
        n_found, n_patterns = len(self.found), len(self.patterns)
        n_other = sum(one.p_found is None for one in self.patterns)
        other = f" ({n_other} cannot be tested)" if n_other else ""
        what = f"{_kind(self.patterns)}{'' if n_patterns == 1 else 's'}"
        return (
            f"{n_found} of {n_patterns} {what} {'is' if n_found == 1 else 'are'} found again{other}"
        )

    @property
    def sentence(self) -> str:
        """The same, and which patterns these are, in one sentence."""
        named = [
            f"{one.name} ({one.carried_there} there) in {one.figures}" for one in self.found[:MOST]
        ]
        if len(self.found) > MOST:
            named.append(f"and {len(self.found) - MOST} more")
        return f"{self.words}: {'; '.join(named)}" if named else self.words

    def plot(self, k: int = 0, *, ax: Any = None) -> Any:
        """Draw the scores of a pattern here and in the training table.

        Parameters
        ----------
        k : int, default=0
            Position of the pattern.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : SeparateDisplay
        """
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


def replicate(  # noqa: PLR0913, PLR0915
    findings: Findings | str | PathLike[str],
    X2: Any,
    y2: Any = None,
    *,
    strata: Any = None,
    groups: Any = None,
    time: Any = None,
    event: Any = None,
    outcome: Any = None,
    ranks: bool | Literal["auto"] = "auto",
    n_draws: int = 999,
    random_state: int | np.random.RandomState | None = None,
) -> Replication:
    """Look for the groups of a table in a second cohort, and test whether they are there.

    Patterns are taken as they are; nothing is searched in the second cohort. Columns are matched by
    name. Those that are absent lower the weight that is present. Rows are scored by the signature
    of a pattern: the factors of its columns, on standard scores within the cohort, of ranks within
    rows where all columns have one unit, so that platform and scale do not matter.

    There are three answers about each pattern, each with its own p:

    - *together*: do its columns move together here as there? Its score varies more than that of the
      same factors on random columns of the cohort.
    - *tied*: are its carriers tied to the class here, too, or to the outcome? Labels in another
      order and random columns are both compared with: in real tables most scores are tied to most
      labels.
    - *separate*: are they a separate group here, or the end of a gradient? `separate_test` on the
      sums of the values themselves.

    A pattern is found again if the first answer is yes and, where classes or an outcome are given,
    the second. The third never decides. P is corrected in the order in which the first cohort
    ranked the patterns: the first is tested at half of the level, the second at a quarter, and so
    on, and one that passes gives its level to the next. Findings of the first cohort come before
    all others.

    Parameters
    ----------
    findings : Findings or path-like
        What `bicneuron.find_groups` returned, or a file of it.
    X2 : frame, array-like or sparse matrix of shape (n_rows, n_columns)
        The second cohort, with columns of the same names; NaN is a missing value. Columns that the
        first cohort did not have are left out.
    y2 : array-like of shape (n_rows,), default=None
        Classes there, if the tie to them is asked for; None and NaN are unknown.
    strata : array-like of shape (n_rows,), default=None
        Such as batches: scores, labels and outcomes are compared within strata only.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group, such as the samples of a patient, count as one for labels and outcomes,
        and in the third answer.
    time, event : array-like of shape (n_rows,), default=None
        Survival: times, and 1 for an event or 0 for a row that was last seen without one.
    outcome : array-like of shape (n_rows,), default=None
        A number, by ranks.
    ranks : bool or "auto", default="auto"
        Whether values are replaced by their ranks within rows. "auto" does if all columns seem to
        have one unit, in both tables.
    n_draws : int, default=999
        Random choices of columns, orders of labels, and draws from a single hump.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same draws on each call.

    Returns
    -------
    Replication

    Examples
    --------
    >>> from bicneuron import Findings, SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.replication import replicate
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X[::2])
    >>> replicate(Findings.untested(miner, X[::2]), X[1::2], random_state=0).words
    '1 of 1 group is found again'
    """
    if isinstance(findings, str | PathLike):
        loaded = load_model(findings)
        findings = loaded[-1] if isinstance(loaded, Pipeline) else loaded
    if not isinstance(findings, Findings):
        raise TypeError(
            f"findings is a {type(findings).__name__}; replicate takes what find_groups returned, "
            "Findings.untested(miner, X) of a fitted SubgroupBiclustering, or a file of either."
        )
    check_scalar(n_draws, "n_draws", Integral, min_val=1)
    if ranks not in (True, False, "auto"):
        raise ValueError(f"ranks is {ranks!r}; give True, False or 'auto'.")
    if outcome is not None and (time is not None or event is not None):
        raise ValueError("outcome and time with event are both given; give one of them.")
    made = transfer(findings, X2, ranks=ranks)
    n_rows, n_common = made.Z.shape
    asked = {"strata": strata, "groups": groups, "n_rows": n_rows}
    by_outcome = None
    if time is not None or event is not None:
        by_outcome = tie_to_survival(time, event, **asked)
    elif outcome is not None:
        by_outcome = tie_to_number(outcome, **asked)
    anchors = {one.pattern.anchor_class for one in made.patterns}
    by_class = {} if y2 is None else {name: tie_to_class(y2, name, **asked) for name in anchors}
    in_class = {} if y2 is None else class_masks(np.ravel(np.asarray(y2, object)), n_rows)
    of_strata = row_numbers(strata, n_rows, "strata")
    seed = draw_seed(random_state)
    random = np.random.default_rng(seed)
    results, known = [], {}
    with one_blas_thread():
        draws = random_columns(made, of_strata, n_draws, random)
        for k, found in enumerate(made.patterns):
            places = np.flatnonzero(made.known[found.here] >= LEAST_KNOWN)
            one = ReplicatedPattern(k + 1, found, _reason(found, places, n_rows))
            if found.members is not None:
                counts = carrier_counts(found.members, in_class).items()
                one = replace(one, members_of_classes=tuple((name, *n) for name, n in counts))
            if not one.reason:
                tied = by_class.get(found.pattern.anchor_class)
                one = _tested(one, places, draws, of_strata, tied, by_outcome, random)
                levels, known[k] = _levels(found, places, made, strata, groups)
                one = replace(one, levels=levels)
            results.append(one)
            tell_step(k + 1, len(made.patterns))
    proven = set(map(id, proven_patterns([one.pattern for one in made.patterns])))
    results.sort(key=lambda one: (id(one.found.pattern) not in proven, one.number))
    corrected, needed = _corrected(results, known, n_draws, seed)
    patterns = tuple(sorted(corrected, key=lambda one: one.number))
    notes = _notes(made)
    return Replication(patterns, n_rows, n_common, made.is_ranked, n_draws, notes, needed)


def _reason(found: TransferredPattern, places: IndexArray, n_rows: int) -> str:
    """Why a pattern cannot be tested, or nothing."""
    weight = found.weight_present * float(column_weights(found.signature)[places].sum())
    if len(places) < LEAST_COLUMNS or weight < LEAST_WEIGHT:
        with_values = ""
        if len(places) < len(found.here):
            with_values = f" and vary, with values in {LEAST_KNOWN:.0%} of the rows"
        return (
            f"{len(places)} of its {len(found.pattern.columns)} columns are here{with_values}, "
            f"with {100 * weight:.0f} % of its weight; {LEAST_COLUMNS} columns and "
            f"{100 * LEAST_WEIGHT:.0f} % are needed"
        )
    if found.members is None:
        return f"there are {n_rows} rows, too few for tests; 20 are needed"
    if np.isnan(found.agreement):
        return "no row, or every row, of the training table carries it"
    if found.agreement < LEAST_AGREEMENT:
        return (
            "its columns have no direction that tells who carries it: it is curved, or a matter of "
            f"levels (a row that carries it is above another in {found.agreement:.0%} of pairs "
            f"there; {LEAST_AGREEMENT:.0%} are needed)"
        )
    return ""


def _tested(
    one: ReplicatedPattern,
    places: IndexArray,
    draws: RandomColumns,
    strata: IndexArray,
    by_class: Tie | None,
    by_outcome: Tie | None,
    random: np.random.Generator,
) -> ReplicatedPattern:
    """The pattern with its first two answers, not yet corrected for the others."""
    here, signature = one.found.here[places], one.found.signature.take(places)
    S = draws.values(signature, here, strata)
    together = compared_variances(S)
    own = within_strata(signature.values(np.take(draws.Z, here, axis=1)), strata)
    unknown: tuple[float | None, float | None] = (None, None)
    of_class = by_class.p_values(own, S[:, 1:], random) if by_class else unknown
    of_outcome = by_outcome.p_values(own, S[:, 1:], random) if by_outcome else unknown
    return replace(
        one,
        together=together,
        p_together=p_value(*together),
        p_class_labels_only=of_class[0],
        p_class=of_class[1],
        p_outcome_labels_only=of_outcome[0],
        p_outcome=of_outcome[1],
    )


def _levels(
    found: TransferredPattern, places: IndexArray, made: Transfer, strata: Any, groups: Any
) -> tuple[FloatArray | None, tuple[FloatArray, str]]:
    """Scores of rows for the third answer, and these sorted or why it cannot be given."""
    signature = found.signature.take(places)
    if not signature.is_linear:
        return None, (np.empty(0), NO_LEVEL)
    sums = signature.values(np.take(made.levels, found.here[places], axis=1))
    levels = sums - signature.linear.sum() * made.row_means
    known = sorted_scores(levels, strata, groups)
    # Of counts or 0 and 1, rows differ in their means only: equal sums are seen without these.
    reason = sorted_scores(sums, strata, groups)[1] if made.is_ranked else ""
    if reason:
        return levels, (known[0], reason)
    return within_strata(levels, row_numbers(strata, len(levels), "strata"), np.median), known


def _corrected(
    results: Sequence[ReplicatedPattern],
    known: Mapping[int, tuple[FloatArray, str]],
    n_draws: int,
    seed: int,
) -> tuple[list[ReplicatedPattern], tuple[str, ...]]:
    """Correct each answer for the patterns before it; and say where draws are too few."""
    p_values = np.array([(one.p_together, one.p_tied) for one in results], np.float64)
    p_together, p_tied = p_values.reshape(-1, 2).T  # None is NaN
    # Without classes and outcome, the first answer decides alone.
    p_found = np.fmax(p_together, p_tied)
    asked = [known.get(one.number - 1, (np.empty(0), one.reason)) for one in results]
    separate, separate_corrected = separate_in_order(asked, n_draws, seed)
    # One that is not tested, because of those before it, has its place in the order.
    p_separate = np.where(np.isnan(separate_corrected), np.nan, 1.0)
    for k, answer in enumerate(separate):
        p_separate[k] = p_separate[k] if answer.p_value is None else answer.p_value
    corrected = np.column_stack(
        [*(in_order(p) for p in (p_found, p_together, p_tied)), separate_corrected]
    )
    names = [one.name for one in results]
    needed = (
        _draws_needed(names, p_found, corrected[:, 0], n_draws),
        _draws_needed(names, p_separate, separate_corrected, n_draws, " as separate", SAFETY),
    )
    with_p = []
    for one, answer, row in zip(results, separate, corrected.tolist(), strict=True):
        first, *rest = (None if np.isnan(p) else p for p in row)
        if one.reason or answer.reason:
            rest[-1] = None
        told = None if one.reason else answer
        with_p.append(replace(one, p_found=first, separate=told, corrected=Corrected(*rest)))
    return with_p, tuple(filter(None, needed))


def _draws_needed(
    names: Sequence[str],
    p_values: FloatArray,
    corrected: FloatArray,
    n_draws: int,
    what: str = "",
    factor: float = 1.0,
) -> str:
    """Say how many draws are needed where p is as small as it can be, and too large; or nothing."""
    tested = np.flatnonzero(~np.isnan(p_values))
    smallest = factor / (1 + n_draws) * (1 + 1e-9)
    is_limited = (p_values[tested] <= smallest) & (corrected[tested] > LEVEL)
    limited = np.flatnonzero(is_limited).tolist()
    if not limited:
        return ""
    # The level of each is half of that of the one before it, but for the last; see `in_order`.
    n_halvings = min(limited[0] + 1, len(tested) - 1)
    n_needed = int(np.ceil(factor * 2**n_halvings / LEVEL - 1e-6)) - 1
    more = f", nor {counted(len(limited) - 1, 'pattern')} after it" if limited[1:] else ""
    return (
        f"{names[tested[limited[0]]]} cannot be shown{what} with {n_draws:,} draws{more}; "
        f"{n_needed:,} are needed"
    )


def _notes(made: Transfer) -> tuple[str, ...]:
    """What a reader has to know of the cohort."""
    n_rows = len(made.Z)
    if made.n_training_rows:
        return (
            f"{made.n_training_rows} of {n_rows} rows are rows of the training table, which "
            "cannot show that a pattern is found again",
        )
    if made.n_training_names:
        return (
            f"{made.n_training_names} of {n_rows} row names are those of training rows; if they "
            "are the same patients, this is not a second cohort",
        )
    return ()


def _kind(patterns: Sequence[ReplicatedPattern]) -> str:
    """What patterns are called: groups if all of them are, and otherwise patterns."""
    are_groups = all(one.found.pattern.axis is not None for one in patterns)
    return "group" if patterns and are_groups else "pattern"


def _carried(pattern: Pattern) -> str:
    """Rows that carry a pattern there: "15 of 50 case"."""
    counts = pattern.carrier_counts
    if counts is None:
        return f"{len(pattern.rows)} rows"
    if pattern.anchor_class not in counts:
        return _by_share([(label, *count) for label, count in counts.items()])
    own, size = counts[pattern.anchor_class]
    name = "" if pattern.anchor_class is None else f" {shortened(str(pattern.anchor_class))}"
    return f"{own} of {size}{name}"


def _by_share(counts: Sequence[tuple[Any, int, int]]) -> str:
    """Rows of classes that carry a pattern, the class with the largest share first."""
    ordered = sorted(counts, key=lambda count: -count[1] / max(count[2], 1))
    more = ", ..." if len(ordered) > MOST_CLASSES else ""
    named = [(_as_word(label), *count) for label, *count in ordered[:MOST_CLASSES]]
    return f"{format_carriers(named)}{more}"


def _as_word(label: Any) -> Any:
    """A class in a sentence, where a number would be taken for one."""
    if label is None:
        return None
    text = shortened(str(label))
    return text if text[:1].isalpha() else f"of class {text}"


def _is_small(p: float | None) -> bool:
    return p is not None and p <= LEVEL
