"""Texts of a page, with their places on it, and numbers as pages write them."""

import re
import string
from html.parser import HTMLParser
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

BLOCKS = {
    *("title", "p", "li", "h1", "h2", "h3", "h4", "summary", "figcaption", "pre", "dt", "dd"),
    *("td", "th", "text", "button"),
}
NO_TEXT = {"script", "style", "svg"}  # pictures have tests of their own


class Text(NamedTuple):
    """A text, in the part of the page that a heading begins.

    Of a cell, ``part`` is the table, and ``row`` and ``column`` are its headings.
    """

    part: str
    words: str
    row: str | None = None
    column: str | None = None


class PageTexts(HTMLParser):
    """The texts of a page, in its order; a number is in one of them, or hidden."""

    def __init__(self, html):
        super().__init__()
        self.texts, self._open, self._words, self._hidden = [], [], [], 0
        self._part, self._table, self._line, self._heads = "header", None, [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        name = attributes.get("id") or ""
        self._hidden += tag in NO_TEXT
        if tag in ("h2", "h3", "summary") and name:
            self._part = name
        if attributes.get("role") == "region":
            self._label = attributes["aria-label"]
        if tag == "table":
            self._table, self._heads = self._label, []
        if tag == "tr":
            self._line = []
        if tag in BLOCKS:
            self._open.append(tag)
            self._words.append([])

    def handle_endtag(self, tag):
        self._hidden -= tag in NO_TEXT
        if tag == "table":
            self._table = None
        if tag == "tr" and not self._heads:
            self._heads = self._line
        if tag in BLOCKS:
            assert self._open.pop() == tag
            words = " ".join("".join(self._words.pop()).split())
            if tag in ("td", "th"):
                self._cell(words)
            else:
                self.texts.append(Text(self._part, words))

    def handle_data(self, data):
        if self._hidden:
            return
        if self._words:
            self._words[-1].append(data)
        else:
            assert not re.search(r"\d", data), f"a number outside of a block: {data!r}"

    def _cell(self, words):
        self._line.append(words)
        if self._heads:
            column = self._heads[len(self._line) - 1]
            self.texts.append(Text(self._table, words, self._line[0], column))
        else:
            self.texts.append(Text(self._table, words))


def agree(expected, shown):
    """True if two texts are equal but for one unit in the last digit of numbers with a point.

    For numbers that the page computes with single precision.
    """
    decimal = re.compile(r"\d+(?:\.\d+)?")
    if decimal.sub("", shown) != decimal.sub("", expected):
        return False
    for first, second in zip(decimal.findall(shown), decimal.findall(expected), strict=True):
        unit = 10.0 ** -max(len(one.partition(".")[2]) for one in (first, second))
        if first != second and (unit == 1 or abs(float(first) - float(second)) > 1.01 * unit):
            return False
    return True


def letters(n, first):
    """Names without digits, so that each digit of a page is of a number."""
    return [first + a + b for a, b in product(string.ascii_lowercase, repeat=2)][:n]


def number(value):
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def signed(value):
    return f"{value:+.3g}".replace("-", "\N{MINUS SIGN}")


def rounded(p):
    return f"{p:.2g}" if p >= 0.001 else f"{p:.1g}"


def table_of(page, label):
    """Headings and lines of a table."""
    cells = [text for text in page.texts if text.part == label]
    heads = [text.words for text in cells if text.column is None]
    words = [text.words for text in cells if text.column is not None]
    return heads, [words[k : k + len(heads)] for k in range(0, len(words), len(heads))]


def percent(value):
    return "under 1 %" if 0 < value < 0.005 else f"{100 * value:.0f} %"


def wilson(count, total):
    """The 95 % interval by the formula of 1927, in words."""
    z, p = norm.ppf(0.975), count / total
    middle = (p + z**2 / (2 * total)) / (1 + z**2 / total)
    half = z / (1 + z**2 / total) * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2))
    low, high = 100 * max(0.0, middle - half), 100 * min(1.0, middle + half)
    digits = 0 if f"{low:.0f}" != f"{high:.0f}" else 1
    return f"{low:.{digits}f} to {high:.{digits}f} %"
