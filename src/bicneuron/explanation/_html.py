"""An explanation as HTML, for notebooks and pages."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from bicneuron._shared._escapes import visible
from bicneuron._shared._formats import class_name, number, signed
from bicneuron._shared._html import bar, sentences, table
from bicneuron.explanation._contributions import PatternContribution

if TYPE_CHECKING:
    from bicneuron.explanation._explanation import Explanation


NO_PATTERN = "The model has no pattern: every row has the same score."


def row_html(explanation: "Explanation") -> str:
    """The explanation of one row as an HTML fragment; patterns after the first are folded."""
    parts = [
        f"<p><strong>{escape(visible(explanation.headline))}</strong><br>"
        f"{escape(visible(explanation.direction))}.</p>"
    ]
    for place, pattern in enumerate(explanation.shown_patterns):
        content = _pattern(pattern)
        if place:
            title = escape(visible(pattern.title))
            content = f"<details><summary>{title}</summary>{content}</details>"
        parts.append(content)
    if not explanation.patterns:
        parts.append(sentences(NO_PATTERN))
    if explanation.remainder:
        parts.append(sentences(f"{explanation.remainder}."))
    if explanation.bias:
        parts.append(sentences(f"For every row: {signed(explanation.bias)}."))
    return f'<div class="bicneuron-explanation">{"".join(parts)}</div>'


def _pattern(pattern: PatternContribution) -> str:
    shown = pattern.shown_columns
    sizes = [one.nearness if one.contribution is None else one.contribution for one in shown]
    longest = max(map(abs, sizes))
    anchor, contrast = class_name(pattern.anchor_class), class_name(pattern.contrast_class)
    centre = "centre of its rows of" if pattern.is_pair else "mean of"
    measure = f"nearer to {anchor}" if pattern.bias is None else "adds"
    headers = ("column", "value", measure, "", f"{centre} {anchor}", f"{centre} {contrast}")
    rows = (
        (
            *(one.feature, one.written_value, signed(size), bar(size, longest)),
            *(number(one.anchor), number(one.contrast)),
        )
        for one, size in zip(shown, sizes, strict=True)
    )
    title = escape(visible(pattern.title))
    words = escape(visible(pattern.distances))
    notes = sentences(" ".join(_notes(pattern))) if any(_notes(pattern)) else ""
    return f"<p><strong>{title}</strong><br>{words}.</p>{table(headers, rows)}{notes}"


def _notes(pattern: PatternContribution) -> Iterator[str]:
    n_more = len(pattern.columns) - len(pattern.shown_columns)
    if n_more:
        yield f"{n_more} more columns are not shown."
    if pattern.bias:
        yield f"For every row: {signed(pattern.bias)}."
    if pattern.bias is None:
        yield (
            "The score of this neuron is not a sum over columns; the bars show which centroid each "
            "column is nearer to, not what it adds to the score."
        )
