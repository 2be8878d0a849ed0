"""Every display meets every kind of model: it draws, or says in words why it does not."""

import warnings
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from data import classifier, make_one_factor, make_three
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import (
    BicNeuronNetwork,
    CoherentBiclustering,
    SubgroupBiclustering,
)
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.exceptions import NoBiclusterWarning, NoContrastivePairWarning
from bicneuron.inspection import (
    BiclusterDisplay,
    ContrastDisplay,
    ExplanationDisplay,
    PairProjectionDisplay,
    ParallelCoordinatesDisplay,
    SubgroupDisplay,
)
from bicneuron.neurons import GaussianNeuron

NETWORK = BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0)
OF_PAIRS = {ContrastDisplay, ParallelCoordinatesDisplay, PairProjectionDisplay}
DISPLAYS = [BiclusterDisplay, SubgroupDisplay, ExplanationDisplay, *sorted(OF_PAIRS, key=repr)]
NO_CONTRAST = (ValueError, "has no contrast rows|has no neuron")
NO_EXPLANATION = (TypeError, "does not predict classes; give a BicNeuronClassifier")
OF_MINERS = dict.fromkeys(OF_PAIRS, NO_CONTRAST) | {ExplanationDisplay: NO_EXPLANATION}
OF_BICLUSTERS = OF_MINERS | {SubgroupDisplay: (ValueError, "has no weights of columns.*use Bic")}
NOTHING = dict.fromkeys(DISPLAYS, (ValueError, "nothing to draw: .* found no pattern")) | {
    ExplanationDisplay: NO_EXPLANATION
}
# Models, the numbers of their classes (0: none, -1: several labels), and what is refused, and how.
MODELS = {
    "biclusters": (CoherentBiclustering(cut_distance=0.5), 0, OF_BICLUSTERS),
    "biclusters of classes": (ContrastBiclustering(), 2, OF_BICLUSTERS),
    "no bicluster": (CoherentBiclustering(max_residue=0.0), 0, NOTHING),
    "groups": (SubgroupBiclustering(n_patterns=2), 0, OF_MINERS),
    "groups of classes": (SubgroupBiclustering(n_patterns=2), 2, OF_MINERS),
    "classifier": (classifier(), 2, {}),
    "one against the rest": (classifier(max_ratio=np.inf), 3, {}),
    "one against one": (classifier(max_ratio=np.inf, multi_class="ovo"), 3, {}),
    "whole classes": (classifier(max_ratio=0.0), 2, {}),
    "network": (NETWORK, 2, {}),
    "network of labels": (
        NETWORK,
        -1,
        {
            SubgroupDisplay: (ValueError, r"y has the shape \(90, 2\); give one class"),
            ExplanationDisplay: (ValueError, "explain needs classes; y was a table of labels"),
        },
    ),
}
PAIRS = [(name, display) for name in MODELS for display in DISPLAYS]


@cache
def fitted(name):
    model, n_classes, _ = MODELS[name]
    X, y = make_one_factor() if n_classes in (0, 2) else make_three()
    if n_classes == 0:
        y = None
    if n_classes == -1:
        y = np.column_stack([y == 0, y == 1]).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoContrastivePairWarning)
        warnings.simplefilter("ignore", NoBiclusterWarning)
        return clone(model).fit(X, y), X, y


def draw(display, model, X, y):
    if display is SubgroupDisplay:
        return display.from_estimator(model, X, y)
    return display.from_estimator(model, X)


@pytest.mark.parametrize(("name", "display"), PAIRS)
def test_it_draws_or_refuses_in_words(name, display):
    model, X, y = fitted(name)
    refused = MODELS[name][2].get(display)
    if refused is not None:
        with pytest.raises(refused[0], match=refused[1]):
            draw(display, model, X, y)
        assert not plt.get_fignums()  # before anything is drawn
        return
    draw(display, model, X, y).figure_.canvas.draw()
    if display is not ExplanationDisplay:
        with pytest.raises(ValueError, match=r"X is not what the model was.*rows are in another"):
            draw(display, model, X[::-1], y)


@pytest.mark.parametrize("display", DISPLAYS)
def test_what_has_no_patterns_is_refused(display):
    model, X, y = fitted("classifier")
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    for other in (LogisticRegression().fit(X, y), pipeline, None):
        with pytest.raises(
            TypeError, match=r"is a .*, which (has no patterns|does not predict classes)"
        ):
            draw(display, other, X, y)
    with pytest.raises(ValueError, match="not fitted yet"):
        draw(display, clone(model), X, y)


@pytest.mark.parametrize("name", ["classifier", "one against one", "network", "groups of classes"])
def test_carriers_are_those_of_the_model(name):
    model, X, y = fitted(name)
    display = SubgroupDisplay.from_estimator(model, X, y)
    carriers = np.flatnonzero(model.carriers(X)[:, 0])
    assert sorted(display.blocks[0].rows.tolist()) == carriers.tolist()
    label = model.patterns_[0].anchor_class
    own = model.patterns_[0].carrier_counts[label]
    assert display.blocks[0].heading.startswith(
        f"carriers: {own[0]} of {own[1]} rows of class {label}"
    )
