"""Explanations of models of real tables."""

import numpy as np
import pytest

from bicneuron import BicNeuronClassifier, BicNeuronNetwork
from bicneuron.neurons import GaussianNeuron
from bicneuron.report import write_report
from reproduction.datasets import load_dataset

pytestmark = pytest.mark.real_data


@pytest.mark.parametrize("name", ["sonar", "parkinsons", "ionosphere"])
def test_formula_and_columns_make_the_score(name):
    X, y = load_dataset(name, return_X_y=True)
    model = BicNeuronClassifier(
        search=None, max_ratio=np.inf, recalibrate=True, random_state=0
    ).fit(X, y)
    scores = model.decision_function(X)
    size = np.abs(scores).max()
    np.testing.assert_allclose(model.to_formula().evaluate(X), scores, atol=1e-10 * size)
    for explanation, score in zip(model.explain(X), scores, strict=True):
        (pattern,) = explanation.patterns
        parts = [column.contribution for column in pattern.columns]
        assert pattern.bias + sum(parts) == pytest.approx(score, rel=1e-10, abs=1e-10 * size)


def test_a_page_about_two_thousand_genes(tmp_path):
    X, y = load_dataset("colon", return_X_y=True)
    model = BicNeuronNetwork(n_neurons=5, neuron_kinds=[GaussianNeuron()], random_state=0).fit(X, y)
    page = write_report(tmp_path / "colon.html", model, X)
    assert page.stat().st_size < 2e6
    explanation = model.explain(X)[0]
    parts = sum(pattern.contribution for pattern in explanation.patterns)
    total = explanation.bias + parts + explanation.rest
    assert total == pytest.approx(model.decision_function(X)[0], rel=1e-10)
