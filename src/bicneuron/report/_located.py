"""The patterns of a fitted model, located in the table it was fitted on, whatever the model is."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._estimators._checks import check_numbers
from bicneuron._writing._names import feature_names
from bicneuron._writing._numbers import class_name
from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
from bicneuron.classifier._one_neuron import binary_estimators, explained_neuron
from bicneuron.explanation._neuron import ExplainedNeuron
from bicneuron.inspection._pattern import fitted_pattern
from bicneuron.inspection._subgroup import check_same_data
from bicneuron.network import BicNeuronNetwork
from bicneuron.network._hidden import outputs


@dataclass(frozen=True, eq=False)
class LocatedPattern:
    """A pattern with the rows and columns of the table that it consists of.

    Parameters
    ----------
    number : int
        Position in ``patterns_`` or ``estimators_``; of the groups of a miner, the rank from 1 on.
    group_class, contrast_class : label or None
        Of its two sides; None for several classes together.
    group, contrast : str
        The two sides in words.
    rows, contrast_rows : arrays of intp
        Of the table.
    columns : array of intp
        The most important first.
    column_shares : array of shape (n_columns,)
        How important they are; they add up to 1.
    share : float
        How important the pattern is; the shares of all patterns add up to 1.
    scores : array of shape (n_rows_of_the_table,)
        Membership scores: above 0 they speak for the group.
    words : tuple of str, default=None
        Directions of the columns, if the pattern knows them.
    """

    number: int
    group_class: Any
    contrast_class: Any
    group: str
    contrast: str
    rows: IndexArray
    contrast_rows: IndexArray
    columns: IndexArray
    column_shares: FloatArray
    share: float
    scores: FloatArray
    words: tuple[str, ...] | None = field(default=None)

    def means(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Means of the columns in the group and in its contrast, over cells that are there."""
        block = values[:, self.columns]
        return mean_of(block[self.rows]), mean_of(block[self.contrast_rows])

    def directions(self, values: FloatArray) -> tuple[str, ...]:
        """How the group differs from its contrast in each column."""
        if self.words is not None:
            return self.words
        inside, outside = self.means(values)
        return tuple(
            "higher" if first > second else "lower" if first < second else "equal"
            for first, second in zip(inside.tolist(), outside.tolist(), strict=True)
        )


def mean_of(values: FloatArray) -> FloatArray:
    """Mean of each column over the cells that are not missing; NaN if all are."""
    observed = ~np.isnan(values)
    counts = observed.sum(axis=0)
    sums = np.where(observed, values, 0.0).sum(axis=0)
    means: FloatArray = np.divide(
        sums, counts, out=np.full(values.shape[1], np.nan), where=counts > 0
    )
    return means


def table_values(model: Any, X: Any) -> tuple[FloatArray, list[str]]:
    """The numbers of a dense table, and the names of its columns."""
    if issparse(X):
        raise TypeError("X is sparse, but its rows and columns are listed; give X.toarray().")
    values: FloatArray = check_numbers(model, X, reset=False, accept_sparse=False)
    return values, feature_names(model)


def check_has_patterns(model: Any) -> None:
    """Refuse what is no fitted model with patterns."""
    known = BicNeuronClassifier, BicNeuronClassifierCV, BicNeuronNetwork, SubgroupBiclustering
    if not isinstance(model, known):
        raise TypeError(
            f"model is a {type(model).__name__}; lists are made of the patterns of a "
            "BicNeuronNetwork, BicNeuronClassifier, BicNeuronClassifierCV or SubgroupBiclustering."
        )
    check_is_fitted(model)


def located_patterns(model: Any, X: Any, labels: AnyArray | None) -> list[LocatedPattern]:
    """The patterns of a model in the table that it was fitted on; refuse another table.

    Parameters
    ----------
    model : BicNeuronNetwork, BicNeuronClassifier, BicNeuronClassifierCV or SubgroupBiclustering
    X : frame or array
    labels : array of shape (n_rows,) or None
        Needed by a classifier without a pair, whose two sides are whole classes.
    """
    check_has_patterns(model)
    values, _ = table_values(model, X)
    if labels is not None and labels.shape != (len(values),):
        raise ValueError(
            f"y has the shape {labels.shape}; give one class for each of the {len(values)} rows."
        )
    if isinstance(model, SubgroupBiclustering):
        return [*_groups(model, X, values, labels)]
    if isinstance(model, BicNeuronNetwork):
        return [*_of_network(model, X, values)]
    return [*_of_classifier(model, X, values, labels)]


def _groups(
    miner: SubgroupBiclustering, X: Any, values: FloatArray, labels: AnyArray | None
) -> Iterator[LocatedPattern]:
    if not miner.found_:
        raise ValueError("the miner found no pattern; there is nothing to list.")
    seen = values if miner._scaling is None else miner._scaling.apply(values)
    scores, total = miner.transform(X), sum(group.strength for group in miner.found_)
    for place, group in enumerate(miner.found_):
        check_same_data(seen, labels, group)
        sizes = np.abs(group.weights)
        order = np.argsort(-sizes, kind="stable")
        higher, lower = group.direction_words
        yield LocatedPattern(
            number=place + 1,
            group_class=group.anchor_class,
            contrast_class=None,
            group="all rows" if group.anchor_class is None else str(group.anchor_class),
            contrast="all other rows",
            rows=group.rows,
            contrast_rows=np.setdiff1d(np.arange(len(values)), group.rows),
            columns=group.columns[order],
            column_shares=_shares(sizes[order]),
            share=group.strength / total,
            scores=scores[:, place],
            words=tuple(higher if way > 0 else lower for way in group.directions[order].tolist()),
        )


def _of_network(model: BicNeuronNetwork, X: Any, values: FloatArray) -> Iterator[LocatedPattern]:
    if model._multilabel:
        raise ValueError("y was a table of labels, whose patterns are not listed.")
    fitted_pattern(model, X, None)
    raw = outputs(model.patterns_, model._seen(values))
    total = sum(pattern.contribution for pattern in model.patterns_)
    for number, pattern in enumerate(model.patterns_):
        pair = pattern.pair
        # With two classes the one score speaks for the second.
        positive = model.classes_[1 if len(model.classes_) == 2 else pattern.target]
        sign = 1.0 if pair.anchor_class == positive else -1.0
        apart = np.abs(pattern.anchor_centroid - pattern.contrast_centroid)
        order = np.argsort(-apart, kind="stable")
        yield LocatedPattern(
            number=number,
            group_class=pair.anchor_class,
            contrast_class=pattern.contrast_class,
            group=class_name(pair.anchor_class),
            contrast=class_name(pattern.contrast_class),
            rows=pair.anchor_rows,
            contrast_rows=pair.contrast_rows,
            columns=pair.columns[order],
            column_shares=_shares(apart[order]),
            share=pattern.contribution / total if total else 1 / len(model.patterns_),
            scores=sign * raw[:, number] / pattern.typical_score,
        )


def _of_classifier(
    model: Any, X: Any, values: FloatArray, labels: AnyArray | None
) -> Iterator[LocatedPattern]:
    estimators = binary_estimators(model)
    for number, (problem, binary) in enumerate(estimators):
        pair, explained = binary.selected_pair_, explained_neuron(binary, problem, number)
        sizes = column_sizes(explained)
        order = np.argsort(-sizes, kind="stable")
        if pair is not None:
            if not hasattr(binary, "rows_used_"):
                raise ValueError(
                    "a .json file does not contain the rows of a pattern; use a .skops file."
                )
            fitted_pattern(binary, X, None)
            rows, contrast_rows = (
                binary.rows_used_[side] for side in (pair.anchor_rows, pair.contrast_rows)
            )
        elif labels is None:
            raise ValueError(
                "the model has no pattern but one neuron on all columns, whose sides are whole "
                "classes; give the classes of the rows, too."
            )
        else:
            rows, contrast_rows = (
                np.flatnonzero(np.isin(labels, side))
                for side in (problem.positive, problem.negative)
            )
        sign = 1.0 if explained.anchor_class == problem.sides[1] else -1.0
        yield LocatedPattern(
            number=number,
            group_class=explained.anchor_class,
            contrast_class=explained.contrast_class,
            group=class_name(explained.anchor_class),
            contrast=class_name(explained.contrast_class),
            rows=rows,
            contrast_rows=contrast_rows,
            columns=explained.columns[order],
            column_shares=_shares(sizes[order]),
            share=1 / len(estimators),
            scores=sign * binary._binary_scores(values),
        )


def column_sizes(explained: ExplainedNeuron) -> FloatArray:
    """What each column adds, between both centroids, to the score of a neuron.

    Of a neuron that is not linear, the distance between the centroids.
    """
    apart = np.abs(explained.centroids[0] - explained.centroids[1])
    sizes: FloatArray = apart if explained.linear is None else apart * np.abs(explained.linear.coef)
    return sizes


def _shares(sizes: FloatArray) -> FloatArray:
    total = float(sizes.sum())
    return sizes / total if total > 0 else np.full(len(sizes), 1 / len(sizes))
