"""Patterns that carry what tests said about them."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronClassifierCV,
    BicNeuronNetwork,
    SubgroupBiclustering,
)
from bicneuron.biclustering import Evidence
from bicneuron.persistence import load_model, save_model
from bicneuron.significance import significance_test, stability, with_evidence

Y = np.repeat(["case", "control"], 30)
NETWORK = BicNeuronNetwork(design="readable", n_neurons=3, n_candidates=20, random_state=0)
CLASSIFIER = BicNeuronClassifier(max_ratio=np.inf, random_state=0)


def table(seed=0):
    """Twelve of 30 cases are shifted in eight of 60 columns."""
    X = np.random.default_rng(seed).normal(size=(60, 60))
    X[:12, :8] += 3
    return X


def test_the_groups_of_a_miner_carry_both_results():
    X = table()
    miner = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(X)
    tested = significance_test(miner, X, Y, random_state=0)
    again = stability(miner, X, n_subsamples=4, random_state=0)
    carried = with_evidence(miner, tested, again)
    assert miner.found_[0].evidence is None
    evidence = carried.found_[0].evidence
    assert evidence.method == "blind"
    assert evidence.carriers == (("case", 12, 30), ("control", 0, 30))
    assert evidence.family_p_value == tested.family_p_values[0]
    assert evidence.q_value == tested.q_values[0]
    assert evidence.found == 4
    assert len(evidence.column_frequency) == len(miner.found_[0].columns)
    assert str(evidence).startswith("12 of 30 case, 0 of 30 control; p = 0.00")
    assert str(evidence).endswith("found in 4 of 4 subsamples")
    assert not evidence.is_chance
    assert carried.found_[0] != miner.found_[0]


@pytest.mark.parametrize(
    ("model", "patterns"),
    [
        (NETWORK, lambda model: model.patterns_),
        (CLASSIFIER, lambda model: [model.selected_pair_]),
        (
            BicNeuronClassifierCV(
                cut_distances=[1.0],
                max_residues=[0.1],
                max_ratios=[1.0, np.inf],
                anchors=["case"],
                searches=["grow"],
                neurons=[None],
                cv=2,
                random_state=0,
            ),
            lambda model: [model.selected_pair_, model.best_estimator_.selected_pair_],
        ),
    ],
    ids=["network", "classifier", "search"],
)
def test_evidence_is_saved_with_the_model(model, patterns, tmp_path):
    X = table() + (Y == "case")[:, None]
    fitted = type(model)(**model.get_params(deep=False)).fit(X, Y)
    tested = significance_test(fitted, X, Y, n_permutations=2, random_state=0)
    carried = with_evidence(fitted, tested)
    assert [p.evidence for p in patterns(fitted)] == [None] * len(patterns(fitted))
    loaded = load_model(save_model(carried, tmp_path / "m.skops"))
    for before, after in zip(patterns(carried), patterns(loaded), strict=True):
        assert isinstance(after.evidence, Evidence)
        assert after.evidence == before.evidence
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))


def test_the_selected_pair_stays_one_of_all():
    X = table() + (Y == "case")[:, None]
    fitted = BicNeuronClassifier(max_ratio=np.inf, random_state=0).fit(X, Y)
    carried = with_evidence(
        fitted, significance_test(fitted, X, Y, n_permutations=1, random_state=0)
    )
    assert carried.selected_pair_ in carried.pairs_
    assert sum(pair.evidence is not None for pair in carried.pairs_) == 1
    assert len(carried.pairs_) == len(fitted.pairs_)


def test_several_classes_have_a_pair_each():
    X, y = load_iris(return_X_y=True)
    fitted = BicNeuronClassifier(max_ratio=np.inf, random_state=0).fit(X, y)
    tested = significance_test(fitted, X, y, n_permutations=1, random_state=0)
    assert [max(c, key=lambda label: c[label][0]) for c in tested.carriers] == [0, 1, 2]
    carried = with_evidence(fitted, tested)
    assert [b.selected_pair_.evidence.family_p_value for b in carried.estimators_] == [
        *tested.family_p_values
    ]
    assert all(b.selected_pair_.evidence is None for b in fitted.estimators_)


def test_results_of_other_patterns_are_refused():
    X = table()
    miner = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(X)
    other = significance_test(SubgroupBiclustering(kinds="tight"), X, Y, random_state=0)
    with pytest.raises(ValueError, match="Significance is about other patterns"):
        with_evidence(miner, other)
