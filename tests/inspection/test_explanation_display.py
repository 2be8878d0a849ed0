"""Bars of one explanation."""

import numpy as np
import pandas as pd
import pytest
from data import classifier
from matplotlib.colors import same_color

from bicneuron import BicNeuronNetwork
from bicneuron._shared._plots import AGAINST, ANCHOR, FOR
from bicneuron.inspection import ExplanationDisplay
from bicneuron.neurons import GaussianNeuron, KernelPerceptron


@pytest.fixture(scope="module")
def frame(one_factor):
    X, y = one_factor
    columns = [f"very_long_feature_name_of_the_measurement_{j}" for j in range(X.shape[1])]
    return pd.DataFrame(X, columns=columns), y


def test_bars_of_columns_add_up_to_the_score(frame):
    X, y = frame
    model = classifier(recalibrate=True).fit(X, y)
    for row in range(3):
        explanation = model.explain(X)[row]
        display = ExplanationDisplay.from_estimator(model, X, row=row)
        assert [bar.get_width() for bar in display.bars_] == list(display.values)
        assert sum(display.values) == pytest.approx(model.decision_function(X)[row])
        (pattern,) = explanation.patterns
        column = pattern.columns[0]
        assert display.values[0] == column.contribution
        assert display.names[0] == f"{column.feature} = {column.value:.4g}".replace("-", "\u2212")
        assert display.names[-1] == "for every row"
        for bar in display.bars_:
            assert same_color(bar.get_facecolor(), FOR if bar.get_width() >= 0 else AGAINST)
    bottom, top = display.ax_.get_ylim()
    assert bottom > top
    assert all(len(label.get_text()) <= 44 for label in display.ax_.get_yticklabels())


def test_many_columns_are_summed_up():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = random.normal(size=(40, 1)) + 0.05 * random.normal(size=(40, 30)) + 0.2 * y[:, None]
    model = classifier(max_ratio=np.inf).fit(X, y)
    assert len(model.selected_pair_.columns) > 12
    display = ExplanationDisplay.from_estimator(model, X, row=5)
    assert display.names[12] == f"{len(model.selected_pair_.columns) - 12} other column(s)"
    assert sum(display.values) == pytest.approx(model.decision_function(X)[5])


def test_bars_of_patterns_add_up_to_the_score(frame):
    X, y = frame
    model = BicNeuronNetwork(n_neurons=15, neuron_kinds=[GaussianNeuron()], random_state=0).fit(
        X, y
    )
    display = ExplanationDisplay.from_estimator(model, X, row=7)
    assert sum(display.values) == pytest.approx(model.decision_function(X)[7])
    explanation = model.explain(X)[7]
    strongest = explanation.patterns[0]
    assert display.values[0] == strongest.contribution
    assert display.names[0].startswith(f"pattern {strongest.number}: ")
    of_one = ExplanationDisplay.from_estimator(model, X, row=7, pattern=0)
    assert sum(of_one.values) == pytest.approx(strongest.contribution)
    n_listed = len(explanation.patterns)
    message = rf"pattern={n_listed}, but the explanation lists {n_listed} "
    with pytest.raises(ValueError, match=message):
        ExplanationDisplay.from_explanation(explanation, pattern=n_listed)


def test_a_bent_neuron_shows_what_is_near(frame):
    X, y = frame
    model = classifier(neuron=KernelPerceptron(bandwidth=0.5)).fit(X, y)
    display = ExplanationDisplay.from_estimator(model, X, row=1)
    (pattern,) = model.explain(X)[1].patterns
    assert list(display.values) == [column.nearness for column in pattern.columns[:12]]
    assert display.ax_.get_xlabel().startswith("nearer to 1 (> 0) or to 0")
    assert any(same_color(bar.get_facecolor(), ANCHOR) for bar in display.bars_) == any(
        value >= 0 for value in display.values
    )
