from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import perceptron
from oracles.perceptron import naive_linear_gram, naive_rbf_gram

from bicneuron._core._blocks import pack_blocks, starts_of
from bicneuron._core._perceptron import Rule, gram_matrices, rbf_gram, train_dual, train_primal
from bicneuron.neurons._perceptron import _linear_scores

TIES = st.sampled_from(["mistake", "negative"])


@st.composite
def problems(draw):
    """Small integer matrices (sums are exact, ties frequent), blocks, signs, rules of orders."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_columns = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    Z = rng.integers(-3, 4, (n_rows, n_columns)).astype(float)
    pairs = [
        (
            rng.permutation(n_rows)[: rng.integers(1, n_rows + 1)],
            rng.permutation(n_columns)[: rng.integers(1, n_columns + 1)],
        )
        for _ in range(draw(st.integers(1, 3)))
    ]
    n_signs = sum(len(rows) for rows, _ in pairs)
    signs = rng.choice(draw(st.sampled_from([[-1.0, 1.0], [-0.5, 2.0]])), n_signs)
    n_orders = draw(st.integers(1, 5))
    orders = [rng.permutation(len(rows)) for rows, _ in pairs for _ in range(n_orders)]
    return Z, pairs, signs, (np.concatenate(orders), draw(st.integers(1, 5)))


def orders_of(rule, starts, b):
    """The orders of the epochs of block ``b``."""
    n_orders = len(rule[0]) // starts[-1]
    return rule[0][n_orders * starts[b] : n_orders * starts[b + 1]].reshape(n_orders, -1).tolist()


def as_they_stand(max_iter):
    """Two blocks of two rows that are never shuffled."""
    return np.array([0, 1, 0, 1]), Rule(max_iter, 1.0, False, False, True)


def parts(flat, starts):
    return [flat[..., start:stop] for start, stop in pairwise(starts)]


@given(problems(), st.booleans(), st.booleans(), TIES)
def test_primal_equals_its_definition(problem, fit_intercept, average, tie):
    Z, pairs, signs, rule = problem
    blocks = pack_blocks(pairs)
    weights, intercepts, n_epochs = train_primal(
        Z, blocks, signs, rule[0], Rule(rule[1], 0.5, fit_intercept, average, tie == "mistake")
    )
    for b, (rows, columns) in enumerate(pairs):
        cut = slice(blocks.row_starts[b], blocks.row_starts[b + 1])
        expected = perceptron.naive_primal(
            Z[np.ix_(rows, columns)].tolist(),
            signs[cut].tolist(),
            orders_of(rule, blocks.row_starts, b),
            rule[-1],
            0.5,
            fit_intercept,
            average,
            tie,
        )
        assert_allclose(parts(weights, blocks.column_starts)[b], expected[0], atol=1e-12)
        assert_allclose(intercepts[b], expected[1], atol=1e-12)
        assert n_epochs[b] == expected[2]


@given(problems(), st.booleans(), TIES)
def test_dual_equals_its_definition(problem, average, tie):
    Z, pairs, signs, rule = problem
    blocks = pack_blocks(pairs)
    alphas, n_epochs = train_dual(
        gram_matrices(Z, blocks, 0.0),
        blocks.row_starts,
        signs,
        rule[0],
        Rule(rule[1], 1.0, False, average, tie == "mistake"),
    )
    for b, (rows, columns) in enumerate(pairs):
        cut = slice(blocks.row_starts[b], blocks.row_starts[b + 1])
        expected = perceptron.naive_dual(
            naive_linear_gram(Z[np.ix_(rows, columns)].tolist()).tolist(),
            signs[cut].tolist(),
            orders_of(rule, blocks.row_starts, b),
            rule[-1],
            average,
            tie,
        )
        assert_allclose(alphas[cut], expected[0], atol=1e-12)
        assert n_epochs[b] == expected[1]


@given(problems(), st.floats(0.05, 5.0))
def test_gram_matrices_equal_their_definition_and_are_symmetric(problem, bandwidth):
    Z, pairs, *_ = problem
    Z = Z + 0.1 * np.sin(np.arange(Z.size).reshape(Z.shape))
    blocks = pack_blocks(pairs)
    starts = starts_of(np.diff(blocks.row_starts) ** 2)
    linear = parts(gram_matrices(Z, blocks, 0.0), starts)
    rbf = parts(gram_matrices(Z, blocks, bandwidth), starts)
    for b, (rows, columns) in enumerate(pairs):
        block = Z[np.ix_(rows, columns)]
        shape = (len(rows), len(rows))
        for gram, expected in [
            (linear[b].reshape(shape), naive_linear_gram(block.tolist())),
            (rbf[b].reshape(shape), naive_rbf_gram(block.tolist(), block.tolist(), bandwidth)),
        ]:
            assert_allclose(gram, expected, rtol=1e-11, atol=1e-13)
            assert_array_equal(gram, gram.T)
        assert_array_equal(np.diag(rbf[b].reshape(shape)), 1.0)


@given(problems(), st.floats(0.05, 5.0))
def test_rbf_between_two_matrices_equals_its_definition(problem, bandwidth):
    Z, pairs, *_ = problem
    others = np.ascontiguousarray(Z[pairs[0][0]]) + 0.3
    expected = naive_rbf_gram(Z.tolist(), others.tolist(), bandwidth)
    assert_allclose(rbf_gram(Z, others, bandwidth), expected, rtol=1e-11, atol=1e-300)


def test_rbf_of_close_rows_far_from_the_origin_does_not_cancel():
    X = np.array([[1e8, 0.0], [1e8 + 1.0, 0.0]])
    assert_allclose(rbf_gram(X, X, 1.0)[0, 1], np.exp(-0.5), rtol=1e-15)


@pytest.mark.parametrize("bandwidth", [1e-300, 1.0, 1e300])
def test_rbf_of_extreme_rows_is_never_nan(bandwidth):
    X = np.array([[1.7e308], [-1.7e308], [1e-300], [0.0]])
    with np.errstate(all="ignore"):
        gram = rbf_gram(X, X, bandwidth)
    assert_array_equal(np.diag(gram), 1.0)
    assert np.all((gram >= 0) & (gram <= 1))


@given(problems(), st.integers(0, 2**32 - 1))
@example(
    (np.arange(150.0)[:, None], [(np.array([0]), np.array([0]))], None, None), 0
)  # more rows than one tile
def test_scores_equal_their_definition(problem, seed):
    Z, pairs, *_ = problem
    blocks = pack_blocks(pairs)
    rng = np.random.default_rng(seed)
    weights = rng.integers(-4, 5, len(blocks.columns)) / 4
    intercepts = rng.integers(-4, 5, len(pairs)) / 4
    each, columns_each = parts(weights, blocks.column_starts), [columns for _, columns in pairs]
    scores = _linear_scores(Z, columns_each, each, intercepts)
    assert scores.shape == (len(pairs), len(Z))
    for b, columns in enumerate(columns_each):
        assert_array_equal(scores[b], perceptron.naive_scores(Z, columns, each[b], intercepts[b]))


def test_a_problem_that_overflows_is_marked_and_leaves_the_others_alone():
    Z = np.array([[1e300, 1.0], [1e300, -1.0]])
    rows, rule = np.array([0, 1]), as_they_stand(5)
    blocks = pack_blocks([(rows, np.array([0])), (rows, np.array([1]))])
    overflowing, harmless = [1e307, -1.5e308, -1.5e308, 1e307], [2.0, -2.0, -2.0, 2.0]
    grams, row_starts = np.array([*overflowing, *harmless]), np.array([0, 2, 4])
    with np.errstate(all="ignore"):
        weights, intercepts, _ = train_primal(Z, blocks, np.array([1.0, -1.0, 1.0, -1.0]), *rule)
        alphas, _ = train_dual(grams, row_starts, np.array([1.0, 1.0, 1.0, -1.0]), *rule)
    assert_array_equal(weights, [np.nan, 1.0])
    assert_array_equal(intercepts, [np.nan, 0.0])
    assert_array_equal(alphas, [np.nan, np.nan, 1.0, 0.0])
