"""Formats of numbers, classes, p-values and counts of carriers."""

import math
from collections.abc import Sequence
from typing import Any

# A pattern with a larger corrected p is shown as what chance may give.
LEVEL = 0.05
# A smallest possible p above this is named, because it limits what a test can say.
COARSE = 0.01
# Characters of a name in a sentence.
LONGEST_NAME = 32
# What no pattern passed, and what some patterns passed.
NO_CLASS = "no pattern here belongs to a class more than chance would give"
SOME_CLASS = "patterns belong to a class more than chance would give,"


def format_carriers(carriers: Any, target: str | None = None) -> str:
    """Counts of each class, as in "15 of 50 case, 0 of 50 control" and "arrest = 1: 15 of 50"."""
    named = [(shortened("rows" if k is None else str(k)), *counts) for k, *counts in carriers]
    if all(name[:1].isalpha() for name, _, _ in named):
        return ", ".join(f"{count} of {total} {name}" for name, count, total in named)
    return "; ".join(
        f"{target or 'class'} = {name}: {k or 'none'} of {total}" for name, k, total in named
    )


def format_summary(
    family_p_values: Sequence[float], smallest_p: float, level: float = LEVEL
) -> str:
    """Result of a test for all patterns, in one line."""
    count = sum(p <= level for p in family_p_values)
    smallest = f"the smallest possible p is {round_p(smallest_p)}"
    if count:
        found = f"{count} of {len(family_p_values)} {SOME_CLASS} at p <= {level:g}"
        return f"{found}; {smallest}" if smallest_p > COARSE else found
    if smallest_p > level:
        return f"too few rows to tell: {smallest}"
    return NO_CLASS


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
