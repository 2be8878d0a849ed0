"""The patterns of a fitted model, whatever it is: in its training table, and as pages show them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._estimators._checks import check_numbers
from bicneuron._writing._formats import class_name
from bicneuron._writing._names import feature_names
from bicneuron.biclustering import Evidence, SubgroupBiclustering
from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
from bicneuron.contrast import ContrastivePair
from bicneuron.explanation import ExplainedNeuron
from bicneuron.inspection._pattern import check_table_of_group, fitted_pattern
from bicneuron.network import BicNeuronNetwork

# Patterns that a page lists.
MOST_PATTERNS = 10
# Columns of a pattern, and terms of a formula, that are shown at once.
MOST_TERMS = 12
# Columns of a pattern that can be unfolded; all are in the lists.
MOST_COLUMNS = 60


@dataclass(frozen=True, eq=False)
class LocatedPattern:
    """A pattern with the rows and columns of the table that it consists of.

    Parameters
    ----------
    number : int
        Position in ``patterns_`` or ``estimators_``; of the groups of a miner, the rank from 1 on.
    group, contrast : str
        The two sides in words.
    rows, contrast_rows : arrays of intp
        Of the table.
    columns : array of intp
        The most important first.
    column_shares : array of shape (n_columns,)
        Their importance; they add up to 1.
    share : float
        Importance of the pattern; the shares of all patterns add up to 1.
    scores : array of shape (n_rows_of_the_table,)
        Membership scores: above 0 they speak for the group.
    words : tuple of str, default=None
        Directions of the columns, if the pattern knows them.
    """

    number: int
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
        """Means of the columns in the group and its contrast, without missing cells."""
        block = values[:, self.columns]
        return mean_of(block[self.rows]), mean_of(block[self.contrast_rows])

    def directions(self, values: FloatArray) -> tuple[str, ...]:
        """Direction in which the group differs from its contrast in each column."""
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
    """Raise an error unless a model is fitted and has patterns."""
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
        return [*_groups_in_table(model, X, values, labels)]
    if isinstance(model, BicNeuronNetwork):
        return [*_network_in_table(model, X)]
    return [*_classifier_in_table(model, X, values, labels)]


def _groups_in_table(
    miner: SubgroupBiclustering, X: Any, values: FloatArray, labels: AnyArray | None
) -> Iterator[LocatedPattern]:
    if not miner.found_:
        raise ValueError("the miner found no pattern; there is nothing to list.")
    seen = values if miner._scaling is None else miner._scaling.apply(values)
    scores, total = miner.transform(X), sum(group.strength for group in miner.found_)
    for place, group in enumerate(miner.found_):
        check_table_of_group(seen, labels, group)
        sizes = np.abs(group.weights)
        order = np.argsort(-sizes, kind="stable")
        higher, lower = group.direction_words
        yield LocatedPattern(
            number=place + 1,
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


def _network_in_table(model: BicNeuronNetwork, X: Any) -> Iterator[LocatedPattern]:
    if model._multilabel:
        raise ValueError("y was a table of labels, whose patterns are not listed.")
    fitted_pattern(model, X, None)
    raw = model.pattern_scores(X)
    total = sum(pattern.contribution for pattern in model.patterns_)
    for known, pattern in zip(_known_of_network(model), model.patterns_, strict=True):
        # With two classes the one score speaks for the second.
        positive = model.classes_[1 if len(model.classes_) == 2 else pattern.target]
        sign = 1.0 if known.group_class == positive else -1.0
        yield known.located(
            rows=pattern.pair.anchor_rows,
            contrast_rows=pattern.pair.contrast_rows,
            share=pattern.contribution / total if total else 1 / len(model.patterns_),
            scores=sign * raw[:, known.number] / pattern.typical_score,
        )


def _classifier_in_table(
    model: Any, X: Any, values: FloatArray, labels: AnyArray | None
) -> Iterator[LocatedPattern]:
    problems = model.binary_models()
    for known, (problem, binary) in zip(_known_of_classifier(model), problems, strict=True):
        if known.pair is not None:
            fitted_pattern(binary, X, None)
            rows, contrast_rows = (
                binary.rows_used_[side]
                for side in (known.pair.anchor_rows, known.pair.contrast_rows)
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
        sign = 1.0 if known.group_class == problem.sides[1] else -1.0
        yield known.located(
            rows=rows,
            contrast_rows=contrast_rows,
            share=1 / len(problems),
            scores=sign * binary._binary_scores(values),
        )


def column_sizes(explained: ExplainedNeuron) -> FloatArray:
    """Size of what each column adds to the score of a neuron between both centroids.

    Of a neuron that is not linear, the distance between the centroids.
    """
    apart = np.abs(explained.centroids[0] - explained.centroids[1])
    sizes: FloatArray = apart if explained.linear is None else apart * np.abs(explained.linear.coef)
    return sizes


def _shares(sizes: FloatArray) -> FloatArray:
    total = float(sizes.sum())
    return sizes / total if total > 0 else np.full(len(sizes), 1 / len(sizes))


class _KnownPattern(NamedTuple):
    """A pattern as far as a model knows it without its table; important columns come first."""

    number: int
    group_class: Any
    contrast_class: Any
    pair: ContrastivePair | None
    columns: IndexArray
    column_shares: FloatArray
    centres: FloatArray
    share: float | None
    evidence: Evidence | None
    formula: dict[str, Any] | None

    def located(
        self, *, rows: IndexArray, contrast_rows: IndexArray, share: float, scores: FloatArray
    ) -> LocatedPattern:
        """Add the rows of its table."""
        return LocatedPattern(
            number=self.number,
            group=class_name(self.group_class),
            contrast=class_name(self.contrast_class),
            rows=rows,
            contrast_rows=contrast_rows,
            columns=self.columns,
            column_shares=self.column_shares,
            share=share,
            scores=scores,
        )


def page_patterns(
    model: Any,
    located: Sequence[LocatedPattern] | None,
    values: FloatArray | None,
    of_classes: Mapping[Any, FloatArray],
) -> list[dict[str, Any]]:
    """Describe the strongest patterns of a network, or those of a classifier, one per problem.

    Parameters
    ----------
    model : fitted network or classifier
    located : sequence of LocatedPattern or None
        The patterns in the table of the fit. Without it the centres of their rows, which the model
        knows, stand in the place of means.
    values : array of shape (n_rows, n_columns) or None
    of_classes : mapping of label to array
        Mean of each column in each class.
    """
    names = feature_names(model)
    if isinstance(model, BicNeuronNetwork):
        known = [*_known_of_network(model)][:MOST_PATTERNS]
    else:
        known = [*_known_of_classifier(model)]
    described = []
    for pattern in known:
        means, pair = pattern.centres, pattern.pair
        if located is not None and values is not None:
            means = np.array(located[pattern.number].means(values))
        shown = range(min(len(pattern.columns), MOST_COLUMNS))
        described.append(
            {
                "number": pattern.number,
                "group": class_name(pattern.group_class),
                "contrast": class_name(pattern.contrast_class),
                "group_class": pattern.group_class,
                "contrast_class": pattern.contrast_class,
                "is_pair": pair is not None,
                "n_rows": None if pair is None else len(pair.anchor_rows),
                "n_contrast": None if pair is None else len(pair.contrast_rows),
                "share": pattern.share,
                "evidence": pattern.evidence,
                "formula": pattern.formula,
                "are_means": located is not None,
                "n_columns": len(pattern.columns),
                "columns": [
                    {
                        "name": names[pattern.columns[k]],
                        "group_mean": float(means[0, k]),
                        "contrast_mean": float(means[1, k]),
                        "class_means": [
                            float(of_class[pattern.columns[k]]) for of_class in of_classes.values()
                        ],
                    }
                    for k in shown
                ],
            }
        )
    return described


def _known_of_network(model: BicNeuronNetwork) -> Iterator[_KnownPattern]:
    for number, pattern in enumerate(model.patterns_):
        pair = pattern.pair
        centres = np.array([pattern.anchor_centroid, pattern.contrast_centroid])
        apart = np.abs(centres[0] - centres[1])
        order = np.argsort(-apart, kind="stable")
        yield _KnownPattern(
            number=number,
            group_class=pair.anchor_class,
            contrast_class=pattern.contrast_class,
            pair=pair,
            columns=pair.columns[order],
            column_shares=_shares(apart[order]),
            centres=model._scaling.take(pair.columns).undo(centres)[:, order],
            share=pattern.contribution,
            evidence=pattern.evidence,
            formula=None,
        )


def _known_of_classifier(model: Any) -> Iterator[_KnownPattern]:
    names = feature_names(model)
    for explained, (problem, binary) in zip(
        model.explained_neurons(), model.binary_models(), strict=True
    ):
        pair, sizes = binary.selected_pair_, column_sizes(explained)
        order = np.argsort(-sizes, kind="stable")
        columns = explained.columns[order]
        yield _KnownPattern(
            number=explained.number,
            group_class=explained.anchor_class,
            contrast_class=explained.contrast_class,
            pair=pair,
            columns=columns,
            column_shares=_shares(sizes[order]),
            centres=explained.scaling.undo(explained.centroids)[:, order],
            share=None,
            evidence=None if pair is None else pair.evidence,
            formula=_formula(explained, problem.sides, names, columns),
        )


def _formula(
    explained: ExplainedNeuron, sides: tuple[Any, Any], names: Sequence[str], columns: IndexArray
) -> dict[str, Any] | None:
    """Formula of a linear neuron, shortened to a dozen terms, and the full one if it is longer."""
    negative, positive = sides
    try:
        formula = explained.to_formula(
            names, ("the rest" if negative is None else negative, positive)
        )
    except ValueError:
        return None
    full, short = str(formula), formula.shortened(columns[:MOST_TERMS].tolist())
    return {"short": short, "full": full if len(columns) > MOST_TERMS else None}
