"""Class-wide neurons: tables in which few of many columns tell, and those that need none."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron import BicNeuronNetwork
from bicneuron.network import _output
from bicneuron.network._class_wide import class_wide_neurons
from bicneuron.network._output import Layer, SelfTest, with_class_wide
from bicneuron.network._targets import encode_targets
from bicneuron.persistence import load_model, save_model

N_ROWS, N_TELLING = 240, 12


@cache
def sparse_table():
    """Three classes with four columns each, the first of the table, and 500 that say nothing."""
    rng = np.random.default_rng(0)
    y = np.arange(2 * N_ROWS) % 3
    X = (rng.random((len(y), N_TELLING + 500)) < 0.01).astype(float)
    for k in range(3):
        X[y == k, 4 * k : 4 * k + 4] = rng.random((np.sum(y == k), 4)) < 0.6
    return X[:N_ROWS], y[:N_ROWS], X[N_ROWS:], y[N_ROWS:]


def fit(X, y, **parameters):
    return BicNeuronNetwork(n_neurons=100, random_state=0, **parameters).fit(X, y)


def test_few_telling_columns_are_found(tmp_path):
    X, y, X_test, y_test = sparse_table()
    model = fit(X, y)
    assert model.score(X_test, y_test) > 0.93
    assert set(range(N_TELLING)) <= set(np.argsort(-model.feature_importances_)[: N_TELLING + 3])
    signs, weights = zip(*((p.neuron.sign, p.neuron.weight) for p in model.patterns_), strict=True)
    parts = np.tanh(model.pattern_scores(X_test)) * signs
    expected = parts @ np.array(weights) + model.intercept_
    assert_allclose(model.decision_function(X_test), expected, atol=1e-9)
    assert len(model.explain(X_test[:3])) == 3
    save_model(model, tmp_path / "model.skops")
    assert_array_equal(load_model(tmp_path / "model.skops").predict(X_test), model.predict(X_test))
    renamed = fit(X, np.array(["c", "a", "b"])[y], n_jobs=2)
    assert_array_equal(renamed.predict(X_test), np.array(["c", "a", "b"])[model.predict(X_test)])


def test_a_class_wide_neuron_has_not_seen_its_fold():
    X, y, *_ = sparse_table()
    folds, rows = np.arange(N_ROWS) % 5, np.arange(0, N_ROWS, 2)
    others = np.where(folds[:, None] == 2, 7.0, X)
    known = encode_targets(y), folds, rows, 1
    trained, changed = (class_wide_neurons(table, *known) for table in (X, others))
    for one, other in zip(trained, changed, strict=True):
        assert set(one.block[0]) <= set(rows[folds[rows] != one.fold])
        is_same = one.pair == other.pair and (one.neuron.means_ == other.neuron.means_).all()
        assert is_same == (one.fold == 2)


@pytest.mark.parametrize(
    ("wide_noise", "n_folds", "is_added"),
    [(0.5, 5, True), (9.0, 5, False), (2.0, 5, False), (2.0, 1, True)],
)
def test_class_wide_neurons_have_to_be_better_than_all_drawn_ones(
    monkeypatch, wide_noise, n_folds, is_added
):
    """The noise of drawn neurons averages out: all of them leave less than a fifth."""
    monkeypatch.setattr(_output, "N_FOLDS", n_folds)
    rng = np.random.default_rng(0)
    signs = np.sign(rng.normal(size=(400, 1)))
    noise = np.repeat([4.0, wide_noise], [50, 5])
    H, fifths = signs + noise * rng.normal(size=(400, 55)), np.arange(400) % 5
    layer = Layer(H, signs, np.ones(400), fifths, fifths[:55])
    is_drawn = np.arange(55) < 50
    drawn = SelfTest(is_drawn, layer.unseen_scores(is_drawn))
    found = with_class_wide(layer, is_drawn, drawn, False)
    assert found.kept[~is_drawn].all() == is_added
