"""An HTML page from a template."""

from collections.abc import Callable
from functools import cache
from typing import Any

from bicneuron._shared._extras import import_extra
from bicneuron._shared._visible import visible


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
