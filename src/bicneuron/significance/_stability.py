"""Stability: patterns, rows and columns that are found again in parts of the rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_scalar

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._estimators import draw_seed
from bicneuron._shared._formats import counted, format_found
from bicneuron._shared._html import bar, fragment, sentences, table
from bicneuron._shared._steps import step_by_step
from bicneuron._shared._workers import resolve_data, share_data, start_workers
from bicneuron.patterns import Pattern, check_patterns
from bicneuron.significance._known import known_structure
from bicneuron.significance._parts import check_part, drawn_rows, rows_and_units
from bicneuron.significance._refits import (
    carriers_in_class,
    fitted_quietly,
    is_fitted_to,
)

# A pattern is found again if a pattern of the subsample shares this much of its rows.
LEAST_OVERLAP = 0.6
# Patterns that a notebook lists.
SHOWN_PATTERNS = 10


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stability:
    """Frequencies with which patterns, their rows and columns are found again in subsamples.

    Parameters
    ----------
    patterns : tuple of Pattern
        Those of the whole table, in the order of the model.
    n_subsamples : int
    share : float
        Share of the rows in a subsample.
    found : array of shape (n_patterns,)
        Share of the subsamples in which the pattern was found again.
    jaccard : array of shape (n_patterns,)
        Jaccard index between the rows of the pattern and of its match, among the rows of the
        subsample; the mean over all subsamples, with 0 where the pattern was not found.
    row_frequency : array of shape (n_patterns, n_rows)
        Of the subsamples that contain the row, the share in which it is a row of the match. NaN for
        a row that no subsample contains.
    column_frequency : array of shape (n_patterns, n_columns)
        Share of the subsamples in which the column is one of the match.
    selection_frequency : array of shape (n_columns,)
        Share of the subsamples in which the column is one of the strongest pattern, whichever that
        is.
    """

    patterns: tuple[Any, ...]
    n_subsamples: int
    share: float
    found: FloatArray
    jaccard: FloatArray
    row_frequency: FloatArray
    column_frequency: FloatArray
    selection_frequency: FloatArray

    def __repr__(self) -> str:
        return f"<Stability: {len(self.patterns)} patterns, {self.n_subsamples} subsamples>"

    def words(self, k: int) -> str:
        """Frequency of pattern ``k``, as "found again in 87 of 100 parts of the table"."""
        return format_found(round(self.found[k] * self.n_subsamples), self.n_subsamples)

    def _repr_html_(self) -> str:
        """What a notebook shows: how often patterns are found again."""
        shown = range(min(len(self.patterns), SHOWN_PATTERNS))
        parts = [
            sentences(
                f"{len(self.patterns)} patterns, looked for in {self.n_subsamples} parts of the "
                f"table with {self.share:.0%} of its rows each."
            )
        ]
        if shown:
            rows = [(k + 1, self.words(k), bar(float(self.found[k]), 1.0)) for k in shown]
            parts.append(table(("pattern", "stability", ""), rows))
        n_more = len(self.patterns) - len(shown)
        parts += [sentences(f"And {counted(n_more, 'more pattern')}.")] if n_more else []
        return fragment(*parts)


def stability(  # noqa: PLR0913
    model: Any,
    X: Any,
    y: Any = None,
    *,
    n_subsamples: int = 100,
    share: float = 0.8,
    groups: Any = None,
    strata: Any = None,
    covariates: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Stability:
    """Find patterns again in random parts of the rows.

    The model is fitted to the whole table, unless it is already, and with the same parameters to
    subsamples of its rows.
    In a subsample the match of a pattern is the pattern of the same class and kind whose rows
    overlap best with it. If the Jaccard index of their rows is at least 0.6, among the rows of the
    subsample, and the strength of the match is positive, the pattern was found again.
    `SubgroupBiclustering` does not search a subsample from nothing, but from the groups that it has
    found in the whole table.

    A pattern that is seldom found again rests on a few rows. One that is found again need not be
    true: subsamples share the chance of the table that they are parts of.

    Parameters
    ----------
    model : a miner, BicNeuronNetwork or BicNeuronClassifier
        Fitted or not; it is not changed. The rows of a pattern are its carriers in its class.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,), default=None
        Labels, if there are any. Each class has about the same share in a subsample.
    n_subsamples : int, default=100
    share : float, default=0.8
        Share of the rows in a subsample. With halves, small groups lose columns: of 15 rows and ten
        columns, a column is found in about three quarters of the subsamples. The larger the share,
        the more alike are the subsamples, and the more often patterns of noise are found again.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group (one patient, say) are in a subsample together or not at all.
    strata : array-like of shape (n_rows,) or (n_rows, n_strata), default=None
        Known structure, such as batches, that a `SubgroupBiclustering` sets aside in every
        subsample. Each stratum has about the same share in a subsample.
    covariates : array-like of shape (n_rows,) or (n_rows, n_covariates), default=None
        Known structure in numbers, such as the age, that it sets aside likewise.
    n_jobs : int, default=None
        Number of processes. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same subsamples on each call.

    Returns
    -------
    Stability

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import stability
    >>> X, y, (group,) = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(anchor="case", kinds="shift", n_patterns=3)
    >>> result = stability(miner, X, y, n_subsamples=5, random_state=0)
    >>> result.words(0)
    'found again in 5 of 5 parts of the table'
    >>> sorted(result.selection_frequency.argsort()[-10:].tolist()) == group.columns.tolist()
    True
    """
    check_patterns(model, "stability", fitted=False)
    check_scalar(n_subsamples, "n_subsamples", Integral, min_val=1)
    known = known_structure(model, strata, covariates, np.shape(X)[0])
    table, labels, units = rows_and_units(model, X, y, groups, known.strata)
    seeds = np.random.SeedSequence(draw_seed(random_state)).spawn(n_subsamples)
    parts = [drawn_rows(units, share, np.random.default_rng(seed)) for seed in seeds]
    fitted = model
    if is_fitted_to(model, labels, known):
        model.check_table(X, labels)
    else:
        fitted = fitted_quietly(model, table, labels, n_jobs, known=known)
    rows = _carriers(fitted, X, labels)
    searched = {pattern.anchor_class for pattern in fitted.patterns_}
    for part in parts:
        check_part(part, labels, model, searched, share, "a subsample")
    start_workers(n_jobs)
    data = share_data(fitted, table, labels, known)
    tasks = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_patterns_of_part)(*data, part) for part in parts
    )
    found = step_by_step(tasks, n_subsamples)
    return _summary(fitted.patterns_, rows, table.shape, share, parts, found)


def _carriers(fitted: Any, X: Any, labels: AnyArray | None) -> list[IndexArray]:
    """Carriers of each pattern of a fitted model in its class."""
    carriers = fitted.carriers(X)
    return [
        carriers_in_class(pattern, own, labels)
        for pattern, own in zip(fitted.patterns_, carriers.T, strict=True)
    ]


def _patterns_of_part(
    model: Any, table: Any, labels: Any, known: Any, part: IndexArray
) -> list[Pattern]:
    """Patterns of a subsample, the strongest first, with their carriers in the whole table."""
    model, table, labels, known = resolve_data(model, table, labels, known)
    of_part = None if labels is None else labels[part]
    fitted = fitted_quietly(
        model, table[part], of_part, 1, known=known.of(part), whole=model, rows=part
    )
    return [
        Pattern(
            part[rows],
            found.columns,
            anchor_class=found.anchor_class,
            kind=found.kind,
            strength=found.strength,
        )
        for found, rows in zip(
            fitted.patterns_, _carriers(fitted, table[part], of_part), strict=True
        )
    ]


def _summary(
    patterns: Sequence[Pattern],
    rows: Sequence[IndexArray],
    shape: tuple[int, int],
    share: float,
    parts: Sequence[IndexArray],
    tasks: Sequence[Sequence[Pattern]],
) -> Stability:
    n_patterns, n_subsamples = len(patterns), len(parts)
    drawn = np.zeros(shape[0])
    n_found, overlap = np.zeros(n_patterns), np.zeros(n_patterns)
    row_counts, column_counts = np.zeros((n_patterns, shape[0])), np.zeros((n_patterns, shape[1]))
    selected = np.zeros(shape[1])
    for part, found in zip(parts, tasks, strict=True):
        drawn[part] += 1
        if found:
            selected[found[0].columns] += 1
        for k, pattern in enumerate(patterns):
            match, jaccard = match_of(pattern, rows[k], found, part)
            if match is not None:
                n_found[k] += 1
                overlap[k] += jaccard
                row_counts[k, match.rows] += 1
                column_counts[k, match.columns] += 1
    return Stability(
        patterns=tuple(patterns),
        n_subsamples=n_subsamples,
        share=float(share),
        found=n_found / n_subsamples,
        jaccard=overlap / n_subsamples,
        row_frequency=np.where(drawn > 0, row_counts / np.maximum(drawn, 1), np.nan),
        column_frequency=column_counts / n_subsamples,
        selection_frequency=selected / n_subsamples,
    )


def match_of(
    pattern: Pattern, rows: IndexArray, found: Sequence[Pattern], part: IndexArray
) -> tuple[Pattern | None, float]:
    """Best-overlapping pattern of a subsample, the first at ties; None if the overlap is poor."""
    rows = np.intersect1d(rows, part, assume_unique=True)
    best, best_overlap = None, 0.0
    for other in found:
        if (
            other.anchor_class == pattern.anchor_class
            and other.kind == pattern.kind
            and not other.strength <= 0  # patterns of some models have none
        ):
            shared = len(np.intersect1d(rows, other.rows, assume_unique=True))
            overlap = shared / max(len(rows) + len(other.rows) - shared, 1)
            if overlap > best_overlap:
                best, best_overlap = other, overlap
    return (best, best_overlap) if best_overlap >= LEAST_OVERLAP else (None, 0.0)
