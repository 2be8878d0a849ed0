"""How numbers and classes are written in explanations."""

from typing import Any


def number(value: float) -> str:
    """Four significant digits."""
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def signed(value: float) -> str:
    """Three significant digits and a sign."""
    return f"{value:+.3g}".replace("-", "\N{MINUS SIGN}")


def class_name(label: Any) -> str:
    """A class, or "the rest" for None, which stands for several classes."""
    return "the rest" if label is None else str(label)
