"""Characters that change what a reader sees are written as escapes."""

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bicneuron._shared._formats import visible

SHOWN = {
    "\x1b[31mred": r"\u001b[31mred",
    "\x1b]0;title\x07": r"\u001b]0;title\u0007",
    "\x9b31m": r"\u009b31m",
    "a\u202etxt.exe": r"a\u202etxt.exe",
    "\u2066x\u2069": r"\u2066x\u2069",
    "a\u200bb": r"a\u200bb",
    "\ufeffa": r"\ufeffa",
    "over\rwritten": r"over\u000dwritten",
    "two\u2028lines": r"two\u2028lines",
    "\U000e0041": r"\udb40\udc41",
    "lone \udc80": r"lone \udc80",
    "\x7f": r"\u007f",
}
AS_THEY_ARE = (
    *("", "Größe", "CD4⁺", "a\tb\nc", "Ünïcode 中文 עברית العربية"),
    *("👩\u200d🔬", "\u0645\u06cc\u200c\u062e"),
)
CONTROLS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI"}


@pytest.mark.parametrize(
    ("text", "shown"), [*SHOWN.items(), *zip(AS_THEY_ARE, AS_THEY_ARE, strict=True)]
)
def test_what_is_shown(text, shown):
    assert visible(text) == shown


@given(st.text())
@settings(max_examples=25)
def test_nothing_is_left_that_controls_and_json_stays_the_same_value(text):
    written = visible(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(written) == {text: text}
    left = set(visible(text)) - {"\n", "\t"}
    assert not [c for c in left if unicodedata.category(c) in ("Cc", "Cs")]
    assert not [c for c in left if unicodedata.bidirectional(c) in CONTROLS]
