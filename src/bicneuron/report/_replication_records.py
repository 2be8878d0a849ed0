"""Patterns in a second cohort as plain data, with names of rows and columns."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron._shared._names import row_names
from bicneuron.patterns import carrier_counts, class_masks
from bicneuron.replication import ReplicatedPattern, Replication


def replication_records(
    replication: Replication, X2: Any = None, y2: Any = None
) -> list[dict[str, Any]]:
    """Return what became of patterns in a second cohort as plain data, for files and data frames.

    Parameters
    ----------
    replication : Replication
        What `bicneuron.replication.replicate` returned.
    X2 : frame or array of shape (n_rows, n_columns), default=None
        The cohort, for the names of its rows; None numbers them.
    y2 : array of shape (n_rows,), default=None
        Classes in which members are counted; None and NaN are unknown.

    Returns
    -------
    list of dict
        One for each pattern, in the order of the model, all with the same keys; what is not known
        is None. Members are ordered by their scores; ``scores`` are those of all rows, in the order
        of the table. ``p_class_labels_only`` and
        ``p_outcome_labels_only`` are not the answer to any question: most scores are tied to most
        labels.

    Examples
    --------
    >>> from bicneuron import Findings, SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.report import replication_records
    >>> from bicneuron.replication import replicate
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X[::2])
    >>> result = replicate(Findings.untested(miner, X[::2]), X[1::2], n_draws=99, random_state=0)
    >>> (record,) = replication_records(result, X[1::2])
    >>> record["verdict"], record["carriers_there"], record["n_members"]
    ('found again', '10 of 50', 5)
    """
    if X2 is not None and np.shape(X2)[0] != replication.n_rows:
        raise ValueError(
            f"X2 has {np.shape(X2)[0]} rows and the replication {replication.n_rows}; give the X2 "
            "that it was made with."
        )
    if y2 is not None and len(y2) != replication.n_rows:
        raise ValueError(f"y2 has {len(y2)} values for {replication.n_rows} rows.")
    names = row_names(X2, replication.n_rows)
    labels = None if y2 is None else np.asarray(y2, dtype=object)
    return [_record(one, names, labels) for one in replication.patterns]


def _record(one: ReplicatedPattern, names: list[Any], labels: AnyArray | None) -> dict[str, Any]:
    found = one.found
    rows, order = np.empty(0, np.intp), np.argsort(-np.abs(found.effects_there), kind="stable")
    if found.members is not None:
        rows = np.argsort(-found.scores, kind="stable")
        rows = rows[found.members[rows]]
    return {
        "number": one.number,
        "kind": found.pattern.kind,
        "verdict": one.verdict,
        "words": one.words,
        "reason": one.reason or None,
        "carriers_there": one.carried_there,
        "n_rows": len(found.scores),
        "n_members": None if found.members is None else len(rows),
        "members_of_classes": _of_classes(one, labels),
        "share_there": found.share_there,
        "share_here": found.share_here,
        "gap_there": found.gap_there,
        "gap_here": found.gap_here,
        "n_columns": len(found.pattern.columns),
        "n_columns_present": len(found.present),
        "weight_present": found.weight_present,
        "p_found": one.p_found,
        "p_together": one.p_together,
        "p_together_corrected": one.corrected.together,
        "p_tied": one.p_tied,
        "p_tied_corrected": one.corrected.tied,
        "p_separate": None if one.separate is None else one.separate.p_value,
        "p_separate_corrected": one.corrected.separate,
        "separate": one.separate_words or None,
        "p_class": one.p_class,
        "p_class_labels_only": one.p_class_labels_only,
        "p_outcome": one.p_outcome,
        "p_outcome_labels_only": one.p_outcome_labels_only,
        "columns_present": [found.present[j] for j in order.tolist()],
        "effects_there": found.effects_there[order].tolist(),
        "effects_here": found.effects_here[order].tolist(),
        "columns_absent": list(found.absent),
        "members": [names[row] for row in rows.tolist()],
        "member_scores": found.scores[rows].tolist(),
        "scores": [None if np.isnan(score) else score for score in found.scores.tolist()],
    }


def _of_classes(one: ReplicatedPattern, labels: AnyArray | None) -> dict[str, str] | None:
    """Members of each class, as in "15 of 50"."""
    if labels is None or one.found.members is None:
        return None
    counts = carrier_counts(one.found.members, class_masks(labels, len(labels)))
    return {str(label): f"{own} of {total}" for label, (own, total) in counts.items()}
