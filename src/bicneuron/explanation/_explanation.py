"""Explanations of predictions: of one row by its patterns and their columns, and of many."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, Literal, NamedTuple, overload

from bicneuron._shared._formats import class_name, counted, number, signed, visible
from bicneuron._shared._html import bar, fragment, sentences, table
from bicneuron._shared._version import import_extra

# Patterns are listed, strongest first, until they make up this share of all contributions.
SHARE = 0.9
# Columns of a pattern, patterns of an explanation, and explanations of a longer list, that are
# shown; the values hold all of them.
SHOWN_COLUMNS, SHOWN_PATTERNS, SHOWN_ROWS = 12, 10, 10
NO_PATTERN = "The model has no pattern: every row has the same score."


class ColumnContribution(NamedTuple):
    """Value of one column of a pattern, and its part in a decision.

    ``value`` is in the user's own units, NaN if it is missing, and ``estimate`` then its estimate
    or None. ``anchor`` and ``contrast`` are the centroids of the two sides. ``nearness`` is the
    column's share of how much nearer the row is to the anchor; it is not added to the score.
    ``weight`` is the change of the score by one more unit, None unless the neuron is linear, and
    ``contribution`` the part of the score, None if the score is not a sum over columns.
    """

    feature: str
    value: float
    estimate: float | None
    anchor: float
    contrast: float
    nearness: float
    weight: float | None
    contribution: float | None

    @property
    def written_value(self) -> str:
        """The value as text; of a missing one, its estimate."""
        if self.estimate is not None:
            return f"missing, about {number(self.estimate)}"
        return number(self.value)


@dataclass(frozen=True, slots=True)
class PatternContribution:
    """Contribution of one pattern, a contrastive pair with its neuron, to a score.

    ``number`` is its place in ``patterns_`` or, beyond two classes, in ``estimators_``. The classes
    of its sides are None for several together. ``is_pair`` is False for a neuron on all rows and
    columns. ``bias`` and the contributions of ``columns`` (largest first) add up to
    ``contribution``; it is None if the score is not a sum over columns. ``threshold`` is subtracted
    from the neuron's own score. Distances are root mean squares over the columns of scaled values.
    """

    number: int
    anchor_class: Any
    contrast_class: Any
    is_pair: bool
    contribution: float
    bias: float | None
    threshold: float
    anchor_distance: float
    contrast_distance: float
    columns: tuple[ColumnContribution, ...]

    @property
    def shown_columns(self) -> tuple[ColumnContribution, ...]:
        """The columns that are shown in text, on pages and in plots."""
        return self.columns[:SHOWN_COLUMNS]

    @property
    def nearer(self) -> Literal["anchor", "contrast"]:
        """The side whose centroid is nearer to the row."""
        return "anchor" if self.anchor_distance <= self.contrast_distance else "contrast"

    @property
    def title(self) -> str:
        """The pattern, its two sides and its contribution, in one line."""
        name = f"Pattern {self.number}" if self.is_pair else "All rows and columns"
        sides = f"{class_name(self.anchor_class)} against {class_name(self.contrast_class)}"
        return f"{name}, {sides}: {signed(self.contribution)}"

    @property
    def distances(self) -> str:
        """The nearer centroid, and the distances to both, in one line."""
        if math.isnan(self.anchor_distance):
            return "All of its columns are missing"
        anchor, contrast = class_name(self.anchor_class), class_name(self.contrast_class)
        return (
            f"Nearer to {anchor if self.nearer == 'anchor' else contrast}: distance "
            f"{number(self.anchor_distance)} to {anchor}, "
            f"{number(self.contrast_distance)} to {contrast}"
        )

    def __str__(self) -> str:
        return visible("\n".join([self.title, self.distances, *self._column_lines()]))

    def _column_lines(self) -> Iterator[str]:
        shown = self.shown_columns
        width = max(len(column.feature) for column in shown)
        for column in shown:
            line = f"  {column.feature:<{width}}  {column.written_value:>10}"
            line += f"  (centroids {number(column.anchor)}, {number(column.contrast)})"
            if column.contribution is not None:
                line += f"  {signed(column.contribution)}"
            yield line
        if len(self.columns) > len(shown):
            yield f"  and {len(self.columns) - len(shown)} more columns"
        if self.bias:
            yield f"  for every row  {signed(self.bias)}"

    def _html(self) -> str:
        """A table of its columns; bars show what each adds, or else which side it is nearer to."""
        shown, is_sum = self.shown_columns, self.bias is not None
        sizes = [one.nearness if one.contribution is None else one.contribution for one in shown]
        longest = max(map(abs, sizes))
        anchor, contrast = class_name(self.anchor_class), class_name(self.contrast_class)
        centre = "centre of its rows of" if self.is_pair else "mean of"
        measure = "adds" if is_sum else f"nearer to {anchor}"
        headers = ("column", "value", measure, "", f"{centre} {anchor}", f"{centre} {contrast}")
        rows = (
            (
                *(one.feature, one.written_value, signed(size), bar(size, longest)),
                *(number(one.anchor), number(one.contrast)),
            )
            for one, size in zip(shown, sizes, strict=True)
        )
        notes = []
        if len(self.columns) > len(shown):
            notes.append(f"{len(self.columns) - len(shown)} more columns are not shown.")
        if self.bias:
            notes.append(f"For every row: {signed(self.bias)}.")
        if not is_sum:
            notes.append(
                "The score of this neuron is not a sum over columns; the bars show which centroid "
                "each column is nearer to, not what it adds to the score."
            )
        title, words = escape(visible(self.title)), escape(visible(self.distances))
        below = sentences(" ".join(notes)) if notes else ""
        return f"<p><strong>{title}</strong><br>{words}.</p>{table(headers, rows)}{below}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Reasons for which one row was given its class.

    ``row`` is the name of the row, or its number. ``score`` is, with two classes, the decision
    score, which speaks for ``positive_class`` if it is > 0; beyond, that of the predicted class; in
    a pairwise classifier, the sum of the log odds for it against each other class. ``probability``
    is that of the predicted class, None for models without. Positive and negative contributions
    speak for ``positive_class`` and ``negative_class``, which are None for several together.

    ``bias``, which is the same for every row, the contributions of ``patterns`` and ``rest``, those
    of patterns that are not listed, add up to ``score``. Of ``n_patterns`` that contribute, the
    strongest are listed first; in a network, until they make up 90 % of what all patterns
    contribute, signs aside.

    Examples
    --------
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.datasets import load_worked_example
    >>> X, y = load_worked_example(return_X_y=True)
    >>> model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
    >>> explanation = model.explain(X)[0]
    >>> bool(explanation.score == model.decision_function(X)[0])
    True
    >>> explanation.patterns[0].nearer
    'anchor'
    """

    row: Any
    predicted: Any
    score: float
    probability: float | None
    positive_class: Any
    negative_class: Any
    bias: float
    patterns: tuple[PatternContribution, ...]
    n_patterns: int
    rest: float

    @property
    def headline(self) -> str:
        """The row, its predicted class, score and probability, in one line."""
        words = f"Row {self.row}: {self.predicted} (score {number(self.score)}"
        if self.probability is not None:
            words += f", probability {self.probability:.2f}"
        return words + ")"

    @property
    def direction(self) -> str:
        """Meaning of the signs of contributions, in one line."""
        own, other = map(class_name, (self.positive_class, self.negative_class))
        return f"+ speaks for {own}, \N{MINUS SIGN} for {other}"

    @property
    def shown_patterns(self) -> tuple[PatternContribution, ...]:
        """The strongest patterns: those that are shown in text, on pages and in plots."""
        return self.patterns[:SHOWN_PATTERNS]

    @property
    def remainder(self) -> str | None:
        """Number and sum of the patterns that are not shown one by one, or None."""
        shown = self.shown_patterns
        n_others = self.n_patterns - len(shown)
        if not n_others:
            return None
        others = self.score - self.bias - sum(pattern.contribution for pattern in shown)
        return f"{counted(n_others, 'more pattern')}: {signed(others)} together"

    def to_dict(self) -> dict[str, Any]:
        """Plain data: labels, numbers, and dictionaries in lists."""
        content = asdict(self)
        content["patterns"] = [
            {
                **asdict(pattern),
                "nearer": pattern.nearer,
                "columns": [column._asdict() for column in pattern.columns],
            }
            for pattern in self.patterns
        ]
        return content

    def __str__(self) -> str:
        lines = [self.headline, self.direction]
        for pattern in self.shown_patterns:
            lines += ["", str(pattern)]
        if not self.patterns:
            lines.append(NO_PATTERN)
        lines += ["", self.remainder] if self.remainder else []
        if self.bias:
            lines.append(f"For every row: {signed(self.bias)}")
        return visible("\n".join(lines))

    def _repr_html_(self) -> str:
        """What a notebook shows: tables of the columns of its patterns, the first one unfolded."""
        headline, direction = map(escape, map(visible, (self.headline, f"{self.direction}.")))
        first, *others = [pattern._html() for pattern in self.shown_patterns] or [""]
        titles = [escape(visible(pattern.title)) for pattern in self.shown_patterns[1:]]
        notes = [
            *([] if self.patterns else [NO_PATTERN]),
            *([f"{self.remainder}."] if self.remainder else []),
            *([f"For every row: {signed(self.bias)}."] if self.bias else []),
        ]
        return fragment(
            '<div class="bicneuron-explanation">',
            f"<p><strong>{headline}</strong><br>{direction}</p>{first}",
            *map("<details><summary>{}</summary>{}</details>".format, titles, others),
            f"{''.join(map(sentences, notes))}</div>",
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show the text at the end of a notebook cell."""
        printer.text(str(self))


class Explanations(Sequence[Explanation]):
    """The explanations of many rows, each computed when it is accessed.

    ``explain_row`` gives that of the row at a position, with patterns up to a share and a number.
    """

    def __init__(
        self, explain_row: Callable[[int, float, int | None], Explanation], positions: Iterable[int]
    ) -> None:
        self._explain_row = explain_row
        self._positions = list(positions)

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> "Explanations": ...
    def __getitem__(self, index: int | slice) -> "Explanation | Explanations":
        if isinstance(index, slice):
            return Explanations(self._explain_row, self._positions[index])
        return self._explain_row(self._positions[index], SHARE, None)

    def strongest(self, index: int, n_patterns: int) -> Explanation:
        """The explanation of a row with at most this many patterns, the strongest."""
        return self._explain_row(self._positions[index], SHARE, n_patterns)

    @property
    def shown(self) -> "Explanations":
        """The first explanations: those that a notebook shows of a longer list."""
        return self[:SHOWN_ROWS]

    def to_frame(self) -> Any:
        """One line per row: its class, score and probability, and the strongest pattern.

        Returns
        -------
        pandas.DataFrame
            With the names of the rows as index.
        """
        needed = "a frame needs pandas; run pip install 'bicneuron[tables]'."
        pandas = import_extra("pandas", needed)
        lines, rows = [], []
        for one in (self._explain_row(position, 0.0, None) for position in self._positions):
            first = one.patterns[0] if one.patterns else None  # the model may have none
            line = {
                "predicted": one.predicted,
                "score": one.score,
                "probability": one.probability,
                "pattern": getattr(first, "number", None),
            }
            for name in ("contribution", "anchor_class", "nearer"):
                line[name] = getattr(first, name, None)
            columns = first.columns if first else ()
            line["columns"] = ", ".join(column.feature for column in columns)
            lines.append(line)
            rows.append(one.row)
        return pandas.DataFrame(lines, index=pandas.Index(rows, name="row"))

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} rows>"

    def _repr_html_(self) -> str:
        """What a notebook shows: a line for each of the first rows."""
        shown = [self.strongest(k, 1) for k in range(len(self.shown))]
        longest = max((abs(one.score) for one in shown), default=0.0)
        rows = [
            (
                one.row,
                one.predicted,
                number(one.score),
                bar(one.score, longest),
                "" if one.probability is None else f"{one.probability:.2f}",
                one.patterns[0].title if one.patterns else "",
            )
            for one in shown
        ]
        n_more = len(self) - len(rows)
        return fragment(
            table(("row", "class", "score", "", "probability", "strongest pattern"), rows),
            sentences(*([f"And {n_more} more rows."] if n_more else [])),
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show the first explanations at the end of a notebook cell."""
        n_more = len(self) - len(self.shown)
        printer.text(str(self.shown) + (f"\n\nAnd {n_more} more rows." if n_more else ""))
