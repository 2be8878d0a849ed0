"""SubgroupBiclustering: hidden groups of a class and the columns that set them apart."""

from collections.abc import Sequence
from hashlib import blake2b
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from bicneuron._core._arrays import AnyArray, BoolArray, Float32Array, FloatArray, IndexArray
from bicneuron._core._residue import block_residue
from bicneuron._scaling import dense, scaled
from bicneuron._sklearn._checks import check_numbers
from bicneuron._sklearn._compat import Interval
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.biclustering._subgroup import Subgroup
from bicneuron.biclustering._subgroup_list import ScoredGroup, distinct_groups, score_groups
from bicneuron.biclustering._subgroup_search import (
    Problem,
    correlations,
    find_groups,
)

# Robust scores are clipped to this size, so that single outliers do not make a group.
CLIP = 4.0
# Smallest share of the standard deviation that the median absolute deviation may have to be used:
# of a column with many equal values it is zero.
LEAST_SPREAD = 0.3
NORMAL_MAD = 1.4826
# Decimals that scaled values keep.
DECIMALS = 5
# Sizes of groups: the smallest number and share, the largest share of the class, and the share of
# the other rows that may be carriers.
MIN_ROWS, MIN_SHARE, MAX_SHARE, OTHER_SHARE = 5, 0.05, 0.6, 0.1
# A child shares at least this much of its rows with its parent.
CHILD_SHARE = 0.8


class RobustScaling(NamedTuple):
    """Scaled value = (clip((x - centre) / spread) - shift) / scale, for each column."""

    centre: FloatArray
    spread: FloatArray
    shift: FloatArray
    scale: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Scale rows; columns without spread become 0.

        Values are rounded: the last bits of the scaling may depend on the order of the rows.
        """
        scores = np.clip((X - self.centre) / self.spread, -CLIP, CLIP)
        values: FloatArray = np.round((scores - self.shift) / self.scale, DECIMALS) + 0.0
        return values


def robust_scaling(X: FloatArray) -> RobustScaling:
    """Median and median absolute deviation, then the mean and deviation of the clipped scores.

    Sums run over sorted values: the order of the rows does not matter, to the last bit.
    """
    ordered = np.sort(X, axis=0)
    centre = np.median(ordered, axis=0)
    deviation = ordered.std(axis=0)
    spread = NORMAL_MAD * np.median(np.abs(ordered - centre), axis=0)
    spread = np.where(spread > LEAST_SPREAD * deviation, spread, deviation)
    spread = np.where(spread > 0, spread, 1.0)
    scores = np.clip((ordered - centre) / spread, -CLIP, CLIP)
    scale = scores.std(axis=0)
    return RobustScaling(centre, spread, scores.mean(axis=0), np.where(scale > 1e-9, scale, 1.0))


class SubgroupBiclustering(TransformerMixin, BiclusterMiner):
    """Find groups of rows of a class that differ in some columns from all other rows.

    A disease may have several forms: some of the patients show a signature over a few columns that
    the other patients and the controls lack. Rows and columns of such groups are searched together:
    from the splits of single columns and the clusters of hierarchical trees, columns are chosen by
    rows and rows by columns until nothing changes. Each row is judged on one axis, a weighted sum
    of columns, so that correlated columns do not count as independent evidence. What is found is
    ranked by `strength`, measured on axes that were made without the rows that are judged.

    It finds shifts, groups whose means differ, with 5 to 60 % of the rows of their class. The fewer
    rows and columns a group has, the larger the shift must be. Heavy tails, such as raw
    intensities, should be made symmetric first, by a logarithm for instance.

    Parameters
    ----------
    anchor : label or sequence of labels, default=None
        Classes whose groups are looked for; None for all.
    n_patterns : int, default=20
        Report at most this many groups of all classes together.
    standardize : bool, default=True
        Standardise the columns first, which only matters for columns with huge values: scores are
        robust in either case.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.

    Attributes
    ----------
    found_ : list of Subgroup
        Strongest first.
    n_seeds_ : int
        Number of groups that the search started from.
    classes_ : array of shape (n_classes,), if there were labels
    rows_, columns_ : bool arrays of shape (n_biclusters, n_rows) and (n_biclusters, n_columns)
    biclusters_ : tuple of ``rows_`` and ``columns_``
    n_features_in_ : int
    feature_names_in_ : array of str, if the input has column names

    Notes
    -----
    The order of rows and columns, names, and scaling columns by powers of two do not matter: rows
    and columns are sorted by their content before the search. Equal columns, also with opposite
    signs, are one piece of evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron import SubgroupBiclustering
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 200)), np.repeat(["case", "control"], 40)
    >>> X[:12, 3:13] += 3.0
    >>> found = SubgroupBiclustering(anchor="case").fit(X, y).found_[0]
    >>> found.rows.tolist() == list(range(12)), set(range(3, 13)) <= set(found.columns.tolist())
    (True, True)
    >>> found.carriers
    {'case': (12, 40), 'control': (0, 40)}
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "anchor": "no_validation",
        "n_patterns": [Interval(Integral, 1, None, closed="left")],
    }
    uses_labels = True
    _advice = "a class needs at least 10 rows, or use no labels"

    def __init__(
        self,
        *,
        anchor: Any = None,
        n_patterns: int = 20,
        standardize: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.anchor = anchor
        self.n_patterns = n_patterns
        self.standardize = standardize
        self.n_jobs = n_jobs

    def _mine(self, Z: FloatArray, y: AnyArray | None) -> tuple[Sequence[Any], int]:
        labels = self._labels(y)
        self._robust = robust_scaling(Z)
        standard = self._robust.apply(Z)
        rows, columns, copies = _canonical_order(standard)
        table = np.ascontiguousarray(standard[np.ix_(rows, columns)], np.float32)
        scored: list[tuple[Any, ScoredGroup]] = []
        n_seeds = 0
        with threadpool_limits(1, user_api="blas"):
            for label in labels:
                in_class = np.ones(len(Z), bool) if y is None else (np.asarray(y) == label)[rows]
                problem = _problem(table, in_class, y is not None, self.n_jobs)
                if problem is None:
                    continue
                groups, n_starts = find_groups(problem)
                n_seeds += n_starts
                best = distinct_groups(problem, score_groups(problem, groups), self.n_patterns)
                scored += [(label, group) for group in best]
        scored.sort(key=lambda item: -item[1].strength)
        scored = scored[: self.n_patterns]
        found: list[Subgroup] = []
        for label, group in scored:
            found.append(self._subgroup(Z, standard, y, label, group, (rows, copies), found))
        return found, n_seeds

    def _labels(self, y: AnyArray | None) -> list[Any]:
        """Classes to search; None alone without labels."""
        if y is None:
            return [None]
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        known = self.classes_.tolist()
        if len(known) < 2:
            raise ValueError(
                f"y has one class, {known[0]!r}; two are needed, or no y to search all rows."
            )
        if self.anchor is None:
            return list(known)
        named = [self.anchor] if np.ndim(self.anchor) == 0 else list(self.anchor)
        for label in named:
            if label not in known:
                raise ValueError(
                    f"anchor has {label!r}, which is no label of y ({', '.join(map(repr, known))})."
                )
        return [label for label in known if label in named]

    def _subgroup(
        self,
        Z: FloatArray,
        standard: FloatArray,
        y: AnyArray | None,
        label: Any,
        group: ScoredGroup,
        order: tuple[IndexArray, list[IndexArray]],
        stronger: Sequence[Subgroup],
    ) -> Subgroup:
        """A group in the order of the user's table, with its axis and cut."""
        rows, copies = order
        carriers = np.zeros(len(Z), dtype=bool)
        carriers[rows[group.carriers]] = True
        members = np.sort(rows[group.rows])
        chosen = np.sort(np.concatenate([copies[k] for k in group.columns.tolist()]))
        correlation = correlations(
            np.ascontiguousarray(standard[:, chosen], np.float32), carriers[None]
        )[0].astype(np.float64)
        # Copies of a column share its weight.
        shared = np.empty(standard.shape[1])
        for k in group.columns.tolist():
            shared[copies[k]] = len(copies[k])
        weights = correlation / shared[chosen]
        values = np.einsum("ij,j->i", np.take(standard, chosen, axis=1), weights)
        cut, scale = _cut(values, carriers)
        labels = [None] if y is None else self.classes_.tolist()
        in_class = {k: np.ones(len(Z), bool) if k is None else np.asarray(y) == k for k in labels}
        return Subgroup(
            rows=members,
            columns=chosen,
            msr=block_residue(Z, members, chosen),
            anchor_class=label,
            directions=np.where(correlation > 0, 1, -1),
            strength=group.strength,
            carriers={
                k: (int(np.sum(carriers & mask)), int(mask.sum())) for k, mask in in_class.items()
            },
            parent=_parent(members, label, stronger),
            weights=weights,
            cut=cut,
            scale=scale,
        )

    def membership(self, X: Any) -> tuple[FloatArray, BoolArray]:
        """Which rows are members of which groups.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows, n_groups)
            Distance of each row beyond the cut of each group, in standard deviations of the group
            and the rest. A row has the same scores alone as in a table.
        is_member : bool array of shape (n_rows, n_groups)
            Whether the score is positive.
        """
        check_is_fitted(self)
        X = check_numbers(self, X, reset=False, to_be_scaled=True)
        values = dense(X if self._scaling is None else scaled(X, self._scaling))
        standard = self._robust.apply(np.asarray(values, np.float64))
        scores = np.empty((len(standard), len(self.found_)))
        for k, group in enumerate(self.found_):
            scores[:, k] = group.score(standard)
        return scores, scores > 0

    def transform(self, X: Any) -> FloatArray:
        """Scores of `membership`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows, n_groups)
        """
        return self.membership(X)[0]

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Names of the scores: subgroup0, subgroup1, ...

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : array of str
        """
        check_is_fitted(self)
        return np.array([f"subgroup{k}" for k in range(len(self.found_))], dtype=object)


def _problem(
    table: Float32Array, in_class: BoolArray, labelled: bool, n_jobs: int | None
) -> Problem | None:
    """The search for one class, or None if it is too small to have groups."""
    n, n_class = len(table), int(in_class.sum())
    fewest = max(MIN_ROWS, round(MIN_SHARE * n_class))
    most = min(round(MAX_SHARE * n_class) + int(OTHER_SHARE * (n - n_class)), n - fewest)
    if most < fewest or n_class < fewest:
        return None
    return Problem(table, in_class, labelled, fewest, most, n_jobs)


def _canonical_order(Z: FloatArray) -> tuple[IndexArray, IndexArray, list[IndexArray]]:
    """Rows and columns in an order that depends on their content alone, constant columns left out.

    And, for each of these columns, all columns of the table that are equal to it up to the sign.
    Columns are compared with one decimal less than they have: the same column in two units differs
    by rounding.
    """
    varied = np.flatnonzero(Z.any(axis=0))
    rounded = np.round(Z[:, varied], DECIMALS - 1)
    by_key: dict[bytes, list[int]] = {}
    for column, values in zip(varied.tolist(), rounded.T, strict=True):
        key = min((v + 0.0).tobytes() for v in (values, -values))
        by_key.setdefault(key, []).append(column)
    copies = [np.array(group) for group in by_key.values()]
    content = [_digest(np.sort(Z[:, group[0]])) for group in copies]
    order = sorted(range(len(copies)), key=content.__getitem__)
    copies = [copies[k] for k in order]
    columns = np.array([group[0] for group in copies], dtype=np.intp)
    table = Z[:, columns]
    rows = np.array(sorted(range(len(Z)), key=lambda row: _digest(table[row])), dtype=np.intp)
    return rows, columns, copies


def _digest(values: FloatArray) -> bytes:
    return blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).digest()


def _cut(values: FloatArray, carriers: BoolArray) -> tuple[float, float]:
    """Value that separates carriers from other rows best, and the deviation within both."""
    inside, outside = values[carriers], values[~carriers]
    within = np.sum((inside - inside.mean()) ** 2) + np.sum((outside - outside.mean()) ** 2)
    scale = float(np.sqrt(within / len(values))) or 1.0
    order = np.argsort(-values, kind="stable")
    mistakes = len(inside) + np.cumsum(np.where(carriers[order], -1, 1))
    best = int(np.argmin(mistakes[:-1]))
    return float((values[order[best]] + values[order[best + 1]]) / 2), scale


def _parent(rows: IndexArray, label: Any, stronger: Sequence[Subgroup]) -> int | None:
    """The smallest stronger group of the same class that includes most of the rows."""
    around = [
        (len(other.rows), place)
        for place, other in enumerate(stronger)
        if other.anchor_class == label
        and len(other.rows) > len(rows)
        and len(np.intersect1d(rows, other.rows)) >= CHILD_SHARE * len(rows)
    ]
    return min(around)[1] if around else None
