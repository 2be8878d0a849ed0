"""Formats of numbers, classes, p-values and counts of carriers."""

import math
from collections.abc import Sequence
from typing import Any

# A pattern with a larger corrected p is shown as no better than chance.
LEVEL = 0.05
NOTHING = "no pattern here is better than what shuffled labels give"
NO_GROUP = "no pattern here is better than what a table without groups gives"


def format_carriers(carriers: Any) -> str:
    """Counts of each class, as in "15 of 50 case, 0 of 50 control"."""
    return ", ".join(
        f"{count} of {total} {'rows' if label is None else label}"
        for label, count, total in carriers
    )


def format_p(family_p_value: float) -> str:
    """Corrected p-value, in words."""
    return f"p = {round_p(family_p_value)} corrected for all patterns"


def format_found(found: int, n_subsamples: int) -> str:
    """Number of subsamples in which a pattern was found again, in words."""
    unit = "subsample" if n_subsamples == 1 else "subsamples"
    return f"found in {found} of {n_subsamples} {unit}"


def format_summary(
    family_p_values: Sequence[float], method: str, smallest_p: float, level: float = LEVEL
) -> str:
    """Result of a test for all patterns, in one line."""
    count = sum(p <= level for p in family_p_values)
    if count:
        return f"{count} of {len(family_p_values)} patterns better than chance at p <= {level:g}"
    if smallest_p > level:
        too_few = "tables" if method == "group" else "rows"
        return f"too few {too_few} to tell: the smallest possible p is {round_p(smallest_p)}"
    return NO_GROUP if method == "group" else NOTHING


def round_p(p: float) -> str:
    """P with one or two digits, never 0."""
    return f"{p:.2g}" if p >= 0.001 else f"{p:.1g}"


def number(value: float) -> str:
    """Four significant digits, or "missing" for NaN."""
    if math.isnan(value):
        return "missing"
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def signed(value: float) -> str:
    """Three significant digits and a sign."""
    return f"{value + 0.0:+.3g}".replace("-", "\N{MINUS SIGN}")


def class_name(label: Any) -> str:
    """A class, or "the rest" for None, which stands for several classes."""
    return "the rest" if label is None else str(label)
