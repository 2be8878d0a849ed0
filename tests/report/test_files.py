"""Models that come from files explain themselves as they did before."""

import numpy as np
import pytest
from data import classifier, make_one_factor

from bicneuron import BicNeuronNetwork
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import GaussianNeuron, KernelPerceptron
from bicneuron.persistence import load_model, save_model
from bicneuron.report import write_report


def fallen_back(X, y):
    with pytest.warns(NoContrastivePairWarning):
        return classifier(max_ratio=0.0, recalibrate=True).fit(X, y)


MODELS = {
    "linear recalibrated.skops": lambda X, y: classifier(recalibrate=True).fit(X, y),
    "bent.skops": lambda X, y: classifier(neuron=KernelPerceptron(bandwidth=0.4)).fit(X, y),
    "fallback.skops": fallen_back,
    "linear.skops": lambda X, y: classifier().fit(X, y),
    "network.skops": lambda X, y: BicNeuronNetwork(
        n_neurons=8, neuron_kinds=[GaussianNeuron()], random_state=0
    ).fit(X, y),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_same_explanations_and_a_page(name, tmp_path):
    X, y = make_one_factor()
    y = np.array(["ill", "well"])[y]
    model = MODELS[name](X, y)
    loaded = load_model(save_model(model, tmp_path / name))
    assert list(loaded.explain(X)[:10]) == list(model.explain(X)[:10])
    if name.startswith(("linear", "fallback")):
        assert loaded.to_formula() == model.to_formula()
    text = write_report(tmp_path / "page.html", loaded, X).read_text()
    # The table; and three of the pattern, if there is one.
    assert text.count("<svg") == (1 if name == "fallback.skops" else 4)
    assert "<details" in text
