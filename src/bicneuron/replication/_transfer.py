"""Groups in another table than the one they were found in, by scale and cut of that table."""

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._two_normals import two_normals
from bicneuron._shared._names import but_for_case, feature_names
from bicneuron.exceptions import MissingColumnsWarning
from bicneuron.patterns import Axis, Pattern
from bicneuron.patterns._reference import (
    Reference,
    gaps,
    has_one_unit,
    mean_difference,
    name_hashes,
    rank_scores,
    row_ranks,
    signature_of,
    standard_scores,
)
from bicneuron.significance import Findings

LEAST_ROWS = 20  # of a cohort that has a scale and a cut of its own
READINGS = ("training", "cohort", "row")


class Cohort(NamedTuple):
    """Columns of a table that a model knows, their numbers in it, and hashes of row names."""

    values: FloatArray
    columns: IndexArray
    names: AnyArray

    def places(self, columns: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Those of some columns of the model that are here: positions among these, and here."""
        place_of = {column: place for place, column in enumerate(self.columns.tolist())}
        here = np.array([place_of.get(column, -1) for column in columns.tolist()], np.intp)
        return np.flatnonzero(here >= 0), here[here >= 0]


def match_columns(model: Any, X: Any) -> Cohort:
    """Take the columns of a table that a fitted model knows, by name.

    A table without names must have all columns of a model without names, in their order.
    """
    known = getattr(model, "feature_names_in_", None)
    given: Any = getattr(X, "columns", None)
    if known is not None and given is None:
        raise ValueError(
            "X has no column names, but the model was fitted with such; give a frame, so that "
            "columns can be matched by name."
        )
    if known is None:
        if np.ndim(X) == 2 and np.shape(X)[1] != model.n_features_in_:
            raise ValueError(
                f"X has {np.shape(X)[1]} columns and the model {model.n_features_in_}, without "
                "names; fit the model to a frame, so that columns can be matched by name."
            )
        names, table = feature_names(model), X
    else:
        names = _common_names(known, [str(name) for name in given])
        table = X[names]
    numbers = {name: k for k, name in enumerate(feature_names(model))}
    if issparse(table):
        table = table.toarray()
    values = check_array(
        table, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X", ensure_min_samples=1
    )
    by_name = sorted(range(len(names)), key=names.__getitem__)
    return Cohort(
        np.ascontiguousarray(values[:, by_name]),
        np.array([numbers[names[k]] for k in by_name], np.intp),
        name_hashes(X),
    )


def _common_names(known: Any, names: list[str]) -> list[str]:
    """Names of a table that are among known ones; refuse a table without any."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(
            f"X has {len(repeated)} column names more than once, such as {repeated[0]!r}; "
            "keep one column of each name."
        )
    of_model = set(known)
    common = [name for name in names if name in of_model]
    if not common:
        alike = len(but_for_case(of_model, names))
        but_for = f"; {alike} would match if case is ignored" if alike else ""
        raise ValueError(
            f"X has none of the {len(known)} columns of the model (such as {known[0]!r})"
            f"{but_for}; give the columns the names that the model knows."
        )
    return common


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TransferredPattern:
    """A group in another table than the one it was found in.

    Parameters
    ----------
    pattern : Pattern
    signature : Axis
        The function of standard scores of the columns present that scores rows.
    here : array of intp, shape (n_present,)
        Columns of ``Z`` of the `Transfer` that are present, in the order of those of the pattern.
    present, absent : tuples of str
        Names of these, and of the others.
    weight_present : float
        Share of the weight that the columns present have.
    scores : array of shape (n_rows,)
        Distance from the cut, in standard deviations; NaN if no column is present.
    members : bool array of shape (n_rows,) or None
        Rows beyond the cut; None if the table has too few rows for one, or no column.
    share_there, share_here, gap_there, gap_here : float or None
        Share of carriers in the training table and of members here, and their distance from the
        other rows, in standard deviations within both.
    effects_there, effects_here : arrays of shape (n_present,)
        Difference between these and the other rows in each column, in standard deviations.
    agreement : float
        How often the signature puts a carrier above another row in the training table, or NaN.
    """

    pattern: Pattern
    signature: Axis
    here: IndexArray
    present: tuple[str, ...]
    absent: tuple[str, ...]
    weight_present: float
    scores: FloatArray
    members: BoolArray | None
    share_there: float | None
    share_here: float | None
    gap_there: float | None
    gap_here: float | None
    effects_there: FloatArray
    effects_here: FloatArray
    agreement: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Transfer:
    """Groups in another table; see `transfer`.

    Parameters
    ----------
    patterns : tuple of TransferredPattern
        In the order of the findings.
    Z, levels : arrays of shape (n_rows, n_common)
        Standard scores of the columns that both tables have, by name, and those of the values
        themselves, neither ranked nor clipped.
    row_means : array of shape (n_rows,)
        Means of ``levels`` if ``Z`` is made of ranks, which do not know the level of a row; else 0.
    known : array of shape (n_common,)
        Share of the rows that have a value; 0 for columns of one value.
    is_ranked : bool
        True if ``Z`` is made of ranks within rows.
    n_training_rows, n_training_names : int
        Rows that are rows of the training table, or have the name of one.
    """

    patterns: tuple[TransferredPattern, ...]
    Z: FloatArray
    levels: FloatArray
    row_means: FloatArray
    known: FloatArray
    is_ranked: bool
    n_training_rows: int
    n_training_names: int


def transfer(findings: Findings, X: Any, *, ranks: bool | Literal["auto"] = "auto") -> Transfer:
    """Look for groups in another table, by scale and cut of that table; nothing is tested.

    Columns are matched by name, and absent ones lower the weight that is present. Rows are scored
    by the signature of a group: the factors of its columns, on standard scores within the table, of
    ranks within rows where all columns have one unit in both tables or ``ranks`` is True, so that
    platform and scale do not matter. Two normal densities with one spread cut the scores in two.

    Parameters
    ----------
    findings : Findings
    X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
    ranks : bool or "auto", default="auto"

    Examples
    --------
    >>> from bicneuron import Findings, SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.replication import transfer
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X[::2])
    >>> transfer(Findings.untested(miner, X[::2]), X[1::2]).is_ranked
    True
    """
    cohort, reference = match_columns(findings.miner, X), findings.reference
    within = None
    if ranks is True or (ranks == "auto" and len(reference.mean_ranks)):
        within = row_ranks(cohort.values)
        if ranks == "auto" and not has_one_unit(within):
            within = None
    Z = standard_scores(cohort.values, within)
    levels = standard_scores(cohort.values, None, np.inf)
    names, rows = np.array(feature_names(findings.miner), object), np.empty(0, np.intp)
    if len(cohort.columns) == len(names):
        rows = findings.miner.training_rows(cohort.values[:, np.argsort(cohort.columns)])
    patterns = enumerate(findings.patterns)
    return Transfer(
        tuple(_transferred(one, reference, k, cohort, Z, names) for k, one in patterns),
        Z,
        levels,
        row_means=np.zeros(len(levels)) if within is None else levels.mean(axis=1),
        known=np.isfinite(cohort.values).mean(axis=0) * levels.any(axis=0),
        is_ranked=within is not None,
        n_training_rows=int(np.count_nonzero(rows >= 0)),
        n_training_names=int(np.isin(cohort.names, reference.names).sum()),
    )


def _transferred(
    pattern: Pattern, reference: Reference, k: int, cohort: Cohort, Z: FloatArray, names: Any
) -> TransferredPattern:
    present, here = cohort.places(pattern.columns)
    block, signature = np.take(Z, here, axis=1), signature_of(pattern)
    of_present = signature.take(present)
    values = of_present.values(block)
    split = two_normals(values)
    scores, members = np.full(len(values), np.nan), None
    if len(present):
        scores = (values - split.cut) / split.spread
        members = scores > 0 if len(values) >= LEAST_ROWS else None
    inside = np.zeros(len(values), dtype=bool) if members is None else members
    return TransferredPattern(
        pattern,
        of_present,
        here,
        tuple(names[pattern.columns[present]]),
        tuple(names[np.delete(pattern.columns, present)]),
        float(column_weights(signature)[present].sum()),
        scores,
        members,
        float(reference.shares[k]),
        None if members is None else float(members.mean()),
        _known(reference.gaps[k]),
        _known(gaps(values[:, None], inside[:, None])[0]),
        reference.effects[k][present],
        mean_difference(block, inside),
        float(reference.agreement[k]),
    )


def column_weights(signature: Axis) -> FloatArray:
    """Weight of each column in a signature; their sum is 1."""
    sizes = signature.linear**2 + signature.squares**2 + signature.common**2
    return np.asarray(sizes / max(float(sizes.sum()), np.finfo(float).tiny))


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


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
