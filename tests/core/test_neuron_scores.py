import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron._core._neuron_scores import (
    TILE,
    NeuronColumns,
    gaussian_scores,
    linear_scores,
    output_scores,
    pack_support,
    power_of_two,
    power_of_two_32,
    rbf_scores,
)

# Columns of four neurons among seven, out of order and of any number; column 5 is not used.
COLUMNS = [[4, 0], [6, 1, 2, 3, 0], [3], [0, 1, 2, 3, 4, 6, 2, 1]]
N_VECTORS = [3, 2, 1, 4]


def make(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    used, places = np.unique(np.concatenate(COLUMNS), return_inverse=True)
    starts = np.cumsum([0, *map(len, COLUMNS)])
    return rng.normal(size=(n_rows, 7)), NeuronColumns(used, places, starts), rng


def naive_rbf(row, vectors, duals, squared_width, intercept):
    near = [
        math.exp(-sum((x - v) ** 2 for x, v in zip(row, vector, strict=True)) / squared_width)
        for vector in vectors
    ]
    return intercept + sum(dual * k for dual, k in zip(duals, near, strict=True))


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("n_rows", [1, TILE, TILE + 3])
def test_rbf_scores_are_sums_of_kernels(n_rows, offset):
    """Far from the origin as well, where single precision holds no small distances."""
    Z, columns, rng = make(n_rows)
    Z += offset
    vectors = [
        rng.normal(size=(n, len(some))) + offset for n, some in zip(N_VECTORS, COLUMNS, strict=True)
    ]
    duals = [rng.normal(size=n) for n in N_VECTORS]
    widths, intercepts = np.array([2.0, 7.0, 0.3, 9.0]), rng.normal(size=4)
    support = pack_support(
        np.concatenate([some.ravel() for some in vectors]),
        np.concatenate(duals),
        np.array(N_VECTORS),
        columns.starts,
        widths,
        intercepts,
    )
    scores = rbf_scores(Z, columns, support)
    expected = [
        [naive_rbf(row[some], *of_neuron) for row in Z]
        for some, *of_neuron in zip(COLUMNS, vectors, duals, widths, intercepts, strict=True)
    ]
    assert_allclose(scores, expected, atol=3e-6)
    alone = rbf_scores(Z[-1:].copy(), columns, support)
    assert_array_equal(alone[:, 0], scores[:, -1])


def test_rows_far_away_have_the_intercept():
    _, columns, rng = make(1)
    Z = np.array([1.0, -1.0, 1e4, -1e18])[:, None] * np.ones(7)
    support = pack_support(
        rng.normal(size=sum(n * len(c) for n, c in zip(N_VECTORS, COLUMNS, strict=True))),
        rng.normal(size=sum(N_VECTORS)),
        np.array(N_VECTORS),
        columns.starts,
        np.ones(4),
        np.arange(4.0),
    )
    scores = rbf_scores(Z, columns, support)
    assert_allclose(scores[:, 2:], np.arange(4.0)[:, None] * np.ones(2), atol=1e-30)
    assert (scores[:, :2] != np.arange(4.0)[:, None]).all()


@pytest.mark.parametrize("n_rows", [1, TILE + 3])
def test_linear_scores_are_products(n_rows):
    Z, columns, rng = make(n_rows)
    coefs, centres = rng.normal(size=(2, columns.starts[-1]))
    intercepts = rng.normal(size=4)
    scores = linear_scores(Z, columns, coefs, centres, intercepts)
    for q, some in enumerate(COLUMNS):
        coef = coefs[columns.starts[q] : columns.starts[q + 1]]
        assert_allclose(scores[q], Z[:, some] @ coef + intercepts[q])
    alone = linear_scores(Z[-1:].copy(), columns, coefs, centres, intercepts)
    assert_array_equal(alone[:, 0], scores[:, -1])


@pytest.mark.parametrize("n_rows", [1, TILE + 3])
def test_gaussian_scores_compare_densities(n_rows):
    Z, columns, rng = make(n_rows)
    means = rng.normal(size=(2, columns.starts[-1]))
    variances = rng.uniform(0.3, 2.0, size=means.shape)
    scores = gaussian_scores(Z, columns, means, variances)
    for q, some in enumerate(COLUMNS):
        part = slice(columns.starts[q], columns.starts[q + 1])
        logs = [
            -((Z[:, some] - m[part]) ** 2) / (2 * v[part]) - np.log(v[part]) / 2
            for m, v in zip(means, variances, strict=True)
        ]
        assert_allclose(scores[q], 2 * np.mean(logs[1] - logs[0], axis=1))
    alone = gaussian_scores(Z[-1:].copy(), columns, means, variances)
    assert_array_equal(alone[:, 0], scores[:, -1])


def test_far_values_do_not_make_gaussian_scores_infinite():
    """Quotients end at 1e150, so that both classes are equally far from a far row."""
    columns = NeuronColumns(np.arange(2), np.arange(2), np.array([0, 2]))
    means, variances = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[1e-9, 1.0], [1e-9, 1.0]])
    Z = np.array([[1e150, 0.0], [0.0, 1e150], [1e300, -1e300], [0.0, 0.0]])
    with np.errstate(over="ignore"):  # of plain Python; a compiled kernel goes on with infinity
        scores = gaussian_scores(Z, columns, means, variances)[0]
    assert_allclose(scores, [-0.5, -5e8, 0.0, -(1e9 + 1) / 2])


def test_rows_far_beyond_single_precision_are_near_no_support_vector():
    columns = NeuronColumns(np.arange(2), np.arange(2), np.array([0, 2]))
    support = pack_support(
        np.array([0.0, 0.0, 1.0, 1.0]),
        np.array([2.0, -3.0]),
        np.array([2]),
        columns.starts,
        np.array([1.0]),
        np.array([0.25]),
    )
    Z = np.array([[1e150, 0.0], [-1e300, 1e300], [1e20, np.nan]])
    with np.errstate(over="ignore"):  # of plain Python; a compiled kernel goes on with infinity
        scores = rbf_scores(Z, columns, support)
    assert scores.tolist() == [[0.25, 0.25, 0.25]]


@pytest.mark.parametrize("n_rows", [1, TILE + 3])
def test_output_is_a_weighted_sum_of_hyperbolic_tangents(n_rows):
    rng = np.random.default_rng(0)
    raw = 3 * rng.normal(size=(5, n_rows))
    raw[0, 0], raw[1, 0], raw[2, 0] = 0.0, 1e6, -1e6
    typical, weights = rng.uniform(0.2, 3, 5), rng.normal(size=(5, 2))
    scores = output_scores(raw, typical, weights)
    assert_allclose(scores, np.tanh(raw.T / typical) @ weights, atol=1e-13)
    alone = output_scores(raw[:, -1:].copy(), typical, weights)
    assert_array_equal(alone[0], scores[-1])


def test_powers_of_two():
    powers = -np.concatenate([np.linspace(0, 3, 200), np.linspace(3, 120, 100), [0.5, 1.0, 125.9]])
    assert_allclose([power_of_two(power) for power in powers], 2.0**powers, rtol=1e-15)
    single = np.float32(powers)
    assert_allclose(
        [power_of_two_32(power) for power in single], 2.0 ** single.astype(float), rtol=3e-7
    )


@pytest.mark.parametrize("power", [-2000.0, -np.inf, np.nan])
def test_tiny_powers_of_two(power):
    assert power_of_two(power) == 2.0**-1022
    assert 0 < power_of_two_32(np.float32(power)) < 1.2e-38


# --- missing values


def with_missing(Z, rng):
    """Some cells missing, one row without any value, and complete rows beside them."""
    holes = Z.copy()
    holes[rng.random(Z.shape) < 0.4] = np.nan
    holes[1] = np.nan
    holes[:1] = Z[:1]
    holes[5:9] = Z[5:9]
    return holes


def test_rbf_distances_are_those_of_the_observed_columns():
    Z, columns, rng = make(TILE + 9)
    vectors = [rng.normal(size=(n, len(c))) for n, c in zip(N_VECTORS, COLUMNS, strict=True)]
    duals = [rng.normal(size=n) for n in N_VECTORS]
    widths, intercepts = np.array([2.0, 7.0, 0.3, 9.0]), rng.normal(size=4)
    support = pack_support(
        np.concatenate([some.ravel() for some in vectors]),
        np.concatenate(duals),
        np.array(N_VECTORS),
        columns.starts,
        widths,
        intercepts,
    )
    holes = with_missing(Z, rng)
    scores = rbf_scores(holes, columns, support)
    for q, some in enumerate(COLUMNS):
        for row, score in zip(holes, scores[q], strict=True):
            seen = np.flatnonzero(~np.isnan(row[some]))
            if not len(seen):
                assert score == 0
                continue
            ratio = len(some) / len(seen)
            expected = naive_rbf(
                row[some][seen], vectors[q][:, seen], duals[q], widths[q] / ratio, intercepts[q]
            )
            assert score == pytest.approx(expected, abs=1e-5)
    # Not a bit changes in rows beside which others have gaps.
    complete = rbf_scores(Z, columns, support)
    whole = ~np.isnan(holes).any(axis=1)
    assert_array_equal(scores[:, whole], complete[:, whole])
    assert_array_equal(rbf_scores(holes[-1:].copy(), columns, support)[:, 0], scores[:, -1])


def test_linear_scores_take_the_centre_for_what_is_missing():
    Z, columns, rng = make(TILE + 9)
    coefs, centres = rng.normal(size=(2, columns.starts[-1]))
    holes = with_missing(Z, rng)
    scores = linear_scores(holes, columns, coefs, centres, np.arange(4.0))
    for q, some in enumerate(COLUMNS):
        part = slice(columns.starts[q], columns.starts[q + 1])
        block = np.where(np.isnan(holes[:, some]), centres[part], holes[:, some])
        assert_allclose(scores[q], block @ coefs[part] + q)


def test_missing_columns_add_nothing_to_gaussian_scores():
    Z, columns, rng = make(TILE + 9)
    means = rng.normal(size=(2, columns.starts[-1]))
    variances = rng.uniform(0.3, 2.0, size=means.shape)
    holes = with_missing(Z, rng)
    scores = gaussian_scores(holes, columns, means, variances)
    for q, some in enumerate(COLUMNS):
        for row, score in zip(holes, scores[q], strict=True):
            parts = [
                (x - means[0, k]) ** 2 / variances[0, k]
                - (x - means[1, k]) ** 2 / variances[1, k]
                + math.log(variances[0, k] / variances[1, k])
                for k, x in enumerate(row[some], columns.starts[q])
                if not math.isnan(x)
            ]
            assert score == pytest.approx(sum(parts) / len(some))
