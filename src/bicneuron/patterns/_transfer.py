"""Scores of rows that were measured elsewhere: by their own cohort, or row by row."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._two_normals import two_normals
from bicneuron._shared._names import feature_names
from bicneuron.exceptions import MissingColumnsWarning
from bicneuron.patterns._cohort import Cohort, has_one_unit, row_ranks, standard_scores
from bicneuron.patterns._pattern import Pattern
from bicneuron.patterns._reference import Reference, difference, gaps, rank_scores
from bicneuron.patterns._signature import Signature

Reading = Literal["training", "cohort", "row"]
READINGS = ("training", "cohort", "row")
# A cohort of fewer rows has no scale and no cut of its own.
LEAST_ROWS = 20


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TransferredPattern:
    """A pattern in another table than the one it was found in.

    Parameters
    ----------
    pattern : Pattern
    signature : Signature
        Of the columns that are present.
    here : array of intp, shape (n_present,)
        Columns of ``Z`` of the `Transfer` that are present, in the order of those of the pattern.
    present, absent : tuples of str
        Names of these, and of the others.
    weight_present : float
        Share of the weight of the pattern that the columns present have.
    scores : array of shape (n_rows,)
        Distance of each row from the cut between two groups, in standard deviations within both;
        NaN if no column is present.
    members : bool array of shape (n_rows,) or None
        Rows beyond the cut; None if the table has too few rows for one, or no column.
    share_there, share_here : float or None
        Share of rows that carry the pattern in the training table, and here.
    gap_there, gap_here : float or None
        Distance of these from the other rows, in standard deviations within both.
    effects_there, effects_here : arrays of shape (n_present,)
        Difference between these and the other rows in each column, in standard deviations.
    agreement : float
        How often the signature puts a row that carries the pattern above one that does not, in the
        training table; NaN if there are not both.
    """

    pattern: Pattern
    signature: Signature
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

    def __repr__(self) -> str:
        n_present, n_columns = len(self.here), len(self.pattern.columns)
        return f"<TransferredPattern: {n_present} of {n_columns} columns present>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Transfer:
    """The patterns of a model in another table; see `PatternModel.transfer`.

    Parameters
    ----------
    patterns : tuple of TransferredPattern
        In the order of the model.
    Z : array of shape (n_rows, n_common)
        Standard scores of the columns that both tables have, in the order of their names.
    levels : array of shape (n_rows, n_common)
        Standard scores of the values themselves, not clipped.
    row_means : array of shape (n_rows,)
        Means of these, if ``Z`` is made of ranks, which do not know the level of a row; else 0.
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

    def __repr__(self) -> str:
        n_rows, n_common = self.Z.shape
        return f"<Transfer: {len(self.patterns)} patterns, {n_rows} rows, {n_common} columns>"


def transfer_patterns(
    model: Any, reference: Reference, cohort: Cohort, ranks: bool | Literal["auto"]
) -> Transfer:
    """Look for patterns in a cohort."""
    within = None
    if ranks is True or (ranks == "auto" and len(reference.mean_ranks)):
        within = row_ranks(cohort.values)
        if ranks == "auto" and not has_one_unit(within):
            within = None
    Z = standard_scores(cohort.values, within)
    levels = standard_scores(cohort.values, None, np.inf)
    row_means = np.zeros(len(levels)) if within is None else levels.mean(axis=1)
    known = np.isfinite(cohort.values).mean(axis=0) * levels.any(axis=0)
    names = feature_names(model)
    patterns = tuple(
        _transferred(k, pattern, reference, signature, effects, cohort, Z, names)
        for k, (pattern, signature, effects) in enumerate(
            zip(
                model.patterns_,
                reference.signatures(model.patterns_),
                reference.effects_of(model.patterns_),
                strict=True,
            )
        )
    )
    n_named = int(np.isin(cohort.names, reference.names).sum())
    n_known = model.n_training_rows(cohort)
    is_ranked = within is not None
    return Transfer(patterns, Z, levels, row_means, known, is_ranked, n_known, n_named)


def _transferred(
    k: int,
    pattern: Pattern,
    reference: Reference,
    signature: Signature,
    effects: FloatArray,
    cohort: Cohort,
    Z: FloatArray,
    names: list[str],
) -> TransferredPattern:
    present, here = cohort.places(pattern.columns)
    block = np.take(Z, here, axis=1)
    of_present = signature.take(present)
    values = of_present.values(block)
    split = two_normals(values)
    scores, members = np.full(len(values), np.nan), None
    if len(present):
        scores = (values - split.cut) / split.spread
        members = scores > 0 if len(values) >= LEAST_ROWS else None
    inside = np.zeros(len(values), dtype=bool) if members is None else members
    absent = np.delete(pattern.columns, present)
    return TransferredPattern(
        pattern,
        of_present,
        here,
        tuple(names[column] for column in pattern.columns[present].tolist()),
        tuple(names[column] for column in absent.tolist()),
        float(signature.sizes[present].sum()),
        scores,
        members,
        float(reference.shares[k]),
        None if members is None else float(members.mean()),
        _known(reference.gaps[k]),
        _known(gaps(values[:, None], inside[:, None])[0]),
        effects[present],
        difference(block, inside),
        float(reference.agreement[k]),
    )


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def cohort_scores(model: Any, reference: Reference, cohort: Cohort) -> FloatArray:
    """Scores of rows by scale and cut of their own table, of shape (n_rows, n_patterns)."""
    if len(cohort.values) < LEAST_ROWS:
        raise ValueError(
            f"X has {len(cohort.values)} rows; reference='cohort' needs {LEAST_ROWS}. Use "
            "reference='row' for single rows."
        )
    found = transfer_patterns(model, reference, cohort, "auto")
    scores = [one.scores for one in found.patterns]
    return np.array(scores).reshape(len(scores), len(cohort.values)).T


def row_scores(model: Any, reference: Reference, cohort: Cohort) -> FloatArray:
    """Scores of each row alone, by ranks; NaN for patterns that have none."""
    if not len(reference.mean_ranks):
        raise ValueError(
            "reference='row' compares columns within a row, but the columns of the training table "
            "have several units, or are too few; use reference='training' or 'cohort'."
        )
    scores = np.full((len(cohort.values), len(model.patterns_)), np.nan)
    ranks = row_ranks(cohort.values)
    # Among fewer columns the mean rank is 1/2 again.
    means = reference.mean_ranks[cohort.columns]
    means = means - means.mean() + 0.5
    signatures = reference.signatures(model.patterns_)
    for k, (pattern, signature) in enumerate(zip(model.patterns_, signatures, strict=True)):
        present, here = cohort.places(pattern.columns)
        there = two_normals(reference.rank_quantiles[k])
        if len(present) and signature.is_linear:
            own = np.take(ranks, here, axis=1)
            of_rows = rank_scores(own, means[here], signature.take(present))
            scores[:, k] = (of_rows - there.cut) / there.spread
    return scores


def reading_of(model: Any, X: Any, reading: Any) -> Reading:
    """How rows are read; where columns are missing and nothing was asked for, say what is done."""
    if reading is not None:
        if reading not in READINGS:
            raise ValueError(f"reference is {reading!r}; choose from {', '.join(READINGS)}.")
        chosen: Reading = reading
        return chosen
    known, given = getattr(model, "feature_names_in_", None), getattr(X, "columns", None)
    if known is None or given is None:
        return "training"
    n_missing = len(set(known) - {str(name) for name in given})
    if n_missing in (0, len(known)):
        return "training"
    n_rows = np.shape(X)[0]
    taken: Reading = "cohort" if n_rows >= LEAST_ROWS else "row"
    words = f"scale and cut of these {n_rows} rows" if taken == "cohort" else "ranks in each row"
    warnings.warn(
        f"X lacks {n_missing} of {len(known)} columns; carriers are decided by {words} "
        f"(reference={taken!r}).",
        MissingColumnsWarning,
        stacklevel=4,
    )
    return taken
