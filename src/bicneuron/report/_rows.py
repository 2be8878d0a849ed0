"""The rows that a page explains: which ones, their classes, and why each was given its class."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._names import feature_names, row_names
from bicneuron.explanation import PatternContribution
from bicneuron.metrics import RowsLeftOut

MOST_WRONG = 3  # misclassified rows that are chosen, the most certain ones
# Rows that can be looked up in a page, patterns that are shown of each and columns of each pattern.
MOST_ROWS, MOST_PATTERNS, MOST_COLUMNS = 2000, 5, 8
SIDES = ("group", "contrast")


def choose_rows(
    scores: FloatArray, predicted: AnyArray, y: AnyArray | None, classes: AnyArray
) -> dict[int, str]:
    """Choose rows to explain, each with the reason."""
    certainty = np.abs(scores)  # distance to the boundary, or the margin over the second-best class
    if scores.ndim == 2:
        certainty = np.diff(np.sort(scores, axis=1)[:, -2:]).ravel()
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
    return chosen


def find_rows(rows: Sequence[Any], names: Sequence[Any]) -> dict[int, str]:
    """Find rows that are given by name or, if there is no such name, by position."""
    positions = {name: position for position, name in reversed(list(enumerate(names)))}
    chosen = {}
    for row in rows:
        by_position = isinstance(row, int | np.integer) and -len(names) <= row < len(names)
        if row not in positions and not by_position:
            raise ValueError(
                f"rows has {row!r}, which is neither a name of a row of X nor a position; X has "
                f"{len(names)} rows, the first is {names[0]!r}."
            )
        chosen[positions[row] if row in positions else int(row) % len(names)] = "chosen"
    return chosen


class RowsExplained:
    """Rows of a table as a page shows them."""

    def __init__(
        self,
        model: Any,
        X: Any,
        labels: AnyArray | None,
        left_out: RowsLeftOut | None,
        patterns: Sequence[Mapping[str, Any]],
        classes: list[str],
    ) -> None:
        self._model, self._X, self._y = model, X, labels
        self._explanations = model.explain(X)
        self._chances = model.predict_proba(X) if hasattr(model, "predict_proba") else None
        self._described, self._classes = patterns, classes
        self._left_out: dict[int, Any] = {}
        if left_out is not None:
            self._left_out = dict(zip(left_out.rows.tolist(), left_out.predicted, strict=True))
        self._lines = [{line["column"]: line for line in own["columns"]} for own in patterns]
        self._places = {name: place for place, name in enumerate(feature_names(model))}
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
        rows = {row: self.row(row) for row in sorted({*range(min(n_rows, MOST_ROWS)), *chosen})}
        return {
            "chosen": [{"why": why, "row": rows[position]} for position, why in chosen.items()],
            "all": list(rows.values()),
            "n_rows": n_rows,
            "patterns": self.patterns,
            "columns": self.columns,
        }

    def row(self, position: int) -> dict[str, Any]:
        """One row: its name, its classes and what its strongest patterns add to its score."""
        explained = self._explanations.strongest(position, MOST_PATTERNS)
        shown, predicted = explained.patterns, self._classes.index(str(explained.predicted))
        chance = None if self._chances is None else float(self._chances[position, predicted])
        rest = explained.score - explained.bias - sum(pattern.contribution for pattern in shown)
        is_binary = len(self._model.classes_) == 2
        return {
            "name": str(explained.row),
            "true": None if self._y is None else self._number(self._y[position]),
            "predicted": predicted,
            "left_out": self._number(self._left_out.get(position)),
            "probability": None if chance is None else round(chance, 3),
            "score": rounded(explained.score),
            "for": 1 if is_binary else predicted,
            "against": 0 if is_binary else None,
            "bias": rounded(explained.bias),
            "n_more": explained.n_patterns - len(shown),
            "rest": rounded(rest),
            "why": [self._pattern(pattern) for pattern in shown],
        }

    def _pattern(self, pattern: PatternContribution) -> dict[str, Any]:
        """What a pattern adds; it and its columns are described once for all rows."""
        number, is_sum, columns = pattern.number, pattern.bias is not None, []
        described = self._described[number - 1]
        sizes = {side: described[side] for side in ("n_rows", "n_contrast")}
        sides = {
            "group": self._number(pattern.anchor_class),
            "contrast": self._number(pattern.contrast_class),
            "is_pair": pattern.is_pair,
            **(sizes if described["are_means"] else dict.fromkeys(sizes)),
            "means": {},
        }
        own = self.patterns.setdefault(number, sides)
        for column in pattern.columns[:MOST_COLUMNS]:
            place, line = self._places[column.feature], self._lines[number - 1][column.feature]
            size = (column.contribution or 0) if is_sum else column.nearness
            columns.append((place, rounded(column.value), rounded(size)))
            own["means"][place] = [rounded(line[f"mean_in_{side}"]) for side in SIDES]
            means = [rounded(mean) for key, mean in line.items() if key.startswith("mean of ")]
            self.columns.setdefault(place, {"name": column.feature, "means": means})
        return {
            "number": number,
            "adds": rounded(pattern.contribution),
            "is_sum": is_sum,
            "bias": rounded(pattern.bias or 0.0),
            "n_more": len(pattern.columns) - len(columns),
            "columns": columns,
        }

    def _number(self, label: Any) -> int | None:
        return None if label is None else self._classes.index(str(label))


def rounded(value: float | None) -> float | None:
    """Four significant digits; None for NaN, which JSON does not have."""
    if value is None or np.isnan(value):
        return None
    return float(f"{value:.4g}")
