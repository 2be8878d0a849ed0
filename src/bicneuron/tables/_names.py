"""Names that were misspelt."""

from difflib import get_close_matches
from typing import Any


def close_to(name: str, names: Any) -> str:
    """Suggest names for a misspelt one, or list the known ones."""
    known = [str(other) for other in names]
    close = get_close_matches(name, known, n=3) or [
        other for other in known if other.lower() == name.lower()
    ]
    if close:
        return f" Did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, known[:8])) + (", ..." if len(known) > 8 else "")
    return f" There are: {shown}." if known else " There are none."
