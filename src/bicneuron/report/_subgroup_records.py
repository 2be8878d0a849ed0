"""The groups of a fitted SubgroupBiclustering as plain data."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import IndexArray
from bicneuron._writing._names import feature_names, row_names
from bicneuron.biclustering import Evidence, Subgroup, SubgroupBiclustering


def subgroup_records(miner: SubgroupBiclustering, X: Any) -> list[dict[str, Any]]:
    """Groups with names of rows and columns: rows by their scores, columns by their weights.

    Parameters
    ----------
    miner : SubgroupBiclustering
        Fitted.
    X : frame or array
        The data it was fitted on.

    Returns
    -------
    list of dict
        One for each group, strongest first, with the same keys. What tests said about the groups
        comes last.
    """
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
    """What tests said, in plain data; the frequencies are in the order of ``columns``."""
    tested = evidence.record
    if evidence.column_frequency is not None:
        tested["found"] = f"{evidence.found} of {evidence.n_subsamples}"
        tested["column_frequencies"] = [
            evidence.column_frequency[place] for place in by_weight.tolist()
        ]
    return tested


def _carriers(group: Subgroup) -> dict[str, str]:
    """How many rows of each class show the pattern, its own class first."""
    labels = sorted(group.carriers, key=lambda label: label != group.anchor_class)
    return {
        "all rows" if label is None else str(label): "{} of {}".format(*group.carriers[label])
        for label in labels
    }
