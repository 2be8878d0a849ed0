"""Stability: which patterns, rows and columns are found again in parts of the rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import check_scalar
from sklearn.utils.multiclass import check_classification_targets

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._sklearn._checks import check_numbers
from bicneuron._sklearn._seed import draw_seed
from bicneuron._workers import received, shipped
from bicneuron.biclustering._subgroup import Subgroup
from bicneuron.significance._searches import check_miner, fitted_quietly

# A pattern is found again if a pattern of the subsample shares this much of its rows.
LEAST_OVERLAP = 0.5
# Rows of a class below which the search finds nothing.
LEAST_ROWS = 10


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stability:
    """How often patterns, their rows and their columns are found again in subsamples.

    Parameters
    ----------
    patterns : tuple of Subgroup
        Those of the whole table, strongest first.
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
        Share of the subsamples in which the column is one of the first pattern, whichever that is.
    n_selected : float
        Mean number of columns of the first pattern.
    """

    patterns: tuple[Subgroup, ...]
    n_subsamples: int
    share: float
    found: FloatArray
    jaccard: FloatArray
    row_frequency: FloatArray
    column_frequency: FloatArray
    selection_frequency: FloatArray
    n_selected: float

    def __repr__(self) -> str:
        return f"<Stability: {len(self.patterns)} patterns, {self.n_subsamples} subsamples>"

    def words(self, k: int) -> str:
        """How often pattern ``k`` was found, as "found in 87 of 100 subsamples"."""
        return f"found in {round(self.found[k] * self.n_subsamples)} of {_counted(self)}"

    def expected_false_selections(self, threshold: float) -> float:
        """How many columns are expected to reach a ``selection_frequency`` by chance, at most.

        The bound of Meinshausen and Buehlmann (2010): ``q ** 2 / ((2 * threshold - 1) * p)`` for p
        columns of which a subsample selects q on average. It was proved for subsamples of half of
        the rows (``share=0.5``), if columns that tell nothing are exchangeable and selected no more
        often than by guessing.

        Parameters
        ----------
        threshold : float
            Above 0.5, at most 1.

        Returns
        -------
        bound : float
        """
        check_scalar(
            threshold, "threshold", Real, min_val=0.5, max_val=1, include_boundaries="right"
        )
        n_columns = len(self.selection_frequency)
        return float(self.n_selected**2 / ((2 * threshold - 1) * n_columns))


def _counted(result: Stability) -> str:
    return f"{result.n_subsamples} subsample{'s' if result.n_subsamples > 1 else ''}"


def stability(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    n_subsamples: int = 100,
    share: float = 0.75,
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Stability:
    """Find patterns again in random parts of the rows.

    The miner is fitted to the whole table and, with the same parameters, to subsamples of its rows.
    In a subsample the match of a pattern is the pattern of the same class and kind whose rows
    overlap best with it. If the Jaccard index of their rows is at least 0.5, among the rows of the
    subsample, the pattern was found again.

    A pattern that is seldom found again rests on a few rows. One that is found again need not be
    true: subsamples share the chance of the table that they are parts of.

    Parameters
    ----------
    model : SubgroupBiclustering
        Fitted or not; it is not changed.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,), default=None
        Labels, if there are any. Each class has about the same share in a subsample.
    n_subsamples : int, default=100
    share : float, default=0.75
        Share of the rows in a subsample. With halves, small groups lose columns: of 15 rows and ten
        columns, a column is found in about three quarters of the subsamples. With 0.8 and more,
        subsamples are so alike that patterns of noise may be found in more than half of them.
        ``expected_false_selections`` is a bound for ``share=0.5`` only.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group (one patient, say) are in a subsample together or not at all.
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
    'found in 5 of 5 subsamples'
    >>> sorted(result.selection_frequency.argsort()[-10:].tolist()) == group.columns.tolist()
    True
    """
    check_miner(model, "stability")
    check_scalar(n_subsamples, "n_subsamples", Integral, min_val=1)
    table, labels, units = rows_and_units(model, X, y, groups)
    seeds = np.random.SeedSequence(draw_seed(random_state)).spawn(n_subsamples)
    parts = [drawn_rows(units, share, np.random.default_rng(seed)) for seed in seeds]
    patterns = tuple(fitted_quietly(model, table, labels, n_jobs).found_)
    for part in parts:
        check_part(part, labels, model, patterns, share, "a subsample")
    data = shipped(table, labels)
    tasks = Parallel(n_jobs=n_jobs)(
        delayed(_patterns_of_part)(model, *data, part) for part in parts
    )
    return _summary(patterns, table.shape, share, parts, tasks)


class _Found(NamedTuple):
    """What a pattern of a subsample is compared by; rows are those of the whole table."""

    anchor_class: Any
    kind: str
    rows: IndexArray
    columns: IndexArray


def _patterns_of_part(model: Any, table: Any, labels: Any, part: IndexArray) -> list[_Found]:
    table, labels = received(table, labels)
    miner = fitted_quietly(model, table[part], None if labels is None else labels[part], 1)
    return [_Found(p.anchor_class, p.kind, part[p.rows], p.columns) for p in miner.found_]


def _summary(
    patterns: tuple[Subgroup, ...],
    shape: tuple[int, int],
    share: float,
    parts: Sequence[IndexArray],
    tasks: Sequence[Sequence[_Found]],
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
            match, jaccard = _match(pattern, found, part)
            if match is not None:
                n_found[k] += 1
                overlap[k] += jaccard
                row_counts[k, match.rows] += 1
                column_counts[k, match.columns] += 1
    return Stability(
        patterns=patterns,
        n_subsamples=n_subsamples,
        share=float(share),
        found=n_found / n_subsamples,
        jaccard=overlap / n_subsamples,
        row_frequency=np.where(drawn > 0, row_counts / np.maximum(drawn, 1), np.nan),
        column_frequency=column_counts / n_subsamples,
        selection_frequency=selected / n_subsamples,
        n_selected=float(selected.sum() / n_subsamples),
    )


def _match(
    pattern: Subgroup, found: Sequence[_Found], part: IndexArray
) -> tuple[_Found | None, float]:
    """The pattern of a subsample with the best overlap, the strongest of equals; None if poor."""
    rows = np.intersect1d(pattern.rows, part, assume_unique=True)
    best, best_overlap = None, 0.0
    for other in found:
        if other.anchor_class == pattern.anchor_class and other.kind == pattern.kind:
            shared = len(np.intersect1d(rows, other.rows, assume_unique=True))
            overlap = shared / (len(rows) + len(other.rows) - shared)
            if overlap > best_overlap:
                best, best_overlap = other, overlap
    return (best, best_overlap) if best_overlap >= LEAST_OVERLAP else (None, 0.0)


class Units(NamedTuple):
    """What is drawn: groups of rows, or single rows.

    Parameters
    ----------
    of_rows : array of intp, shape (n_rows,)
        Unit of each row.
    strata : array of intp, shape (n_units,)
        Units of one stratum have rows of the same classes.
    """

    of_rows: IndexArray
    strata: IndexArray


def rows_and_units(model: Any, X: Any, y: Any, groups: Any) -> tuple[Any, AnyArray | None, Units]:
    """The table for a miner, with rows that can be taken, the labels, and what is drawn."""
    if y is None:
        table, labels = check_numbers(clone(model), X, to_be_scaled=True), None
    else:
        table, labels = check_numbers(clone(model), X, y, to_be_scaled=True)
        check_classification_targets(labels)
    if issparse(table):
        table = table.tocsr()
    n_rows = table.shape[0]
    of_rows = np.arange(n_rows)
    if groups is not None:
        shape = np.shape(groups)
        if shape != (n_rows,):
            raise ValueError(
                f"groups has the shape {shape}; give one group for each of the {n_rows} rows of X."
            )
        of_rows = np.unique(np.asarray(groups), return_inverse=True)[1]
    strata = np.zeros(int(of_rows.max()) + 1, dtype=np.intp)
    if labels is not None:
        places = np.unique(labels, return_inverse=True)[1]
        has_class = np.zeros((len(strata), int(places.max()) + 1), dtype=bool)
        has_class[of_rows, places] = True
        strata = np.unique(has_class, axis=0, return_inverse=True)[1].ravel()
    return table, labels, Units(of_rows, strata)


def drawn_rows(units: Units, share: float, random: np.random.Generator) -> IndexArray:
    """Sorted rows of a random part of the units, with about this share of every stratum.

    Units are put in order by stratum and otherwise at random, and every (1 / share)-th is taken:
    each has the same chance, and the number taken of a stratum is off by less than one.
    """
    check_scalar(share, "share", Real, min_val=0, max_val=1, include_boundaries="neither")
    if len(units.strata) * min(share, 1 - share) < 1:
        what = "rows" if len(units.strata) == len(units.of_rows) else "groups"
        raise ValueError(
            f"share={share} of {len(units.strata)} {what} may be all or none of them; give more "
            f"{what} or choose another share."
        )
    order = random.permutation(len(units.strata))
    order = order[np.argsort(units.strata[order], kind="stable")]
    steps = np.floor(share * np.arange(len(order) + 1) + random.random())
    is_drawn = np.zeros(len(order), dtype=bool)
    is_drawn[order] = np.diff(steps) > 0
    return np.flatnonzero(is_drawn[units.of_rows])


def check_part(
    part: IndexArray,
    labels: AnyArray | None,
    model: Any,
    patterns: Sequence[Subgroup],
    share: float,
    name: str,
) -> None:
    """Refuse parts of the rows in which the patterns, or any, could not be found."""
    sizes = {label: int(in_class.sum()) for label, in_class in _classes(labels, part)}
    searched = {pattern.anchor_class for pattern in patterns}
    if not searched:
        anchor = getattr(model, "anchor", None)
        named = [label for label in sizes if anchor is None or label in np.ravel(anchor).tolist()]
        searched = set(sorted(named, key=sizes.__getitem__)[-1:])
    for label, n_rows in sizes.items():
        least = LEAST_ROWS if label in searched else 1
        if n_rows < least:
            rows = "rows" if label is None else f"rows of class {label!r}"
            raise ValueError(
                f"share={share} leaves {n_rows} {rows} in {name}, fewer than the {least} needed; "
                "choose another share, give more rows, or leave the class out."
            )


def _classes(labels: AnyArray | None, part: IndexArray) -> Iterator[tuple[Any, BoolArray]]:
    """Each label, or None without labels, and which rows of the part have it."""
    if labels is None:
        yield None, np.ones(len(part), dtype=bool)
        return
    for label in np.unique(labels).tolist():
        yield label, labels[part] == label
