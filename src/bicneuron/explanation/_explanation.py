"""The explanation of one prediction."""

from dataclasses import asdict, dataclass
from typing import Any

from bicneuron._writing._numbers import class_name, number, signed
from bicneuron.explanation._contributions import PatternContribution

# Patterns shown in text and on pages; the value may hold more.
SHOWN_PATTERNS = 10


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one row was given its class.

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
        What positive and negative contributions speak for; None for several classes together.
    bias : float
        The share of the score that does not depend on the row.
    patterns : tuple of PatternContribution
        Strongest first; in a network, until they make up 90 % of what all patterns contribute,
        signs aside.
    n_patterns : int
        How many patterns contribute to the score.
    rest : float
        Sum of the contributions of the patterns that are not listed.

    Examples
    --------
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.datasets import load_worked_example
    >>> X, y = load_worked_example(return_X_y=True)
    >>> model = BicNeuronClassifier(random_state=0).fit(X, y)
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
        """What the signs of contributions mean."""
        return (
            f"+ speaks for {class_name(self.positive_class)}, "
            f"\N{MINUS SIGN} for {class_name(self.negative_class)}"
        )

    @property
    def remainder(self) -> str | None:
        """Number and sum of the patterns that are not shown one by one, or None."""
        shown = self.patterns[:SHOWN_PATTERNS]
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
        for pattern in self.patterns[:SHOWN_PATTERNS]:
            lines += ["", str(pattern)]
        remainder = self.remainder
        lines += ["", remainder] if remainder else []
        if self.bias:
            lines.append(f"For every row: {signed(self.bias)}")
        return "\n".join(lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show the text at the end of a notebook cell."""
        printer.text(str(self))
