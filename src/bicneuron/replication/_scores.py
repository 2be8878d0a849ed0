"""Scores of rows that were measured elsewhere: by their own cohort, or row by row."""

import warnings
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._two_normals import two_normals
from bicneuron.exceptions import MissingColumnsWarning
from bicneuron.patterns._reference import rank_scores, row_ranks, signature_of
from bicneuron.replication._transfer import LEAST_ROWS, match_columns, transfer
from bicneuron.significance import Findings

READINGS = ("training", "cohort", "row")


def pattern_scores(findings: Findings, X: Any, *, reference: str | None = None) -> FloatArray:
    """Score of each row for each group; a row with a positive score carries it.

    Parameters
    ----------
    findings : Findings
    X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
        A missing value (NaN) adds nothing.
    reference : {"training", "cohort", "row"}, default=None
        What rows are compared with.

        - "training": scale and cut of the table of the search, for rows that were measured like it.
        - "cohort": scale and cut of the rows of ``X``, at least 20; see `transfer`. Where there are
          no two groups, they are cut in two all the same.
        - "row": each row alone, by the ranks of the higher columns less those of the lower ones.
          NaN for groups of the kinds "tight" and "coexpressed".

        None is "training" if ``X`` has all columns, and otherwise "cohort" or, for less than 20
        rows, "row"; a warning says so.

    Examples
    --------
    >>> from bicneuron import Findings, SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.replication import pattern_scores
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X[::2])
    >>> found = Findings.untested(miner, X[::2])
    >>> pattern_scores(found, X[1::2], reference="cohort").shape
    (50, 1)
    """
    if reference is not None and reference not in READINGS:
        raise ValueError(f"reference is {reference!r}; choose from {', '.join(READINGS)}.")
    reading = reference or _reading_of(findings, X)
    if reading == "training":
        return findings.miner.pattern_scores(X)
    if reading == "row":
        return _row_scores(findings, X)
    if np.shape(X)[0] < LEAST_ROWS:
        raise ValueError(
            f"X has {np.shape(X)[0]} rows; reference='cohort' needs {LEAST_ROWS}. Use "
            "reference='row' for single rows."
        )
    scores = [one.scores for one in transfer(findings, X).patterns]
    return np.array(scores).reshape(len(scores), np.shape(X)[0]).T


def _row_scores(findings: Findings, X: Any) -> FloatArray:
    """Scores of each row alone, by ranks; NaN for patterns that have none."""
    cohort, reference = match_columns(findings.miner, X), findings.reference
    if not len(reference.mean_ranks):
        raise ValueError(
            "reference='row' compares columns within a row, but the columns of the training table "
            "have several units, or are too few; use reference='training' or 'cohort'."
        )
    scores = np.full((len(cohort.values), len(findings.patterns)), np.nan)
    ranks = row_ranks(cohort.values)
    # Among fewer columns the mean rank is 1/2 again.
    means = reference.mean_ranks[cohort.columns]
    means = means - means.mean() + 0.5
    for k, pattern in enumerate(findings.patterns):
        signature = signature_of(pattern)
        present, here = cohort.places(pattern.columns)
        there = two_normals(reference.rank_quantiles[k])
        if len(present) and signature.is_linear:
            own = np.take(ranks, here, axis=1)
            of_rows = rank_scores(own, means[here], signature.take(present))
            scores[:, k] = (of_rows - there.cut) / there.spread
    return scores


def _reading_of(findings: Findings, X: Any) -> str:
    """How rows are read if nothing was asked for; where columns are missing, say what is done."""
    known, given = getattr(findings.miner, "feature_names_in_", None), getattr(X, "columns", None)
    if known is None or given is None:
        return "training"
    n_missing = len(set(known) - {str(name) for name in given})
    if n_missing in (0, len(known)):
        return "training"
    n_rows = np.shape(X)[0]
    taken = "cohort" if n_rows >= LEAST_ROWS else "row"
    words = f"scale and cut of these {n_rows} rows" if taken == "cohort" else "ranks in each row"
    warnings.warn(
        f"X lacks {n_missing} of {len(known)} columns; carriers are decided by {words} "
        f"(reference={taken!r}).",
        MissingColumnsWarning,
        stacklevel=3,
    )
    return taken
