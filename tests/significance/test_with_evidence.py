"""Patterns that carry what tests said about them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronClassifierCV,
    BicNeuronNetwork,
    SubgroupBiclustering,
)
from bicneuron.neurons import GaussianNeuron
from bicneuron.patterns import Evidence
from bicneuron.persistence import load_model, save_model
from bicneuron.significance import (
    column_evidence,
    significance_test,
    stability,
    with_evidence,
)

Y = np.repeat(["case", "control"], 30)
NETWORK = BicNeuronNetwork(
    n_neurons=3, n_candidates=20, neuron_kinds=[GaussianNeuron()], random_state=0
)
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
    assert miner.patterns_[0].evidence is None
    evidence = carried.patterns_[0].evidence
    assert evidence.method == "blind"
    assert evidence.carriers == (("case", 12, 30), ("control", 0, 30))
    assert evidence.family_p_value == tested.family_p_values[0]
    assert evidence.p_value == tested.p_values[0]
    assert evidence.smallest_p == tested.smallest_p
    assert evidence.n_permutations == tested.n_permutations
    assert evidence.found == 4
    assert len(evidence.column_frequency) == len(miner.patterns_[0].columns)
    assert str(evidence).startswith("12 of 30 case, 0 of 30 control; p = 0.00")
    assert str(evidence).endswith("found again in 4 of 4 parts of the table")
    assert not evidence.is_chance
    assert carried.patterns_[0] != miner.patterns_[0]


def test_columns_come_by_their_evidence_and_other_results_stay(tmp_path):
    X = table()
    miner = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(X)
    tested = with_evidence(miner, significance_test(miner, X, Y, random_state=0))
    (columns,) = column_evidence(miner, X, Y, patterns=[0], n_folds=3, random_state=0)
    by_weight = miner.patterns_[0].ranked_columns
    assert columns.ranked_columns.tolist() != by_weight.tolist()
    carried = with_evidence(tested, columns=[columns])
    first, second, _ = carried.patterns_
    assert first.ranked_columns.tolist() == columns.ranked_columns.tolist()
    assert second == tested.patterns_[1]
    assert first.evidence.family_p_value == tested.patterns_[0].evidence.family_p_value
    assert f"(x{columns.ranked_columns[0]}, " in carried.summary()
    save_model(carried, tmp_path / "model.skops")
    assert load_model(tmp_path / "model.skops").summary() == carried.summary()
    other = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(table(seed=1))
    with pytest.raises(ValueError, match="evidence of pattern 1, which is not that of model"):
        with_evidence(other, columns=[columns])


def test_two_questions_have_two_answers():
    X = table()[:, :20]
    miner = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(X)
    y = np.tile(["a", "b"], 30)  # has nothing to do with the group
    of_class = significance_test(miner, X, y, random_state=0)
    as_group = significance_test(miner, X, method="group", n_permutations=19, random_state=0)
    for carried in (
        with_evidence(miner, of_class, group=as_group),
        with_evidence(miner, as_group, group=of_class),
    ):
        evidence = carried.patterns_[0].evidence
        assert evidence.method == "blind"
        assert evidence.group_p_value == evidence.smallest_group_p == 0.05
        assert evidence.n_group_tables == 19
        assert evidence.family_p_value > 0.05
        assert [label for label, *_ in evidence.carriers] == ["a", "b"]
        assert evidence.verdict.startswith("not tied to a class")
        assert evidence.verdict.endswith("; a group")
        # Where there are classes, they decide.
        assert evidence.decisive_p == evidence.family_p_value
        assert evidence.is_chance
        assert not evidence.is_finding
        assert "; as a group p = 0.05; p = " in str(evidence)
    alone = with_evidence(miner, as_group).patterns_[0].evidence
    assert (alone.method, alone.family_p_value) == (None, None)
    assert str(alone) == "12 of 60 rows; as a group p = 0.05"
    with pytest.raises(ValueError, match="results of the same question"):
        with_evidence(miner, of_class, group=of_class)


@pytest.mark.parametrize(
    "model",
    [
        NETWORK,
        CLASSIFIER,
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
    ],
    ids=["network", "classifier", "search"],
)
def test_evidence_is_saved_with_the_model(model, tmp_path):
    X = table() + (Y == "case")[:, None]
    fitted = type(model)(**model.get_params(deep=False)).fit(X, Y)
    carried = with_evidence(fitted, stability=stability(fitted, X, Y, n_subsamples=1))
    assert all(pattern.evidence is None for pattern in fitted.patterns_)
    loaded = load_model(save_model(carried, tmp_path / "m.skops"))
    for before, after in zip(carried.patterns_, loaded.patterns_, strict=True):
        assert isinstance(after.evidence, Evidence)
        assert after.evidence == before.evidence
        assert after == before
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))


def test_evidence_is_that_of_the_pattern_and_the_selected_pair_stays_one_of_all():
    X = table() + (Y == "case")[:, None]
    fitted = BicNeuronClassifier(max_ratio=np.inf, random_state=0).fit(X, Y)
    carried = with_evidence(fitted, stability=stability(fitted, X, Y, n_subsamples=1))
    assert carried.selected_pair_ in carried.pairs_
    assert carried.pairs_ == fitted.pairs_
    assert [pattern.evidence is not None for pattern in carried.patterns_] == [True]


def test_several_classes_have_a_pair_each():
    X, y = load_iris(return_X_y=True)
    fitted = BicNeuronClassifier(max_ratio=np.inf, random_state=0).fit(X, y)
    assert sorted(pattern.anchor_class for pattern in fitted.patterns_) == [0, 1, 2]
    again = stability(fitted, X, y, n_subsamples=2)
    carried = with_evidence(fitted, stability=again)
    evidence = [pattern.evidence for pattern in carried.patterns_]
    assert [one.found for one in evidence] == [round(2 * found) for found in again.found]
    assert all(pattern.evidence is None for pattern in fitted.patterns_)


@pytest.mark.parametrize(
    "model",
    [
        BicNeuronNetwork(n_neurons=4),
        BicNeuronNetwork(n_neurons=3, n_candidates=20, neuron_kinds=[GaussianNeuron()]),
        BicNeuronNetwork(design="readable"),
        BicNeuronClassifier(max_ratio=np.inf),
    ],
    ids=["accurate", "bells", "readable", "classifier"],
)
def test_a_fitted_model_without_a_seed_carries_results(model):
    # With another seed a second fit would find other patterns: the fitted ones are tested.
    X = table() + (Y == "case")[:, None]
    fitted = clone(model).fit(X, Y)
    assert fitted.random_state is None
    again = stability(fitted, X, Y, n_subsamples=2)
    carried = with_evidence(fitted, stability=again)
    for pattern, found in zip(carried.patterns_, again.found, strict=True):
        assert pattern.evidence.found == round(2 * found)
        assert pattern.evidence.n_subsamples == 2
        assert len(pattern.evidence.column_frequency) == len(pattern.columns)
    # Results of a model with evidence are about the same patterns.
    with_evidence(fitted, stability=stability(carried, X, Y, n_subsamples=1))
    if fitted.finds_blind_groups:
        both = with_evidence(fitted, significance_test(carried, X, Y), again)
        assert [one.evidence.found for one in both.patterns_] == [
            one.evidence.found for one in carried.patterns_
        ]


def test_results_of_other_patterns_are_refused():
    X = table()
    miner = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(X)
    other = significance_test(SubgroupBiclustering(kinds="tight"), X, Y, random_state=0)
    with pytest.raises(ValueError, match="Significance is about other patterns"):
        with_evidence(miner, other)
