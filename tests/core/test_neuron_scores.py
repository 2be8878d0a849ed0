import math
from itertools import pairwise

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
STARTS = np.cumsum([0, *map(len, COLUMNS)])
PARTS = [slice(start, stop) for start, stop in pairwise(STARTS)]
TWO_COLUMNS = NeuronColumns(np.arange(2), np.arange(2), np.array([0, 2]))
TABLES = [(1, False), (TILE, False), (TILE + 9, True)]


def make(n_rows, holes=False):
    """A table, the columns of neurons and a generator; some rows stay complete, one is empty."""
    rng = np.random.default_rng(0)
    used, places = np.unique(np.concatenate(COLUMNS), return_inverse=True)
    Z = rng.normal(size=(n_rows, 7))
    if holes:
        missing = rng.random(Z.shape) < 0.4
        missing[[0, *range(5, 9)]] = False
        missing[1] = True
        Z[missing] = np.nan
    return Z, NeuronColumns(used, places, STARTS), rng


def packed(vectors, duals, widths, intercepts):
    flat = np.concatenate([some.ravel() for some in vectors])
    return pack_support(
        flat, np.concatenate(duals), np.array(N_VECTORS), STARTS, widths, intercepts
    )


def naive_rbf(row, vectors, duals, squared_width, intercept):
    """Distances over the known columns stand for those over all; an empty row scores zero."""
    known = np.flatnonzero(~np.isnan(row))
    if not len(known):
        return 0.0
    near = [
        math.exp(
            -sum((row[j] - vector[j]) ** 2 for j in known) * len(row) / len(known) / squared_width
        )
        for vector in vectors
    ]
    return intercept + sum(dual * k for dual, k in zip(duals, near, strict=True))


def assert_rows_are_scored_alone(score, Z, scores):
    """Not a bit depends on the rows beside one, be they complete or not."""
    assert_array_equal(score(Z[-1:].copy())[:, 0], scores[:, -1])
    whole = ~np.isnan(Z).any(axis=1)
    assert_array_equal(score(Z[whole]), scores[:, whole])


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize(("n_rows", "holes"), TABLES)
def test_rbf_scores_are_sums_of_kernels(n_rows, holes, offset):
    """Far from the origin as well, where single precision holds no small distances."""
    Z, columns, rng = make(n_rows, holes)
    Z += offset
    sizes = zip(N_VECTORS, COLUMNS, strict=True)
    vectors = [rng.normal(size=(n, len(some))) + offset for n, some in sizes]
    duals = [rng.normal(size=n) for n in N_VECTORS]
    widths, intercepts = np.array([2.0, 7.0, 0.3, 9.0]), rng.normal(size=4)
    support = packed(vectors, duals, widths, intercepts)
    scores = rbf_scores(Z, columns, support)
    expected = [
        [naive_rbf(row[some], *of_neuron) for row in Z]
        for some, *of_neuron in zip(COLUMNS, vectors, duals, widths, intercepts, strict=True)
    ]
    assert_allclose(scores, expected, atol=1e-5 if holes else 3e-6)
    assert_rows_are_scored_alone(lambda some: rbf_scores(some, columns, support), Z, scores)


@pytest.mark.parametrize(("n_rows", "holes"), TABLES)
def test_linear_scores_are_products_with_the_centre_for_what_is_missing(n_rows, holes):
    Z, columns, rng = make(n_rows, holes)
    coefs, centres = rng.normal(size=(2, STARTS[-1]))
    intercepts = rng.normal(size=4)
    scores = linear_scores(Z, columns, coefs, centres, intercepts)
    for some, part, line, intercept in zip(COLUMNS, PARTS, scores, intercepts, strict=True):
        block = np.where(np.isnan(Z[:, some]), centres[part], Z[:, some])
        assert_allclose(line, block @ coefs[part] + intercept, atol=1e-12)
    assert_rows_are_scored_alone(
        lambda some: linear_scores(some, columns, coefs, centres, intercepts), Z, scores
    )


@pytest.mark.parametrize(("n_rows", "holes"), TABLES)
def test_gaussian_scores_compare_densities_of_what_is_known(n_rows, holes):
    Z, columns, rng = make(n_rows, holes)
    means = rng.normal(size=(2, STARTS[-1]))
    variances = rng.uniform(0.3, 2.0, size=means.shape)
    scores = gaussian_scores(Z, columns, means, variances)
    for some, part, line in zip(COLUMNS, PARTS, scores, strict=True):
        one, other = (
            -((Z[:, some] - m[part]) ** 2) / (2 * v[part]) - np.log(v[part]) / 2
            for m, v in zip(means, variances, strict=True)
        )
        assert_allclose(line, 2 * np.nansum(other - one, axis=1) / len(some), atol=1e-12)
    assert_rows_are_scored_alone(
        lambda some: gaussian_scores(some, columns, means, variances), Z, scores
    )


def test_far_values_do_not_make_gaussian_scores_infinite():
    """Quotients end at 1e150, so that both classes are equally far from a far row."""
    means, variances = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[1e-9, 1.0], [1e-9, 1.0]])
    Z = np.array([[1e150, 0.0], [0.0, 1e150], [1e300, -1e300], [0.0, 0.0]])
    with np.errstate(over="ignore"):  # of plain Python; a compiled kernel goes on with infinity
        scores = gaussian_scores(Z, TWO_COLUMNS, means, variances)[0]
    assert_allclose(scores, [-0.5, -5e8, 0.0, -(1e9 + 1) / 2])


def test_rows_far_beyond_single_precision_are_near_no_support_vector():
    vectors, duals = np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, -3.0])
    ends = np.array([1.0]), np.array([0.25])  # squared width and intercept
    support = pack_support(vectors, duals, np.array([2]), TWO_COLUMNS.starts, *ends)
    Z = np.array([[1e150, 0.0], [-1e300, 1e300], [1e20, np.nan], [1e4, 1e4]])
    with np.errstate(over="ignore"):  # of plain Python; a compiled kernel goes on with infinity
        scores = rbf_scores(Z, TWO_COLUMNS, support)
    assert_allclose(scores, 0.25, atol=1e-30)


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
    exact = 2.0 ** single.astype(float)
    assert_allclose([power_of_two_32(power) for power in single], exact, rtol=3e-7)


@pytest.mark.parametrize("power", [-2000.0, -np.inf, np.nan])
def test_tiny_powers_of_two(power):
    assert power_of_two(power) == 2.0**-1022
    assert 0 < power_of_two_32(np.float32(power)) < 1.2e-38
