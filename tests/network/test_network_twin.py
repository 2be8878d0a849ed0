"""A fitted network against its naive twin: from its patterns to its scores and probabilities.

The contrast of each pair is made as large as it can be, so that the rows that it lacks tell which
fold the neuron has not seen.
"""

from dataclasses import replace
from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from data import make_one_factor, make_three
from numpy.testing import assert_allclose, assert_array_equal
from oracles import network
from oracles.network import naive_distance, naive_held_out, naive_hidden, naive_log_loss
from pairs import pair_of
from sklearn.base import clone

from bicneuron import BicNeuronNetwork
from bicneuron.network._patterns import is_near, radius
from bicneuron.neurons import GaussianNeuron, KernelNeuron

N_FOLDS = 5


def fit(X, y, *, seed=0, **parameters):
    """A network whose pairs have all rows that they may see, trained once."""
    settings = {"neuron_kinds": [GaussianNeuron()], "contrast_size": 1e9}
    model = BicNeuronNetwork(**settings | parameters, random_state=seed)
    with (
        patch("bicneuron.network._draws.MAX_DRAW_ROWS", 10**6),
        patch("bicneuron.network._network.retrain", lambda *known: known[3]),
    ):
        return model.fit(X, y)


def make_two():
    return make_one_factor(n_minority=20, n_majority=30)


def make_overlapping():
    """Three classes that no network tells apart for sure."""
    X, y = make_three(sizes=(12, 14, 18))
    return X + 1.5 * np.random.default_rng(0).normal(size=X.shape), y


def make_labels():
    """Three labels, so that rows have none, one or several of them; two rows stand alone."""
    X, y = make_three(sizes=(12, 14, 18))
    labels = np.column_stack([y == 0, y == 1, X[:, 2] > 0.5]).astype(int)
    labels[:2] = [[1, 1, 1], [1, 1, 0]]
    return X, labels


# Each keeps all of its candidates.
CASES = {
    "linear": (make_two, {"n_neurons": 60, "neuron_kinds": [KernelNeuron("linear")]}),
    "bells": (make_two, {"n_neurons": 40}),
    "three": (make_overlapping, {"n_neurons": 51, "neuron_kinds": [KernelNeuron()]}),
    "labels": (make_labels, {"n_neurons": 40}),
    "sample": (make_two, {"n_neurons": 30, "max_output_rows": 35}),
}


@cache
def fitted(case):
    make, parameters = CASES[case]
    X, y = make()
    return fit(X, y, **parameters), X, y


@pytest.fixture(params=CASES)
def case(request):
    return fitted(request.param)


def signs_of(y):
    if y.ndim == 2:
        return np.where(y == 1, 1.0, -1.0)
    classes = np.unique(y)
    if len(classes) == 2:
        return np.where(y == classes[1], 1.0, -1.0)[:, None]
    return np.array([[1.0 if label == c else -1.0 for c in classes] for label in y])


def folds_of(y, seed=0):
    strata = [tuple(line) for line in y] if y.ndim == 2 else y.tolist()
    return network.naive_folds(strata, N_FOLDS, np.random.default_rng(seed))


def side_rows(label, y):
    """Rows of a class, or with a label, or without it."""
    if y.ndim == 1:
        return set(np.flatnonzero(y == label).tolist())
    if isinstance(label, str):
        return set(np.flatnonzero(y[:, int(label.removeprefix("not "))] == 0).tolist())
    return set(np.flatnonzero(y[:, label] == 1).tolist())


def fold_of(pattern, y, folds):
    """The one fold that the contrast of a pattern is without."""
    missing = side_rows(pattern.contrast_class, y) - set(pattern.contrast_rows.tolist())
    (fold,) = {int(folds[row]) for row in missing}
    return fold


def raw_scores(patterns, Z):
    """Of each row by the neuron of each pattern."""
    return np.column_stack(
        [p.neuron.estimator.decision_function(Z[:, p.columns]) for p in patterns]
    )


def hidden_of(model, X):
    """Hidden layer of the rows that the output layer was fitted on."""
    return naive_hidden(
        raw_scores(model.patterns_, network.naive_soft_scaling(X, X))[model.output_rows_]
    )


def everything(H, signs, unseen):
    return unseen


def shifts_of(model, X, y):
    """What calibration added to the scores of rows that were not seen."""
    signs, rows = signs_of(y), model.output_rows_
    unseen = [fold_of(p, y, folds_of(y)) for p in model.patterns_]
    _, H = hidden_of(model, X)
    scores = naive_held_out(H, signs[rows], folds_of(y)[rows], unseen, everything)
    return scores, np.nanmean(model.test_scores_ - scores, axis=0)


# --- patterns


def test_pairs_lack_one_fold_and_no_other_row(case):
    model, _, y = case
    folds, seen = folds_of(y), set()
    for pattern in model.patterns_:
        fold = fold_of(pattern, y, folds)
        others = side_rows(pattern.contrast_class, y)
        left_out = set(np.flatnonzero(folds == fold).tolist())
        assert set(pattern.contrast_rows.tolist()) == others - left_out
        anchors = set(pattern.rows.tolist())
        assert anchors <= side_rows(pattern.anchor_class, y) - left_out
        assert not anchors & others
        seen.add(fold)
    assert seen == set(range(N_FOLDS))


def test_a_pattern_speaks_for_its_target(case):
    """That of its anchor; of two classes that is the second, whichever is the anchor."""
    model, X, y = case
    Z, signs = network.naive_soft_scaling(X, X), signs_of(y)
    for pattern, carried in zip(model.patterns_, model.carriers(X).T, strict=True):
        rows, columns = pattern.block
        wanted = signs[rows, pattern.neuron.target]
        own = 1 if y.ndim == 2 and not isinstance(pattern.anchor_class, str) else -1
        if y.ndim == 1:
            own = 1 if signs.shape[1] > 1 or pattern.anchor_class == 1 else -1
        sizes = len(pattern.rows), len(pattern.contrast_rows)
        assert_array_equal(wanted, np.repeat([own, -own], sizes))
        assert pattern.neuron.sign == own
        scores = pattern.neuron.estimator.decision_function(Z[:, columns])
        assert np.mean(carried == (own * scores > 0)) > 0.99  # in another precision
        by_hand = clone(pattern.neuron.estimator).fit(Z[np.ix_(rows, columns)], wanted)
        assert_allclose(scores, by_hand.decision_function(Z[:, columns]), atol=1e-6)


def test_output_layer(case):
    model, X, y = case
    typical, H = hidden_of(model, X)
    signs = signs_of(y)[model.output_rows_]
    _, shifts = shifts_of(model, X, y)
    weights, intercept, penalty = network.naive_output(H, signs)
    assert model.penalty_ == pytest.approx(penalty)
    assert_allclose(model.intercept_ - shifts, intercept, atol=1e-6)
    assert_allclose([p.neuron.weight for p in model.patterns_], weights, atol=1e-6)
    shares = network.naive_contributions(H, weights)
    contributions = [p.strength for p in model.patterns_]
    assert_allclose(contributions, shares, atol=1e-6)
    assert contributions == sorted(contributions, reverse=True)
    Z = network.naive_soft_scaling(X, X + 0.1)
    hidden = np.tanh(raw_scores(model.patterns_, Z) / typical)
    scores = model.decision_function(X + 0.1).reshape(len(X), -1)
    assert_allclose(scores, hidden @ weights + intercept + shifts, atol=1e-6)


# --- self-test


def test_self_test_and_calibration(case):
    model, X, y = case
    folds, signs = folds_of(y), signs_of(y)
    rows = model.output_rows_
    scores, shifts = shifts_of(model, X, y)
    assert_allclose(model.test_scores_, scores + shifts, atol=1e-5)
    assert_array_equal(np.isnan(scores).any(axis=1), folds[rows] == -1)
    exclusive = y.ndim == 1 and len(np.unique(y)) > 2
    least = naive_log_loss(scores, signs[rows], model.slope_, shifts, exclusive)
    for factor in (0.95, 1.05):
        slope = factor * model.slope_
        if 1e-2 <= slope <= 1e3:
            other = naive_log_loss(scores, signs[rows], slope, shifts / factor, exclusive)
            assert other >= least - 1e-7
    for target in range(len(shifts)):
        for step in (-0.05, 0.05):
            moved = shifts + step * (np.arange(len(shifts)) == target)
            assert naive_log_loss(scores, signs[rows], model.slope_, moved, exclusive) > least
    scores = model.decision_function(X).reshape(len(X), -1)
    chances = network.naive_probabilities(scores.tolist(), model.slope_, exclusive)
    if scores.shape[1] == 1:
        chances = np.hstack([1 - chances, chances])
    assert_allclose(model.predict_proba(X), chances, rtol=1e-9, atol=1e-300)


KINDS = {"bent": KernelNeuron(), "straight": KernelNeuron("linear"), "bell": GaussianNeuron()}


@pytest.mark.parametrize("names", [("bent", "straight"), ("bell", "bent")])
def test_the_self_test_chooses_the_kinds(names):
    """All kinds, or one of them alone; a pair does not depend on the kind of its neuron."""
    X, y = make_two()
    Z, folds, signs = network.naive_soft_scaling(X, X), folds_of(y), signs_of(y)
    first, second = (KINDS[name] for name in names)
    model = fit(X, y, n_neurons=60, neuron_kinds=[first, second, clone(first)])
    alone = {
        repr(kind): {pair_of(p): p for p in fit(X, y, n_neurons=60, neuron_kinds=[kind]).patterns_}
        for kind in (first, second)
    }
    kind_of = {pair_of(p): repr(p.neuron.estimator) for p in model.patterns_}
    (other,) = set(alone) - set(kind_of.values()) or {None}
    pairs = list(alone[repr(first)])
    patterns = [alone[kind_of.get(pair, other)][pair] for pair in pairs]
    _, H = naive_hidden(raw_scores(patterns, Z))
    unseen = [fold_of(p, y, folds) for p in patterns]
    families = [set(alone), {repr(first)}, {repr(second)}]
    members = [
        [k for k, p in enumerate(patterns) if repr(p.neuron.estimator) in family]
        for family in families
    ]
    tested = [
        naive_held_out(H, signs, folds, unseen, lambda H, s, u, m=m: [k for k in u if k in m])
        for m in members
    ]
    chosen = network.naive_choice(tested, signs)
    assert {pair_of(p) for p in model.patterns_} == {pairs[k] for k in members[chosen]}
    # Calibration adds one number to all scores of a target.
    differences = model.test_scores_ - tested[chosen]
    assert_array_equal(np.isnan(differences), np.isnan(tested[chosen]))
    assert_allclose(differences - np.nanmean(differences, axis=0), 0 * differences, atol=1e-5)


def test_all_kinds_are_kept_where_nothing_can_be_tested():
    """One row of each class: none can be left out."""
    X = np.random.default_rng(0).normal(size=(2, 100))
    kinds = [KINDS["bent"], KINDS["straight"]]
    model = fit(X, np.array([0, 1]), n_neurons=60, neuron_kinds=kinds)
    assert np.isnan(model.test_scores_).all()
    assert model.slope_ == 1
    assert {p.neuron.estimator.kernel for p in model.patterns_} == {"rbf", "linear"}


def test_every_kind_is_dealt_to_every_fold():
    X, y = make_two()
    folds = folds_of(y)
    kinds = [KernelNeuron("linear", alpha=alpha) for alpha in (0.1, 0.2, 0.3, 0.4, 0.5)]
    model = fit(X, y, n_neurons=200, neuron_kinds=kinds)
    for alpha in {p.neuron.estimator.alpha for p in model.patterns_}:
        dealt = [fold_of(p, y, folds) for p in model.patterns_ if p.neuron.estimator.alpha == alpha]
        assert set(dealt) == set(range(N_FOLDS))


# --- Where a pattern is: its radius, what is near it, coverage and rejection


def test_centres_and_radius_come_from_both_sides(case):
    model, X, _ = case
    Z = network.naive_soft_scaling(X, X)
    from_one_side = 0
    for pattern in model.patterns_:
        centres, radius = network.naive_region(Z, pattern)
        assert_allclose(pattern.neuron.centroids[0], centres[0], atol=1e-9)
        assert_allclose(pattern.neuron.centroids[1], centres[1], atol=1e-9)
        assert pattern.neuron.radius == pytest.approx(radius)
        anchors = Z[np.ix_(pattern.rows, pattern.columns)]
        from_one_side += max(naive_distance(row, centres) for row in anchors) < radius * 0.999
    assert from_one_side > 0 or len(model.patterns_) == 1


def test_coverage_is_the_contribution_of_the_patterns_near_by(case):
    model, X, _ = case
    rows = np.vstack([X, 1.5 * X, X + 2, 1e3 + X[:3]])
    Z = network.naive_soft_scaling(X, rows)
    regions = [network.naive_region(network.naive_soft_scaling(X, X), p) for p in model.patterns_]
    expected = [network.naive_coverage(z, model.patterns_, regions) for z in Z]
    found = model.coverage(rows)
    assert_allclose(found, expected, atol=1e-9)
    assert_array_equal(found[-3:], 0)
    assert len(set(np.round(expected, 9))) > 1


def test_what_lies_on_the_edge_is_near():
    model, X, _ = fitted("bells")
    pattern = model.patterns_[0]
    columns = pattern.columns
    centre = np.zeros(len(columns))
    region = replace(pattern.neuron, centroids=np.array([centre, centre + 8]), radius=2.0)
    Z = np.zeros((5, X.shape[1]))
    Z[:, columns] = np.array([2.0, -2.0, np.nextafter(2.0, 3.0), 6.0, 5.5])[:, None]
    assert_array_equal(is_near(region, Z[:, columns]), [True, True, False, True, False])


def test_a_row_that_is_covered_just_enough_is_answered(case):
    model, X, _ = case
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
