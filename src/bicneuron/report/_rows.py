"""The rows that a page explains: which ones, their classes, and why each was given its class."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._shared._names import feature_names, row_names
from bicneuron.explanation import Explanation, PatternContribution
from bicneuron.metrics import RowsLeftOut
from bicneuron.patterns import sides_of
from bicneuron.report._patterns import mean_of

# Misclassified rows that are chosen at most, the most certain ones.
MOST_WRONG = 3
# Rows that can be looked up in a page, patterns that are shown of each and columns of each pattern.
MOST_ROWS = 2000
MOST_PATTERNS = 5
MOST_COLUMNS = 8
# Significant digits of numbers on the page.
DIGITS = 4


def choose_rows(
    scores: FloatArray, predicted: AnyArray, y: AnyArray | None, classes: AnyArray
) -> list[tuple[int, str]]:
    """Choose rows to explain, each with the reason."""
    certainty = _certainty(scores)
    correct = np.ones(len(predicted), dtype=bool) if y is None else predicted == y
    chosen: dict[int, str] = {}
    for label in classes.tolist():
        rows = np.flatnonzero((predicted == label) & correct)
        if len(rows):
            chosen[int(rows[certainty[rows].argmax()])] = f"most certain of {label}"
    chosen.setdefault(int(certainty.argmin()), "least certain")
    wrong = np.flatnonzero(~correct)
    for row in wrong[np.argsort(-certainty[wrong], kind="stable")][:MOST_WRONG].tolist():
        chosen.setdefault(row, "wrong")
    return list(chosen.items())


def find_rows(rows: Sequence[Any], names: Sequence[Any]) -> list[tuple[int, str]]:
    """Find rows that are given by name or, if there is no such name, by position."""
    positions = {name: position for position, name in reversed(list(enumerate(names)))}
    chosen = {}
    for row in rows:
        by_position = isinstance(row, int | np.integer) and -len(names) <= row < len(names)
        if row in positions:
            position = positions[row]
        elif by_position:
            position = int(row) % len(names)
        else:
            raise ValueError(
                f"rows has {row!r}, which is neither a name of a row of X nor a position; X has "
                f"{len(names)} rows, the first is {names[0]!r}."
            )
        chosen[position] = "chosen"
    return list(chosen.items())


def _certainty(scores: FloatArray) -> FloatArray:
    """Distance to the decision boundary, or the margin over the second-best class."""
    if scores.ndim == 1:
        return np.abs(scores)
    best = np.sort(scores, axis=1)
    return best[:, -1] - best[:, -2]


class RowsExplained:
    """Rows of a table as a page shows them."""

    def __init__(
        self,
        model: Any,
        X: Any,
        labels: AnyArray | None,
        left_out: RowsLeftOut | None,
        carriers: BoolArray | None,
        values: FloatArray,
        of_classes: Mapping[Any, FloatArray],
        classes: Sequence[str],
    ) -> None:
        self._model, self._X, self._y = model, X, labels
        self._explanations = model.explain(X)
        self._chances = model.predict_proba(X) if hasattr(model, "predict_proba") else None
        self._classes = list(classes)
        self._two = len(model.classes_) == 2
        self._labels = None if labels is None else [str(label) for label in labels.tolist()]
        self._left_out = {}
        if left_out is not None:
            said = zip(left_out.rows.tolist(), left_out.predicted.tolist(), strict=True)
            self._left_out = {row: str(label) for row, label in said}
        self._sides = None
        if carriers is not None:
            self._sides = [
                sides_of(pattern, own)
                for pattern, own in zip(model.patterns_, carriers.T, strict=True)
            ]
        self._values = values
        self._of_classes = of_classes
        self._names = feature_names(model)
        self._places = {name: place for place, name in enumerate(self._names)}
        # Patterns and columns are described once for all rows.
        self.patterns: dict[int, dict[str, Any]] = {}
        self.columns: dict[int, dict[str, Any]] = {}

    def on_page(self, wanted: Sequence[Any] | None) -> dict[str, Any]:
        """All rows that can be looked up, and those that are shown first; None chooses these."""
        model, n_rows = self._model, len(self._X)
        if wanted is None:
            scores, predicted = model.decision_function(self._X), model.predict(self._X)
            chosen = choose_rows(scores, predicted, self._y, model.classes_)
        else:
            chosen = find_rows(wanted, row_names(self._X, n_rows))
        # The chosen rows can be looked up in any case.
        listed = sorted({*range(min(n_rows, MOST_ROWS)), *(position for position, _ in chosen)})
        rows = {position: self.row(position) for position in listed}
        return {
            "chosen": [{"why": why, "row": rows[position]} for position, why in chosen],
            "all": list(rows.values()),
            "n_rows": n_rows,
            "patterns": self.patterns,
            "columns": self.columns,
        }

    def row(self, position: int) -> dict[str, Any]:
        """One row: its name, its classes and what its strongest patterns add to its score."""
        explained = self._explanations.strongest(position, MOST_PATTERNS)
        shown, predicted = explained.patterns, self._classes.index(str(explained.predicted))
        return {
            "name": str(explained.row),
            "true": None if self._labels is None else self._number(self._labels[position]),
            "predicted": predicted,
            "left_out": self._number(self._left_out.get(position)),
            "probability": (
                None
                if self._chances is None
                else round(float(self._chances[position, predicted]), 3)
            ),
            "score": rounded(explained.score),
            "for": 1 if self._two else predicted,
            "against": 0 if self._two else None,
            "bias": rounded(explained.bias),
            "n_more": explained.n_patterns - len(shown),
            "rest": rounded(_rest(explained, shown)),
            "why": [self._pattern(pattern) for pattern in shown],
        }

    def _pattern(self, pattern: PatternContribution) -> dict[str, Any]:
        shown = pattern.columns[:MOST_COLUMNS]
        places = [self._places[column.feature] for column in shown]
        self._describe_once(pattern, places, shown)
        return {
            "number": pattern.number,
            "adds": rounded(pattern.contribution),
            "is_sum": pattern.bias is not None,
            "bias": rounded(pattern.bias or 0.0),
            "n_more": len(pattern.columns) - len(shown),
            "columns": [
                [
                    place,
                    rounded(column.value),
                    rounded(column.nearness if pattern.bias is None else column.contribution or 0),
                ]
                for place, column in zip(places, shown, strict=True)
            ],
        }

    def _describe_once(
        self, pattern: PatternContribution, places: Sequence[int], shown: Sequence[Any]
    ) -> None:
        number = pattern.number
        if number not in self.patterns:
            sizes = (None, None) if self._sides is None else map(len, self._sides[number - 1])
            self.patterns[number] = {
                "group": self._number(pattern.anchor_class),
                "contrast": self._number(pattern.contrast_class),
                "is_pair": pattern.is_pair,
                **dict(zip(("n_rows", "n_contrast"), sizes, strict=True)),
                "means": {},
            }
        means = self.patterns[number]["means"]
        for place, column in zip(places, shown, strict=True):
            if place in means:
                continue
            means[place] = self._side_means(number, place, column)
            self.columns.setdefault(
                place,
                {
                    "name": self._names[place],
                    "means": [rounded(of_class[place]) for of_class in self._of_classes.values()],
                },
            )

    def _side_means(self, number: int, place: int, column: Any) -> list[float | None]:
        """Means in the rows of a pattern; without its table, the centres that the model knows."""
        if self._sides is None:
            return [rounded(column.anchor), rounded(column.contrast)]
        values = self._values[:, [place]]
        return [rounded(mean_of(values[rows])[0]) for rows in self._sides[number - 1]]

    def _number(self, label: Any) -> int | None:
        return None if label is None else self._classes.index(str(label))


def rounded(value: float) -> float | None:
    """Four significant digits; None for NaN, which JSON does not have."""
    if value is None or np.isnan(value):
        return None
    return float(f"{value:.{DIGITS}g}")


def _rest(explained: Explanation, shown: Sequence[PatternContribution]) -> float:
    """Sum of the contributions of patterns that are not shown."""
    return explained.score - explained.bias - sum(pattern.contribution for pattern in shown)
