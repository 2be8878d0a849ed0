"""The script of a page, and the data that it works on."""

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any


def page_script() -> str:
    """The script, which looks up rows and saves lists; it is part of the page."""
    return (files("bicneuron.report") / "templates" / "page.js").read_text("utf-8")


def script_hash(script: str) -> str:
    """What the page's security policy allows to run: this script and no other."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def page_data(summary: Mapping[str, Any]) -> str:
    """Rows and lists as JSON that may stand inside a ``<script>`` element, whatever the names."""
    rows = summary["rows"]
    return embedded(
        {
            "classes": summary["classes"],
            "meanClasses": summary["mean_classes"],
            "rows": [] if rows is None else rows["all"],
            "patterns": {} if rows is None else rows["patterns"],
            "columns": {} if rows is None else rows["columns"],
            "lists": summary["downloads"],
        }
    )


def embedded(content: Mapping[str, Any]) -> str:
    """JSON that cannot end a ``<script>`` element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
