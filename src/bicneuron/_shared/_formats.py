"""Formats of numbers, classes, p-values and counts of carriers."""

import math
from collections.abc import Sequence
from typing import Any

# A pattern with a larger corrected p is shown as what chance may give.
LEVEL = 0.05
# A smallest possible p above this is named, because it limits what a test can say.
COARSE = 0.01
LONGEST_NAME = 32  # characters of a name in a sentence


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
