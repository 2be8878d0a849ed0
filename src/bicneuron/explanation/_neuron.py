"""From the scores of neurons to explanations of rows, and the formula of a linear neuron."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._scale_columns import FARTHEST
from bicneuron._shared._checks import takes_missing
from bicneuron._shared._scaling import Scaling
from bicneuron.explanation import _explanation
from bicneuron.explanation._explanation import Explanation, Explanations
from bicneuron.patterns import Pattern

# Names of features that need no brackets.
_PLAIN_NAME = re.compile(r"\w[\w .]*")


@dataclass(frozen=True, slots=True)
class Formula:
    """Score of a linear neuron in the units of the table, scaling and threshold included.

    ``coefficients`` are for one unit of each of the ``features``, which are the names of the
    columns that the formula reads; ``columns`` are their places in the table. ``labels`` are the
    class of scores up to 0, and that of scores above.

    Examples
    --------
    >>> from bicneuron.explanation import Formula
    >>> formula = Formula(3.2, (0.51, -2.0), ("age", "dose"), (0, 1), ("A", "B"))
    >>> print(formula)
    score = 3.2 + 0.51·age − 2·dose; 'B' if score > 0, else 'A'
    >>> formula.evaluate([[10.0, 4.0]]).round(6)
    array([0.3])
    """

    intercept: float
    coefficients: tuple[float, ...]
    features: tuple[str, ...]
    columns: tuple[int, ...]
    labels: tuple[Any, Any]

    def evaluate(self, X: Any) -> FloatArray:
        """Score of each row.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Columns of a frame are found by name, those of an array by their places.

        Returns
        -------
        scores : array of shape (n_rows,)
        """
        if hasattr(X, "columns"):
            values = np.asarray(X[list(self.features)], dtype=np.float64)
        else:
            values = np.asarray(X, dtype=np.float64)[:, list(self.columns)]
        # Sums of large terms that cancel keep their digits.
        terms = np.column_stack(
            [np.full(len(values), self.intercept), values * np.array(self.coefficients)]
        )
        return np.array([math.fsum(line) for line in terms.tolist()])

    def __str__(self) -> str:
        return self._written(range(len(self.features)))

    def shortened(self, columns: Sequence[int]) -> str:
        """The same with the terms of some columns only, by place, and the number of the others."""
        return self._written([self.columns.index(column) for column in columns])

    def _written(self, places: Sequence[int]) -> str:
        words = [f"score = {self.intercept:.6g}".replace("-", "\N{MINUS SIGN}")]
        for place in places:
            feature, coefficient = self.features[place], self.coefficients[place]
            if coefficient:
                sign = "+" if coefficient > 0 else "\N{MINUS SIGN}"
                name = feature if _PLAIN_NAME.fullmatch(feature) else f"[{feature}]"
                words.append(f"{sign} {abs(coefficient):.6g}\N{MIDDLE DOT}{name}")
        n_more = sum(map(bool, self.coefficients)) - (len(words) - 1)
        if n_more:
            words.append(f"+ {n_more} more term" + "s" * (n_more > 1))
        return f"{' '.join(words)}; {self.labels[1]!r} if score > 0, else {self.labels[0]!r}"


def formula_of(pattern: Pattern, features: Sequence[str], labels: tuple[Any, Any]) -> Formula:
    """The linear neuron of a pattern as a `Formula`; ``features`` names all columns of a table."""
    neuron = pattern.neuron
    assert neuron is not None  # scores of neurons are explained
    if neuron.linear is None:
        raise ValueError(
            f"{neuron.estimator!r} is not linear and has no formula; use explain, or a linear "
            "neuron such as OnlinePerceptron."
        )
    if not isinstance(neuron.scaling, Scaling):
        raise ValueError("columns after soft scaling have no formula; use explain.")
    coef, names = neuron.linear.coef, [features[column] for column in pattern.columns.tolist()]
    coefficients = neuron.scaling.per_unit(coef)
    infinite = np.flatnonzero(~np.isfinite(coefficients))
    if len(infinite):
        raise ValueError(
            f"column {names[infinite[0]]!r} varies too little to be written in its own units; "
            "rescale or drop it."
        )
    shifts = coef * neuron.scaling.shift / neuron.scaling.scale
    intercept = neuron.linear.intercept - neuron.threshold
    return Formula(
        intercept=math.fsum([intercept, *(-shifts).tolist()]),
        coefficients=tuple(coefficients.tolist()),
        features=tuple(names),
        columns=tuple(pattern.columns.tolist()),
        labels=labels,
    )


def root_mean_square(differences: FloatArray) -> float:
    """Distance over the columns that are not missing, whatever their number; NaN without any."""
    known = differences[~np.isnan(differences)]
    if not len(known):
        return float("nan")
    largest = np.abs(known).max()
    unit = largest if largest > FARTHEST else 1.0
    return float(unit * np.sqrt(np.mean((known / unit) ** 2)))


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """The scores of rows, split into the contributions of neurons to them.

    ``numbers`` are those of the patterns in the model, from 1 on. ``X`` and ``estimates`` (of
    missing cells, NaN elsewhere) are in the user's units. ``contributions`` of a neuron are NaN
    where it does not enter the score; ``factors`` are these divided by its own score. ``biases``
    are constants of the scores, ``predicted`` the numbers of the predicted classes and
    ``probabilities`` theirs, or None. ``list_all`` lists every neuron, not only the strongest.
    """

    patterns: Sequence[Pattern]
    numbers: Sequence[int]
    X: FloatArray
    estimates: FloatArray
    contributions: FloatArray
    factors: FloatArray
    biases: FloatArray
    scores: FloatArray
    predicted: IndexArray
    probabilities: FloatArray | None
    classes: Sequence[Any]
    features: Sequence[str]
    rows: Sequence[Any]
    list_all: bool

    def explanations(self) -> Explanations:
        """One explanation per row, computed when it is accessed."""
        return Explanations(self.explain_row, range(len(self.X)))

    def explain_row(self, position: int, share: float, most: int | None = None) -> Explanation:
        """List the strongest neurons, up to a share of what all contribute and a number."""
        contributions = self.contributions[position]
        involved = np.flatnonzero(~np.isnan(contributions))
        order = involved[np.argsort(-np.abs(contributions[involved]), kind="stable")]
        n_listed = len(order) if most is None else min(len(order), most)
        if not self.list_all:
            sums = np.cumsum(np.abs(contributions[order]))
            n_needed = int(np.searchsorted(sums, share * sums[-1:].sum())) + 1  # at least one
            n_listed = min(n_listed, n_needed)
        predicted = self.classes[int(self.predicted[position])]
        two = len(self.classes) == 2
        return Explanation(
            row=self.rows[position],
            predicted=predicted,
            score=float(self.scores[position]),
            probability=None if self.probabilities is None else float(self.probabilities[position]),
            positive_class=self.classes[1] if two else predicted,
            negative_class=self.classes[0] if two else None,
            bias=float(self.biases[position]),
            patterns=tuple(self._split(position, k) for k in order[:n_listed].tolist()),
            n_patterns=len(order),
            rest=float(contributions[order[n_listed:]].sum()),
        )

    def _split(self, position: int, number: int) -> _explanation.PatternContribution:
        """The contribution of a pattern to the score of a row, split over its columns."""
        pattern, factor = self.patterns[number], float(self.factors[position, number])
        neuron = pattern.neuron
        assert neuron is not None  # scores of neurons are explained
        scaling, centroids = neuron.scaling, neuron.centroids
        assert scaling is not None  # models with scores keep it
        x, estimates = (cells[position, pattern.columns] for cells in (self.X, self.estimates))
        z = scaling.apply(np.where(np.isnan(x), estimates, x)[None])[0]
        seen = z if takes_missing(neuron.estimator) else np.where(np.isnan(z), neuron.fill, z)
        # Bias and parts of the columns, if the score is their sum, and weights of a linear neuron.
        bias: float | None = None
        parts: FloatArray | None = None
        weights: FloatArray | None = None
        linear = neuron.linear
        if hasattr(neuron.estimator, "column_scores"):
            bias = factor * (0.0 - neuron.threshold)
            parts = factor * (neuron.estimator.column_scores(seen[None])[0] / len(seen))
        elif linear is not None:
            middle = centroids.mean(axis=0)
            bias = factor * (linear.intercept + float(linear.coef @ middle) - neuron.threshold)
            parts = factor * (linear.coef * np.where(np.isnan(seen), 0.0, seen - middle))
            if isinstance(scaling, Scaling):
                weights = scaling.per_unit(factor * linear.coef)
        anchor, contrast = scaling.undo(centroids)
        with np.errstate(over="ignore", invalid="ignore"):
            nearness = np.nan_to_num((z - centroids[1]) ** 2 - (z - centroids[0]) ** 2)
        order = np.argsort(-np.abs(nearness if parts is None else parts), kind="stable")
        columns = [
            _explanation.ColumnContribution(
                feature=self.features[pattern.columns[k]],
                value=float(x[k]),
                estimate=None if np.isnan(estimates[k]) else float(estimates[k]),
                anchor=float(anchor[k]),
                contrast=float(contrast[k]),
                nearness=float(nearness[k]),
                weight=None if weights is None else float(weights[k]),
                contribution=None if parts is None else float(parts[k]),
            )
            for k in order.tolist()
        ]
        return _explanation.PatternContribution(
            number=self.numbers[number],
            anchor_class=pattern.anchor_class,
            contrast_class=pattern.contrast_class,
            is_pair=pattern.kind != "class",
            contribution=float(self.contributions[position, number]),
            bias=bias,
            threshold=neuron.threshold,
            anchor_distance=root_mean_square(z - centroids[0]),
            contrast_distance=root_mean_square(z - centroids[1]),
            columns=tuple(columns),
        )
