"""Formats of numbers and classes in explanations."""

import math
from typing import Any


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
