"""Patterns in the table that they were found in, and as plain data with names."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._names import feature_names, row_names
from bicneuron._shared._scaling import observed_means
from bicneuron.outcomes import as_outcome
from bicneuron.patterns import Pattern, carrier_counts, check_patterns, class_masks, sides_of
from bicneuron.replication import Replication
from bicneuron.significance import ColumnEvidence, with_evidence

# Keys that are there in any case: whether a pattern has a parent is a matter of the table.
ALWAYS = {"class", "parent"}
# What a record of a second cohort has from the pattern there, and from its tests.
OF_COHORT = ("share_there", "share_here", "gap_there", "gap_here", "weight_present")
OF_TESTS = ("p_found", "p_together", "p_tied", "p_tied_labels_only")


class Found(NamedTuple):
    """A pattern with scores of the rows for it, which may be none, and evidence of its columns."""

    number: int
    pattern: Pattern
    scores: FloatArray
    tested: ColumnEvidence | None

    @property
    def sides(self) -> tuple[IndexArray, IndexArray]:
        """Its rows and those that they are compared with."""
        return sides_of(self.pattern, self.scores > 0)


def found_patterns(model: Any, X: Any, evidence: Sequence[ColumnEvidence]) -> list[Found]:
    """The patterns of a model, with the evidence of their columns."""
    if evidence:
        model = with_evidence(model, columns=evidence)
    patterns = model.patterns_
    tested = {one.number: one for one in evidence if not one.reason}
    scores = np.empty((0, len(patterns))) if X is None else model.pattern_scores(X)
    return [
        Found(number, pattern, scores[:, number - 1], tested.get(number))
        for number, pattern in enumerate(patterns, start=1)
    ]


def table_values(model: Any, X: Any) -> FloatArray:
    """The numbers of a dense table."""
    if issparse(X):
        raise TypeError("X is sparse, but its rows and columns are listed; give X.toarray().")
    return np.asarray(check_numbers(model, X, reset=False, accept_sparse=False))


def class_labels(y: Any) -> AnyArray | None:
    """The classes of rows, as an array, None of numbers and survival; refuse several labels."""
    if as_outcome(y) is not None:
        return None
    if y is not None and np.ndim(y) != 1:
        raise ValueError(f"y has the shape {np.shape(y)}; give one class for each row.")
    return None if y is None else np.asarray(y)


def mean_of(values: FloatArray) -> FloatArray:
    """Mean of each column over the cells that are not missing; NaN if all are."""
    return np.where(np.isnan(values).all(axis=0), np.nan, observed_means(values))


def pattern_records(
    model: Any, X: Any = None, y: Any = None, *, evidence: Sequence[ColumnEvidence] = ()
) -> list[dict[str, Any]]:
    """Return patterns, or what became of them in a second cohort, as plain data.

    Parameters
    ----------
    model : a miner, BicNeuronNetwork, BicNeuronClassifier or Replication
        Fitted, or what `bicneuron.replication.replicate` returned.
    X : frame or array of shape (n_rows, n_columns), default=None
        The data it was fitted on, or the second cohort, and no other; None names no rows.
    y : array of shape (n_rows,), default=None
        Classes in which carriers are counted; None, numbers and survival: counts of the model.
    evidence : sequence of ColumnEvidence, default=()
        Results of `bicneuron.significance.column_evidence` for some or all of the patterns. Columns
        are in their order, with ``column_effects`` and ``column_p_corrected``.

    Returns
    -------
    list of dict
        One for each pattern, the strongest first, all with the same keys; what is not known of any
        of them is left out, apart from ``class`` and ``parent``. Rows and columns are ordered by
        their scores and weights; the rows of a group are its carriers. Results of tests come last.
        In a second cohort, ``members`` carry a pattern there, and ``scores`` are those of all rows,
        in the order of the table; ``p_tied_labels_only`` is not the answer to any question: most
        scores are tied to most labels.

    Examples
    --------
    >>> from bicneuron.biclustering import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.report import pattern_records
    >>> table = make_subgroups(n_columns=100, random_state=0)
    >>> miner = SubgroupBiclustering(n_patterns=1).fit(table.X, table.y)
    >>> (record,) = pattern_records(miner, table.X)
    >>> record["class"], record["n_rows"], record["n_columns"]
    ('case', 15, 10)
    """
    if isinstance(model, Replication):
        return _in_cohort(model, X, y)
    check_patterns(model, "pattern_records")
    labels = class_labels(y)
    rows: list[Any] = []
    if X is not None:
        model.check_table(X, labels)
        rows = row_names(X, np.shape(X)[0])
    names = feature_names(model)
    records = [
        _of_pattern(one, rows, labels) | _of_columns(one, names) | _of_tests(one.pattern)
        for one in found_patterns(model, X, evidence)
    ]
    known = {key for record in records for key, value in record.items() if _is_known(value)}
    known |= ALWAYS
    return [
        {key: value if _is_known(value) else None for key, value in record.items() if key in known}
        for record in records
    ]


def _of_pattern(one: Found, names: list[Any], labels: AnyArray | None) -> dict[str, Any]:
    """What a pattern is, and its rows."""
    pattern, scores, counts = one.pattern, one.scores, one.pattern.carrier_counts
    n_rows, named = len(pattern.rows), dict[str, Any]()
    if len(scores):
        rows, _ = one.sides
        rows = rows[np.argsort(-scores[rows], kind="stable")]
        named = {"rows": [names[k] for k in rows.tolist()], "row_scores": scores[rows].tolist()}
        n_rows = len(rows)
        if labels is not None or counts is None:
            counts = carrier_counts(scores > 0, class_masks(labels, len(scores)))
    elif pattern.axis is not None and counts is not None:
        n_rows = sum(carriers for carriers, _ in counts.values())
    return {
        "rank": one.number,
        "name": pattern.name or None,
        "class": pattern.anchor_class,
        "contrast_class": pattern.contrast_class,
        "kind": pattern.kind,
        "strength": pattern.strength,
        "msr_ratio": pattern.msr_ratio,
        "residue": pattern.msr if pattern.axis is None else None,  # not of the carriers
        "carriers": None if counts is None else _shares(counts, pattern.anchor_class),
        "class_wide": pattern.is_class_wide or None,
        "parent": None if pattern.parent is None else pattern.parent + 1,
        "n_rows": n_rows,
        "n_contrast_rows": len(pattern.contrast_rows) or None,
        **named,
    }


def _of_columns(one: Found, names: list[str]) -> dict[str, Any]:
    pattern, tested = one.pattern, one.tested
    order, words = pattern.column_order, pattern.direction_words
    columns = pattern.columns[order]
    return {
        "n_columns": len(columns),
        "columns": [names[column] for column in columns.tolist()],
        "directions": [words[place] for place in order.tolist()] if words else [],
        "differences": pattern.differences[order].tolist() if len(pattern.differences) else [],
        "weights": pattern.weights[order].tolist() if len(pattern.weights) else [],
        "column_effects": [] if tested is None else tested.effect[columns].tolist(),
        "column_p_corrected": [] if tested is None else tested.p_corrected[columns].tolist(),
        "column_evidence": [] if tested is None else tested.is_proven[columns].tolist(),
    }


def _of_tests(pattern: Pattern) -> dict[str, Any]:
    evidence, is_group = pattern.evidence, pattern.neuron is None
    if evidence is None:
        return {}
    folds = None if evidence.n_folds is None else f"{evidence.n_found} of {evidence.n_folds}"
    left_out = {label: (own, total) for label, own, total in evidence.left_out}
    return {
        "effect": None if evidence.effect is None else evidence.effect.words,
        "p": evidence.p_value,
        "p_corrected": evidence.family_p_value,
        "p_separate": evidence.separate_p,
        "verdict": (evidence.verdict or None) if is_group else None,
        "found_in_folds": folds,
        "finding": evidence.is_finding if evidence.is_tested and is_group else None,
        "carriers_left_out": _shares(left_out, pattern.anchor_class) or None,
    }


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


def _in_cohort(replication: Replication, X2: Any, y2: Any) -> list[dict[str, Any]]:
    n_rows = replication.n_rows
    outcome: Any = as_outcome(y2)
    for name, given in (("X2", X2), ("y2", y2 if outcome is None else outcome)):
        n = n_rows if given is None else len(given) if name == "y2" else np.shape(given)[0]
        if n != n_rows:
            told = f"{name} has {n} rows and the replication {n_rows}"
            raise ValueError(f"{told}; give the {name} that it was made with.")
    labels = class_labels(y2)
    labels = None if labels is None else labels.astype(object)
    return [
        {
            "number": one.number,
            "kind": one.found.pattern.kind,
            "verdict": one.verdict,
            "words": one.words,
            "reason": one.reason or None,
            **_of_members(one.found, row_names(X2, n_rows), labels),
            "carriers_there": one.carried_there,
            **{key: getattr(one.found, key) for key in OF_COHORT},
            **{key: getattr(one, key) for key in OF_TESTS},
            "effect": None if one.effect is None else one.effect.words,
            "p_together_corrected": one.corrected.together,
            "p_tied_corrected": one.corrected.tied,
            "p_separate": None if one.separate is None else one.separate.p_value,
            "p_separate_corrected": one.corrected.separate,
            "separate": one.separate_words or None,
        }
        for one in replication.patterns
    ]


def _of_members(found: Any, names: list[Any], labels: AnyArray | None) -> dict[str, Any]:
    """Rows and columns of a pattern in a second cohort."""
    rows: IndexArray = np.empty(0, np.intp)
    of_classes = None
    if found.members is not None:
        rows = np.argsort(-found.scores, kind="stable")
        rows = rows[found.members[rows]]
        if labels is not None:
            counts = carrier_counts(found.members, class_masks(labels, len(labels)))
            of_classes = {str(label): f"{own} of {n}" for label, (own, n) in counts.items()}
    order = np.argsort(-np.abs(found.effects_there), kind="stable")
    return {
        "n_rows": len(found.scores),
        "n_members": None if found.members is None else len(rows),
        "members_of_classes": of_classes,
        "members": [names[row] for row in rows.tolist()],
        "member_scores": found.scores[rows].tolist(),
        "scores": [None if np.isnan(score) else score for score in found.scores.tolist()],
        "n_columns": len(found.pattern.columns),
        "n_columns_present": len(found.present),
        "columns_present": [found.present[j] for j in order.tolist()],
        "effects_there": found.effects_there[order].tolist(),
        "effects_here": found.effects_here[order].tolist(),
        "columns_absent": list(found.absent),
    }
