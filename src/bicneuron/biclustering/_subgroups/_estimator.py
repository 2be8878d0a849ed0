"""The estimator `SubgroupBiclustering`."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._shared._checks import check_classes
from bicneuron._shared._compat import Interval, fit_context
from bicneuron._shared._scaling import CLIP, are_within
from bicneuron._shared._workers import one_blas_thread
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.biclustering._subgroups import _aside, _blocks, _table
from bicneuron.biclustering._subgroups._blocks import EVERYTHING, BlockTable, Learnt
from bicneuron.biclustering._subgroups._kinds import KINDS
from bicneuron.biclustering._subgroups._list import UserTable, chosen, ranked_groups, subgroup_of
from bicneuron.biclustering._subgroups._part import MOST_COLUMNS, Part, searched_part
from bicneuron.biclustering._subgroups._search import search_classes
from bicneuron.biclustering._subgroups._strength import MIN_COLUMNS, n_facts
from bicneuron.biclustering._subgroups._table import CanonicalOrder
from bicneuron.biclustering._subgroups._whole import WholeTable
from bicneuron.patterns import Pattern, class_masks, proven_patterns, significant_patterns


@dataclass(kw_only=True, eq=False, repr=False)
class SubgroupBiclustering(TransformerMixin, BiclusterMiner):
    """Find groups of rows of a class that differ in some columns from all other rows.

    A disease may have several forms: some of the patients show a signature over a few columns that
    the other patients and the controls lack. Columns of such groups are chosen by rows and rows by
    columns until nothing changes. Each row is judged on one axis, a weighted sum of columns, so
    that correlated columns do not count as independent evidence. What is found is ranked by
    `strength`, measured on axes that were made without the rows that are judged.

    With labels each class is searched for groups of up to 60 % of its rows, and all rows are
    searched without looking at the labels. Each group is listed with the class in which it is more
    common than elsewhere, and ranked by its strength times the part of its rate in the class that
    exceeds the rate elsewhere. A class that differs as a whole is listed once.

    Groups have at least 3 rows, and 5 % of those searched. Of a table with more than 1,500 rows or
    20,000 columns a part is searched, and groups are refined on all of it; 75 rows, and 0.5 %, are
    enough there. A column counts by its values or by
    their ranks, whichever says less, and one with a common value (zeros, yes and no) by how often
    rows differ from that value. Because correlated columns hide groups with few columns, the search
    for shifts is repeated without the leading principal components. The order of rows and columns
    does not matter. Equal columns are one piece of evidence, and so are columns of 0 and 1 that
    exclude each other, as those of a column of words do. A missing value (NaN) is no evidence.

    As the ``miner`` of a `BicNeuronClassifier` it needs ``max_ratio=float("inf")``.

    Parameters
    ----------
    anchor : label or sequence of labels, default=None
        Classes whose groups are looked for; None for all. Without labels it must be None.
    kinds : str or sequence of str, default=("shift", "tight")
        Kinds of groups: ``"shift"``, other means; ``"tight"``, almost one value where others vary;
        ``"coexpressed"``, columns that rise and fall together in these rows only, which is slower.
    n_patterns : int, default=20
        Report at most this many groups, and the first few of each class and of each kind.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        Strongest first.
    classes_ : array of shape (n_classes,), if there were labels
    n_seeds_, rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> X, y, _ = make_subgroups("shift", n_columns=100, random_state=0)
    >>> SubgroupBiclustering(anchor="case").fit(X, y).patterns_[0].kind
    'shift'
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "anchor": "no_validation",
        "kinds": [str, "array-like"],
        "n_patterns": [Interval(Integral, 1, None, closed="left")],
    }
    uses_labels = True
    takes_missing = True
    least_rows = 10

    anchor: Any = None
    kinds: Any = ("shift", "tight")
    n_patterns: int = 20
    standardize: bool = True
    n_jobs: int | None = None

    @property
    def _advice(self) -> str:
        if self.anchor is None:
            return "there may be no group, or a class has fewer than 10 rows"
        # A classifier may ask for groups of another class.
        why = f"the class has fewer than 10 rows, or anchor={self.anchor!r} leaves it out"
        return f"there may be no group, {why}"

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, strata: Any = None, covariates: Any = None) -> Self:
        """Find groups.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,), default=None
            Classes.
        strata : array-like of shape (n_rows,) or (n_rows, n_strata), default=None
            Known groups, such as batch or sex, whose effects on the columns are set aside. Where
            they nearly coincide with classes, nobody can tell the effects apart; a warning says so.
        covariates : array-like of shape (n_rows,) or (n_rows, n_covariates), default=None
            Known numbers, such as the age, that are set aside likewise, as straight lines.
        """
        return self._fit(X, y, strata=strata, covariates=covariates)

    def _prepared(self, X: Any) -> Any:
        """The table as it is: it is scaled where it is used."""
        is_large = X.shape[0] > _table.MOST_ROWS or X.shape[1] > MOST_COLUMNS
        self._learnt = _blocks.learn_scalings(X, self.standardize, is_large)
        self._scaling, self._robust = self._learnt[:2]
        return X

    def _mine(
        self, X: Any, y: Any, strata: Any = None, covariates: Any = None
    ) -> tuple[list[Pattern], int]:
        labels, kinds = self._labels(y), _named("kinds", self.kinds, KINDS)
        in_class = class_masks(y, X.shape[0])
        table, learnt, part, Z, searched, order = self._part_of(X, in_class, strata, covariates)
        if self._known_rows is not None:  # all rows have none
            _aside.warn_of_coincidence(self._known_rows, in_class)
        of_rows = {label: mask[part.rows][order.rows] for label, mask in in_class.items()}
        in_all = {label: int(mask.sum()) for label, mask in in_class.items()}
        with one_blas_thread():
            removed = _table.backgrounds(searched, part.n_components)
            like = [own[part.rows][order.rows] for _, own in self._like]
            scored, n_seeds = search_classes(
                searched,
                removed,
                [(label, of_rows[label]) for label in labels],
                y is not None,
                kinds,
                np.array(like) if like else None,
                self.n_jobs,
                {} if part.rows is EVERYTHING else {None: X.shape[0], **in_all},
            )
            scored = [
                (label, group)
                for label, group in scored
                if n_facts(Z[:, order.columns[group.columns]]) >= MIN_COLUMNS
            ]
            found = ranked_groups(scored, of_rows, labels, self.n_patterns)
        places = np.arange(X.shape[1])[part.columns][order.columns]
        self._components = _table.components_of(removed, places, X.shape[1])
        user = UserTable(table, table.sums(self._components), order)
        described = [
            (label, group, removed[group.origin.background], order) for label, group in found
        ]
        if not part.is_whole:
            whole = WholeTable(table, learnt, part, in_class)
            with one_blas_thread():
                described = whole.groups(
                    found, places, removed, user.scores, labels, self.n_patterns
                )
        listed: list[Pattern] = []
        for label, group, background, own in described:
            user = user._replace(order=own)
            listed.append(subgroup_of(group, label, background, user, listed))
        return listed, n_seeds

    def _part_of(
        self, X: Any, in_class: Mapping[Any, BoolArray], strata: Any, covariates: Any
    ) -> tuple[BlockTable, Learnt, Part, FloatArray, FloatArray, CanonicalOrder]:
        """The table, the part that is searched, its values, and its standard scores in an order."""
        learnt = self.__dict__.pop("_learnt")
        table = BlockTable(X, self._scaling, self._robust)
        part = searched_part(table, learnt, in_class)
        Z, standard = table.values(part.rows, part.columns), table.standard(part.rows, part.columns)
        self._set_aside = self._known_rows = None
        if strata is not None or covariates is not None:
            structure, self._known_rows = _aside.row_structure(strata, covariates, X.shape[0])
            order = _table.canonical_order(Z, standard, self._known_rows[part.rows])
            rows = order.rows if part.is_whole else np.argsort(learnt.rows, kind="stable")
            blocks = (
                (table.standard(rows, some), np.isnan(table.values(rows, some)))
                for some in _blocks.column_blocks(table.shape)
            )
            self._set_aside = _aside.learn_structure(
                structure, self._known_rows[rows], blocks, self.least_rows
            )
            table = table._replace(aside=self._set_aside, known=self._known_rows)
            standard = table.standard(part.rows, part.columns)
            order = order.of_columns(self._set_aside.has_rest[part.columns])
        else:
            order = _table.canonical_order(Z, standard)
        return table, learnt, part, Z, standard[np.ix_(order.rows, order.columns)], order

    def _unfitted(self, like: Sequence[tuple[Pattern, BoolArray]] = ()) -> Self:
        """Copy that looks for groups of the kinds of some patterns, with rows like theirs."""
        copy = super()._unfitted(like)
        if like:
            copy.set_params(kinds=_named("kinds", [one.kind for one, _ in like], KINDS))
        return copy

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Kinds of known structure that the search set aside: strata, covariates or both."""
        check_is_fitted(self)
        if self._set_aside is None:
            return ()
        structure = self._set_aside.structure
        return ("strata",) * bool(structure.levels) + ("covariates",) * bool(structure.n_covariates)

    def findings_first(self, X: Any, y: Any = None) -> Self:
        """Copy the miner fitted to ``X``, with findings in front; carriers by the classes ``y``."""
        patterns = self.patterns_
        findings, significant = proven_patterns(patterns), significant_patterns(patterns)
        later = [(one not in findings, one not in significant) for one in patterns]
        ranked = copy(self)
        ranked.patterns_ = chosen(patterns, sorted(range(len(patterns)), key=later.__getitem__))
        ranked._count_carriers(self._checked(X), None if y is None else np.asarray(y))
        return ranked

    def _learn_carriers(self, X: Any, Z: FloatArray, y: AnyArray | None) -> None:
        if not self._like:  # of a fold nobody asks for counts
            self._count_carriers(X, y)  # groups have axes

    def _labels(self, y: AnyArray | None) -> list[Any]:
        """Classes to search; None alone without labels."""
        if y is None:
            self.__dict__.pop("classes_", None)  # of an earlier fit
            if self.anchor is not None:
                raise ValueError(
                    f"anchor={self.anchor!r} names classes, but there is no y; give the labels to "
                    "fit, or set anchor=None to search all rows."
                )
            return [None]
        self.classes_, _ = check_classes(y)
        labels: list[Any] = self.classes_.tolist()
        return labels if self.anchor is None else _named("anchor", self.anchor, labels)

    def _pattern_scores(self, X: Any, strata: Any = None, covariates: Any = None) -> FloatArray:
        table = self._rows(X, strata, covariates)
        components = table.sums(self._components)
        scores = np.empty((X.shape[0], len(self.patterns_)))
        for k, group in enumerate(self.patterns_):
            assert group.axis is not None  # every group has one
            for rows, Z in table.by_rows(group.columns):
                scores[rows, k] = group.axis.scores(Z, components[rows])
        return scores

    def values_without(
        self, X: Any, k: int, left_out: BoolArray, *, clip: float = CLIP, **known: Any
    ) -> FloatArray:
        """Values of rows on the axis of group k, for each way to leave some columns out."""
        group = self.patterns_[k]
        assert group.axis is not None  # every group has one
        table = self._rows(self._checked(X), **known)
        kept = np.where(left_out, 0.0, 1.0)
        linear, squares, common = (kept * factor[:, None] for factor in group.axis[:3])
        components = self._components[: len(group.axis.removed)]
        with one_blas_thread():
            scores = table.sums(components, clip)
            removed = components[:, group.columns] @ linear
            parts = [
                Z @ linear + np.square(Z) @ squares + np.square(Z @ common) - scores[rows] @ removed
                for rows, Z in table.by_rows(group.columns, clip)
            ]
        return np.maximum(np.concatenate(parts), group.axis.floor)

    def _rows(self, X: Any, strata: Any = None, covariates: Any = None) -> BlockTable:
        """Checked rows with their known structure."""
        self._check_fit(X.shape[1])
        table = BlockTable(X, self._scaling, self._robust, self._set_aside)
        is_known = strata is not None or covariates is not None
        if self._set_aside is None:
            if is_known:
                raise ValueError("the model was fitted without strata and covariates; give none.")
            return table
        assert self._known_rows is not None
        if is_known:
            numbers = self._set_aside.structure.numbers(strata, covariates, X.shape[0])
        else:
            rows = self.training_rows(X)
            numbers = np.where(rows[:, None] >= 0, self._known_rows[rows], 0.0)
        return table._replace(known=numbers)

    def _check_fit(self, n_columns: int) -> None:
        """Refuse groups and scalings of a forged file that do not fit the table."""
        exist = all(are_within(group.columns, n_columns) for group in self.patterns_)
        scalings = [*self._robust, *(self._scaling or ()), *self._components]
        if not exist or any(np.shape(one) != (n_columns,) for one in scalings):
            raise ValueError(f"the groups of {type(self).__name__} do not fit {n_columns} columns.")

    def transform(self, X: Any) -> FloatArray:
        """Scores of rows, as `pattern_scores`."""
        return self.pattern_scores(X)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Names of the scores: subgroup0, subgroup1, ..."""
        check_is_fitted(self)
        return np.array([f"subgroup{k}" for k in range(len(self.patterns_))], dtype=object)


def _named(parameter: str, given: Any, known: Sequence[Any]) -> list[Any]:
    """What a parameter names, one or several, in the order of what is known."""
    named = [given] if np.ndim(given) == 0 else list(given)
    choice = f"choose from {', '.join(map(str, known))}."
    if not named:
        raise ValueError(f"{parameter} is empty; {choice}")
    for one in named:
        if one not in known:
            raise ValueError(f"{parameter} has {one!r}; {choice}")
    return [one for one in known if one in named]
