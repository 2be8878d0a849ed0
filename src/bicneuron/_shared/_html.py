"""Results as HTML: pieces in the colours of the notebook, and whole pages from templates."""

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from typing import Any

from bicneuron._shared._formats import visible
from bicneuron._shared._version import import_extra

POSITIVE, NEGATIVE = "#2f7fc1", "#cf6a2d"  # bars, visible on white and on near-black
_CELL = "padding:.15em .6em;text-align:left;vertical-align:top"
_ONE_LINE, _LINES = f"{_CELL};white-space:nowrap", f"{_CELL};overflow-wrap:anywhere"
SHORT = 14  # characters of a cell that is not broken into lines


class Drawn(str):
    """An ``<svg>`` element, which is not escaped."""


def fragment(*parts: str) -> str:
    """Join parts that are HTML."""
    return f'<div class="bicneuron" style="max-width:760px">{"".join(parts)}</div>'


def sentences(*lines: str) -> str:
    """Lines of text, each a paragraph."""
    return "".join(f"<p>{_text(line)}</p>" for line in lines)


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of texts, numbers and drawn cells; the first cell of a row is its header."""
    head = "".join(f'<th scope="col" style="{_ONE_LINE}">{_text(name)}</th>' for name in headers)
    body = "".join(
        f'<tr><th scope="row" style="{_style(first)};font-weight:normal">{_text(first)}</th>'
        + "".join(f'<td style="{_style(cell)}">{_text(cell)}</td>' for cell in others)
        + "</tr>"
        for first, *others in rows
    )
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;'
        'font-variant-numeric:tabular-nums">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _style(cell: Any) -> str:
    return _ONE_LINE if isinstance(cell, Drawn) or len(str(cell)) <= SHORT else _LINES


def _text(value: Any) -> str:
    return value if isinstance(value, Drawn) else escape(visible(str(value)))


def bar(size: float, longest: float) -> Drawn:
    """A bar from the centre to the right for a positive size, to the left for a negative one."""
    width = 60 * abs(size) / (longest or 1.0)
    left, colour = (60, POSITIVE) if size > 0 else (60 - width, NEGATIVE)
    return Drawn(
        '<svg aria-hidden="true" width="120" height="12" viewBox="0 0 120 12">'
        f'<rect x="{left:.1f}" y="1" width="{width:.1f}" height="10" fill="{colour}"/>'
        '<line x1="60" y1="0" x2="60" y2="12" stroke="currentColor" opacity=".4"/></svg>'
    )


def render_page(
    package: str, values: dict[str, Any], template: str = "report.html", **filters: Any
) -> str:
    """Render a template of a package; a name that is not in ``values`` is an error."""
    environment = _environment(package)
    environment.filters.update(filters)
    return str(environment.get_template(template).render(values))


@cache
def _environment(package: str) -> Any:
    """Kept, because compiling a template takes longer than rendering it."""
    jinja2 = check_jinja2()
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Text, and markup such as plots, without characters that hide or turn it.
        finalize=lambda value: type(value)(visible(value)) if isinstance(value, str) else value,
    )


def check_jinja2() -> Any:
    """Import jinja2; where it is missing, the error says how to install it."""
    return import_extra("jinja2", "the page needs jinja2; run pip install 'bicneuron[report]'.")
