"""`explain` of a network: which patterns carried the decision."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from data import classifier, make_one_factor, make_three, minmax
from numpy.testing import assert_allclose
from oracles.network import naive_soft_scaling
from scipy.stats import iqr

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.neurons import GaussianNeuron, KernelNeuron

KINDS = {
    "bells": {"n_neurons": 6, "neuron_kinds": [GaussianNeuron()]},
    "accurate": {"n_neurons": 60},
    "linear": {"n_neurons": 20, "neuron_kinds": (KernelNeuron("linear"),)},
    "readable": None,
}


@pytest.fixture(scope="module", params=KINDS)
def fitted(request):
    X, y = make_one_factor()
    X = X + 4.0 * y[:, None]  # no label is in doubt, so that neurons are trained on all rows
    parameters = KINDS[request.param]
    model = BicNeuronNetwork(**parameters) if parameters else PatternClassifier()
    return model.set_params(random_state=0).fit(X, np.array(["low", "high"])[y]), X


def test_contributions_add_up_to_the_score(fitted):
    model, X = fitted
    scores, chances = model.decision_function(X), model.predict_proba(X)
    predicted = model.predict(X)
    for position, explanation in enumerate(model.explain(X)):
        assert explanation.score == scores[position]
        parts = sum(pattern.contribution for pattern in explanation.patterns)
        assert explanation.bias + parts + explanation.rest == pytest.approx(
            scores[position], rel=1e-10, abs=1e-10
        )
        assert explanation.predicted == predicted[position]
        assert explanation.probability == chances[position].max()
        assert (explanation.negative_class, explanation.positive_class) == ("high", "low")


def test_centroids_are_in_the_users_own_units(fitted):
    model, X = fitted
    for pattern in model.explain(X)[0].patterns:
        pair = model.patterns_[pattern.number - 1]
        columns = [int(column.feature[1:]) for column in pattern.columns]
        middle, spread = np.median(X[:, columns], axis=0), iqr(X[:, columns], axis=0)
        soft = np.arcsinh((X[np.ix_(pair.rows, columns)] - middle) / spread)
        anchor = middle + spread * np.sinh(soft.mean(axis=0))  # the mean where neurons see it
        assert [column.anchor for column in pattern.columns] == pytest.approx(anchor)
        assert [column.value for column in pattern.columns] == X[0, columns].tolist()
        assert {pattern.anchor_class, pattern.contrast_class} == {"low", "high"}


SUMS = {"bell": [GaussianNeuron()], "straight": [KernelNeuron("linear")]}


def make_two():
    return make_one_factor(n_minority=20, n_majority=30)


@cache
def fitted_sum(kind, make=make_two):
    X, y = make()
    model = BicNeuronNetwork(n_neurons=12, neuron_kinds=SUMS[kind], random_state=0).fit(X, y)
    return model, X


def column_parts(pattern, z):
    """Terms of the raw score of a pattern, column by column, and what is due to none."""
    neuron = pattern.neuron.estimator
    if hasattr(neuron, "coef_"):
        middle = pattern.neuron.centroids.mean(axis=0)
        parts = [w * (a - m) for w, a, m in zip(neuron.coef_, z, middle, strict=True)]
        return parts, neuron.intercept_ + sum(neuron.coef_ * middle)
    parts = []
    for j, a in enumerate(z):
        (m0, m1), (v0, v1) = neuron.means_[:, j], neuron.variances_[:, j]
        term = (a - m0) ** 2 / v0 - (a - m1) ** 2 / v1 + np.log(v0 / v1)
        parts.append(term / len(z))
    return parts, 0.0


@pytest.mark.parametrize("make", [make_two, make_three])
@pytest.mark.parametrize("kind", SUMS)
def test_columns_share_what_their_pattern_contributes(kind, make):
    """Each keeps its part of the neuron's score, bent as the whole of it is."""
    model, X = fitted_sum(kind, make)
    Z = naive_soft_scaling(X, X)
    scores = model.decision_function(X).reshape(len(X), -1)
    for position, explanation in enumerate(model.explain(X)[:15]):
        target = int(scores[position].argmax())
        for told in explanation.patterns:
            pattern = model.patterns_[told.number - 1]
            z = Z[position, pattern.columns]
            parts, bias = column_parts(pattern, z)
            raw = sum(parts) + bias
            factor = told.contribution / raw
            assert np.sign(factor) == np.sign(pattern.neuron.weight[target])
            assert abs(told.contribution) <= abs(pattern.neuron.weight[target])
            assert told.bias == pytest.approx(factor * bias, abs=1e-9)
            by_name = {column.feature: column for column in told.columns}
            for j, part in zip(pattern.columns.tolist(), parts, strict=True):
                column = by_name[f"x{j}"]
                assert column.contribution == pytest.approx(factor * part, abs=1e-9)
            sizes = [abs(column.contribution) for column in told.columns]
            assert sizes == sorted(sizes, reverse=True)


def test_columns_that_cancel_out_are_still_told():
    """Where the score of a neuron is 0, its columns count by the slope of its output there."""
    X, y = make_two()
    X[:, 1] = X[:, 0]
    model = BicNeuronNetwork(n_neurons=1, neuron_kinds=[GaussianNeuron()], random_state=0)
    (found,) = model.fit(X, y).patterns_
    # In equal columns, one speaks for a class as much as the other speaks against it.
    neuron = replace(
        found.neuron,
        estimator=GaussianNeuron(slack=0.5).fit([[-1.0, 1.0], [1.0, -1.0]], [0, 1]),
        typical_score=2.0,
        weight=np.array([3.0]),
        centroids=np.array([[1.0, -1.0], [-1.0, 1.0]]),
    )
    columns, weights = np.array([0, 1]), np.array([2.0, -2.0])
    found = replace(found, differences=np.empty(0), effects=np.empty(0))
    model.patterns_ = [replace(found, columns=columns, weights=weights, neuron=neuron)]
    Z = naive_soft_scaling(X, X)
    for position, explanation in enumerate(model.explain(X)):
        (told,) = explanation.patterns
        z = Z[position, 0]
        part = 3.0 / 2.0 * ((z + 1) ** 2 / 0.5 - (z - 1) ** 2 / 0.5) / 2
        assert (told.contribution, told.bias, explanation.rest) == (0, 0, 0)
        by_name = {column.feature: column.contribution for column in told.columns}
        assert by_name == pytest.approx({"x0": part, "x1": -part})


@pytest.mark.parametrize("kind", SUMS)
def test_distances_and_nearness_of_a_pattern(kind):
    model, X = fitted_sum(kind)
    Z = naive_soft_scaling(X, X)
    for position, explanation in enumerate(model.explain(X)[:15]):
        for told in explanation.patterns:
            pattern = model.patterns_[told.number - 1]
            z = Z[position, pattern.columns]
            own, other = pattern.neuron.centroids
            near, far = (np.sqrt(np.mean((z - centre) ** 2)) for centre in (own, other))
            assert told.anchor_distance == pytest.approx(near)
            assert told.contrast_distance == pytest.approx(far)
            assert told.nearer == ("anchor" if near <= far else "contrast")
            assert (told.threshold, told.is_pair) == (0, True)
            assert told.anchor_class == pattern.anchor_class
            assert told.contrast_class == pattern.contrast_class
            nearness = {column.feature: column.nearness for column in told.columns}
            of_columns = (z - other) ** 2 - (z - own) ** 2
            assert [nearness[f"x{j}"] for j in pattern.columns] == pytest.approx(of_columns)


def weighted(weights):
    """A network whose patterns add exactly these weights to the score of a row far away.

    There the outputs of its neurons are 1 or -1 for all that a float can tell.
    """
    model, X = fitted_sum("bell")
    far = np.full((1, X.shape[1]), 1e300)
    Z = naive_soft_scaling(X, far)
    patterns = []
    for pattern, weight in zip(model.patterns_, weights, strict=False):
        score = pattern.neuron.estimator.decision_function(Z[:, pattern.columns])[0]
        neuron = replace(pattern.neuron, weight=np.array([weight * np.sign(score)]))
        patterns.append(replace(pattern, neuron=neuron))
    changed = BicNeuronNetwork(n_neurons=12, neuron_kinds=SUMS["bell"])
    changed.__dict__.update(vars(model), patterns_=patterns)
    return changed, far


@pytest.mark.parametrize(
    ("weights", "numbers"),
    [
        ([9.0, 1.0], [1]),
        ([1.0, 9.0], [2]),
        ([8.999, 1.001], [1, 2]),
        ([1.0, -5.0, 4.0], [2, 3]),
        ([2.0, 2.0, 2.0, 2.0], [1, 2, 3, 4]),
        ([0.0, 3.0, 0.0], [2]),
        ([6.0, -3.0, 0.5, -0.25, 0.25], [1, 2]),
        ([0.0, 0.0], [1]),
    ],
)
def test_patterns_are_told_until_they_make_up_nine_tenths(weights, numbers):
    """Strongest first, whichever way they go; of equals the first; at least one."""
    model, far = weighted(weights)
    explanation = model.explain(far)[0]
    assert [pattern.number for pattern in explanation.patterns] == numbers
    assert [p.contribution for p in explanation.patterns] == [weights[n - 1] for n in numbers]
    left = [w for n, w in enumerate(weights, start=1) if n not in numbers]
    assert explanation.rest == pytest.approx(sum(left))
    assert explanation.n_patterns == len(weights)
    assert explanation.bias == model.intercept_[0]
    assert explanation.score == pytest.approx(model.intercept_[0] + sum(weights))
    frame = model.explain(far).to_frame()
    assert frame["pattern"].tolist() == numbers[:1]
    assert frame["contribution"].tolist() == [weights[numbers[0] - 1]]


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_parts_of_the_score_by_hand(multi_class):
    """Slope times the score of each problem that the predicted class is a side of."""
    X, y = make_three(sizes=(14, 18, 22))
    model = classifier(multi_class=multi_class, max_ratio=9.0, recalibrate=True).fit(X, y)
    Z = minmax(X)
    sides = {"ovr": [(None, 0), (None, 1), (None, 2)], "ovo": [(0, 1), (0, 2), (1, 2)]}
    raw = np.column_stack([part.decision_function(X) for part in model.estimators_])
    for position, explanation in enumerate(model.explain(X)):
        label = explanation.predicted
        expected = {}
        bias = 0.0
        for k, (negative, positive) in enumerate(sides[multi_class]):
            sign = (label == positive) - (label == negative)
            if sign:
                expected[k] = sign * model._slopes[k] * raw[position, k]
                bias += sign * model._offsets[k]
        problem = [pattern.neuron.target for pattern in model.patterns_]
        told = {problem[each.number - 1]: each.contribution for each in explanation.patterns}
        assert told == pytest.approx(expected)
        sizes = [abs(pattern.contribution) for pattern in explanation.patterns]
        assert sizes == sorted(sizes, reverse=True)
        assert explanation.bias == pytest.approx(bias)
        assert explanation.score == pytest.approx(bias + sum(expected.values()))
        for pattern in explanation.patterns:
            target = problem[pattern.number - 1]
            part = model.estimators_[target]
            pair, coef = part.selected_pair_, part.estimator_.coef_[0]
            negative, positive = sides[multi_class][target]
            other = negative if pair.anchor_class == positive else positive
            assert (pattern.anchor_class, pattern.contrast_class) == (pair.anchor_class, other)
            assert pattern.threshold == part.threshold_
            factor = pattern.contribution / raw[position, target]
            middle = part.centroids_.mean(axis=0)
            parts = factor * coef * (Z[position, pair.columns] - middle)
            by_name = {column.feature: column.contribution for column in pattern.columns}
            assert_allclose([by_name[f"x{j}"] for j in pair.columns], parts, atol=1e-9)
            per_unit = factor * coef / np.ptp(X[:, pair.columns], axis=0)
            weights = {column.feature: column.weight for column in pattern.columns}
            assert_allclose([weights[f"x{j}"] for j in pair.columns], per_unit, atol=1e-9)
            base = part.estimator_.intercept_[0] + coef @ middle - part.threshold_
            assert pattern.bias == pytest.approx(factor * base, abs=1e-9)
