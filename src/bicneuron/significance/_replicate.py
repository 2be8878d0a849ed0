"""Are patterns found again in a second cohort? Nothing is searched there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy.stats import rankdata
from sklearn.utils import check_scalar

from bicneuron._estimators._seed import draw_seed
from bicneuron._estimators._workers import one_blas_thread
from bicneuron._writing._formats import LEVEL, counted, format_carriers, round_p, shortened
from bicneuron._writing._html import display, fragment, picture, sentences, table
from bicneuron.patterns import (
    Pattern,
    Transfer,
    TransferredPattern,
    carrier_counts,
    check_patterns,
    class_masks,
)
from bicneuron.significance._column_draws import (
    Compared,
    RandomColumns,
    compare_signature,
    random_columns,
)
from bicneuron.significance._enrichment import family_p_values
from bicneuron.significance._ties import (
    Tie,
    p_value,
    tie_to_class,
    tie_to_number,
    tie_to_survival,
)

# A pattern is tested if so many of its columns are there, with this share of its weight.
LEAST_COLUMNS, LEAST_WEIGHT = 5, 0.3
# Probability with which the signature of a pattern must tell rows that carry it from others.
LEAST_AGREEMENT = 0.8
FOUND_AGAIN, NOT_FOUND = "found again", "not found again"
TOGETHER = "its columns move together, but there is no clear group"
NOT_TESTABLE = "cannot be tested"
# Patterns that a notebook lists.
SHOWN_PATTERNS = 10
# Patterns that are named in one sentence, and classes whose members are counted in it.
MOST, MOST_CLASSES = 5, 4


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
    together, group : Compared or None
        Statistics of both tests, with their draws.
    p_together, p_group : float or None
        P of the two tests: the columns move together as the pattern says; they split the rows into
        two groups. None if it cannot be tested.
    null : {"random columns", "one hump"} or None
        What the split was compared with.
    p_adjusted : float or None
        P of both, the larger, corrected step by step for all patterns.
    p_together_adjusted : float or None
        P of the first alone, corrected likewise.
    members_of_classes : tuple of (label, int, int)
        For each class, its rows that are members, and all its rows; empty without classes.
    p_class, p_outcome : float or None
        P of the tie to the class and to the outcome, against labels in another order and against
        random columns, the larger. None if not asked for.
    p_class_labels_only, p_outcome_labels_only : float or None
        Against labels in another order alone. Not the answer: in real tables most scores are tied
        to most labels, so that a small value says nothing about this pattern.
    """

    number: int
    found: TransferredPattern
    reason: str = ""
    together: Compared | None = None
    group: Compared | None = None
    p_together: float | None = None
    p_group: float | None = None
    null: str | None = None
    p_adjusted: float | None = None
    p_together_adjusted: float | None = None
    members_of_classes: tuple[tuple[Any, int, int], ...] = ()
    p_class: float | None = None
    p_class_labels_only: float | None = None
    p_outcome: float | None = None
    p_outcome_labels_only: float | None = None

    @property
    def is_found(self) -> bool:
        """True if both tests say so, corrected for all patterns."""
        return self.p_adjusted is not None and self.p_adjusted <= LEVEL

    @property
    def verdict(self) -> str:
        """What the tests say, in words."""
        if self.p_adjusted is None or self.p_together_adjusted is None:
            return NOT_TESTABLE
        if self.is_found:
            return FOUND_AGAIN
        return TOGETHER if self.p_together_adjusted <= LEVEL else NOT_FOUND

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
        if found.members is None or self.p_adjusted is None:
            return ""
        columns = f"{len(found.here)} of its {len(found.pattern.columns)} columns"
        classes = f"{_by_share(self.members_of_classes)}; " if self.members_of_classes else ""
        line = f"{int(found.members.sum())} of {len(found.members)} rows here ({classes}{columns})"
        if found.gap_here is not None:
            there = "" if found.gap_there is None else f" ({found.gap_there:.1f} there)"
            line += f", gap {found.gap_here:.1f} standard deviations{there}"
        return f"{line}, p = {round_p(self.p_adjusted)}"

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
        In the order of the model.
    n_rows : int
        Rows of the cohort.
    n_common : int
        Columns that it shares with the training table.
    ranks : bool
        True if ranks within rows were taken.
    n_draws : int
    notes : tuple of str
        What a reader has to know, such as rows that are in both tables.
    """

    patterns: tuple[ReplicatedPattern, ...]
    n_rows: int
    n_common: int
    ranks: bool
    n_draws: int
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> tuple[ReplicatedPattern, ...]:
        """Patterns that are found again."""
        return tuple(one for one in self.patterns if one.is_found)

    @property
    def words(self) -> str:
        """How many patterns are found again, in one line."""
        n_found, n_patterns = len(self.found), len(self.patterns)
        n_other = sum(one.p_adjusted is None for one in self.patterns)
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
        display : CohortScoresDisplay
        """
        return display("CohortScoresDisplay").from_result(self, k, ax=ax)

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence, a verdict for each pattern, and a plot."""
        rows = [
            (one.number, one.carried_there, one.verdict, one.figures or one.reason)
            for one in self.patterns[:SHOWN_PATTERNS]
        ]
        parts = [sentences(f"{self.words}, in {self.n_rows} rows.", *self.notes)]
        if rows:
            parts.append(table(("pattern", "carried there by", "here", ""), rows))
        n_more = len(self.patterns) - len(rows)
        parts += [sentences(f"And {counted(n_more, 'more pattern')}.")] if n_more else []
        tested = [one for one in self.patterns if not one.reason]
        if tested:
            first = (*self.found, *tested)[0]
            label = f"Scores of {first.name}"
            drawn = picture(lambda ax: self.plot(first.number - 1, ax=ax), label)
            parts += [sentences(f"{label}:"), drawn]
        return fragment(*parts)

    def __repr__(self) -> str:
        return f"<Replication: {self.words}, in {self.n_rows} rows>"


def replicate(
    model: Any,
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
    after_patterns: Callable[[int, int], None] | None = None,
) -> Replication:
    """Look for the patterns of a model in a second cohort, and test whether they are there.

    Patterns are taken as they are; nothing is searched in the second cohort. Columns are matched by
    name. Those that are absent lower the weight that is present. Rows are scored by the signature
    of a pattern: the factors of its columns, on standard scores within the cohort, of ranks within
    rows where all columns have one unit, so that platform and scale do not matter.

    A pattern is found again if both of these hold, corrected for all patterns:

    - its columns move *together* as the pattern says: its score varies more than that of the same
      factors on random columns of the cohort;
    - they show a *group*: its score splits the rows more clearly than that of random columns. Where
      random columns show the same structure, as in a panel of markers, two groups must describe it
      better than a single hump does, however skewed or heavy-tailed; ``null`` says which it was.

    A tie to labels needs random columns as well: in real tables most scores are tied to most
    labels.

    Parameters
    ----------
    model : a miner, BicNeuronNetwork, BicNeuronClassifier or BicNeuronClassifierCV
        Fitted, or loaded from a file.
    X2 : frame, array-like or sparse matrix of shape (n_rows, n_columns)
        The second cohort, with columns of the same names; NaN is a missing value. Columns that the
        model does not know are left out.
    y2 : array-like of shape (n_rows,), default=None
        Classes there, if the tie to them is asked for; None and NaN are unknown.
    strata : array-like of shape (n_rows,), default=None
        Labels and outcomes are compared within strata only, such as batches.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group, such as the samples of a patient, count as one for labels and outcomes.
    time, event : array-like of shape (n_rows,), default=None
        Survival: times, and 1 for an event or 0 for a row that was last seen without one.
    outcome : array-like of shape (n_rows,), default=None
        A number, by ranks.
    ranks : bool or "auto", default="auto"
        Whether values are replaced by their ranks within rows. "auto" does if all columns seem to
        have one unit, in both tables.
    n_draws : int, default=999
        Random choices of columns, and orders of labels.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same draws on each call.
    after_patterns : callable, default=None
        Called with the number of patterns that are done and the number of all.

    Returns
    -------
    Replication

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import replicate
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=2).fit(X[::2])
    >>> replicate(miner, X[1::2], random_state=0).words
    '1 of 2 groups is found again'
    """
    check_patterns(model, "replicate")
    check_scalar(n_draws, "n_draws", Integral, min_val=1)
    if ranks not in (True, False, "auto"):
        raise ValueError(f"ranks is {ranks!r}; give True, False or 'auto'.")
    if outcome is not None and (time is not None or event is not None):
        raise ValueError("outcome and time with event are both given; give one of them.")
    made: Transfer = model.transfer(X2, ranks=ranks)
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
    random = np.random.default_rng(draw_seed(random_state))
    results = []
    with one_blas_thread():
        draws = random_columns(made, n_draws, random)
        for k, found in enumerate(made.patterns):
            one = ReplicatedPattern(k + 1, found, _reason(found, n_rows))
            if found.members is not None:
                counts = carrier_counts(found.members, in_class).items()
                one = replace(one, members_of_classes=tuple((name, *n) for name, n in counts))
            if not one.reason:
                tied = by_class.get(found.pattern.anchor_class)
                one = _tested(one, draws, tied, by_outcome, random)
            results.append(one)
            if after_patterns is not None:
                after_patterns(k + 1, len(made.patterns))
    notes = _notes(made)
    return Replication(tuple(_adjusted(results)), n_rows, n_common, made.is_ranked, n_draws, notes)


def _reason(found: TransferredPattern, n_rows: int) -> str:
    """Why a pattern cannot be tested, or nothing."""
    n_present, weight = len(found.here), found.weight_present
    if n_present < LEAST_COLUMNS or weight < LEAST_WEIGHT:
        return (
            f"{n_present} of its {len(found.pattern.columns)} columns are here, with "
            f"{100 * weight:.0f} % of its weight; {LEAST_COLUMNS} columns and "
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
    draws: RandomColumns,
    by_class: Tie | None,
    by_outcome: Tie | None,
    random: np.random.Generator,
) -> ReplicatedPattern:
    """The pattern with all tests, not yet corrected for the others."""
    found = one.found
    tested = compare_signature(found.signature, found.here, draws, random)
    values = found.signature.values(np.take(draws.Z, found.here, axis=1))
    unknown: tuple[float | None, float | None] = (None, None)
    of_class = by_class.p_values(values, tested.drawn, random) if by_class else unknown
    of_outcome = by_outcome.p_values(values, tested.drawn, random) if by_outcome else unknown
    return replace(
        one,
        together=tested.together,
        group=tested.group,
        p_together=p_value(*tested.together),
        p_group=p_value(*tested.group),
        null=tested.null,
        p_class_labels_only=of_class[0],
        p_class=of_class[1],
        p_outcome_labels_only=of_outcome[0],
        p_outcome=of_outcome[1],
    )


def _adjusted(results: list[ReplicatedPattern]) -> list[ReplicatedPattern]:
    """Correct for all patterns: of each test by itself, then the larger p of the two."""
    tested = [one for one in results if not one.reason]
    if not tested:
        return results
    families = []
    for compared in ([one.together for one in tested], [one.group for one in tested]):
        values = np.array([np.append(one.observed, one.draws) for one in compared if one])
        # Equal values may differ in their last bits.
        largest = np.maximum(np.abs(values).max(axis=1, keepdims=True), np.finfo(float).tiny)
        p = rankdata(-np.round(values / largest, 9), method="max", axis=1) / values.shape[1]
        families.append(family_p_values(p[:, 0], p[:, 1:].T))
    adjusted = zip(np.maximum(*families).tolist(), families[0].tolist(), strict=True)
    return [one if one.reason else _with_adjusted(one, *next(adjusted)) for one in results]


def _with_adjusted(one: ReplicatedPattern, both: float, together: float) -> ReplicatedPattern:
    return replace(one, p_adjusted=both, p_together_adjusted=together)


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
            "are the same patients, this is no second cohort",
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
