"""Where a pattern is: its radius, what is near it, coverage and rejection."""

from dataclasses import replace
from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from data import make_one_factor, make_three
from numpy.testing import assert_allclose, assert_array_equal
from oracles.network import naive_coverage, naive_distance, naive_region, naive_soft_scaling

from bicneuron import BicNeuronNetwork
from bicneuron.network._patterns import is_near, radius
from bicneuron.neurons import GaussianNeuron


def make_labels():
    X, y = make_three()
    return X, np.column_stack([y == 0, y == 1, X[:, 2] > 0.5]).astype(int)


BELLS = [GaussianNeuron()]
CASES = {
    "one": (make_one_factor, BELLS, 1),
    "few": (make_one_factor, BELLS, 6),
    "many": (make_three, None, 60),
    "labels": (make_labels, BELLS, 8),
}


@cache
def fitted(case):
    make, kinds, n_neurons = CASES[case]
    X, y = make()
    model = BicNeuronNetwork(
        n_neurons=n_neurons,
        neuron_kinds=kinds,
        random_state=0,
    )
    with patch("bicneuron.network._network.retrain", lambda *known: known[3]):
        return model.fit(X, y), X


@pytest.fixture(params=CASES)
def case(request):
    return fitted(request.param)


def test_centres_and_radius_come_from_both_sides(case):
    model, X = case
    Z = naive_soft_scaling(X, X)
    from_one_side = 0
    for pattern in model.patterns_:
        centres, radius = naive_region(Z, pattern)
        assert_allclose(pattern.neuron.centroids[0], centres[0], atol=1e-9)
        assert_allclose(pattern.neuron.centroids[1], centres[1], atol=1e-9)
        assert pattern.neuron.radius == pytest.approx(radius)
        anchors = Z[np.ix_(pattern.rows, pattern.columns)]
        from_one_side += max(naive_distance(row, centres) for row in anchors) < radius * 0.999
    assert from_one_side > 0 or len(model.patterns_) == 1


def test_coverage_is_the_contribution_of_the_patterns_near_by(case):
    model, X = case
    rows = np.vstack([X, 1.5 * X, X + 2, 1e3 + X[:3]])
    Z = naive_soft_scaling(X, rows)
    regions = [naive_region(naive_soft_scaling(X, X), p) for p in model.patterns_]
    expected = [naive_coverage(z, model.patterns_, regions) for z in Z]
    found = model.coverage(rows)
    assert_allclose(found, expected, atol=1e-9)
    assert_array_equal(found[-3:], 0)
    assert len(set(np.round(expected, 9))) > 1


def test_the_rows_of_a_pattern_are_near_it():
    """The farthest of them as well: it lies on the edge."""
    model, X = fitted("one")
    (pattern,) = model.patterns_
    assert_array_equal(model.coverage(X[pattern.block[0]]), pattern.strength)
    for case in CASES:
        model, X = fitted(case)
        for number, pattern in enumerate(model.patterns_):
            shares = model.coverage(X[pattern.block[0]])
            assert np.all(shares >= pattern.strength - 1e-12), number


def test_what_lies_on_the_edge_is_near():
    model, X = fitted("few")
    pattern = model.patterns_[0]
    columns = pattern.columns
    centre = np.zeros(len(columns))
    region = replace(pattern.neuron, centroids=np.array([centre, centre + 8]), radius=2.0)
    Z = np.zeros((5, X.shape[1]))
    Z[:, columns] = np.array([2.0, -2.0, np.nextafter(2.0, 3.0), 6.0, 5.5])[:, None]
    assert_array_equal(is_near(region, Z[:, columns]), [True, True, False, True, False])


def test_distance_is_that_to_the_nearer_centre_per_column():
    """A row that is a little off in all columns is as near as one that is off in one of them."""
    model, X = fitted("few")
    pattern = model.patterns_[0]
    columns = pattern.columns
    centre = np.zeros(len(columns))
    region = replace(pattern.neuron, centroids=np.array([centre + 100, centre]), radius=1.0)
    Z = np.full((2, X.shape[1]), 50.0)
    Z[0, columns] = 0.99
    Z[1, columns] = 0.0
    Z[1, columns[0]] = 0.99 * np.sqrt(len(columns))
    assert_array_equal(is_near(region, Z[:, columns]), [True, True])
    Z[:, columns] *= 1.02
    assert_array_equal(is_near(region, Z[:, columns]), [False, False])


def test_a_row_that_is_covered_just_enough_is_answered(case):
    model, X = case
    rows = np.vstack([X, X + 2, 1e3 + X[:1]])
    shares, labels = model.coverage(rows), model.predict(rows)
    for reject in np.unique(shares)[:20]:
        answers = model.predict(rows, reject=reject)
        unknown = np.ma.getmaskarray(answers).reshape(len(rows), -1)
        assert_array_equal(unknown.all(axis=1), shares < reject)
        assert_array_equal(unknown.any(axis=1), shares < reject)
        assert_array_equal(answers.data, labels)
    more = np.nextafter(shares.max(), 2)
    assert np.ma.getmaskarray(model.predict(rows, reject=more)).all()
    assert not np.ma.getmaskarray(model.predict(rows, reject=0.0)).any()


def test_a_pattern_smaller_than_a_unit():
    block = np.array([[0.0, 0.0], [0.1, 0.1], [0.5, 0.5]])
    assert radius(block, np.zeros(2), np.full(2, 0.4)) == pytest.approx(0.1)
