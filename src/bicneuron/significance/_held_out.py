"""Patterns that were found in one part of the rows, checked in the other part."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import connected_components

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._estimators._filling import with_means
from bicneuron._estimators._seed import draw_seed
from bicneuron.patterns import Pattern, carrier_counts, check_patterns, class_masks
from bicneuron.significance._parts import check_part, drawn_rows, rows_and_units
from bicneuron.significance._refits import fitted_quietly

# The columns of a pattern are left out in at most this many parts.
N_PARTS = 10
# Columns with a larger correlation are copies of each other, and are left out together.
COPY = 0.99
Carriers = Mapping[Any, tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeldOut:
    """Patterns of one part of the rows, with their carriers and gaps there and in the other part.

    Parameters
    ----------
    patterns : tuple of Pattern
        Strongest first. Their rows are indices into the whole table, ``carriers`` are counted in
        the part that was searched.
    searched, held_out : arrays of intp
        Sorted rows of the two parts.
    carriers : tuple of dict of label to (int, int)
        For each pattern, its members in each class of the part that was not searched, and the rows
        of the class; without labels under the label None.
    apparent_gap : array of shape (n_patterns,)
        Distance of the rows of the pattern from the other rows of their class, in the direction of
        the pattern: the mean over its columns, in standard deviations within both. Measured where
        the pattern was found, and therefore too large.
    honest_gap : array of shape (n_patterns,)
        The same in the other part, each column by members that other columns decide. NaN
        where no row or every row is a member; of one or two members it says little.
    """

    patterns: tuple[Pattern, ...]
    searched: IndexArray
    held_out: IndexArray
    carriers: tuple[Carriers, ...]
    apparent_gap: FloatArray
    honest_gap: FloatArray

    def __repr__(self) -> str:
        return (
            f"<HeldOut: {len(self.patterns)} patterns of {len(self.searched)} rows, "
            f"{len(self.held_out)} rows held out>"
        )

    def words(self, k: int) -> str:
        """Members of pattern ``k``: "9 of 31 case here, 8 of 30 in rows not searched"."""
        label = self.patterns[k].anchor_class
        there, there_all = _counts(self.patterns[k].carrier_counts or {}, label)
        other, other_all = _counts(self.carriers[k], label)
        name = "rows" if label is None else label
        return f"{there} of {there_all} {name} here, {other} of {other_all} in rows not searched"


def held_out_check(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    share: float = 0.5,
    groups: Any = None,
    random_state: int | np.random.RandomState | None = None,
) -> HeldOut:
    """Find patterns in one part of the rows and look for them in the other.

    The model is fitted to a random part. Its ``carriers`` are the members among the other rows.
    A pattern that is more than chance has about the same share of carriers there, and its members
    differ by a similar gap.

    Members are the rows with high values in the columns of the pattern, so these columns differ
    between members and others even where there is no pattern. The honest gap avoids this: some
    columns are left out (one, or a tenth of many), the others decide the members, and the gap is
    measured in those left out. It is about 0 for a pattern of independent noise. Where columns are
    correlated, any cut leaves a gap in columns that were left out, too. Coexpressed patterns differ
    in correlations, not in means, and biclusters have no directions: their gaps are NaN.

    Parameters
    ----------
    model : a miner, BicNeuronNetwork, BicNeuronClassifier or BicNeuronClassifierCV
        Fitted or not; it is not changed.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,), default=None
        Labels, if there are any. Both parts have about the same share of each class.
    share : float, default=0.5
        Share of the rows in which patterns are looked for.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group (one patient, say) are in the same part.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same parts on each call.

    Returns
    -------
    HeldOut

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import held_out_check
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(anchor="case", kinds="shift", n_patterns=3)
    >>> held_out_check(miner, X, y, random_state=0).words(0)
    '9 of 25 case here, 6 of 25 in rows not searched'
    """
    check_patterns(model, "held_out_check", fitted=False)
    table, labels, units = rows_and_units(model, X, y, groups)
    if issparse(table):
        table = table.toarray()
    random = np.random.default_rng(draw_seed(random_state))
    searched = drawn_rows(units, share, random)
    held_out = np.setdiff1d(np.arange(len(table)), searched)
    check_part(searched, labels, model, set(), share, "the part that is searched")
    miner = fitted_quietly(
        model, table[searched], None if labels is None else labels[searched], None
    )
    carriers = miner.carriers(table)
    in_class = class_masks(labels, len(table))
    of_part = {label: mask[searched] for label, mask in in_class.items()}
    patterns = tuple(
        replace(
            found,
            rows=searched[found.rows],
            contrast_rows=searched[found.contrast_rows],
            carrier_counts=carrier_counts(own, of_part),
        )
        for found, own in zip(miner.patterns_, carriers[searched].T, strict=True)
    )
    of_classes = {pattern.anchor_class for pattern in patterns}
    check_part(held_out, labels, model, of_classes, share, "the part that is not searched")
    is_searched = np.zeros(len(table), dtype=bool)
    is_searched[searched] = True
    outside = {label: mask[~is_searched] for label, mask in in_class.items()}
    everywhere = np.ones(len(table), dtype=bool)
    checked = [
        _Checked(miner, k, table, in_class.get(pattern.anchor_class, everywhere), is_searched)
        for k, pattern in enumerate(patterns)
    ]
    return HeldOut(
        patterns=patterns,
        searched=searched,
        held_out=held_out,
        carriers=tuple(
            carrier_counts(carriers[~is_searched, k], outside) for k in range(len(patterns))
        ),
        apparent_gap=np.array([one.apparent_gap() for one in checked]),
        honest_gap=np.array([one.honest_gap(carriers[:, k]) for k, one in enumerate(checked)]),
    )


class _Checked:
    """One pattern of a miner and the table with both parts.

    Parameters
    ----------
    miner : a model with patterns
        Fitted to the rows that were searched.
    k : int
        Position of the pattern in ``patterns_``.
    table : array of shape (n_rows, n_columns)
    in_class, is_searched : bool arrays of shape (n_rows,)
    """

    def __init__(
        self, miner: Any, k: int, table: FloatArray, in_class: BoolArray, is_searched: BoolArray
    ) -> None:
        self._miner, self._k, self._table = miner, k, table
        self._pattern: Pattern = miner.patterns_[k]
        self._block = with_means(np.asarray(table[:, self._pattern.columns], np.float64))
        self._in_class, self._is_searched = in_class, is_searched
        self._has_gap = len(self._pattern.weights) > 0 and self._pattern.kind != "coexpressed"

    def apparent_gap(self) -> float:
        """Gap in the rows that were searched, by the rows of the pattern."""
        rows = np.flatnonzero(self._is_searched)[self._pattern.rows]
        members = np.isin(np.arange(len(self._table)), rows)
        return self._mean(self._gaps(members, self._in_class & self._is_searched))

    def honest_gap(self, is_member: BoolArray) -> float:
        """Mean gap in the held-out rows; for each column, members are decided without it.

        Parameters
        ----------
        is_member : bool array of shape (n_rows,)
            Members by all columns.
        """
        gaps = np.full(len(self._pattern.columns), np.nan)
        if not self._has_gap:
            return self._mean(gaps)
        searched = self._block[self._is_searched]
        parts = _parts_of_columns(searched)
        n_members = int(np.sum(is_member & self._is_searched))
        changed = self._table.copy()
        for part in range(int(parts.max()) + 1):
            # One value in all rows is no evidence.
            left_out = self._pattern.columns[parts == part]
            changed[:, left_out] = np.median(searched[:, parts == part], axis=0)
            scores = self._miner.pattern_scores(changed)[:, self._k]
            changed[:, left_out] = self._table[:, left_out]
            # The cut was made for all columns. Another one gives as many members as before.
            members = scores > _cut(scores[self._is_searched], n_members)
            honest = self._gaps(members, self._in_class & ~self._is_searched)
            gaps[parts == part] = honest[parts == part]
        return self._mean(gaps)

    def _gaps(self, members: BoolArray, rows: BoolArray) -> FloatArray:
        """Gap of each column between members and other rows, among some rows; NaN if none."""
        inside, outside = self._block[rows & members], self._block[rows & ~members]
        gaps = np.full(self._block.shape[1], np.nan)
        if self._has_gap and len(inside) and len(outside):
            squares = inside.var(axis=0) * len(inside) + outside.var(axis=0) * len(outside)
            within = np.sqrt(squares / max(len(inside) + len(outside) - 2, 1))
            distance = (inside.mean(axis=0) - outside.mean(axis=0)) * self._pattern.directions
            np.divide(distance, within, out=gaps, where=within > 0)
        return gaps

    def _mean(self, gaps: FloatArray) -> float:
        known = gaps[np.isfinite(gaps)]
        return float(known.mean()) if self._has_gap and len(known) else float("nan")


def _counts(counts: Carriers, label: Any) -> tuple[int, int]:
    """Carriers of a class and its rows; those of all classes for a pattern of no class."""
    if label in counts:
        return counts[label]
    return sum(own for own, _ in counts.values()), sum(size for _, size in counts.values())


def _parts_of_columns(block: FloatArray) -> IndexArray:
    """Assign columns to parts that are left out together; copies share a part."""
    with np.errstate(invalid="ignore", divide="ignore"):  # a constant column has no correlation
        is_copy = np.abs(np.corrcoef(block.T)) > COPY
    kind_of_column = connected_components(csr_array(np.atleast_2d(is_copy)))[1]
    return np.asarray(kind_of_column % N_PARTS, np.intp)


def _cut(scores: FloatArray, n_members: int) -> float:
    """Threshold that this many scores exceed: at least one and not all, and fewer at ties."""
    ordered = np.sort(scores)[::-1]
    place = min(max(n_members, 1), len(ordered) - 1)
    return float(ordered[place - 1] + ordered[place]) / 2
