"""HTML pages: colours of classes, the script, the data that it works on, and the file."""

import base64
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from colorsys import hls_to_rgb
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Self

from bicneuron._shared._files import write_atomically
from bicneuron._shared._formats import number, round_p, shortened, signed
from bicneuron._shared._html import render_page
from bicneuron._shared._version import __version__

# Hues of the first classes, as shares of the circle: blue, orange, green, purple, ...
_HUES = (0.57, 0.07, 0.44, 0.8, 0.95, 0.16, 0.65, 0.3)
# Step between further hues: they never repeat.
_GOLDEN = 0.618034
# Of all colours. Text in them has a contrast of 4.5 to white and to the light paper of the plots,
# and bars in them one of 3 to the dark page.
LUMINANCE = 0.142
# For several classes together.
OTHERS = "#6b6b6b"
FILTERS: dict[str, Callable[..., str]] = {
    "number": number,
    "signed": signed,
    "p": round_p,
    "short": shortened,
}


class Palette(NamedTuple):
    """Names of the classes of a page, and their colours, the same on light and dark pages."""

    classes: Sequence[str]
    colours: Sequence[str]

    @classmethod
    def of(cls, classes: Sequence[str]) -> Self:
        """One colour for each class, as light as each other."""
        hues = [*_HUES, *((place * _GOLDEN) % 1.0 for place in range(len(_HUES), len(classes)))]
        return cls(classes, [_colour(hue) for hue in hues[: len(classes)]])

    def colour(self, label: Any) -> str:
        """Colour of a class; grey for several classes together."""
        known = str(label) in self.classes
        return self.colours[self.classes.index(str(label))] if known else OTHERS


def _colour(hue: float) -> str:
    """The colour of a hue that is as light as all others."""
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if _luminance(hls_to_rgb(hue, middle, 0.95)) < LUMINANCE:
            low = middle
        else:
            high = middle
    return "#" + "".join(f"{round(255 * part):02x}" for part in hls_to_rgb(hue, low, 0.95))


def _luminance(colour: tuple[float, float, float]) -> float:
    """Relative luminance, as WCAG defines it."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def check_path(path: str | os.PathLike[str], *, overwrite: bool) -> Path:
    """Return the path of a page; refuse an existing file unless it may be replaced."""
    path = Path(path)
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists; give another path or overwrite=True.")
    return path


def write_page(
    path: Path,
    template: str,
    values: Mapping[str, Any],
    lists: Mapping[str, str],
    script_data: Mapping[str, Any] | None = None,
    *,
    overwrite: bool,
) -> Path:
    """Render a template, with lists that can be saved by their names, and write the page."""
    script = (files("bicneuron.report") / "templates" / "page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    content = {
        **values,
        "version": __version__,
        "downloads": [*lists],
        "script": script,
        # The page's security policy allows this script and no other.
        "script_hash": f"sha256-{digest}",
        "page_data": _embedded({"rows": [], **(script_data or {}), "lists": lists}),
    }
    page = render_page("bicneuron.report", content, FILTERS, template=template)
    write_atomically(path, page, overwrite=overwrite)
    return path


def _embedded(content: Mapping[str, Any]) -> str:
    """JSON that cannot end a ``<script>`` element, whatever the names in it."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
