"""An HTML page from a template."""

from collections.abc import Callable
from importlib import resources
from typing import Any


def render_page(
    package: str, values: dict[str, Any], filters: dict[str, Callable[..., str]] | None = None
) -> str:
    """Render ``templates/report.html`` of a package; a name that is not in ``values`` is an error.

    Parameters
    ----------
    package : str
        Name of the package that holds the template.
    values : dict
        What the template uses, by name. Text is escaped.
    filters : dict of callables, default=None
        Filters of the template, by name.

    Returns
    -------
    str
    """
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise ImportError("the page needs jinja2; run pip install 'bicneuron[report]'.") from error

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(filters or {})
    source = resources.files(package) / "templates" / "report.html"
    return environment.from_string(source.read_text(encoding="utf-8")).render(values)
