"""Copies of models whose patterns carry the results of tests, and of the folds of a score."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bicneuron._core._arrays import BoolArray
from bicneuron.patterns import Evidence, Pattern, carrier_counts, check_patterns, class_masks
from bicneuron.significance._columns import ColumnEvidence
from bicneuron.significance._folds import LEAST_OVERLAP, in_own_class, jaccard
from bicneuron.significance._separate import Separate
from bicneuron.significance._significance import Significance

# A pattern is a part of the difference between whole classes if they differ in this share of its
# columns, in this share of all columns, and in as many as it has.
LEAST_PART, LEAST_SHARE = 0.5, 0.05


def with_evidence(
    model: Any,
    significance: Significance | None = None,
    *,
    columns: Sequence[ColumnEvidence] = (),
    separate: Mapping[int, Separate] | None = None,
    class_columns: BoolArray | None = None,
) -> Any:
    """Copy a fitted model and attach test results to its patterns, as their ``evidence``.

    Results that its patterns have already stay, unless they are given anew.

    Parameters
    ----------
    model : a miner, BicNeuronNetwork or BicNeuronClassifier
        Fitted; it is not changed. The copy is of its type.
    significance : Significance, default=None
        Result of `significance_test` for its patterns.
    columns : sequence of ColumnEvidence, default=()
        Results of `column_evidence` for some of them, whose columns are shown in this order
        everywhere: the clearest first.
    separate : mapping of int to Separate, default=None
        Results of `separate_test` for some of them, by their positions, with p corrected for all.
    class_columns : bool array of shape (n_columns,), default=None
        Columns in which the classes differ, for the summary of the model.

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import significance_test, with_evidence
    >>> table = make_subgroups("shift", shift=2.5, n_columns=100, random_state=0)
    >>> miner = SubgroupBiclustering().fit(table.X)
    >>> result = significance_test(miner, table.X, table.y, random_state=0)
    >>> print(with_evidence(miner, result).patterns_[0].evidence)
    15 of 50 case, 0 of 50 control; p = 0.001 corrected for all patterns
    """
    check_patterns(model, "with_evidence")
    separate = separate or {}
    untested = [replace(pattern, evidence=None) for pattern in model.patterns_]
    if significance is not None and untested != [
        replace(pattern, evidence=None) for pattern in significance.patterns
    ]:
        raise ValueError(
            "the Significance is about other patterns than those of model; test this fitted model, "
            "on the table that it was fitted to."
        )
    n_patterns, n_columns = len(model.patterns_), model.n_features_in_
    if unknown := [k for k in separate if k not in range(n_patterns)]:
        raise ValueError(
            f"separate has position {unknown[0]}, but model has {n_patterns} patterns."
        )
    if class_columns is not None and np.shape(class_columns) != (n_columns,):
        raise ValueError(
            f"class_columns has the shape {np.shape(class_columns)}; give a bool for each of the "
            f"{n_columns} columns."
        )
    for one in columns:
        if replace(one.pattern, evidence=None) not in untested[one.number - 1 : one.number]:
            raise ValueError(
                f"evidence of pattern {one.number} is not about that of this model; let "
                "column_evidence test this model."
            )
    tested = {one.number - 1: one for one in columns}
    evidence = [
        _evidence(k, pattern, significance, tested.get(k))
        for k, pattern in enumerate(model.patterns_)
    ]
    for k, group in separate.items():
        evidence[k] = evidence[k]._replace(separate_p=group.p_value, separate_reason=group.reason)
    if class_columns is not None:
        evidence = [
            one._replace(is_class_difference=_is_class_difference(one, pattern, class_columns))
            for one, pattern in zip(evidence, model.patterns_, strict=True)
        ]
    annotated = model.with_evidence(evidence)
    if class_columns is not None:
        annotated.class_columns_ = int(np.sum(class_columns))
    return annotated


def _is_class_difference(evidence: Evidence, pattern: Pattern, class_columns: BoolArray) -> bool:
    """True if a pattern is told as a part of what whole classes differ in."""
    is_tied = evidence.family_p_value is not None and evidence.is_significant
    is_many = np.sum(class_columns) >= max(len(pattern.columns), LEAST_SHARE * len(class_columns))
    is_part = bool(np.mean(class_columns[pattern.columns]) >= LEAST_PART)
    return is_tied and bool(is_many) and is_part and not evidence.is_separate


def _evidence(
    k: int, pattern: Any, significance: Significance | None, columns: ColumnEvidence | None
) -> Evidence:
    evidence = pattern.evidence or Evidence()
    if columns is not None and columns.n_folds:
        evidence = evidence._replace(
            n_found=columns.n_found, n_folds=columns.n_folds, proven_columns=()
        )
    if columns is not None and not columns.reason:
        order = np.searchsorted(pattern.columns, columns.ranked_columns)
        proven = np.flatnonzero(columns.is_proven[pattern.columns])
        evidence = evidence._replace(
            column_order=tuple(order.tolist()), proven_columns=tuple(proven.tolist())
        )
    if significance is None or np.isnan(significance.family_p_values[k]):  # made with labels
        return evidence
    return evidence._replace(
        carriers=tuple((label, *counts) for label, counts in significance.carriers[k].items()),
        p_value=float(significance.p_values[k]),
        family_p_value=float(significance.family_p_values[k]),
        n_permutations=significance.n_permutations,
        smallest_p=float(significance.smallest_p),
        effect=significance.effects[k],
    )


def with_folds(model: Any, X: Any, y: Any, scores: Any) -> Any:
    """Copy a fitted model whose patterns know what became of them in the folds of its score.

    In each fold a copy of the model is fitted without a part of the rows. A pattern is chosen again
    if this copy has one of the same class that shares 60 % of its carriers in that class (Jaccard
    index, among rows that the copy has seen) and at least one column; each pattern of a fold counts
    for one of the model only. Rows left out carry a pattern if they carry the one chosen there. So
    the `Evidence` has ``n_folds``, ``n_found`` and ``left_out``; a model of very many patterns is
    returned as it is.

    Parameters
    ----------
    model : BicNeuronNetwork or BicNeuronClassifier
        Fitted; it is not changed.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        The data it was fitted on.
    y : array-like of shape (n_rows,)
        Their classes.
    scores : CrossValidatedScores
        What `bicneuron.metrics.cross_validated_scores` returned for this model and these data.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bicneuron import BicNeuronNetwork, PatternClassifier
    >>> from bicneuron.metrics import cross_validated_scores
    >>> from bicneuron.significance import with_folds
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PatternClassifier(random_state=0).fit(X, y)
    >>> scores = cross_validated_scores(model, X, y, n_repeats=1)
    >>> evidence = with_folds(model, X, y, scores).patterns_[0].evidence
    >>> evidence.n_found, evidence.n_folds
    (5, 5)
    >>> evidence.left_out
    ((0, 49, 50), (1, 0, 50), (2, 0, 50))
    """
    check_patterns(model, "with_folds")
    labels = np.asarray(y)
    model.check_table(X, labels)
    if len(scores.folds) < scores.n_splits or not model.patterns_:
        return model
    carriers = model.carriers(X)
    n_patterns = len(model.patterns_)
    chosen = np.zeros(n_patterns, dtype=int)
    tested, carried = (np.zeros((n_patterns, len(labels)), dtype=bool) for _ in range(2))
    for fold in scores.folds:
        seen, left_out = fold.rows[~fold.is_left_out], fold.rows[fold.is_left_out]
        own = in_own_class(model.patterns_, carriers[seen], labels[seen])
        found = in_own_class(fold.patterns, fold.carriers[~fold.is_left_out], labels[seen])
        for k, match in _matches(model.patterns_, own, fold.patterns, found):
            chosen[k] += 1
            tested[k, left_out] = True
            carried[k, left_out] = fold.carriers[fold.is_left_out, match]
    classes = class_masks(labels, len(labels))
    return model.with_evidence(
        [
            (pattern.evidence or Evidence())._replace(
                n_folds=scores.n_splits,
                n_found=int(chosen[k]),
                left_out=_counts(carried[k], tested[k], classes) if chosen[k] else (),
            )
            for k, pattern in enumerate(model.patterns_)
        ]
    )


def _matches(
    patterns: list[Pattern], own: BoolArray, others: list[Pattern], found: BoolArray
) -> list[tuple[int, int]]:
    """Positions of patterns that are the same, each once; those that share most first."""
    shared = []
    for k, pattern in enumerate(patterns):
        for match, other in enumerate(others):
            rows = jaccard(np.flatnonzero(own[:, k]), np.flatnonzero(found[:, match]))
            columns = jaccard(pattern.columns, other.columns)
            if pattern.anchor_class == other.anchor_class and rows >= LEAST_OVERLAP and columns > 0:
                shared.append((-rows - columns, k, match))
    taken: list[tuple[int, int]] = []
    for _, k, match in sorted(shared):
        if all(k != one and match != other for one, other in taken):
            taken.append((k, match))
    return taken


def _counts(
    carried: BoolArray, tested: BoolArray, classes: dict[Any, BoolArray]
) -> tuple[tuple[Any, int, int], ...]:
    of_classes = {label: in_class[tested] for label, in_class in classes.items()}
    counts = carrier_counts(carried[tested], of_classes)
    return tuple((label, *count) for label, count in counts.items())
