"""The protocol of ``bicneuron find``: search, test, and put findings first."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from bicneuron._core._arrays import AnyArray
from bicneuron._shared._estimators import draw_seed
from bicneuron._shared._steps import working
from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.patterns import Pattern, class_masks, significant_patterns
from bicneuron.patterns._reference import learn_reference
from bicneuron.significance._columns import ColumnEvidence, column_evidence
from bicneuron.significance._enrichment import LabelShuffler
from bicneuron.significance._findings import Findings
from bicneuron.significance._known import row_numbers
from bicneuron.significance._rank_sums import LEAST_ROWS, class_columns
from bicneuron.significance._separate import (
    N_DRAWS,
    NO_LEVEL,
    Separate,
    less_medians,
    separate_in_order,
    sorted_scores,
)
from bicneuron.significance._significance import significance_test
from bicneuron.significance._with_evidence import with_evidence

# Jaccard index of its carriers with a class, beyond which a group is that class.
SAME_AS_CLASS = 0.75
WHOLE_CLASS = "they are nearly a whole class"
IN_FOLDS = "testing groups and columns: searching without each part of the rows"


def find_groups(
    X: Any,
    y: Any = None,
    *,
    strata: Any = None,
    covariates: Any = None,
    groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Findings:
    """Find groups of rows that share columns, and test whether they are real.

    1. All rows are searched without a look at the classes (`SubgroupBiclustering`).
    2. Is a group tied to a class? See `significance_test`.
    3. Of those that are, or of all if there are no classes, the search is repeated without each
       fifth of the rows: is the group found again, is it a separate group in rows that did not
       choose it, and which columns differ there? Classes and strata are set aside before groups are
       called separate.
    4. In how many columns do the classes differ, whatever the groups? Classes of less than three
       rows are not compared.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        Numbers; NaN is a missing value.
    y : array-like of shape (n_rows,), default=None
        Classes. Without them, a finding is a separate group.
    strata, covariates : array-like of shape (n_rows,) or (n_rows, n), default=None
        Known structure that the search sets aside, such as the batch and the age. Classes are
        exchanged within strata only.
    groups : array-like of shape (n_rows,), default=None
        Rows that belong together, such as those of a patient.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same result on each call.
    n_jobs : int, default=None
        Number of threads or processes. The result does not depend on it.

    Returns
    -------
    Findings

    Examples
    --------
    >>> from bicneuron import find_groups
    >>> from bicneuron.datasets import make_subgroups
    >>> table = make_subgroups("shift", shift=2.5, n_columns=200, random_state=0)
    >>> found = find_groups(table.X, table.y, random_state=0)
    >>> found
    <Findings: 1 of 20 patterns>
    >>> found.to_frame().loc[1, "carriers"]
    '15 of 50 case, 0 of 50 control'
    """
    if y is not None:  # refused before the search
        labels = column_or_1d(y)
        check_consistent_length(X, labels)
        LabelShuffler(row_numbers(labels, len(labels), "y"), strata, groups)
    given = {"strata": strata, "covariates": covariates}
    known = {name: np.asarray(values) for name, values in given.items() if values is not None}
    with working("searching", "steps"), warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBiclusterWarning)  # the summary says so
        miner = SubgroupBiclustering(n_jobs=n_jobs).fit(X, None, **known)
    return judged_groups(miner, X, y, groups=groups, random_state=random_state, **known)


def judged_groups(
    miner: SubgroupBiclustering,
    X: Any,
    y: Any = None,
    *,
    strata: Any = None,
    covariates: Any = None,
    groups: Any = None,
    random_state: Any = None,
) -> Findings:
    """Test the groups of a search that was made without the classes; see `find_groups`."""
    known = {"strata": strata, "covariates": covariates}
    options = {**known, "n_jobs": miner.n_jobs, "random_state": random_state}
    if y is not None and miner.patterns_:
        with working("testing"):
            miner = with_evidence(miner, significance_test(miner, X, y, groups=groups, **options))
    asked = miner.patterns_ if y is None else significant_patterns(miner.patterns_)
    places = [place for place, one in enumerate(miner.patterns_) if one in asked]
    columns: list[ColumnEvidence] = []
    separate: dict[int, Separate] = {}
    if places:
        with working(IN_FOLDS, "parts"):
            columns = column_evidence(miner, X, y, patterns=places, groups=groups, **options)
        of_rows = [row_numbers(one, len(columns[0].scores), "strata") for one in (y, strata)]
        known_rows = np.column_stack(of_rows)
        columns = [replace(one, scores=less_medians(one.scores, known_rows)) for one in columns]
        separate = _separate(columns, known_rows, groups, random_state)
    are_comparable = y is not None and _are_comparable(np.asarray(y))
    in_classes = class_columns(X, y, strata=strata, groups=groups) if are_comparable else None
    tested = with_evidence(miner, columns=columns, separate=separate, class_columns=in_classes)
    return _findings_first(tested, columns, X, y)


def _findings_first(
    tested: SubgroupBiclustering, columns: list[ColumnEvidence], X: Any, y: AnyArray | None
) -> Findings:
    """Findings, leads and others, with the columns of those that passed the test."""
    significant = significant_patterns(tested.patterns_)
    ranked = tested.findings_first(X, y)
    told = {
        (one.pattern.rows.tobytes(), one.pattern.columns.tobytes()): one
        for one in columns
        if tested.patterns_[one.number - 1] in significant
    }
    scores = np.full((len(ranked.patterns_), np.shape(X)[0]), np.nan)
    renumbered = []
    for number, pattern in enumerate(ranked.patterns_, start=1):
        one = told.get((pattern.rows.tobytes(), pattern.columns.tobytes()))
        if one is not None:
            renumbered.append(replace(one, number=number, pattern=pattern))
            scores[number - 1] = one.scores
    return Findings(ranked, scores, learn_reference(ranked, X), tuple(renumbered))


def _separate(
    columns: list[ColumnEvidence], strata: AnyArray, groups: Any, random_state: Any
) -> dict[int, Separate]:
    """Which groups are separate inside classes and strata, by their places in the list."""
    known = [
        (one.scores, reason)
        if (reason := _why_not(one.pattern))
        else sorted_scores(one.scores, strata, groups)
        for one in columns
    ]
    found, corrected = separate_in_order(known, N_DRAWS, draw_seed(random_state))
    return {
        one.number - 1: answer if answer.reason else Separate(p)
        for one, answer, p in zip(columns, found, corrected.tolist(), strict=True)
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
