"""Text that hides nothing from people, and that no spreadsheet runs as a formula."""

import re

# Sequences that drive a terminal, marks that turn what follows, characters of no width. Line breaks
# and tabs stay, and so do the joiners that Persian, Indic scripts and emoji need.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# Programs that open a CSV file run cells that begin with one of a few characters, also behind what
# is not seen. An apostrophe in front makes text of them, and a second one can be taken away again.
# Numbers with a sign are harmless. No part gives back what it took: the time is linear.
_NUMBER = r"[+-]?+(?:[.,]*+[0-9][0-9.,]*+(?:[eE][+-]?+[0-9]++)?+|inf|nan)"
_SIGN = "[=+\\-@\t\r\uff0b\uff0d\uff1d\uff20]"
_UNSEEN = "[ \u00a0\u00ad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]"
_FORMULA = re.compile(rf"'*+{_UNSEEN}*+(?={_SIGN})(?!{_NUMBER}(?:; {_NUMBER})*+\Z)")
# The same for cells that were escaped, in the syntax of RE2, as pyarrow has it.
ESCAPED = f"^'+{_UNSEEN}*{_SIGN}"


def visible(text: str) -> str:
    """Text with escapes as in JSON for what would run, hide or turn it."""
    return _HIDDEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return re.sub("(.{4})", r"\\u\1", match[0].encode("utf-16-be", "surrogatepass").hex())


def escape_formula(text: str) -> str:
    """Text that a spreadsheet takes for text: an apostrophe in front of what looks a formula."""
    return "'" + text if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """Undo `escape_formula`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
