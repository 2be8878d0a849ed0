"""An explanation as a piece of HTML: no script, and colours that suit light and dark pages."""

from collections.abc import Iterator, Sequence
from html import escape
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
    side,
    signed,
)

if TYPE_CHECKING:
    from bicneuron.explanation._values import Explanation, PatternContribution

# Bars carry no text; both colours stand out from white and from near-black.
POSITIVE, NEGATIVE = "#2f7fc1", "#cf6a2d"
_CELL = "padding:.15em .6em;text-align:right;white-space:nowrap"
_NAME = "padding:.15em .6em;text-align:left;overflow-wrap:anywhere;min-width:8em"


def page_html(explanation: "Explanation") -> str:
    """One explanation: a heading line and a table for each pattern."""
    parts = [
        f"<p><strong>{escape(headline(explanation))}</strong><br>"
        f"{escape(direction(explanation))}.</p>"
    ]
    parts += [_pattern(pattern) for pattern in explanation.patterns[:MOST_PATTERNS]]
    rest = remainder(explanation)
    if rest:
        parts.append(f"<p>{rest}.</p>")
    if explanation.bias:
        parts.append(f"<p>Whatever the row: {signed(explanation.bias)}.</p>")
    return f'<div class="bicneuron-explanation">{"".join(parts)}</div>'


def list_html(explanations: Sequence["Explanation"], n_rows: int) -> str:
    """The first of many explanations."""
    parts = [page_html(explanation) for explanation in explanations]
    if n_rows > len(explanations):
        parts.append(f"<p>And {n_rows - len(explanations)} more rows.</p>")
    return "".join(parts)


def _pattern(pattern: "PatternContribution") -> str:
    title = escape(pattern_title(pattern))
    shown = pattern.columns[:MOST_COLUMNS]
    sizes = [
        column.nearness if column.contribution is None else column.contribution for column in shown
    ]
    longest = max(map(abs, sizes)) or 1.0
    anchor, contrast = side(pattern.anchor_class), side(pattern.contrast_class)
    adds = f"nearer to {anchor}" if pattern.bias is None else "adds"
    heads = "".join(
        f'<th scope="col" style="{style}">{escape(head)}</th>'
        for head, style in (
            ("column", _NAME),
            ("value", _CELL),
            (adds, _CELL),
            ("", _CELL),
            (f"mean of {anchor}", _CELL),
            (f"mean of {contrast}", _CELL),
        )
    )
    lines = "".join(
        f'<tr><th scope="row" style="{_NAME};font-weight:normal">{escape(column.feature)}</th>'
        f'<td style="{_CELL}">{number(column.value)}</td>'
        f'<td style="{_CELL}">{signed(size)}</td>'
        f'<td style="padding:.15em .6em">{_bar(size, longest)}</td>'
        f'<td style="{_CELL}">{number(column.anchor)}</td>'
        f'<td style="{_CELL}">{number(column.contrast)}</td></tr>'
        for column, size in zip(shown, sizes, strict=True)
    )
    notes = escape(" ".join(_notes(pattern)))
    return (
        f"<p><strong>{title}</strong><br>{escape(distances(pattern))}.</p>"
        f'<div style="overflow-x:auto" tabindex="0" role="region" aria-label="{title}">'
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">'
        f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"
        + (f"<p>{notes}</p>" if notes else "")
    )


def _notes(pattern: "PatternContribution") -> Iterator[str]:
    if len(pattern.columns) > MOST_COLUMNS:
        yield f"{len(pattern.columns) - MOST_COLUMNS} more columns are not shown."
    if pattern.bias:
        yield f"Whatever the columns: {signed(pattern.bias)}."
    if pattern.bias is None:
        yield (
            "The neuron is no sum over columns; the bars say which centroid each column is nearer "
            "to, not what it adds to the score."
        )


def _bar(size: float, longest: float) -> str:
    """To the right of the middle for positive sizes, to the left for negative ones."""
    width = 50.0 * abs(size) / longest
    left = 50.0 if size > 0 else 50.0 - width
    return (
        '<div aria-hidden="true" style="width:8em;height:.8em">'
        f'<div style="margin-left:{left:.1f}%;width:{width:.1f}%;height:100%;'
        f'background:{POSITIVE if size > 0 else NEGATIVE}"></div></div>'
    )
