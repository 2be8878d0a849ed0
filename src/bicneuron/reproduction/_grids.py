"""Tables of text, for any renderer, and how numbers become text."""

from dataclasses import dataclass

NOTHING = "\N{EN DASH}"
MEASURE_WORDS = {
    "acc": "ACC",
    "label_auc": "Label AUC",
    "acc_minority": "ACCm, accuracy on the minority class",
    "acc_majority": "ACCM, accuracy on the majority class",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """Text with the paper's marks; ``is_exact`` where it repeats the printed fold."""

    text: str
    marks: frozenset[str] = frozenset()
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A row: its name, the source of its numbers if there are two, and its cells."""

    name: str
    whose: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines under one title, such as a data set; an empty title for a plain table."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of text, with a caption above and notes below; ``title`` is for a list of them."""

    key: str
    title: str
    caption: str
    columns: tuple[str, ...]
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()


def decimals(value: float | None, digits: int = 2) -> str:
    """Rounded number, independent of the order of summation.

    Examples
    --------
    >>> from bicneuron.reproduction._grids import decimals
    >>> decimals(0.625), decimals(0.1 + 0.2 + 0.325), decimals(2 / 3, 3), decimals(None)
    ('0.62', '0.62', '0.667', '–')
    """
    return NOTHING if value is None else f"{round(value, 9):.{digits}f}"


def signed(value: float | None) -> str:
    """Difference with its sign, unless it rounds to zero."""
    if value is None:
        return NOTHING
    text = f"{round(value, 9):+.2f}"
    return "0.00" if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def share(count: int | None, total: int) -> str:
    """Count out of a total."""
    return NOTHING if count is None else f"{count}/{total}"


def p_text(p_value: float) -> str:
    """P-value of three decimals."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
