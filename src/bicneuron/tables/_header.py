"""Where the header of a table is: people write titles and remarks above it."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
# Rows among which the header is looked for, and rows that tell how wide the table is.
_MOST_ABOVE = 30
ROWS_LOOKED_AT = 100


def is_number(cell: Any) -> bool:
    """Whether a cell is a number, or text that looks like a plain one."""
    if isinstance(cell, str):
        return _NUMBER.fullmatch(cell) is not None
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def rows_above_header(rows: Sequence[Sequence[Any]]) -> int:
    """How many of the first rows of a table are titles or remarks.

    A row is one if it is narrower than the table, or empty but for one cell, and if what follows
    can be a header: different words, as wide as the table. Otherwise the first row is the header,
    however odd, so that a cut file is not mended by taking its first values for names.
    """
    looked_at = rows[:ROWS_LOOKED_AT]
    widths = Counter(len(row) for row in looked_at if len(_filled(row)) > 1)
    if not widths:
        return 0
    width = max(widths, key=lambda w: (widths[w], w))
    for place, row in enumerate(looked_at[:_MOST_ABOVE]):
        filled = _filled(row)
        is_narrow = len(row) < width - 1 or (len(filled) < 2 < width)
        if is_narrow or (_is_remark(row) and len(row) != width):
            continue
        words = [str(cell).strip() for cell in filled]
        can_be_header = (
            len(words) > 1
            and not any(map(is_number, filled))
            and len(set(words)) == len(words)
            and 2 * len(words) > len(row)
        )
        return place if can_be_header else 0
    return 0


def is_remark(text: str, n_cells: int) -> bool:
    """Whether a line of another length than the table is a remark, and not a damaged row."""
    return text.startswith("#") or (n_cells == 1 and len(text.split()) > 2)


def _is_remark(row: Sequence[Any]) -> bool:
    return bool(row) and isinstance(row[0], str) and row[0].startswith("#")


def _filled(row: Sequence[Any]) -> list[Any]:
    return [cell for cell in row if cell is not None and str(cell).strip()]
