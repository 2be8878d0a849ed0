"""The six steps of `BicNeuronClassifier`: what a fit leaves behind and what it is invariant to."""

import itertools
import pickle

import numpy as np
import pytest
from data import classifier, make_one_factor, minmax
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from strategies import seeds

from bicneuron import CoherentBiclustering
from bicneuron.metrics import msr_ratio
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

TAUS = [0.3, 0.5, 0.7, 0.9, 1.5, np.inf]


def assert_same_neurons(left, right):
    assert len(left) == len(right)
    for one, other in zip(left, right, strict=True):
        assert one.coef_.tobytes() == other.coef_.tobytes()
        assert one.intercept_.tobytes() == other.intercept_.tobytes()


def assert_same_model(left, right, X):
    assert left.pairs_ == right.pairs_
    assert_same_neurons(left.neurons_, right.neurons_)
    assert left.scores_.tobytes() == right.scores_.tobytes()
    assert left.selected_pair_ == right.selected_pair_
    assert left.decision_function(X).tobytes() == right.decision_function(X).tobytes()


def test_pairs_are_ranked_and_cut(one_factor):
    model = classifier().fit(*one_factor)
    everything = classifier(max_ratio=np.inf).fit(*one_factor).pairs_
    ratios = [pair.msr_ratio for pair in model.pairs_]
    assert ratios == sorted(ratios)
    assert 0 < len(ratios) < len(everything)
    assert model.pairs_ == [pair for pair in everything if pair.msr_ratio <= 0.9]


def test_a_pair_is_a_bicluster_of_the_anchor_class_and_its_nearest_rows(one_factor):
    X, y = one_factor
    Z = minmax(X)
    for pair in classifier().fit(X, y).pairs_:
        assert set(y[pair.rows]) == {1}
        assert set(y[pair.contrast_rows]) == {0}
        assert len(pair.rows) == len(pair.contrast_rows)
        block = Z[:, pair.columns]
        distances = np.linalg.norm(block - block[pair.rows].mean(axis=0), axis=1)
        chosen = distances[pair.contrast_rows]
        assert np.all(np.diff(chosen) >= 0)
        left_out = np.setdiff1d(np.flatnonzero(y == 0), pair.contrast_rows)
        assert chosen.max() <= distances[left_out].min()
        ratio = msr_ratio(block[pair.rows], block[pair.contrast_rows])
        assert pair.msr_ratio == pytest.approx(ratio, rel=1e-9)


def test_the_pairs_hold_the_biclusters_that_the_miner_finds_in_the_scaled_anchor_rows(one_factor):
    X, y = one_factor
    model = classifier(max_ratio=np.inf).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    rows = np.flatnonzero(y == 1)
    miner = CoherentBiclustering(cut_distance=0.5, standardize=False).fit(Z[rows])
    mined = {(tuple(rows[b.rows]), tuple(b.columns)) for b in miner.patterns_}
    assert {(tuple(p.rows), tuple(p.columns)) for p in model.pairs_} == mined


def test_each_neuron_is_trained_on_its_pair_alone(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    Z = minmax(X)
    for pair, neuron in zip(model.pairs_, model.neurons_, strict=True):
        by_hand = OnlinePerceptron(random_state=neuron.random_state)
        by_hand.fit(Z[np.ix_(*pair.block)], y[pair.block[0]])
        assert neuron.coef_.tobytes() == by_hand.coef_.tobytes()
    assert len({neuron.random_state for neuron in model.neurons_}) == len(model.neurons_)


def test_scores_are_label_aucs_on_the_whole_training_set(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    Z = minmax(X)
    for pair, neuron, score in zip(model.pairs_, model.neurons_, model.scores_, strict=True):
        predicted = neuron.predict(Z[:, pair.columns])
        assert score == pytest.approx(balanced_accuracy_score(y, predicted), abs=1e-12)


def test_the_selected_neuron_decides(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    best = model.scores_.tolist().index(max(model.scores_))
    assert model.selected_pair_ is model.pairs_[best]
    assert model.estimator_ is model.neurons_[best]
    assert model.threshold_ == 0
    Z = minmax(X)[:, model.selected_pair_.columns]
    scores = model.estimator_.decision_function(Z)
    assert model.decision_function(X).tolist() == scores.tolist()
    assert np.array_equal(model.predict(X), model.classes_[(model.decision_function(X) > 0) * 1])
    assert balanced_accuracy_score(y, model.predict(X)) == pytest.approx(max(model.scores_))


def test_a_score_of_zero_speaks_for_the_first_class(one_factor):
    """No support vector reaches so far, hence the score is zero exactly."""
    X, y = one_factor
    model = classifier(neuron=KernelPerceptron()).fit(X, np.array(["no", "yes"])[y])
    far_away = np.full((1, 10), 1e9)
    assert model.decision_function(far_away).tolist() == [0.0]
    assert model.predict(far_away).tolist() == ["no"]


def test_diagnostics_count_every_stage(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    stages = model.diagnostics_
    rows = np.flatnonzero(y == 1)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    miner = CoherentBiclustering(cut_distance=0.5, standardize=False).fit(Z[rows])
    ratios = [pair.msr_ratio for pair in classifier(max_ratio=np.inf).fit(X, y).pairs_]
    assert stages.n_seeds == miner.n_seeds_
    assert stages.n_pairs == len(miner.patterns_)
    assert stages.n_kept == len(model.pairs_) == len(model.neurons_) == len(model.scores_)
    assert (stages.best_ratio, stages.worst_ratio) == (min(ratios), max(ratios))


@given(seeds().map(lambda seed: seed % 2**31))
@settings(deadline=None, max_examples=15)
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
def test_one_fit_holds_the_whole_tau_path(seed):
    """A smaller tau gives a prefix, bit for bit; so a larger one never lowers the best score."""
    X, y = make_one_factor(seed, n_minority=25, n_majority=30)
    path = [classifier(max_ratio=tau, random_state=seed).fit(X, y) for tau in TAUS]
    for small, large in itertools.pairwise(path):
        size = len(small.pairs_)
        assert small.pairs_ == large.pairs_[:size]
        assert_same_neurons(small.neurons_, large.neurons_[:size])
        assert small.scores_.tobytes() == large.scores_[:size].tobytes()
        if size:
            assert max(small.scores_) <= max(large.scores_)


@pytest.mark.parametrize(
    "labels", [("ill", "well"), (-1, 1), (False, True), (2.0, 7.0), ("a", "minority"), (0, 10**18)]
)
def test_order_preserving_relabelling_commutes_with_fit(one_factor, labels):
    X, y = one_factor
    plain = classifier().fit(X, y)
    named = classifier().fit(X, np.array(labels)[y])
    assert_same_neurons(plain.neurons_, named.neurons_)
    assert plain.decision_function(X).tobytes() == named.decision_function(X).tobytes()
    assert named.predict(X).tolist() == np.array(labels)[plain.predict(X)].tolist()
    assert named.classes_.tolist() == list(labels)
    assert {pair.anchor_class for pair in named.pairs_} == {labels[1]}


@given(st.lists(st.integers(-40, 40), min_size=10, max_size=10))
@settings(deadline=None, max_examples=15)
def test_rescaling_a_feature_by_a_power_of_two_changes_nothing(exponents):
    X, y = make_one_factor()
    scaled = np.ldexp(X, exponents)
    left, right = classifier().fit(X, y), classifier().fit(scaled, y)
    assert left.pairs_ == right.pairs_
    assert_same_neurons(left.neurons_, right.neurons_)
    assert left.decision_function(X).tobytes() == right.decision_function(scaled).tobytes()


def test_permuting_rows_finds_the_same_pairs(one_factor):
    X, y = one_factor
    order = np.random.RandomState(0).permutation(len(y))

    def contents(model, names):
        return [
            (set(names[p.rows]), names[p.contrast_rows].tolist(), p.columns.tolist())
            for p in model.pairs_
        ]

    plain = contents(classifier().fit(X, y), np.arange(len(y)))
    assert contents(classifier().fit(X[order], y[order]), order) == plain


def test_permuting_columns_permutes_the_pairs(one_factor):
    X, y = one_factor
    order = np.random.RandomState(0).permutation(X.shape[1])
    left, right = classifier().fit(X, y), classifier().fit(X[:, order], y)
    assert [set(p.columns) for p in left.pairs_] == [set(order[p.columns]) for p in right.pairs_]
    assert [set(p.block[0]) for p in left.pairs_] == [set(p.block[0]) for p in right.pairs_]


def test_fit_leaves_its_parameters_and_data_alone(one_factor):
    X, y = one_factor
    before = X.copy(), y.copy()
    model = classifier(neuron=OnlinePerceptron())
    miner, neuron = model.miner, model.neuron
    model.fit(X, y)
    assert model.miner is miner
    assert model.neuron is neuron
    assert miner.standardize is True
    assert not hasattr(miner, "patterns_")
    assert not hasattr(neuron, "coef_")
    assert np.array_equal(X, before[0])
    assert np.array_equal(y, before[1])


def test_a_second_fit_forgets_the_first(one_factor):
    X, y = one_factor
    model = classifier().fit(*make_one_factor(5, n_columns=7))
    assert_same_model(model.fit(X, y), classifier().fit(X, y), X)


def test_pickle_and_clone(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    assert_same_model(pickle.loads(pickle.dumps(model)), model, X)
    assert_same_model(clone(model).fit(X, y), model, X)


def test_a_random_state_instance_is_drawn_from(one_factor):
    X, y = one_factor
    first, again = (classifier(random_state=np.random.RandomState(3)).fit(X, y) for _ in range(2))
    assert_same_model(first, again, X)
    shared = np.random.RandomState(3)
    classifier(random_state=shared).fit(X, y)
    later = classifier(random_state=shared).fit(X, y)
    assert [n.random_state for n in later.neurons_] != [n.random_state for n in first.neurons_]


def test_scores_do_not_depend_on_how_many_rows_are_scored_at_once(one_factor, monkeypatch):
    X, y = one_factor
    model = classifier().fit(X, y)
    expected = model.decision_function(X)
    monkeypatch.setattr("bicneuron._shared._scaling.MAX_CELLS", 10)
    assert_array_equal(model.decision_function(X), expected)
    assert_array_equal(model.decision_function(np.asfortranarray(X)), expected)
