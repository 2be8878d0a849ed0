"""Patterns as plain data, with names of rows and columns."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._names import feature_names, row_names
from bicneuron.patterns import (
    Evidence,
    Pattern,
    carrier_counts,
    check_patterns,
    class_masks,
    sides_of,
)
from bicneuron.report._lists import check_evidence
from bicneuron.report._patterns import class_labels
from bicneuron.significance import ColumnEvidence

# Keys that are there in any case: whether a pattern has a parent is a matter of the table.
ALWAYS = {"class", "parent"}


def pattern_records(
    model: Any, X: Any = None, y: Any = None, *, evidence: Sequence[ColumnEvidence] = ()
) -> list[dict[str, Any]]:
    """Return the patterns of a fitted model as plain data, for files and data frames.

    Parameters
    ----------
    model : a miner, BicNeuronNetwork or BicNeuronClassifier
        Fitted.
    X : frame or array of shape (n_rows, n_columns), default=None
        The data it was fitted on; other data are refused. Without them no rows are named.
    y : array of shape (n_rows,), default=None
        Classes in which carriers are counted; None takes the counts that the model knows.
    evidence : sequence of ColumnEvidence, default=()
        Results of `bicneuron.significance.column_evidence` for some or all of the patterns. Columns
        are in their order, with ``column_effects`` and ``column_p_corrected``.

    Returns
    -------
    list of dict
        One for each pattern, the strongest first, all with the same keys; what is not known of any
        of them is left out, apart from ``class`` and ``parent``. Rows and columns are ordered by
        their scores and weights; the rows of a group are its carriers. Results of tests come last.

    Examples
    --------
    >>> from bicneuron.biclustering import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.report import pattern_records
    >>> table = make_subgroups(random_state=0)
    >>> miner = SubgroupBiclustering(n_patterns=1).fit(table.X, table.y)
    >>> (record,) = pattern_records(miner, table.X)
    >>> record["class"], record["n_rows"], record["n_columns"]
    ('case', 14, 10)
    """
    check_patterns(model, "pattern_records")
    columns, rows, scores = feature_names(model), [], None
    labels = class_labels(y)
    check_evidence(model, evidence)
    tested = {one.number: one for one in evidence if not one.reason}
    if X is not None:
        model.check_table(X, labels)
        scores = model.pattern_scores(X)
        rows = row_names(X, len(scores))
    records = []
    for k, pattern in enumerate(model.patterns_):
        own = None if scores is None else scores[:, k]
        counts = pattern.carrier_counts
        if own is not None and (labels is not None or counts is None):
            counts = carrier_counts(own > 0, class_masks(labels, len(own)))
        records.append(
            {
                "rank": k + 1,
                "class": pattern.anchor_class,
                "contrast_class": pattern.contrast_class,
                "kind": pattern.kind,
                "strength": pattern.strength,
                "msr_ratio": pattern.msr_ratio,
                "residue": pattern.msr if pattern.axis is None else None,  # not of the carriers
                "carriers": None if counts is None else _shares(counts, pattern.anchor_class),
                "class_wide": pattern.is_class_wide or None,
                "parent": None if pattern.parent is None else pattern.parent + 1,
                **_of_rows(pattern, own, rows),
                **_of_columns(pattern, columns, tested.get(k + 1)),
                **_of_tests(pattern.evidence, pattern),
            }
        )
    known = {key for record in records for key, value in record.items() if _is_known(value)}
    known |= ALWAYS
    return [
        {key: value if _is_known(value) else None for key, value in record.items() if key in known}
        for record in records
    ]


def _of_rows(pattern: Pattern, scores: FloatArray | None, names: list[Any]) -> dict[str, Any]:
    if scores is None:
        n_rows, counts = len(pattern.rows), pattern.carrier_counts
        if pattern.axis is not None and counts is not None:
            n_rows = sum(carriers for carriers, _ in counts.values())
        return {"n_rows": n_rows, "n_contrast_rows": len(pattern.contrast_rows) or None}
    rows, contrast_rows = sides_of(pattern, scores > 0)
    by_score = rows[np.argsort(-scores[rows], kind="stable")]
    return {
        "n_rows": len(rows),
        "n_contrast_rows": len(contrast_rows) if len(pattern.contrast_rows) else None,
        "rows": [names[row] for row in by_score.tolist()],
        "row_scores": scores[by_score].tolist(),
    }


def _of_columns(
    pattern: Pattern, names: list[str], tested: ColumnEvidence | None
) -> dict[str, Any]:
    order = pattern.column_order  # the largest weight first
    if tested is not None:  # the clearest first
        order = np.searchsorted(pattern.columns, tested.ranked_columns)
    columns = pattern.columns[order]
    with_weights = order if len(pattern.weights) else slice(0)
    words = pattern.direction_words
    return {
        "n_columns": len(columns),
        "columns": [names[column] for column in columns.tolist()],
        "directions": [words[place] for place in order.tolist()] if words else [],
        "differences": pattern.differences[order].tolist() if len(pattern.differences) else [],
        "weights": pattern.weights[with_weights].tolist(),
        "column_effects": [] if tested is None else tested.effect[columns].tolist(),
        "column_p_corrected": [] if tested is None else tested.p_corrected[columns].tolist(),
        "column_evidence": [] if tested is None else tested.is_proven[columns].tolist(),
    }


def _of_tests(evidence: Evidence | None, pattern: Pattern) -> dict[str, Any]:
    """Results of tests."""
    if evidence is None:
        return {}
    return {
        "p": evidence.p_value,
        "p_corrected": evidence.family_p_value,
        "p_separate": evidence.separate_p,
        "verdict": (evidence.verdict or None) if pattern.neuron is None else None,
        "found_in_folds": None if evidence.n_folds is None else _of_folds(evidence),
        "finding": evidence.is_finding if evidence.is_tested and pattern.neuron is None else None,
        "carriers_left_out": _shares(
            {label: (own, total) for label, own, total in evidence.left_out}, pattern.anchor_class
        )
        or None,
    }


def _of_folds(evidence: Evidence) -> str:
    return f"{evidence.n_found} of {evidence.n_folds}"


def _shares(counts: Mapping[Any, tuple[int, int]], own: Any) -> dict[str, str]:
    """Carriers of each class, as in "15 of 50", its own class first."""
    labels = sorted(counts, key=lambda label: label != own)
    return {
        "all rows" if label is None else str(label): "{} of {}".format(*counts[label])
        for label in labels
    }


def _is_known(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isnan(value)
    return value is not None and value != []
