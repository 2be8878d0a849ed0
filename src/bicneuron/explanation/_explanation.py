"""Explanations of predictions: of one row, and of many."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, overload

from bicneuron._shared._compat import import_extra
from bicneuron._shared._escapes import visible
from bicneuron._shared._formats import class_name, number, signed
from bicneuron._shared._html import bar, fragment, sentences, table
from bicneuron.explanation._contributions import PatternContribution
from bicneuron.explanation._html import NO_PATTERN, row_html

# Patterns are listed, strongest first, until they make up this share of all contributions.
SHARE = 0.9
# Patterns of an explanation, and explanations of a longer list, that are shown.
SHOWN_PATTERNS = 10
SHOWN_ROWS = 10


@dataclass(frozen=True, slots=True)
class Explanation:
    """Reasons for which one row was given its class.

    ``bias``, the contributions of ``patterns`` and ``rest`` add up to ``score``.

    Parameters
    ----------
    row : label
        Name of the row, or its number.
    predicted : label
    score : float
        With two classes the decision score, which speaks for ``positive_class`` if it is > 0.
        Beyond, the score of the predicted class; in a pairwise classifier, the sum of the log odds
        for it against each other class.
    probability : float or None
        Of the predicted class; None for models without probabilities.
    positive_class, negative_class : label or None
        Classes that positive and negative contributions speak for; None for several together.
    bias : float
        The share of the score that does not depend on the row.
    patterns : tuple of PatternContribution
        Strongest first; in a network, until they make up 90 % of what all patterns contribute,
        signs aside.
    n_patterns : int
        Number of patterns that contribute to the score.
    rest : float
        Sum of the contributions of the patterns that are not listed.

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
        return (
            f"+ speaks for {class_name(self.positive_class)}, "
            f"\N{MINUS SIGN} for {class_name(self.negative_class)}"
        )

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
        plural = "pattern" if n_others == 1 else "patterns"
        return f"{n_others} more {plural}: {signed(others)} together"

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
        remainder = self.remainder
        lines += ["", remainder] if remainder else []
        if self.bias:
            lines.append(f"For every row: {signed(self.bias)}")
        return visible("\n".join(lines))

    def _repr_html_(self) -> str:
        """What a notebook shows: tables of the columns of its patterns."""
        return fragment(row_html(self))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show the text at the end of a notebook cell."""
        printer.text(str(self))


class Explanations(Sequence[Explanation]):
    """The explanations of many rows, each computed when it is accessed.

    Parameters
    ----------
    explain_row : callable
        Gives the `Explanation` of the row at a position, with patterns up to a share and a number.
    positions : iterable of int
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
        """The explanation of a row with its strongest patterns only.

        Parameters
        ----------
        index : int
        n_patterns : int
            Patterns to list at most.

        Returns
        -------
        Explanation
        """
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
        pandas = import_extra(
            "pandas", "a frame needs pandas; run pip install 'bicneuron[tables]'."
        )
        strongest = [self._explain_row(position, 0.0, None) for position in self._positions]
        return pandas.DataFrame(
            [_summary(explanation) for explanation in strongest],
            index=pandas.Index([explanation.row for explanation in strongest], name="row"),
        )

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


def _summary(explanation: Explanation) -> dict[str, Any]:
    summary = {
        "predicted": explanation.predicted,
        "score": explanation.score,
        "probability": explanation.probability,
    }
    if not explanation.patterns:  # a readable network that found none
        nothing = dict.fromkeys(("pattern", "contribution", "anchor_class", "nearer"))
        return {**summary, **nothing, "columns": ""}
    pattern = explanation.patterns[0]
    return {
        **summary,
        "pattern": pattern.number,
        "contribution": pattern.contribution,
        "anchor_class": pattern.anchor_class,
        "nearer": pattern.nearer,
        "columns": ", ".join(column.feature for column in pattern.columns),
    }
