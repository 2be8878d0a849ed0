"""Columns with their own evidence, from rows that did not choose them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._estimators import draw_seed
from bicneuron._shared._formats import LEVEL, number, round_p, signed
from bicneuron._shared._html import fragment, sentences, table
from bicneuron._shared._names import feature_names
from bicneuron._shared._version import import_extra
from bicneuron.patterns import Pattern, check_patterns, pattern_differences
from bicneuron.significance import _folds
from bicneuron.significance._folds import Judged
from bicneuron.significance._known import known_structure, units_by_class
from bicneuron.significance._rank_sums import LEAST_ROWS, Compared, compared

SHOWN_COLUMNS = 12  # that a notebook lists
FOLDS, CLASSES = "folds", "class"
DIRECTIONS = ("lower", "not clear", "higher")
MEASURED = ("difference", "effect", "low", "high")
NO_LEVEL = "they rise and fall together, and need not differ in level"
TOO_FEW = "{} rows in the group and {} others are too few to compare"
NOT_FOUND = "the group is not found again without a part of the rows"
NO_SIDES = "the rows of a bicluster are compared by classes, and there are none"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnEvidence:
    """How the rows of a pattern differ from the others in every column of the table.

    Arrays have one value for each column of the table, not only for those of the pattern: p is
    corrected for all of them, because the search chose among all of them.

    Parameters
    ----------
    number : int
        Position of the pattern in the model, counted from 1.
    pattern : Pattern
    names : tuple of str
        Names of the columns.
    method : {"folds", "class"}
        Whether rows were judged without themselves and the column, or are compared by classes.
    reason : str
        Why the columns cannot be tested; else empty.
    n_folds, n_found : int
        Folds, and those in whose other rows the pattern was found again; 0 for "class".
    n_group, n_others : int
        Rows (patients, if rows belong together) that are compared.
    difference : array of shape (n_columns,)
        Mean in the group less the mean in the others, in the units of the column.
    effect, low, high : arrays of shape (n_columns,)
        Standardised difference (Hedges' g), and its interval of 95 %.
    direction : array of int, shape (n_columns,)
        1 where the group is higher and -1 where it is lower: the sign of ``difference``, which is
        that of the plain difference in all rows of the table as well; 0 where they disagree.
    statistic : array of shape (n_columns,)
        Of the rank test, in standard deviations: positive where the group is higher.
    p_values, p_corrected : arrays of shape (n_columns,)
        P of the rank test, and corrected for all columns (Benjamini and Hochberg): of the columns
        with at most 0.05, no more than 5 % are expected to be false.
    scores : array of shape (n_rows,)
        Scores of rows by the searches without them, on which `separate_test` can be made; NaN where
        the pattern was not found again, is not a matter of levels, or was not searched again.
    """

    number: int
    pattern: Pattern
    names: tuple[str, ...]
    method: str
    reason: str
    n_folds: int
    n_found: int
    n_group: int
    n_others: int
    difference: FloatArray
    effect: FloatArray
    low: FloatArray
    high: FloatArray
    direction: IndexArray
    statistic: FloatArray
    p_values: FloatArray
    p_corrected: FloatArray
    scores: FloatArray

    @property
    def is_proven(self) -> BoolArray:
        """True for columns with a corrected p of at most 0.05, and one way of means and ranks."""
        is_clear = self.direction * self.statistic > 0
        return np.asarray(is_clear & (self.p_corrected <= LEVEL))

    @property
    def ranked_columns(self) -> IndexArray:
        """Columns of the pattern, the clearest first; in its own order if they are not tested."""
        return self._ranked(self.pattern.ranked_columns)

    @property
    def listed_columns(self) -> IndexArray:
        """Columns of the pattern, the clearest first, then others of a group that are proven.

        Columns in which two classes differ, but that the pattern does not have, are not its own.
        """
        if self.method == CLASSES:
            return self.ranked_columns
        others = np.setdiff1d(np.flatnonzero(self.is_proven), self.pattern.columns)
        return np.concatenate([self.ranked_columns, self._ranked(others)])

    def _ranked(self, columns: IndexArray) -> IndexArray:
        keys = (-np.abs(self.statistic[columns]), self.p_values[columns])
        return columns[np.lexsort(keys)]

    @property
    def words(self) -> str:
        """How many columns are proven, and by which rows, in one line."""
        if self.reason:
            return f"its columns are not tested: {self.reason}"
        n_columns = len(self.pattern.columns)
        proven = int(self.is_proven[self.pattern.columns].sum())
        others = int(self.is_proven.sum()) - proven
        more = f", and {others} more of the table" if others else ""
        rows = "by the classes of all rows"
        if self.method == FOLDS:
            rows = (
                "each column in rows that did not choose it, judged by the other columns "
                f"(found again in {self.n_found} of {self.n_folds} folds)"
            )
        return (
            f"{proven} of {n_columns} columns have evidence of their own{more} (false discovery "
            f"rate {LEVEL:.0%} over {len(self.names):,} columns); {rows}"
        )

    @property
    def records(self) -> list[dict[str, Any]]:
        """The columns of the pattern as plain data, the clearest first."""
        return [self.record(column) for column in self.ranked_columns.tolist()]

    def record(self, column: int) -> dict[str, Any]:
        """What is known of one column of the table, as plain data."""
        return {
            "column": self.names[column],
            "pattern": self.number,
            "direction": DIRECTIONS[1 + int(self.direction[column])],
            **{name: float(getattr(self, name)[column]) for name in MEASURED},
            "p": float(self.p_values[column]),
            "p_corrected": float(self.p_corrected[column]),
            "proven": bool(self.is_proven[column]),
        }

    def to_frame(self) -> Any:
        """All columns of the table in a DataFrame, the clearest first."""
        pd = import_extra("pandas", "a frame needs pandas; run pip install 'bicneuron[tables]'.")
        order = self._ranked(np.arange(len(self.names)))
        frame = pd.DataFrame([self.record(column) for column in order.tolist()])
        frame.insert(2, "in_pattern", np.isin(order, self.pattern.columns))
        return frame

    def _repr_html_(self) -> str:
        """What a notebook shows: the words, and the clearest columns with their intervals."""
        parts = [sentences(f"Pattern {self.number}: {self.words}.")]
        shown = self.listed_columns[:SHOWN_COLUMNS].tolist()
        if self.reason:
            return fragment(*parts)
        rows = []
        for one in map(self.record, shown):
            effect, limits = one["effect"], f"{signed(one['low'])} to {signed(one['high'])}"
            told = (signed(effect), "" if np.isnan(effect) else limits, round_p(one["p_corrected"]))
            proven = "yes" if one["proven"] else "no"
            rows.append((one["column"], number(one["difference"]), *told, proven))
        headers = ("column", "difference", "effect", "95 % interval", "p, corrected", "proven")
        n_more = len(self.listed_columns) - len(shown)
        parts.append(table(headers, rows))
        parts += [sentences(f"And {n_more} more columns.")] if n_more else []
        return fragment(*parts)

    def __repr__(self) -> str:
        return f"<ColumnEvidence: pattern {self.number}, {self.words}>"


def column_evidence(  # noqa: PLR0913  # what is set aside, and how it is tested
    model: Any,
    X: Any,
    y: Any = None,
    *,
    patterns: Sequence[int] | None = None,
    n_folds: int = 5,
    strata: Any = None,
    covariates: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> list[ColumnEvidence]:
    """Test in which columns the rows of each pattern differ from the others.

    A search chooses the columns in which its rows differ, and the rows by these columns: compared
    in the same rows, columns of chance look clear. So the search is repeated without each fold of
    the rows. A row of the fold is inside if the group that is found again says so, by its other
    columns: neither the row nor the column that is tested has a say. Rows inside are compared with
    the others by ranks, in every column of the table.

    Patterns of a whole class, and those of networks and classifiers, are compared by classes, which
    no search has chosen.

    Parameters
    ----------
    model : a miner, BicNeuronNetwork or BicNeuronClassifier
        Fitted; it is not changed.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        The table that it was fitted to.
    y : array-like of shape (n_rows,), default=None
        Classes. Needed if the model was fitted with them.
    patterns : sequence of int, default=None
        Positions, from 0, of those of which a `ColumnEvidence` is returned; None for all.
    n_folds : int, default=5
        Folds of the rows, and repetitions of the search. Each class has about the same share in
        each of them. With 10, more columns of weak groups are proven: a group loses fewer rows.
    strata : array-like of shape (n_rows,) or (n_rows, n_strata), default=None
        Known structure, such as batches. Rows are compared within strata only, and a
        `SubgroupBiclustering` sets strata aside in its searches.
    covariates : array-like of shape (n_rows,) or (n_rows, n_covariates), default=None
        Known structure in numbers that it sets aside in its searches.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group (one patient, say) are in one fold, and count as one, with their means.
    n_jobs, random_state : int, default=None
        As in `significance_test`.

    Notes
    -----
    Intervals are those of single columns: of many that are looked at, 5 % miss. Rows that are on
    the wrong side make differences smaller, never larger.

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import column_evidence
    >>> X, y, (group,) = make_subgroups("shift", shift=2.5, n_columns=100, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X)
    >>> (evidence,) = column_evidence(miner, X, n_folds=3, random_state=0)
    >>> bool(evidence.is_proven[group.columns].all())
    True
    """
    check_patterns(model, "column_evidence")
    check_scalar(n_folds, "n_folds", Integral, min_val=2)
    known = known_structure(model, strata, covariates, np.shape(X)[0])
    table, labels, units = _folds.rows_and_units(model, X, y, groups, known.strata)
    model.check_table(X, labels)
    n_patterns, carriers = len(model.patterns_), model.carriers(X)
    asked = [*range(n_patterns)] if patterns is None else [*patterns]
    if unknown := [k for k in asked if not 0 <= k < n_patterns]:
        raise ValueError(f"patterns has {unknown[0]}; the model has {n_patterns}, counted from 0.")
    of_class = [k for k in asked if labels is not None and _is_of_class(model.patterns_[k])]
    axes = [None if one.kind == "coexpressed" else one.axis for one in model.patterns_]
    in_folds = [k for k in asked if k not in of_class and axes[k] is not None]  # have a level
    judged: dict[int, Judged] = {}
    if in_folds:
        has_classes = model._fingerprint.labels is not None
        if has_classes and labels is None:
            raise ValueError(f"this {type(model).__name__} was fitted with classes; give y.")
        seen, aside = labels if has_classes else None, known.set_aside_by(model)
        folds = _folds.fold_numbers(units, n_folds, seen, draw_seed(random_state))
        # Groups of no class were found without the classes, and are searched so again.
        for known_labels, is_blind in ((None, True), (seen, False)):
            places = [k for k in in_folds if (model.patterns_[k].anchor_class is None) == is_blind]
            own = _folds.in_own_class(model.patterns_, carriers, known_labels)
            wanted = [(model.patterns_[k], own[:, k]) for k in places]
            searched = model, table, known_labels, aside, folds
            judged |= zip(places, _folds.judge_in_folds(*searched, wanted, n_jobs), strict=True)
    names, in_classes = tuple(feature_names(model)), units_by_class(groups, labels, len(table))

    @cache  # many patterns of a network have the same two sides
    def by_classes(anchor: Any, contrast: Any) -> Compared:
        """All rows of one class and of another, or of all others."""
        inside = np.asarray(labels) == anchor
        outside = ~inside if contrast is None else labels == contrast
        rows = np.flatnonzero(inside | outside)
        return compared(table, Judged(rows, inside[rows]), strata, in_classes)

    results = []
    for k in asked:
        pattern, of_rows = model.patterns_[k], judged.get(k)
        one = (
            by_classes(pattern.anchor_class, pattern.contrast_class)
            if k in of_class
            else compared(table, of_rows, strata, groups)
        )
        in_table = pattern_differences(pattern, table, carriers[:, k], np.arange(len(names)))
        signs = np.sign(np.nan_to_num([one.columns["difference"], in_table.difference]))
        scores = np.full(len(table), np.nan)
        if of_rows is not None:
            scores[of_rows.rows] = of_rows.scores
        results.append(
            ColumnEvidence(
                number=k + 1,
                pattern=pattern,
                names=names,
                method=CLASSES if k in of_class else FOLDS,
                reason=_reason(pattern, one, has_sides=k in of_class or k in judged),
                n_folds=0 if of_rows is None else n_folds,
                n_found=0 if of_rows is None else of_rows.n_found,
                n_group=one.n_group,
                n_others=one.n_others,
                **one.columns,
                direction=np.where(signs[0] == signs[1], signs[0], 0).astype(np.intp),
                scores=scores,
            )
        )
    return results


def _is_of_class(pattern: Pattern) -> bool:
    """True if classes say which rows are compared: no search has chosen these."""
    return pattern.anchor_class is not None and (pattern.axis is None or pattern.is_class_wide)


def _reason(pattern: Pattern, found: Compared, *, has_sides: bool) -> str:
    if not has_sides:
        return NO_LEVEL if pattern.axis is not None else NO_SIDES
    if min(found.n_group, found.n_others) < LEAST_ROWS:
        is_found = found.n_group + found.n_others > 0
        return TOO_FEW.format(found.n_group, found.n_others) if is_found else NOT_FOUND
    return ""
