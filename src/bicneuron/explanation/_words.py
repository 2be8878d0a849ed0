"""Words and numbers that explanations are told in, for text and page alike."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bicneuron.explanation._values import Explanation, PatternContribution

# Columns and patterns that are shown one by one; a value holds them all.
MOST_COLUMNS = 12
MOST_PATTERNS = 10


def number(value: float) -> str:
    """Four digits are enough to read."""
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def signed(value: float) -> str:
    """A number that says which way it goes."""
    return f"{value:+.3g}".replace("-", "\N{MINUS SIGN}")


def side(label: Any) -> str:
    """A class, or what is left where it is not one class."""
    return "the rest" if label is None else str(label)


def headline(explanation: "Explanation") -> str:
    """What was predicted, and how surely."""
    words = f"Row {explanation.row}: {explanation.predicted} (score {number(explanation.score)}"
    if explanation.probability is not None:
        words += f", probability {explanation.probability:.2f}"
    return words + ")"


def pattern_title(pattern: "PatternContribution") -> str:
    """What a pattern sets against what, and which is nearer."""
    sides = f"{side(pattern.anchor_class)} against {side(pattern.contrast_class)}"
    name = f"Pattern {pattern.number}" if pattern.is_pair else "All rows and columns"
    return f"{name}, {sides}: {signed(pattern.contribution)}"


def distances(pattern: "PatternContribution") -> str:
    """How far the row is from both centroids."""
    words = {"anchor": side(pattern.anchor_class), "contrast": side(pattern.contrast_class)}
    return (
        f"Nearer to {words[pattern.nearer]}: distance {number(pattern.anchor_distance)} to "
        f"{words['anchor']}, {number(pattern.contrast_distance)} to {words['contrast']}"
    )


def direction(explanation: "Explanation") -> str:
    """What the signs of contributions mean."""
    return (
        f"+ speaks for {side(explanation.positive_class)}, "
        f"\N{MINUS SIGN} for {side(explanation.negative_class)}"
    )


def remainder(explanation: "Explanation") -> str | None:
    """Patterns beyond those that are shown one by one, in one phrase; None if there are none."""
    shown = explanation.patterns[:MOST_PATTERNS]
    n_others = explanation.n_patterns - len(shown)
    if not n_others:
        return None
    others = explanation.score - explanation.bias - sum(p.contribution for p in shown)
    plural = "pattern" if n_others == 1 else "patterns"
    return f"{n_others} more {plural}: {signed(others)} together"
