"""An explanation as plain text."""

from typing import TYPE_CHECKING

from bicneuron.explanation._words import (
    MOST_COLUMNS,
    MOST_PATTERNS,
    direction,
    distances,
    headline,
    number,
    pattern_title,
    remainder,
    signed,
)

if TYPE_CHECKING:
    from bicneuron.explanation._values import Explanation, PatternContribution


def plain_text(explanation: "Explanation") -> str:
    """Some lines for a terminal."""
    lines = [headline(explanation), direction(explanation)]
    for pattern in explanation.patterns[:MOST_PATTERNS]:
        lines += ["", pattern_title(pattern), distances(pattern), *_columns(pattern)]
    rest = remainder(explanation)
    lines += ["", rest] if rest else []
    if explanation.bias:
        lines.append(f"Whatever the row: {signed(explanation.bias)}")
    return "\n".join(lines)


def _columns(pattern: "PatternContribution") -> list[str]:
    shown = pattern.columns[:MOST_COLUMNS]
    width = max(len(column.feature) for column in shown)
    lines = []
    for column in shown:
        line = f"  {column.feature:<{width}}  {number(column.value):>10}"
        line += f"  (centroids {number(column.anchor)}, {number(column.contrast)})"
        if column.contribution is not None:
            line += f"  {signed(column.contribution)}"
        lines.append(line)
    if len(pattern.columns) > len(shown):
        lines.append(f"  and {len(pattern.columns) - len(shown)} more columns")
    if pattern.bias:
        lines.append(f"  whatever the columns  {signed(pattern.bias)}")
    return lines
