"""The protocol of ``bicneuron find``: which groups of a search are findings."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron.patterns import Pattern, PatternModel, class_masks, significant_patterns
from bicneuron.significance._columns import (
    LEAST_ROWS,
    ColumnEvidence,
    class_columns,
    column_evidence,
)
from bicneuron.significance._known import row_numbers
from bicneuron.significance._refits import AfterSearches
from bicneuron.significance._separate import NO_LEVEL, Separate, less_medians, separate_patterns
from bicneuron.significance._significance import significance_test
from bicneuron.significance._with_evidence import with_evidence

# Jaccard index of its carriers with a class, beyond which a group is that class.
SAME_AS_CLASS = 0.75
WHOLE_CLASS = "they are nearly a whole class"
# Enters a step, given what it does and what it counts, and gives what it is to call meanwhile.
Working = Callable[[str, str], AbstractContextManager[AfterSearches | None]]


class GroupFindings(NamedTuple):
    """Groups with what was tested of them.

    Parameters
    ----------
    miner : SubgroupBiclustering
        Findings come first, then groups that only passed the test against chance.
    columns : list of ColumnEvidence
        Of the columns of these. Their scores are less the medians of classes and strata.
    """

    miner: Any
    columns: list[ColumnEvidence]


def group_findings(
    miner: PatternModel,
    X: Any,
    y: Any = None,
    *,
    strata: Any = None,
    covariates: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    working: Working | None = None,
) -> GroupFindings:
    """Test the groups of a search, in the order in which claims are made.

    1. Is a group tied to a class?
    2. Of those that are, or of all if there are no classes, the search is repeated without each
       fifth of the rows: is the group found again, is it a separate group in rows that did not
       choose it, and which columns differ there? Classes and strata are set aside before groups are
       called separate.
    3. In how many columns do the classes differ, whatever the groups? Classes of less than three
       rows are not compared.

    Parameters
    ----------
    miner : SubgroupBiclustering
        Fitted to X without classes; it is not changed.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,), default=None
        Classes.
    strata, covariates, groups : array-like, default=None
        Known structure, and rows that belong together, as in `significance_test`.
    n_jobs : int, default=None
        Number of processes.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same result on each call.
    working : callable, default=None
        Given what is done and what is counted, a context manager that shows progress.

    Returns
    -------
    GroupFindings

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import group_findings
    >>> table = make_subgroups("shift", shift=2.5, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=5).fit(table.X)
    >>> found = group_findings(miner, table.X, table.y, random_state=0)
    >>> found.miner.patterns_[0].evidence.is_finding
    True
    """
    if working is None:
        working = _quietly
    known = {"strata": strata, "covariates": covariates}
    options = {**known, "n_jobs": n_jobs, "random_state": random_state}
    if y is not None and miner.patterns_:
        with working("testing", ""):
            of_class = significance_test(miner, X, y, groups=groups, **options)
        miner = with_evidence(miner, of_class)
    asked = miner.patterns_ if y is None else significant_patterns(miner.patterns_)
    places = [place for place, one in enumerate(miner.patterns_) if one in asked]
    columns: list[ColumnEvidence] = []
    separate: dict[int, Separate] = {}
    if places:
        step = "testing groups and columns: searching without each part of the rows"
        with working(step, "parts") as advance:
            columns = column_evidence(
                *(miner, X, y), patterns=places, groups=groups, after_searches=advance, **options
            )
        of_rows = [row_numbers(one, len(columns[0].scores), "strata") for one in (y, strata)]
        known_rows = np.column_stack(of_rows)
        columns = [replace(one, scores=less_medians(one.scores, known_rows)) for one in columns]
        separate = _separate(columns, known_rows, groups, random_state)
    in_classes = None
    if y is not None and _are_comparable(np.asarray(y)):
        in_classes = class_columns(X, y, strata, groups)
    tested = with_evidence(miner, columns=columns, separate=separate, class_columns=in_classes)
    significant = significant_patterns(tested.patterns_)
    told = [one for one in columns if tested.patterns_[one.number - 1] in significant]
    ranked = tested.findings_first(X, y)
    return GroupFindings(ranked, _renumbered(told, ranked.patterns_))


def _separate(
    columns: list[ColumnEvidence], strata: AnyArray, groups: Any, random_state: Any
) -> dict[int, Separate]:
    """Which groups are separate inside classes and strata, by their places in the list."""
    reasons = [_why_not(one.pattern) for one in columns]
    unknown = np.full(len(strata), np.nan)
    found = separate_patterns(
        [unknown if why else one.scores for one, why in zip(columns, reasons, strict=True)],
        strata=strata,
        groups=groups,
        random_state=random_state,
    )
    return {
        one.number - 1: Separate(None, why) if why else result
        for one, why, result in zip(columns, reasons, found, strict=True)
    }


def _why_not(pattern: Pattern) -> str:
    """Why it cannot be tested whether a pattern is a separate group; empty if it can."""
    if pattern.axis is None or not pattern.axis.is_linear:
        return NO_LEVEL
    counts = () if pattern.evidence is None else pattern.evidence.carriers
    n_carriers = sum(own for _, own, _ in counts)
    is_class = any(
        own > SAME_AS_CLASS * (n_carriers + total - own)
        for label, own, total in counts
        if label is not None
    )
    return WHOLE_CLASS if is_class else ""


def _are_comparable(y: AnyArray) -> bool:
    """True if at least one class and the rows of the others are enough for a test."""
    sizes = np.array([own.sum() for own in class_masks(y, len(y)).values()])
    return bool(np.any(np.minimum(sizes, sizes.sum() - sizes) >= LEAST_ROWS))


def _quietly(step: str, unit: str) -> AbstractContextManager[AfterSearches | None]:
    return nullcontext()


def _renumbered(columns: list[ColumnEvidence], patterns: list[Pattern]) -> list[ColumnEvidence]:
    """Evidence of columns, with the numbers that the groups have in another order."""
    moved = []
    for one in columns:
        for place, pattern in enumerate(patterns):
            if np.array_equal(pattern.rows, one.pattern.rows) and np.array_equal(
                pattern.columns, one.pattern.columns
            ):
                moved.append(replace(one, number=place + 1, pattern=pattern))
    return sorted(moved, key=lambda one: one.number)
