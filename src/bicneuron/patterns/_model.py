"""The protocol of models with patterns: ``patterns_``, ``pattern_scores(X)``, ``carriers(X)``."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._checks import check_numbers
from bicneuron._shared._names import feature_names
from bicneuron._shared._scaling import as_array, filled
from bicneuron.patterns._answer import Answer, model_lines
from bicneuron.patterns._evidence import Evidence
from bicneuron.patterns._pattern import Pattern, pattern_differences

Hashes = npt.NDArray[np.uint64]
CELLS_AT_ONCE = 2**20  # that are hashed
# Scores of training rows that are computed for the counts of carriers, and those at once.
MOST_SCORES, SCORES_AT_ONCE = 2**25, 2**20


class Fingerprint(NamedTuple):
    """A hash of each row of a table, of names and values as float32, and of each label."""

    rows: Hashes
    labels: Hashes | None

    def check(self, other: "Fingerprint") -> None:
        """Refuse another table, naming the difference."""
        n_rows = len(self.rows)
        if len(other.rows) != n_rows:
            raise ValueError(
                f"X has {len(other.rows)} rows, but the model was fitted to {n_rows}; give the X "
                "of fit. A second cohort is for replicate."
            )
        for name, own, given in zip("Xy", self, other, strict=True):
            if own is None or given is None or np.array_equal(own, given):
                continue
            differ = np.flatnonzero(own != given)
            what = f"{len(differ)} of {n_rows} rows differ, the first is row {differ[0]}"
            if name == "X" and np.array_equal(np.sort(own), np.sort(given)):
                what = "its rows are in another order"
            raise ValueError(
                f"{name} is not what the model was fitted to: {what}; give the {name} of fit."
            )


class PatternModel:
    """A model with patterns: plots, pages, lists, tests and files take any of them.

    Attributes
    ----------
    patterns_ : list of Pattern
        The strongest first. People count them from 1.
    """

    patterns_: list[Pattern]
    # Rows of a class below which nothing is found in it.
    least_rows: ClassVar[int] = 1
    _fingerprint: Fingerprint
    # True if a fit with labels looks for groups without them, too.
    finds_blind_groups: ClassVar[bool] = False
    # True if rows were given instead of found.
    is_given: ClassVar[bool] = False
    # Patterns that a fit looks for again, and their carriers; empty for all.
    _like: Sequence[tuple[Pattern, BoolArray]] = ()
    # Columns in which the classes differ, if that was tested; see `with_evidence`.
    class_columns_: int | None = None

    def _unfitted(self, like: Sequence[tuple[Pattern, BoolArray]] = ()) -> Self:
        """Copy that has to find only patterns like these, by their carriers in its table."""
        copy: Self = clone(self)
        copy._like = like
        return copy

    def pattern_scores(self, X: Any, **known: Any) -> FloatArray:
        """Scores of shape (n_rows, n_patterns); a row with a positive score carries the pattern.

        - For a group, the distance beyond its cut, in standard deviations of the group and the
          rest. For rows of other cohorts see `bicneuron.replication.pattern_scores`.
        - For a bicluster, 1 for a row that equals the means of the columns up to a constant, and 0
          for one a little farther from them than all of its rows, or with only one value.
        - For a neuron, its score for the class of the rows; in a network, over its typical score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            Rows of the training table, or new ones. A missing value (NaN) adds nothing; without
            any value in the columns of a pattern, a score is not positive.
        **known : array-like
            ``strata`` and ``covariates`` of these rows, if a search set such aside. Without them,
            rows of the training table have their own, and new rows count as the mean of all.
        """
        return self._scored(self._checked(X), **known)

    def _checked(self, X: Any) -> Any:
        """Rows as the model takes them."""
        check_is_fitted(self)
        return check_numbers(self, X, reset=False, to_be_scaled=getattr(self, "standardize", True))

    def training_rows(self, X: Any) -> IndexArray:
        """The row of the training table that each checked row equals; -1 for others."""
        known, first = np.unique(self._fingerprint.rows, return_index=True)
        rows = self._fingerprint_of(X).rows
        place = np.minimum(np.searchsorted(known, rows), len(known) - 1)
        return np.where(known[place] == rows, first[place], -1)

    def _pattern_scores(self, X: Any) -> FloatArray:
        """Scores of checked rows."""
        raise NotImplementedError

    def _scored(self, X: Any, **known: Any) -> FloatArray:
        """Scores of checked rows, not positive for those without values."""
        return without_values(self._pattern_scores(X, **known), X, self.patterns_)

    def carriers(self, X: Any, **known: Any) -> BoolArray:
        """Rows that carry each pattern, as booleans: those with a positive `pattern_scores`."""
        return self.pattern_scores(X, **known) > 0

    def with_evidence(self, evidence: Sequence[Evidence]) -> Self:
        """Copy the model, with results of tests as the evidence of its patterns."""
        annotated = copy(self)
        with_results = zip(self.patterns_, evidence, strict=True)
        annotated.patterns_ = [replace(pattern, evidence=one) for pattern, one in with_results]
        return annotated

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Kinds of known structure that the search set aside, such as strata."""
        return ()

    def summary(self) -> str:
        """What was found, in sentences for people.

        `bicneuron find` and `fit` print the same, and pages begin with it: one line for each
        finding, or each pattern of a model that predicts, with the results of its tests.
        """
        check_is_fitted(self)
        told = self.patterns_, feature_names(self), len(self._fingerprint.rows)
        if hasattr(self, "predict"):
            return "\n".join(model_lines(*told))
        return "\n".join(Answer(*told, self.set_aside, self.class_columns_).lines)

    def scaled_table(self, X: Any) -> FloatArray:
        """The training table as it was searched: scaled, with estimates of missing cells."""
        return filled(self._scaled(self._checked(X)))

    def _scaled(self, X: Any) -> FloatArray:
        """The checked table as it was searched."""
        raise NotImplementedError

    def check_table(self, X: Any, y: Any = None) -> None:
        """Refuse a table, or given labels, that the model was not fitted to; say where."""
        X = self._checked(X)
        labels = None if y is None else np.asarray(y)
        if labels is not None and len(labels) != X.shape[0]:
            raise ValueError(f"y has {len(labels)} values for {X.shape[0]} rows.")
        self._fingerprint.check(self._fingerprint_of(X, labels))

    def _remember(self, X: Any, y: AnyArray | None) -> None:
        """Keep the fingerprint of the checked training table."""
        self._fingerprint = self._fingerprint_of(X, y)

    def _fingerprint_of(self, X: Any, y: AnyArray | None = None) -> Fingerprint:
        return fingerprint(X, y, getattr(self, "feature_names_in_", None))

    def in_table_units(self, values: FloatArray, columns: IndexArray) -> FloatArray:
        """Scaled values of some columns, in the units of the table."""
        raise NotImplementedError

    def _count_carriers(self, X: Any, labels: AnyArray | None) -> None:
        """Store carriers and differences in the checked training table, unless it is very large."""
        if X.shape[0] * len(self.patterns_) > MOST_SCORES:
            return
        in_class = class_masks(labels, X.shape[0])
        n_rows = X.shape[0] if self.is_given else SCORES_AT_ONCE // max(len(self.patterns_), 1)
        parts = gen_batches(X.shape[0], max(1, n_rows))
        carried = np.concatenate([self._scored(X[part]) > 0 for part in parts])
        table = X.tocsc() if issparse(X) else X
        patterns = []
        for pattern, own in zip(self.patterns_, carried.T, strict=True):
            differences, effects, *_ = pattern_differences(pattern, table, own)
            counts = carrier_counts(own, in_class)
            one = replace(pattern, differences=differences, effects=effects, carrier_counts=counts)
            patterns.append(one)
        self.patterns_ = patterns


def check_patterns(model: Any, function: str, *, fitted: bool = True) -> None:
    """Refuse for a function what is not a model with patterns, or is not ``fitted``."""
    if not isinstance(model, PatternModel):
        raise TypeError(
            f"model is a {type(model).__name__}, which has no patterns; {function} takes a miner, "
            "BicNeuronNetwork or BicNeuronClassifier (of a pipeline its "
            "last step, with the data transformed by the others; of a search its best_estimator_)."
        )
    if fitted:
        check_is_fitted(model)


def class_masks(labels: AnyArray | None, n_rows: int) -> dict[Any, BoolArray]:
    """Rows of each class, None and NaN are none; without labels, all rows under the label None."""
    if labels is None:
        return {None: np.ones(n_rows, dtype=bool)}
    known = {label for label in labels.tolist() if label is not None and label == label}
    # Numbers and words cannot be compared.
    ordered = sorted(known, key=lambda label: (type(label).__name__, label))
    return {label: labels == label for label in ordered}


def carrier_counts(
    carriers: BoolArray, in_class: Mapping[Any, BoolArray]
) -> dict[Any, tuple[int, int]]:
    """Number of carriers in each class, and of its rows."""
    return {label: (int(np.sum(carriers & own)), int(own.sum())) for label, own in in_class.items()}


def without_values(scores: FloatArray, X: Any, patterns: Sequence[Pattern]) -> FloatArray:
    """Scores of at most 0 for rows that have no value in any column of a pattern."""
    if not np.isnan(X.data if issparse(X) else X).any():
        return scores
    table = X.tocsc() if issparse(X) else X
    for own, pattern in zip(scores.T, patterns, strict=True):
        is_empty = np.isnan(as_array(table[:, pattern.columns])).all(axis=1)
        own[is_empty] = np.minimum(own[is_empty], 0.0)
    return scores


def column_importance(patterns: Sequence[Pattern], n_columns: int) -> FloatArray:
    """Shares of the columns of a table in the patterns of a model; their sum is 1, or 0 of none.

    Each pattern has the share of its strength, or none if that is negative, and divides it by the
    sizes of its weights. The neurons of a classifier, one for each problem, have equal shares.
    """
    importance = np.zeros(n_columns)
    strengths = np.array([pattern.strength for pattern in patterns])
    if any(pattern.neuron is not None and not len(pattern.neuron.weight) for pattern in patterns):
        strengths[:] = 1.0
    shares = _shares(np.maximum(np.nan_to_num(strengths), 0.0), len(patterns))
    for share, pattern in zip(shares, patterns, strict=True):
        importance[pattern.columns] += share * _shares(np.abs(pattern.weights), pattern.shape[1])
    return importance


def _shares(sizes: FloatArray, length: int) -> FloatArray:
    """Sizes divided by their sum; equal shares where there are none, or all are 0."""
    total = float(sizes.sum())
    return sizes / total if total > 0 else np.full(length, 1 / max(length, 1))


def fingerprint(X: Any, y: AnyArray | None, names: Iterable[Any] | None) -> Fingerprint:
    """Fingerprint of a checked table; the order of named columns does not matter."""
    n_rows, n_columns = X.shape
    weights = text_hashes(range(n_columns) if names is None else names)
    rows = np.zeros(n_rows, np.uint64)
    if issparse(X):
        cells = X.tocoo()
        np.add.at(rows, cells.row, _bits(cells.data) * weights[cells.col])
    else:
        for some in gen_batches(n_rows, max(1, CELLS_AT_ONCE // max(n_columns, 1))):
            rows[some] = (_bits(X[some]) * weights).sum(axis=1)
    labels = None if y is None else text_hashes(map(_as_text, np.asarray(y).tolist()))
    return Fingerprint(rows, labels)


def text_hashes(values: Iterable[Any]) -> Hashes:
    """A hash of the text of each value, the same on all machines."""
    return np.fromiter(map(_text_hash, map(str, values)), np.uint64)


@lru_cache(maxsize=1024)  # labels are few, names of columns may be very many
def _text_hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _bits(values: FloatArray) -> Hashes:
    """Bits of values as float32, 0 for zeros and one pattern for all missing values."""
    with np.errstate(over="ignore"):
        single = np.ascontiguousarray(values, np.float32) + np.float32(0)
    single[np.isnan(single)] = np.nan
    return single.view(np.uint32).astype(np.uint64)


def _as_text(label: Any) -> str:
    """One text for labels that files may write in several ways: 1, 1.0 and "1" are one label."""
    if isinstance(label, list):  # of a column, or several labels
        return " ".join(map(_as_text, label))
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)
