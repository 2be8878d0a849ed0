"""Designs differ in what their name says, and stand side by side."""

import numpy as np
import pytest
from data import make_one_factor
from fold_records import make_fold
from sklearn.base import clone

from bicneuron import BicNeuronNetwork
from bicneuron.experiments._designs_study import (
    DESIGN_MODELS,
    DESIGNS,
    DEVELOPMENT_SETS,
    DesignedNetwork,
)
from bicneuron.experiments._studies import write_study


def fitted(**changes):
    X, y = make_one_factor(n_minority=60, n_majority=80, n_columns=20)
    return DesignedNetwork(n_candidates=60, random_state=0, **changes).fit(X, y), X, y


def test_the_kept_design_is_the_network_itself():
    network, X, y = fitted()
    ours = BicNeuronNetwork(design="readable", n_neurons=10, n_candidates=60, random_state=0).fit(
        X, y
    )
    assert np.array_equal(network.decision_function(X), ours.decision_function(X))


@pytest.mark.parametrize(
    ("growth", "holds"),
    [
        ("whole classes only", lambda pair: len(pair.rows) > 100),
        ("4 columns", lambda pair: len(pair.columns) <= 4),
    ],
)
def test_a_growth_does_what_its_name_says(growth, holds):
    network, _, _ = fitted(growth=growth)
    assert all(holds(pattern.pair) for pattern in network.patterns_)


def test_every_design_can_be_built_and_cloned():
    for name, changes in DESIGNS.items():
        network = DesignedNetwork(**changes)
        assert repr(clone(network)) == repr(network), name
        assert clone(network)._design().draw is network._design().draw, name


def test_designs_are_held_against_the_kept_one(tmp_path):
    records = [
        make_fold("patterns", dataset, model.name, 0, 0.8 if model.name == "kept" else 0.7, None)
        for dataset in DEVELOPMENT_SETS
        for model in DESIGN_MODELS
    ]
    text = write_study("designs", records, tmp_path)[0].read_text()
    assert "| kept | 0.800 | +0.000 |" in text
    assert "| 4 columns | 0.700 | -0.100 |" in text
    assert len([line for line in text.splitlines() if line.startswith("| ")]) == 2 + len(DESIGNS)
