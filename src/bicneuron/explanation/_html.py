"""Explanations as HTML, without scripts, for light and dark pages."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from bicneuron._shared._formats import class_name, number, signed
from bicneuron._shared._html import NEGATIVE, POSITIVE
from bicneuron._shared._visible import visible
from bicneuron.explanation._contributions import PatternContribution

if TYPE_CHECKING:
    from bicneuron.explanation._explanation import Explanation


NO_PATTERN = "The model has no pattern: every row has the same score."
_CELL = "padding:.15em .6em;text-align:right;white-space:nowrap"
_NAME = "padding:.15em .6em;text-align:left;overflow-wrap:anywhere;min-width:8em"


def row_html(explanation: "Explanation") -> str:
    """The explanation of one row as an HTML fragment; patterns after the first are folded."""
    fragments = [
        f"<p><strong>{escape(explanation.headline)}</strong><br>"
        f"{escape(explanation.direction)}.</p>"
    ]
    for place, pattern in enumerate(explanation.shown_patterns):
        content = _pattern(pattern)
        if place:
            title = escape(visible(pattern.title))
            content = f"<details><summary>{title}</summary>{content}</details>"
        fragments.append(content)
    if not explanation.patterns:
        fragments.append(f"<p>{NO_PATTERN}</p>")
    if explanation.remainder:
        fragments.append(f"<p>{explanation.remainder}.</p>")
    if explanation.bias:
        fragments.append(f"<p>For every row: {signed(explanation.bias)}.</p>")
    return f'<div class="bicneuron-explanation">{"".join(fragments)}</div>'


def _pattern(pattern: PatternContribution) -> str:
    title = escape(pattern.title)
    shown = pattern.shown_columns
    sizes = [
        column.nearness if column.contribution is None else column.contribution for column in shown
    ]
    longest = max(map(abs, sizes)) or 1.0
    anchor, contrast = class_name(pattern.anchor_class), class_name(pattern.contrast_class)
    centre = "centre of its rows of" if pattern.is_pair else "mean of"
    measure = f"nearer to {anchor}" if pattern.bias is None else "adds"
    headers = "".join(
        f'<th scope="col" style="{style}">{escape(header)}</th>'
        for header, style in (
            ("column", _NAME),
            ("value", _CELL),
            (measure, _CELL),
            ("", _CELL),
            (f"{centre} {anchor}", _CELL),
            (f"{centre} {contrast}", _CELL),
        )
    )
    body = "".join(
        f'<tr><th scope="row" style="{_NAME};font-weight:normal">{escape(column.feature)}</th>'
        f'<td style="{_CELL}">{column.written_value}</td>'
        f'<td style="{_CELL}">{signed(size)}</td>'
        f'<td style="padding:.15em .6em">{_bar(size, longest)}</td>'
        f'<td style="{_CELL}">{number(column.anchor)}</td>'
        f'<td style="{_CELL}">{number(column.contrast)}</td></tr>'
        for column, size in zip(shown, sizes, strict=True)
    )
    notes = escape(" ".join(_notes(pattern)))
    return (
        f"<p><strong>{title}</strong><br>{escape(pattern.distances)}.</p>"
        f'<div style="overflow-x:auto" tabindex="0" role="region" aria-label="{title}">'
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">'
        f"<thead><tr>{headers}</tr></thead><tbody>{body}</tbody></table></div>"
        + (f"<p>{notes}</p>" if notes else "")
    )


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


def _bar(size: float, longest: float) -> str:
    """A bar from the centre to the right for a positive size, to the left for a negative one."""
    width = 50.0 * abs(size) / longest
    left = 50.0 if size > 0 else 50.0 - width
    return (
        '<div aria-hidden="true" style="width:8em;height:.8em">'
        f'<div style="margin-left:{left:.1f}%;width:{width:.1f}%;height:100%;'
        f'background:{POSITIVE if size > 0 else NEGATIVE}"></div></div>'
    )
