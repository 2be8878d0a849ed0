"""Explanations as text and as a piece of a page; names that look like HTML: tests/writing."""

import re

import pytest
from data import classifier, make_one_factor
from pages import Page

from bicneuron import BicNeuronNetwork
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import KernelPerceptron

MINUS = "\N{MINUS SIGN}"


def test_bars_and_text_tell_the_contributions():
    X, y = make_one_factor()
    explanation = classifier(recalibrate=True).fit(X, y).explain(X)[7]
    bars = re.findall('<rect x="([0-9.]+)" y="1" width="([0-9.]+)"', explanation._repr_html_())
    text, columns = str(explanation), explanation.patterns[0].columns
    assert text.startswith(f"Row 7: {explanation.predicted} (score ")
    assert f"+ speaks for 1, {MINUS} for 0" in text
    longest = max(abs(column.contribution) for column in columns)
    for (left, width), column in zip(bars, columns, strict=True):
        part = column.contribution
        assert float(width) == pytest.approx(60 * abs(part) / longest, abs=0.051)
        assert float(left) == pytest.approx(60 if part > 0 else 60 - float(width), abs=0.11)
        assert f"{part:+.3g}".replace("-", MINUS) in text


def test_what_is_not_shown_is_counted():
    X, y = make_one_factor()
    explanation = BicNeuronNetwork(n_neurons=60, random_state=0).fit(X, y).explain(X)[0]
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
    page = Page(explanations[0]._repr_html_()).text
    assert "18 more columns are not shown" in page
    assert "not a sum over columns" not in page
    assert str(explanations[:2]).count("\n\nRow 1: ") == 1


def test_bent_neurons_say_that_bars_are_no_parts_of_the_score():
    X, y = make_one_factor()
    explanation = classifier(neuron=KernelPerceptron()).fit(X, y).explain(X)[0]
    assert "not a sum over columns" in Page(explanation._repr_html_()).text
