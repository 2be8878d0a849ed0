"""The estimator `SubgroupBiclustering`."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._compat import Interval, fit_context
from bicneuron._shared._scaling import CLIP, are_within, robust_scaling
from bicneuron._shared._workers import one_blas_thread
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.biclustering._subgroups._aside import (
    learn_structure,
    row_structure,
    warn_of_coincidence,
)
from bicneuron.biclustering._subgroups._kinds import KINDS
from bicneuron.biclustering._subgroups._list import ranked_groups
from bicneuron.biclustering._subgroups._result import UserTable, chosen, subgroup_of
from bicneuron.biclustering._subgroups._search import search_classes
from bicneuron.biclustering._subgroups._strength import MIN_COLUMNS
from bicneuron.biclustering._subgroups._table import backgrounds, canonical_order
from bicneuron.biclustering._subgroups._words import n_facts
from bicneuron.patterns import Pattern, class_masks, proven_patterns, significant_patterns


@dataclass(kw_only=True, eq=False, repr=False)
class SubgroupBiclustering(TransformerMixin, BiclusterMiner):
    """Find groups of rows of a class that differ in some columns from all other rows.

    A disease may have several forms: some of the patients show a signature over a few columns that
    the other patients and the controls lack. Rows and columns of such groups are searched together:
    from the splits of single columns and the clusters of hierarchical trees, columns are chosen by
    rows and rows by columns until nothing changes. Each row is judged on one axis, a weighted sum
    of columns, so that correlated columns do not count as independent evidence. What is found is
    ranked by `strength`, measured on axes that were made without the rows that are judged.

    With labels each class is searched for groups of up to 60 % of its rows, and all rows are
    searched without looking at the labels. Each group is listed with the class in which it is more
    common than elsewhere, and ranked by its strength times the part of its rate in the class that
    exceeds the rate elsewhere. A class that differs as a whole is listed once
    (``Pattern.is_class_wide``).

    Groups have at least 3 rows, and 5 % of those searched. The fewer rows and columns a group has,
    the clearer it must be: 15 rows that differ by one standard deviation in ten of 2,000 columns
    are not found. A column counts by its values or by their ranks, whichever says less, and one
    with a common value (zeros, a floor, yes and no) by how often rows differ from that value.

    Correlated columns hide groups with few columns; the search for shifts is repeated without the
    first 2, 5 and 10 principal components, as far as these exceed those of shuffled columns (of
    more than 5,000 columns only without the first 5). A missing value (NaN) is no evidence for or
    against any group.

    As the ``miner`` of a `BicNeuronClassifier` it needs ``max_ratio=float("inf")``, and
    `ContrastBiclustering` is usually more accurate there: it chooses columns that separate the
    classes, this miner those that separate a hidden part of a class.

    Parameters
    ----------
    anchor : label or sequence of labels, default=None
        Classes whose groups are looked for; None for all. Without labels it must be None.
    kinds : str or sequence of str, default=("shift", "tight")
        Kinds of groups to look for: ``"shift"``, other means; ``"tight"``, almost one value where
        other rows vary; ``"coexpressed"``, columns that rise and fall together in these rows only,
        which takes longer.
    n_patterns : int, default=20
        Report at most this many groups of all classes and kinds together. The first few of each
        class and of each kind are among them, however weak.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        Strongest first; with labels, a group counts with the part of its strength by which it
        belongs to its class.
    n_seeds_ : int
        Number of starts of the search: groups of rows, and pairs of columns for coexpressed groups.
    classes_ : array of shape (n_classes,), if there were labels
    rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Notes
    -----
    The order of rows and columns, names, and scaling columns by powers of two do not matter. Equal
    columns, also with opposite signs, are one piece of evidence. Columns of 0 and 1 that exclude
    each other, as those of a column of words do, are one column: rows with the same word are not a
    group.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron import SubgroupBiclustering
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 200)), np.repeat(["case", "control"], 40)
    >>> X[:12, 3:13] += 3.0
    >>> found = SubgroupBiclustering(anchor="case").fit(X, y).patterns_[0]
    >>> found.rows.tolist() == list(range(12)), set(range(3, 13)) <= set(found.columns.tolist())
    (True, True)
    >>> found.carrier_counts
    {'case': (12, 40), 'control': (0, 40)}
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
        return (
            "there may be no group, the class has fewer than 10 rows, or "
            f"anchor={self.anchor!r} leaves it out"
        )

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, strata: Any = None, covariates: Any = None) -> Self:
        """Find groups.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Numbers; NaN is a missing value. A sparse matrix is made dense.
        y : array-like of shape (n_rows,), default=None
            Classes.
        strata : array-like of shape (n_rows,) or (n_rows, n_strata), default=None
            Known groups, such as batch, sex or centre. What they explain of the columns is set
            aside: groups are searched in the rest. Effects of several strata add up.
        covariates : array-like of shape (n_rows,) or (n_rows, n_covariates), default=None
            Known numbers, such as the age, that are set aside likewise, as straight lines.

        Returns
        -------
        self : object

        Notes
        -----
        Where strata and classes nearly coincide, nobody can tell which of them a difference is due
        to; it is set aside, and a warning says so.
        """
        return self._fit(X, y, strata=strata, covariates=covariates)

    def _mine(
        self,
        Z: FloatArray,
        y: Any,
        strata: Any = None,
        covariates: Any = None,
    ) -> tuple[Sequence[Any], int]:
        labels = self._labels(y)
        self._robust = robust_scaling(Z)
        standard = self._robust.apply(Z)
        self._set_aside = self._known_rows = None
        if strata is not None or covariates is not None:
            structure, self._known_rows = row_structure(strata, covariates, len(Z))
            missing = np.isnan(Z)
            order = canonical_order(Z, standard, self._known_rows)
            self._set_aside = learn_structure(
                structure, self._known_rows, standard, missing, order.rows, self.least_rows
            )
            warn_of_coincidence(self._known_rows, {} if y is None else class_masks(y, len(Z)))
            standard = self._set_aside.remove(standard, self._known_rows, missing)
            order = order.of_columns(self._set_aside.has_rest)
        else:
            order = canonical_order(Z, standard)
        table = standard[np.ix_(order.rows, order.columns)]
        in_class = {label: mask[order.rows] for label, mask in class_masks(y, len(Z)).items()}
        classes = [(label, in_class[label]) for label in labels]
        with one_blas_thread():
            removed = backgrounds(table)
            scored, n_seeds = search_classes(
                table,
                removed,
                classes,
                y is not None,
                self._kinds(),
                self.n_jobs,
            )
            scored = [
                (label, group)
                for label, group in scored
                if n_facts(Z[:, order.columns[group.columns]]) >= MIN_COLUMNS
            ]
            found = ranked_groups(scored, in_class, labels, self.n_patterns)
        self._components = np.zeros((len(removed[-1].components), standard.shape[1]))
        self._components[:, order.columns] = removed[-1].components
        user = UserTable(Z, standard, self._component_scores(standard), order)
        listed: list[Pattern] = []
        for label, group in found:
            background = removed[group.origin.background]
            listed.append(subgroup_of(group, label, background, user, listed))
        return listed, n_seeds

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Kinds of known structure that the search set aside: strata, covariates or both."""
        check_is_fitted(self)
        if self._set_aside is None:
            return ()
        structure = self._set_aside.structure
        kinds = {"strata": structure.levels, "covariates": structure.n_covariates}
        return tuple(name for name, has in kinds.items() if has)

    def findings_first(self, X: Any, y: Any = None) -> Self:
        """Copy the miner, with findings in front, then groups that passed a test against chance.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            The table that it was fitted to.
        y : array-like of shape (n_rows,), default=None
            Classes in which carriers are counted.

        Returns
        -------
        copy : SubgroupBiclustering
        """
        findings, significant = (
            function(self.patterns_) for function in (proven_patterns, significant_patterns)
        )
        places = sorted(
            range(len(self.patterns_)),
            key=lambda place: (
                self.patterns_[place] not in findings,
                self.patterns_[place] not in significant,
            ),
        )
        ranked = copy(self)
        ranked.patterns_ = chosen(self.patterns_, places)
        checked = check_numbers(ranked, X, reset=False, to_be_scaled=self.standardize)
        ranked._count_carriers(checked, None if y is None else np.asarray(y))
        return ranked

    def _learn_carriers(self, X: Any, Z: FloatArray, y: AnyArray | None) -> None:
        self._count_carriers(X, y)  # groups have axes

    def _labels(self, y: AnyArray | None) -> list[Any]:
        """Classes to search; None alone without labels."""
        if y is None:
            if hasattr(self, "classes_"):
                delattr(self, "classes_")  # of an earlier fit
            if self.anchor is not None:
                raise ValueError(
                    f"anchor={self.anchor!r} names classes, but there is no y; give the labels to "
                    "fit, or set anchor=None to search all rows."
                )
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
        if not named:
            raise ValueError("anchor is empty; name labels of y, or give None for all.")
        for label in named:
            if label not in known:
                raise ValueError(
                    f"anchor has {label!r}, not a label of y ({', '.join(map(repr, known))})."
                )
        return [label for label in known if label in named]

    def _kinds(self) -> list[str]:
        """Names of the kinds of groups to look for, in the order of `KINDS`."""
        named = [self.kinds] if isinstance(self.kinds, str) else list(self.kinds)
        for name in named:
            if name not in KINDS:
                raise ValueError(f"kinds has {name!r}; choose from {', '.join(KINDS)}.")
        if not named:
            raise ValueError(f"kinds is empty; choose from {', '.join(KINDS)}.")
        return [name for name in KINDS if name in named]

    def _component_scores(self, standard: FloatArray) -> FloatArray:
        """Scores of rows on the leading components of the training table."""
        # No matrix product, as in `Axis.values`.
        scores = [np.einsum("ij,j->i", standard, component) for component in self._components]
        return np.array(scores).reshape(len(scores), len(standard)).T

    def pattern_scores(self, X: Any, *, strata: Any = None, covariates: Any = None) -> FloatArray:
        """Score of each row for each group: the distance beyond its cut, in standard deviations.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Rows of the training table, or new ones. A missing value (NaN) adds nothing.
        strata, covariates : array-like, default=None
            Of these rows, if the miner was fitted with such. Without them, rows of the training
            table are recognised and have their own, and new rows count as the mean of the training
            rows: a batch effect stays in their scores.

        Returns
        -------
        scores : array of shape (n_rows, n_patterns)
            In the order of ``patterns_``. A row with a positive score carries the group. It has the
            same scores whatever the other rows.
        """
        return self._known_scores(X, strata=strata, covariates=covariates)

    def carriers(self, X: Any, *, strata: Any = None, covariates: Any = None) -> BoolArray:
        """Rows that carry each group: those with a positive score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
        strata, covariates : array-like, default=None
            As in `pattern_scores`.

        Returns
        -------
        carriers : bool array of shape (n_rows, n_patterns)
            In the order of ``patterns_``. A row of the training table is judged by a model that has
            seen it.
        """
        return self.pattern_scores(X, strata=strata, covariates=covariates) > 0

    def _pattern_scores(self, X: Any, strata: Any = None, covariates: Any = None) -> FloatArray:
        standard = self._standard(X, strata, covariates)
        components = self._component_scores(standard)
        scores = np.empty((len(standard), len(self.patterns_)))
        for k, group in enumerate(self.patterns_):
            assert group.axis is not None  # every group has one
            scores[:, k] = group.axis.scores(np.take(standard, group.columns, axis=1), components)
        return scores

    def values_without(
        self, X: Any, k: int, left_out: BoolArray, *, clip: float = CLIP, **known: Any
    ) -> FloatArray:
        """Values of rows on the axis of group k without some of its columns.

        ``left_out`` has a column for each way to leave some out, and so has the result; ``known``
        has the strata and covariates of the rows.
        """
        group = self.patterns_[k]
        assert group.axis is not None  # every group has one
        X = check_numbers(self, X, reset=False, to_be_scaled=self.standardize)
        standard = self._standard(X, **known, clip=clip)
        Z = np.take(standard, group.columns, axis=1)
        kept = np.where(left_out, 0.0, 1.0)
        linear, squares, common = (kept * factor[:, None] for factor in group.axis[:3])
        components = self._components[: len(group.axis.removed)]
        with one_blas_thread():
            values: FloatArray = Z @ linear + np.square(Z) @ squares + np.square(Z @ common)
            values -= (standard @ components.T) @ (components[:, group.columns] @ linear)
        return np.maximum(values, group.axis.floor)

    def _standard(
        self, X: Any, strata: Any = None, covariates: Any = None, clip: float = CLIP
    ) -> FloatArray:
        """Robust scores of checked rows, without known structure."""
        values = self._searched(X)
        standard = self._robust.apply(values, clip)
        self._check_fit(standard.shape[1])
        if self._set_aside is not None:
            numbers = self._numbers_of(X, strata, covariates)
            return self._set_aside.remove(standard, numbers, np.isnan(values))
        if strata is not None or covariates is not None:
            raise ValueError("the model was fitted without strata and covariates; give none.")
        return standard

    def _numbers_of(self, X: Any, strata: Any, covariates: Any) -> FloatArray:
        """Numbers for the known structure of rows."""
        assert self._set_aside is not None
        assert self._known_rows is not None
        if strata is not None or covariates is not None:
            return self._set_aside.structure.numbers(strata, covariates, X.shape[0])
        rows = self.training_rows(X)
        return np.where(rows[:, None] >= 0, self._known_rows[rows], 0.0)

    def _check_fit(self, n_columns: int) -> None:
        """Refuse groups of a forged file that name columns which do not exist."""
        exist = all(are_within(group.columns, n_columns) for group in self.patterns_)
        if not exist or self._components.shape[1:] != (n_columns,):
            raise ValueError(f"the groups of {type(self).__name__} do not fit {n_columns} columns.")

    def transform(self, X: Any) -> FloatArray:
        """Scores of rows, as `pattern_scores`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)

        Returns
        -------
        scores : array of shape (n_rows, n_groups)
        """
        return self.pattern_scores(X)

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
        return np.array([f"subgroup{k}" for k in range(len(self.patterns_))], dtype=object)
