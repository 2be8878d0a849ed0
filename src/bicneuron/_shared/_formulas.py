"""Text that a spreadsheet would run as a formula.

Programs that open a CSV file run cells that begin with one of a few characters, or with their wide
forms, also behind spaces and characters of no width, which some programs leave out. An apostrophe
in front makes text of them. Text that has apostrophes in front already gets one more, so that
taking one away always gives what was there.
"""

import re

# Numbers with a sign are harmless, also several in a cell. The first character is tested first, and
# no part gives back what it has taken, so that the time grows with the text and no faster.
_NUMBER = r"[+-]?+(?:[.,]*+[0-9][0-9.,]*+(?:[eE][+-]?+[0-9]++)?+|inf|nan)"
_SIGN = "[=+\\-@\t\r\uff0b\uff0d\uff1d\uff20]"
_UNSEEN = "[ \u00a0\u00ad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]"
_FORMULA = re.compile(rf"'*+{_UNSEEN}*+(?={_SIGN})(?!{_NUMBER}(?:; {_NUMBER})*+\Z)")
# The same for cells that were escaped, in the syntax of RE2, as pyarrow has it.
ESCAPED = f"^'+{_UNSEEN}*{_SIGN}"


def escape_formula(text: str) -> str:
    """Text that a spreadsheet takes for text.

    Examples
    --------
    >>> [escape_formula(text) for text in ("=A1", "'=A1", "-2.5", "-TP53", "'s")]
    ["'=A1", "''=A1", '-2.5', "'-TP53", "'s"]
    """
    return "'" + text if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """Undo `escape_formula`.

    Examples
    --------
    >>> [unescape_formula(text) for text in ("'=A1", "''=A1", "-2.5", "'-TP53", "'s")]
    ['=A1', "'=A1", '-2.5', '-TP53', "'s"]
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
