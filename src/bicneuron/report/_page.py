"""HTML pages: the script, the data that it works on, and the file."""

import base64
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from bicneuron._shared._files import write_atomically
from bicneuron._shared._formats import number, round_p, shortened, signed
from bicneuron._shared._html import render_page


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
    script_data: Mapping[str, Any],
    *,
    overwrite: bool,
) -> Path:
    """Render a template and write the page."""
    script = (files("bicneuron.report") / "templates" / "page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    content = {
        **values,
        "script": script,
        # The page's security policy allows this script and no other.
        "script_hash": f"sha256-{digest}",
        "page_data": _embedded(script_data),
    }
    filters: dict[str, Callable[..., str]] = {
        "number": number,
        "signed": signed,
        "p": round_p,
        "short": shortened,
    }
    page = render_page("bicneuron.report", content, filters, template=template)
    write_atomically(path, page, overwrite=overwrite)
    return path


def _embedded(content: Mapping[str, Any]) -> str:
    """JSON that cannot end a ``<script>`` element, whatever the names in it."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
