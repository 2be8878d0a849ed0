"""Results as pieces of HTML for notebooks: sentences, a small table and a picture.

No scripts, no colours of text or background: they are those of the notebook, light or dark.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import escape
from typing import Any

from bicneuron._shared._compat import import_extra
from bicneuron._shared._escapes import visible
from bicneuron._shared._plots import check_matplotlib, draw_svg

# Colours of bars, visible on white and on near-black.
POSITIVE, NEGATIVE = "#2f7fc1", "#cf6a2d"
# Those of plots that are too dark for a dark notebook.
_FRAME = f"max-width:760px;--contrast:{POSITIVE};--others:#808080"
_CELL = "padding:.15em .6em;text-align:left;vertical-align:top"
_ONE_LINE, _LINES = f"{_CELL};white-space:nowrap", f"{_CELL};overflow-wrap:anywhere"
# Characters of a cell that is not broken into lines.
SHORT = 14
# Width of a picture in inches, and of a bar in pixels.
WIDTH, BAR_WIDTH = 7.9, 120


class Drawn(str):
    """An ``<svg>`` element, which is not escaped."""


def fragment(*parts: str) -> str:
    """Join parts that are HTML."""
    return f'<div class="bicneuron" style="{_FRAME}">{"".join(parts)}</div>'


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


def bar(size: float, longest: float) -> Drawn:
    """A bar from the centre to the right for a positive size, to the left for a negative one."""
    half = BAR_WIDTH / 2
    width = half * abs(size) / (longest or 1.0)
    left, colour = (half, POSITIVE) if size > 0 else (half - width, NEGATIVE)
    return _drawn(
        f'<rect x="{left:.1f}" y="1" width="{width:.1f}" height="10" fill="{colour}"/>{_middle()}'
    )


def interval(low: float, value: float, high: float, farthest: float) -> Drawn:
    """A value with its interval, around a line at 0."""
    half = BAR_WIDTH / 2
    a, b, c = (half + (half - 3) * one / (farthest or 1.0) for one in (low, value, high))
    colour = POSITIVE if value > 0 else NEGATIVE
    return _drawn(
        f'{_middle()}<line x1="{a:.1f}" y1="6" x2="{c:.1f}" y2="6" stroke="{colour}" '
        f'stroke-width="2"/><circle cx="{b:.1f}" cy="6" r="3" fill="{colour}"/>'
    )


def picture(draw: Callable[[Any], Any], label: str, height: float = 3.6) -> str:
    """What a function draws into axes, as an SVG element; nothing where matplotlib is missing."""
    try:
        check_matplotlib()
    except ImportError:
        return ""

    def draw_figure(figure: Any) -> None:
        figure.set(size_inches=(WIDTH, height), layout_engine="constrained")
        draw(figure.subplots())

    svg = draw_svg(draw_figure, "notebook", label=label)
    return svg.replace("<svg", '<svg style="max-width:100%;height:auto"', 1)


def _style(cell: Any) -> str:
    return _ONE_LINE if isinstance(cell, Drawn) or len(str(cell)) <= SHORT else _LINES


def _text(value: Any) -> str:
    return value if isinstance(value, Drawn) else escape(visible(str(value)))


def _drawn(shapes: str) -> Drawn:
    return Drawn(
        f'<svg aria-hidden="true" width="{BAR_WIDTH}" height="12" viewBox="0 0 {BAR_WIDTH} 12">'
        f"{shapes}</svg>"
    )


def _middle() -> str:
    half = BAR_WIDTH / 2
    return f'<line x1="{half}" y1="0" x2="{half}" y2="12" stroke="currentColor" opacity=".4"/>'


def render_page(
    package: str,
    values: dict[str, Any],
    filters: dict[str, Callable[..., str]] | None = None,
    *,
    template: str = "report.html",
) -> str:
    """Render a template of a package; a name that is not in ``values`` is an error."""
    check_jinja2()
    environment = _environment(package, tuple((filters or {}).items()))
    page: str = environment.get_template(template).render(values)
    return page


@cache
def _environment(package: str, filters: tuple[tuple[str, Callable[..., str]], ...]) -> Any:
    """Kept, because compiling a template takes longer than rendering it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_visible,
    )
    environment.filters.update(filters)
    return environment


def _visible(value: Any) -> Any:
    """Text, and markup such as plots, without characters that hide or turn it."""
    return type(value)(visible(value)) if isinstance(value, str) else value


def check_jinja2() -> None:
    """Raise an `ImportError` that says how to install jinja2 if it is missing."""
    import_extra("jinja2", "the page needs jinja2; run pip install 'bicneuron[report]'.")
