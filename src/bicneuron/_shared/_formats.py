"""Text for people: formats of numbers and names, and nothing that hides or runs."""

import math
import re
from collections.abc import Sequence
from typing import Any

LEVEL = 0.05  # with a larger corrected p, a pattern is shown as what chance may give
COARSE = 0.01  # a larger smallest possible p is named: it limits what a test can say
LONGEST_NAME = 32  # characters of a name in a sentence
# Sequences that drive a terminal, marks that turn what follows, characters of no width. Line breaks
# and tabs stay, and so do the joiners that Persian, Indic scripts and emoji need.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_FOUR_DIGITS = re.compile("(.{4})")
# Programs that open a CSV file run cells that begin with one of a few characters, also behind what
# is not seen. An apostrophe in front makes text of them, and a second one can be taken away again.
# Numbers with a sign are harmless. No part gives back what it took: the time is linear.
_NUMBER = r"[+-]?+(?:[.,]*+[0-9][0-9.,]*+(?:[eE][+-]?+[0-9]++)?+|inf|nan)"
_SIGN = "[=+\\-@\t\r\uff0b\uff0d\uff1d\uff20]"
_UNSEEN = "[ \u00a0\u00ad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]"
_FORMULA = re.compile(rf"'*+{_UNSEEN}*+(?={_SIGN})(?!{_NUMBER}(?:; {_NUMBER})*+\Z)")


def visible(text: str) -> str:
    """Text with escapes as in JSON for what would run, hide or turn it."""
    return _HIDDEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return _FOUR_DIGITS.sub(r"\\u\1", match[0].encode("utf-16-be", "surrogatepass").hex())


def escape_formula(text: str) -> str:
    """Text that a spreadsheet takes for text: an apostrophe in front of what looks a formula."""
    return "'" + text if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """Undo `escape_formula`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def format_carriers(carriers: Any, target: str | None = None) -> str:
    """Counts of each class, as in "15 of 50 case, 0 of 50 control" and "arrest = 1: 15 of 50"."""
    named = [(shortened("rows" if k is None else str(k)), *counts) for k, *counts in carriers]
    if all(name[:1].isalpha() for name, _, _ in named):
        return ", ".join(f"{count} of {total} {name}" for name, count, total in named)
    return "; ".join(
        f"{target or 'class'} = {name}: {k or 'none'} of {total}" for name, k, total in named
    )


def round_p(p: float) -> str:
    """P with one or two digits, never 0."""
    return f"{p:.2g}" if p >= 0.001 else f"{p:.1g}"


def number(value: float) -> str:
    """Four significant digits, or "missing" for NaN."""
    return "missing" if math.isnan(value) else f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def signed(value: float) -> str:
    """Three significant digits and a sign."""
    return f"{value + 0.0:+.3g}".replace("-", "\N{MINUS SIGN}")


def class_name(label: Any) -> str:
    """A class, or "the rest" for None, which stands for several classes."""
    return "the rest" if label is None else str(label)


def counted(n: int, noun: str) -> str:
    """A number and what it counts, as in "2,000 columns"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def listed(words: Sequence[str]) -> str:
    """Words in a row, as in "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def shortened(name: str) -> str:
    """A name in a sentence: in one line, and without the middle of a very long one."""
    name = " ".join(name.split())
    half = LONGEST_NAME // 2
    return name if len(name) <= 2 * half else f"{name[:half]}...{name[3 - half :]}"
