"""What pairs a network draws: nearest contrasts, sizes, samples of rows, coherent blocks."""

from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from data import make_one_factor, make_three
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.network import naive_folds, naive_soft_scaling
from oracles.residue import naive_msr
from pairs import pair_of
from strategies import seeds

from bicneuron import BicNeuronNetwork
from bicneuron.network._contrasts import BELL, BELL_SLACK, LINE, LINE_SLACK, fit_contrasts
from bicneuron.network._draws import Side, distinct, draw_coherent, sample
from bicneuron.network._targets import encode_targets
from bicneuron.neurons import GaussianNeuron, KernelNeuron
from bicneuron.patterns import Pattern


@cache
def fitted(contrast_size=2.0, max_draw_rows=40, wide=False):
    X, y = make_three()
    if wide:
        X = np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 40))])
    model = BicNeuronNetwork(n_neurons=60, contrast_size=contrast_size, random_state=0)
    with patch("bicneuron.network._draws.MAX_DRAW_ROWS", max_draw_rows):
        model.fit(X, y)
    return model, naive_soft_scaling(X, X), y


@pytest.mark.parametrize("contrast_size", [0.5, 2.0])
def test_the_contrast_is_nearest_among_the_rows_of_other_folds(contrast_size):
    model, Z, y = fitted(contrast_size, 10**6)
    folds = naive_folds(y.tolist(), 5, np.random.default_rng(0))
    n_parts = 0
    for pattern in model.patterns_:
        pair = pair_of(pattern)
        centre = Z[np.ix_(pair.rows, pair.columns)].mean(axis=0)
        far = np.sum((Z[:, pair.columns] - centre) ** 2, axis=1)
        explained = []
        for fold in range(5):
            seen = np.flatnonzero(folds != fold)
            own = seen[y[seen] == pair.anchor_class]
            pool = seen[y[seen] == pattern.contrast_class]
            size = min(len(pool), int(contrast_size * len(pair.rows) + 0.5))
            nearest = pool[np.argsort(far[pool], kind="stable")][: max(1, size)]
            explained.append(
                set(pair.rows) <= set(own) and nearest.tolist() == pair.contrast_rows.tolist()
            )
            n_parts += explained[-1] and size < len(pool)
        assert any(explained)
    assert n_parts >= 5


def test_pairs_are_drawn_from_a_new_sample_of_each_side():
    model, _, _ = fitted(max_draw_rows=8)
    used = model.patterns_
    assert max(len(pair.rows) for pair in used) <= 8
    assert max(len(pair.contrast_rows) for pair in used) == 8
    for side in ("rows", "contrast_rows"):
        assert len(set(np.concatenate([getattr(pair, side) for pair in used]).tolist())) > 60


def test_blocks_of_an_accurate_network_are_coherent():
    """Each up to a bound of its own, so that some are tight and others are not."""
    model, Z, _ = fitted(wide=True)
    residues = []
    for pattern in model.patterns_:
        block = Z[np.ix_(pattern.rows, pattern.columns)]
        residues.append(naive_msr(block.tolist()))
        assert pattern.rows.size >= 3
        assert 2 <= pattern.columns.size <= 32
    assert min(residues) <= 0.1 < 0.3 < max(residues) <= 0.6 + 1e-9


def test_groups_are_drawn_in_proportion_to_their_sizes():
    """Three rows and six, far apart: one draw in three takes the three."""
    level = np.repeat([0.0, 50.0, 20.0], [3, 6, 4])
    Z = np.column_stack([level + 0.01 * np.arange(13)] * 2)
    side = Side("a", "b", 0, np.arange(9), np.arange(9, 13))
    rng = np.random.default_rng(0)
    drawn = [draw_coherent(Z, side, 1.0, rng).rows.tolist() for _ in range(1500)]
    assert {tuple(rows) for rows in drawn} == {(0, 1, 2), (3, 4, 5, 6, 7, 8)}
    assert sum(len(rows) == 3 for rows in drawn) / len(drawn) == pytest.approx(1 / 3, abs=0.04)


def test_of_equal_pairs_the_first_is_kept():
    one, other, again = (
        Pattern([0, 1], [column], contrast_rows=[2, 3], anchor_class="a", kind="pair")
        for column in (0, 1, 0)
    )
    assert distinct([None, one, other, None, again, other]) == [1, 2]


def test_a_larger_network_draws_what_a_smaller_one_draws():
    """What becomes of a neuron depends on the data, the seed and its number alone."""
    X, y = make_one_factor()
    sizes = 55, 110
    small, large = ({pair_of(p) for p in candidates(size, X, y).patterns_} for size in sizes)
    assert small < large
    assert len(small) == sizes[0]


def candidates(size, X, y):
    """A network that keeps all that it draws."""
    return BicNeuronNetwork(n_neurons=size, neuron_kinds=[KernelNeuron()], random_state=0).fit(X, y)


# --- Labels as signs, what is mined against what, folds and labels from scores

LABELS = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]])


def told(targets):
    """Sides as plain values."""
    return {
        (s.label, s.other_label, s.target, tuple(s.rows.tolist()), tuple(s.others.tolist()))
        for s in targets.sides()
    }


def test_two_classes_have_one_target_and_both_are_mined():
    targets = encode_targets(np.array(["b", "a", "b", "b"]))
    assert_array_equal(targets.signs, [[-1], [1], [-1], [-1]], "1 is the class with fewer rows")
    assert told(targets) == {("a", "b", 0, (1,), (0, 2, 3)), ("b", "a", 0, (0, 2, 3), (1,))}


def test_each_of_more_classes_is_mined_against_each_other():
    y = np.array([5, 7, 9, 5])
    targets = encode_targets(y)
    assert_array_equal(targets.signs, np.where(y[:, None] == [5, 7, 9], 1, -1))
    assert told(targets) == {
        (a, b, [5, 7, 9].index(a), *(tuple(np.flatnonzero(y == c).tolist()) for c in (a, b)))
        for a in (5, 7, 9)
        for b in (5, 7, 9)
        if a != b
    }


def test_each_label_is_mined_against_its_absence_if_it_tells_rows_apart():
    targets = encode_targets(LABELS)
    assert targets.multilabel
    assert_array_equal(targets.signs, 2 * LABELS - 1)
    assert told(targets) == {
        (0, "not 0", 0, (0, 2, 3), (1, 4)),
        ("not 0", 0, 0, (1, 4), (0, 2, 3)),
        (1, "not 1", 1, (1, 2), (0, 3, 4)),
        ("not 1", 1, 1, (0, 3, 4), (1, 2)),
    }


@given(seeds(), st.lists(st.integers(0, 3), min_size=2, max_size=40), st.integers(2, 6))
def test_folds(seed, labels, n_folds):
    """Of classes, and of rows with the same labels."""
    y = np.array([*labels, 5, 6])
    bits = y[:, None] >> np.arange(3) & 1
    for targets, strata in ((y, y.tolist()), (bits, [*map(tuple, bits.tolist())])):
        folds = encode_targets(targets).deal_folds(n_folds, np.random.default_rng(seed))
        assert_array_equal(folds, naive_folds(strata, n_folds, np.random.default_rng(seed)))


@pytest.mark.parametrize("most", [3, 5, 9])
def test_a_sample_of_the_rows(most):
    rows = sample(np.arange(5), most, np.random.default_rng(0))
    assert len(rows) == min(most, 5)
    assert_array_equal(rows, sorted(set(rows.tolist()) & set(range(5))))


# --- Columns that tell two sets of rows apart, against twins column by column


@pytest.fixture(params=[False, True], ids=["complete", "gaps"])
def table(request):
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(40, 7))
    Z[:12, 2] += 3
    Z[:12, 5] *= 4
    if request.param:
        Z[rng.random(Z.shape) < 0.15] = np.nan
    sides = np.zeros((2, 40), np.int8)
    sides[0, :12], sides[0, 12:] = 1, -1
    sides[1, 5:15], sides[1, 20:] = 1, -1
    return Z, sides


def observed(Z, rows, column):
    values = Z[rows, column]
    return values[~np.isnan(values)]


def test_means_variances_and_evidence_are_those_of_the_observed_values(table):
    Z, sides = table
    fitted = fit_contrasts(Z, sides)
    for k, side in enumerate(sides):
        for column in range(Z.shape[1]):
            own, others = observed(Z, side > 0, column), observed(Z, side < 0, column)
            both = np.concatenate([own, others])
            within = (own.var() * len(own) + others.var() * len(others)) / len(both)
            assert_allclose(fitted.means[1][k, column], own.mean())
            assert_allclose(fitted.means[0][k, column], others.mean())
            assert_allclose(fitted.shared[k, column], within)
            # Half of n times the log of the ratio of variances, without and with two means.
            ratio = (both.var() + LINE_SLACK) / (within + LINE_SLACK)
            assert_allclose(fitted.shift[k, column], len(both) / 2 * np.log(ratio))
            pooled = within + LINE_SLACK
            spread = 0.5 * (
                len(own) * np.log(pooled / (own.var() + LINE_SLACK))
                + len(others) * np.log(pooled / (others.var() + LINE_SLACK))
            )
            assert_allclose(fitted.spread[k, column], spread)


@pytest.mark.parametrize(
    ("form", "neuron"),
    [
        (LINE, GaussianNeuron(slack=LINE_SLACK, shared_variance=True)),
        (BELL, GaussianNeuron(slack=BELL_SLACK)),
    ],
    ids=["line", "bell"],
)
def test_scores_are_those_of_the_neuron_that_a_pattern_has(table, form, neuron):
    Z, sides = table
    fitted = fit_contrasts(Z, sides)
    columns = [np.array([2, 5]), np.array([0, 2, 6])]
    scores = fitted.scores(Z, form, columns)
    for k, side in enumerate(sides):
        rows = np.flatnonzero(side)
        neuron.fit(Z[np.ix_(rows, columns[k])], side[rows])
        assert_allclose(scores[:, k], neuron.decision_function(Z[:, columns[k]]), atol=1e-10)
