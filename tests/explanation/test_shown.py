"""Explanations as text and as a piece of a page."""

import re

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three
from pages import Page

from bicneuron import BicNeuronNetwork
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import KernelPerceptron

NASTY = "<img src=x onerror=alert(1)>"
MINUS = "\N{MINUS SIGN}"


def nasty_frame(X):
    frame = pd.DataFrame(X, columns=[f'{NASTY}{k}"&' for k in range(X.shape[1])])
    return frame.set_axis([f"<script>{k}" for k in range(len(X))])


@pytest.fixture(scope="module")
def nasty():
    X, y = make_one_factor()
    frame, labels = nasty_frame(X), np.array(["<b>no", "<b>yes"])[y]
    return [
        classifier().fit(frame, labels).explain(frame),
        classifier(neuron=KernelPerceptron()).fit(frame, labels).explain(frame),
        BicNeuronNetwork(n_neurons=60, random_state=0).fit(frame, labels).explain(frame),
    ]


def test_names_and_labels_are_text(nasty):
    for explanations in nasty:
        piece = Page(explanations[0]._repr_html_())
        assert not {"img", "script", "b"} & {tag for tag, _ in piece.elements}
        assert NASTY in piece.text
        assert "<b>yes" in piece.text
        assert "<script>0" in piece.text
        assert not [name for _, own in piece.elements for name in own if name.startswith("on")]


def test_a_bar_is_as_long_as_its_contribution_and_points_its_way():
    X, y = make_one_factor()
    explanation = classifier().fit(X, y).explain(X)[0]
    bars = re.findall('<rect x="([0-9.]+)" y="1" width="([0-9.]+)"', explanation._repr_html_())
    parts = [column.contribution for column in explanation.patterns[0].columns]
    longest = max(map(abs, parts))
    for (left, width), part in zip(bars, parts, strict=True):
        assert float(width) == pytest.approx(60 * abs(part) / longest, abs=0.051)
        assert float(left) == pytest.approx(60 if part > 0 else 60 - float(width), abs=0.11)


def test_text_tells_the_same():
    X, y = make_one_factor()
    explanation = classifier(recalibrate=True).fit(X, y).explain(X)[7]
    text = str(explanation)
    assert text.startswith(f"Row 7: {explanation.predicted} (score ")
    assert f"+ speaks for 1, {MINUS} for 0" in text
    for column in explanation.patterns[0].columns:
        assert f"{column.contribution:+.3g}".replace("-", MINUS) in text
    assert "for every row" in text


def test_what_is_not_shown_is_counted(nasty):
    explanation = nasty[2][0]
    told = explanation.patterns[:10]
    others, shown = explanation.n_patterns - len(told), sum(p.contribution for p in told)
    rest = f"{explanation.score - explanation.bias - shown:+.3g}".replace("-", MINUS)
    for text in (str(explanation), Page(explanation._repr_html_()).text):
        assert f"{others} more patterns: {rest} together" in text
        assert "probability" in text


def test_many_columns_and_rows_are_cut_short():
    X, y = make_one_factor(n_columns=30)
    with pytest.warns(NoContrastivePairWarning):
        explanations = classifier(max_ratio=0.0).fit(X, y).explain(X)
    assert "and 18 more columns" in str(explanations[0])
    assert "18 more columns are not shown" in Page(explanations[0]._repr_html_()).text
    assert str(explanations[:2]).count("\n\nRow 1: ") == 1


def test_bent_neurons_say_that_bars_are_no_parts_of_the_score(nasty):
    assert "not a sum over columns" in Page(nasty[1][0]._repr_html_()).text
    assert "not a sum over columns" not in Page(nasty[0][0]._repr_html_()).text


def test_several_classes_together_are_the_rest():
    X, y = make_three()
    explanation = classifier(max_ratio=9.0).fit(X, y).explain(X)[0]
    assert f"{MINUS} for the rest" in str(explanation)
    assert "For every row: " in str(explanation)
    assert "For every row: " in explanation._repr_html_()
