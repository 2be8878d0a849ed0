"""Text for people, with what would run, hide or turn it written as escapes.

Escape sequences and C1 codes drive a terminal, marks of direction turn what follows, and characters
of no width hide in names.
"""

import re

# Line breaks and tabs stay, and so do the joiners that Persian, Indic scripts and emoji need.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""Text with escapes as in JSON, so that of JSON it is the same value.

    Examples
    --------
    >>> print(visible("gene\u202e\x1b[31m"))
    gene\u202e\u001b[31m
    """
    return _HIDDEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
