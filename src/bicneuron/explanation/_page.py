"""An explanation as a piece of HTML: no script, and colours that suit light and dark pages."""

from collections.abc import Sequence
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
    parts += [_pattern(explanation, pattern) for pattern in explanation.patterns[:MOST_PATTERNS]]
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


def _pattern(explanation: "Explanation", pattern: "PatternContribution") -> str:
    additive = pattern.bias is not None
    heads = ["column", "value"]
    heads += [f"mean of {side(c)}" for c in (pattern.anchor_class, pattern.contrast_class)]
    heads.append("adds" if additive else f"nearer to {side(pattern.anchor_class)}")
    shown = pattern.columns[:MOST_COLUMNS]
    sizes = [
        column.contribution if column.contribution is not None else column.nearness
        for column in shown
    ]
    longest = max(map(abs, sizes)) or 1.0
    lines = [
        _line(
            [column.feature, *map(number, (column.value, column.anchor, column.contrast))],
            size,
            longest,
        )
        for column, size in zip(shown, sizes, strict=True)
    ]
    notes = []
    if len(pattern.columns) > len(shown):
        notes.append(f"{len(pattern.columns) - len(shown)} more columns are not shown.")
    if pattern.bias:
        notes.append(f"Whatever the columns: {signed(pattern.bias)}.")
    if not additive:
        notes.append(
            "The neuron is no sum over columns; the bars say which centroid each column is nearer "
            "to, not what it adds to the score."
        )
    first = f'<th scope="col" style="{_NAME}">{heads[0]}</th>'
    others = "".join(f'<th scope="col" style="{_CELL}">{escape(head)}</th>' for head in heads[1:])
    title = escape(pattern_title(pattern))
    return (
        f"<p><strong>{title}</strong><br>{escape(distances(pattern))}.</p>"
        f'<div style="overflow-x:auto" tabindex="0" role="region" aria-label="{title}">'
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">'
        f"<thead><tr>{first}{others}<td></td></tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
        + (f"<p>{escape(' '.join(notes))}</p>" if notes else "")
    )


def _line(cells: Sequence[str], size: float, longest: float) -> str:
    name, *values = cells
    texts = "".join(f'<td style="{_CELL}">{value}</td>' for value in [*values, signed(size)])
    width = 50.0 * abs(size) / longest
    left = 50.0 if size > 0 else 50.0 - width
    bar = (
        '<div aria-hidden="true" style="width:9em;height:.8em">'
        f'<div style="margin-left:{left:.1f}%;width:{width:.1f}%;height:100%;'
        f'background:{POSITIVE if size > 0 else NEGATIVE}"></div></div>'
    )
    return (
        f'<tr><th scope="row" style="{_NAME};font-weight:normal">{escape(name)}</th>'
        f'{texts}<td style="padding:.15em .6em">{bar}</td></tr>'
    )
