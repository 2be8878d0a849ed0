"""What became of the patterns of a model in the folds of its score."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray
from bicneuron.patterns import Evidence, Pattern, carrier_counts, check_patterns, class_masks
from bicneuron.significance._judged import LEAST_OVERLAP


def with_folds(model: Any, X: Any, y: Any, scores: Any) -> Any:
    """Copy a fitted model whose patterns know what became of them in the folds of its score.

    In each fold a copy of the model is fitted without a part of the rows. A pattern is chosen again
    if this copy has one of the same class that shares 60 % of its carriers in that class (Jaccard
    index, among the rows that the copy has seen) and at least one column; each pattern of a fold
    counts for one pattern of the model only. Rows left out carry the pattern if they carry the one
    that was chosen there.

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

    Returns
    -------
    copy : as ``model``
        The `Evidence` of its ``patterns_`` has ``n_folds``, ``n_found`` and ``left_out``. A
        model of very many patterns is returned as it is.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bicneuron import BicNeuronNetwork, PatternClassifier
    >>> from bicneuron.metrics import cross_validated_scores
    >>> from bicneuron.significance import with_folds
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PatternClassifier(random_state=0).fit(X, y)
    >>> scores = cross_validated_scores(model, X, y)
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
        own = _in_class(model.patterns_, carriers[seen], labels[seen])
        found = _in_class(fold.patterns, fold.carriers[~fold.is_left_out], labels[seen])
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


def _in_class(patterns: list[Pattern], carriers: BoolArray, labels: AnyArray) -> BoolArray:
    """Carriers of each pattern in its own class, of shape (n_rows, n_patterns)."""
    inside = carriers.copy()
    for own, pattern in zip(inside.T, patterns, strict=True):
        own &= (labels == pattern.anchor_class) | (pattern.anchor_class is None)
    return inside


def _matches(
    patterns: list[Pattern], own: BoolArray, others: list[Pattern], found: BoolArray
) -> list[tuple[int, int]]:
    """Positions of patterns that are the same, each once; those that share most first."""
    shared = []
    for k, pattern in enumerate(patterns):
        for match, other in enumerate(others):
            rows = _jaccard(np.flatnonzero(own[:, k]), np.flatnonzero(found[:, match]))
            columns = _jaccard(pattern.columns, other.columns)
            if pattern.anchor_class == other.anchor_class and rows >= LEAST_OVERLAP and columns > 0:
                shared.append((-rows - columns, k, match))
    taken: list[tuple[int, int]] = []
    for _, k, match in sorted(shared):
        if all(k != one and match != other for one, other in taken):
            taken.append((k, match))
    return taken


def _jaccard(one: AnyArray, other: AnyArray) -> float:
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / max(len(one) + len(other) - shared, 1)


def _counts(
    carried: BoolArray, tested: BoolArray, classes: dict[Any, BoolArray]
) -> tuple[tuple[Any, int, int], ...]:
    of_classes = {label: in_class[tested] for label, in_class in classes.items()}
    counts = carrier_counts(carried[tested], of_classes)
    return tuple((label, *count) for label, count in counts.items())
