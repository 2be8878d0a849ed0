"""Patterns as plain data, with names of rows and columns."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, IndexArray
from bicneuron._estimators._scaling import minmax_scaling
from bicneuron._writing._names import feature_names, row_names
from bicneuron.biclustering import Evidence, Subgroup, SubgroupBiclustering
from bicneuron.metrics import mean_squared_residue


def pattern_records(estimator: Any, X: Any = None, y: Any = None) -> list[dict[str, Any]]:
    """Return the patterns of a fitted estimator as plain data, for files and data frames.

    Parameters
    ----------
    estimator : estimator
        A fitted BicNeuronNetwork, BicNeuronClassifier, BicNeuronClassifierCV, or any miner.
    X : frame or array of shape (n_rows, n_columns), default=None
        The data that a miner was fitted on. Networks and classifiers do not need them.
    y : array of shape (n_rows,), default=None
        Classes of the rows, counted in biclusters. Other patterns do not need them.

    Returns
    -------
    list of dict
        One for each pattern, all with the same keys: the patterns of a network, the selected pair
        of each binary problem of a classifier, or what a miner found, in its order. Rows and
        columns of a SubgroupBiclustering are ordered by their scores and weights. Results of tests
        come last.

    Examples
    --------
    >>> from bicneuron.biclustering import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.report import pattern_records
    >>> table = make_subgroups(random_state=0)
    >>> miner = SubgroupBiclustering(n_patterns=1).fit(table.X, table.y)
    >>> (record,) = pattern_records(miner, table.X)
    >>> record["class"], record["n_rows"], record["n_columns"]
    ('case', 16, 10)
    """
    if isinstance(estimator, SubgroupBiclustering):
        return _subgroups(estimator, X)
    if hasattr(estimator, "found_"):
        return _biclusters(estimator, X, y)
    names = np.array(feature_names(estimator), dtype=object)
    if hasattr(estimator, "patterns_"):
        return [
            {
                **_pair(pattern.pair, names[pattern.ranked_columns]),
                "contrast_class": pattern.contrast_class,
                "contribution": pattern.contribution,
                **_evidence(pattern),
            }
            for pattern in estimator.patterns_
        ]
    return [
        {
            **_pair(pair, names[pair.columns]),
            "contrast_class": None,
            "contribution": None,
            "row_share": binary.row_share_,
            "column_share": binary.column_share_,
            **_evidence(pair),
        }
        for _, binary in estimator.binary_models()
        if (pair := binary.selected_pair_) is not None
    ]


def pair_records(classifier: Any, X: Any) -> list[dict[str, Any]]:
    """Return all contrastive pairs of a fitted classifier as plain data.

    Parameters
    ----------
    classifier : BicNeuronClassifier or BicNeuronClassifierCV
        Fitted.
    X : frame or array of shape (n_rows, n_columns)
        The data it was fitted on.

    Returns
    -------
    list of dict
        One for each pair of each binary problem, the best of each problem first. The residues are
        those of the columns scaled to 0..1.

    Examples
    --------
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.datasets import load_worked_example
    >>> from bicneuron.report import pair_records
    >>> X, y = load_worked_example(return_X_y=True)
    >>> records = pair_records(BicNeuronClassifier(random_state=0).fit(X, y), X)
    >>> records[0]["rank"], records[0]["class"]
    (1, -1)
    """
    values = np.asarray(X)
    scaled = minmax_scaling(values[classifier.rows_used_]).apply(values)
    rows = np.array(row_names(X, len(values)), dtype=object)
    columns = np.array(feature_names(classifier), dtype=object)
    records = []
    for problem, binary in classifier.binary_models():
        ranked = zip(binary.pairs_, binary.scores_, strict=True)
        for rank, (pair, score) in enumerate(ranked, start=1):
            anchor = binary.rows_used_[pair.anchor_rows]
            contrast = binary.rows_used_[pair.contrast_rows]
            records.append(
                {
                    "problem": str(problem),
                    "rank": rank,
                    "class": pair.anchor_class,
                    "msr_ratio": pair.msr_ratio,
                    "criterion": pair.criterion,
                    "residue": mean_squared_residue(scaled[anchor][:, pair.columns]),
                    "contrast_residue": mean_squared_residue(scaled[contrast][:, pair.columns]),
                    "score": score,
                    "n_rows": len(anchor),
                    "n_contrast_rows": len(contrast),
                    "n_columns": len(pair.columns),
                    "columns": columns[pair.columns].tolist(),
                    "rows": rows[anchor].tolist(),
                    "contrast_rows": rows[contrast].tolist(),
                }
            )
    return records


def _pair(pair: Any, names: AnyArray) -> dict[str, Any]:
    return {
        "class": pair.anchor_class,
        "n_rows": len(pair.anchor_rows),
        "n_contrast_rows": len(pair.contrast_rows),
        "columns": names.tolist(),
    }


def _evidence(pattern: Any) -> dict[str, Any]:
    return {"evidence": None if pattern.evidence is None else pattern.evidence.record}


def _biclusters(miner: Any, X: Any, y: Any) -> list[dict[str, Any]]:
    columns = np.array(feature_names(miner), dtype=object)
    rows = np.array(row_names(X, len(X)), dtype=object)
    labels = None if y is None else np.asarray(y)
    return [
        {
            "rank": rank,
            **({} if labels is None else {"classes": _class_counts(labels, found.rows)}),
            "residue": found.msr,
            "n_rows": len(found.rows),
            "n_columns": len(found.columns),
            "columns": columns[found.columns].tolist(),
            "rows": rows[found.rows].tolist(),
        }
        for rank, found in enumerate(miner.found_, start=1)
    ]


def _class_counts(labels: AnyArray, rows: IndexArray) -> dict[str, str]:
    """Count the rows of each class, as in "12 of 40"."""
    return {
        str(label): f"{np.sum(labels[rows] == label)} of {np.sum(labels == label)}"
        for label in np.unique(labels)
    }


def _subgroups(miner: SubgroupBiclustering, X: Any) -> list[dict[str, Any]]:
    scores = miner.transform(X)
    rows, columns = row_names(X, len(scores)), feature_names(miner)
    found = []
    for place, group in enumerate(miner.found_):
        own = scores[:, place]
        by_score = group.rows[np.argsort(-own[group.rows], kind="stable")]
        positive, negative = group.direction_words
        by_weight = np.argsort(-np.abs(group.weights), kind="stable")
        record = {
            "rank": place + 1,
            "class": group.anchor_class,
            "kind": group.kind,
            "strength": group.strength,
            "carriers": _carriers(group),
            "parent": None if group.parent is None else group.parent + 1,
            "n_rows": len(group.rows),
            "n_columns": len(group.columns),
            "rows": [rows[row] for row in by_score.tolist()],
            "row_scores": own[by_score].tolist(),
            "columns": [columns[column] for column in group.columns[by_weight].tolist()],
            "directions": [
                positive if direction > 0 else negative
                for direction in group.directions[by_weight].tolist()
            ],
            "weights": group.weights[by_weight].tolist(),
        }
        if group.evidence is not None:
            record |= _tested(group.evidence, by_weight)
        found.append(record)
    return found


def _tested(evidence: Evidence, by_weight: IndexArray) -> dict[str, Any]:
    """Results of tests; the frequencies are in the order of ``columns``."""
    tested = evidence.record
    if evidence.column_frequency is not None:
        tested["found"] = f"{evidence.found} of {evidence.n_subsamples}"
        tested["column_frequencies"] = [
            evidence.column_frequency[place] for place in by_weight.tolist()
        ]
    return tested


def _carriers(group: Subgroup) -> dict[str, str]:
    """Rows of each class that show the pattern, its own class first."""
    labels = sorted(group.carriers, key=lambda label: label != group.anchor_class)
    return {
        "all rows" if label is None else str(label): "{} of {}".format(*group.carriers[label])
        for label in labels
    }
