import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.splits import naive_best_split, naive_gain, naive_log_rate, naive_normal_gain
from strategies import seeds

from bicneuron._core._splits import (
    axis_values,
    best_splits,
    gains_of_groups,
    largest_normal_gains,
    largest_values,
    log_rate,
    normal_gains,
    standardised,
)


def axes_of(seed, n_axes, n_rows):
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(n_axes, n_rows))
    axes[:, : n_rows // 4] += rng.choice([0.0, 3.0], n_axes)[:, None]
    return axes, rng.random(n_rows) < 0.5


@given(seeds(), st.integers(8, 30), st.booleans(), st.integers(2, 4), st.integers(4, 40))
def test_best_splits(seed, n_rows, labelled, fewest, most):
    axes, in_class = axes_of(seed, 5, n_rows)
    groups, values = best_splits(axes, in_class, labelled, fewest, most)
    for axis, group, value in zip(axes, groups, values, strict=True):
        rows, expected = naive_best_split(axis.tolist(), in_class.tolist(), labelled, fewest, most)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert set(np.flatnonzero(group)) == rows


@given(seeds(), st.integers(6, 30))
def test_gains_of_given_groups(seed, n_rows):
    rng = np.random.default_rng(seed)
    axes, _ = axes_of(seed, 6, n_rows)
    groups = np.zeros((2, n_rows), dtype=bool)
    for group in groups:
        group[rng.choice(n_rows, rng.integers(2, n_rows - 2), replace=False)] = True
    gains = gains_of_groups(axes.reshape(2, 3, n_rows), groups)
    for g, group in enumerate(groups):
        for a in range(3):
            axis = axes.reshape(2, 3, n_rows)[g, a]
            expected = naive_gain(axis.tolist(), group.tolist())
            if axis[group].mean() < axis.mean():
                expected = -expected
            assert gains[g, a] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_constant_axis_has_no_split_to_speak_of():
    groups, values = best_splits(np.ones((1, 12)), np.ones(12, bool), False, 3, 6)
    assert np.isfinite(values).all()
    assert 3 <= groups.sum() <= 6
    assert_array_equal(standardised(np.ones(4)), np.zeros(4))


@given(st.integers(1, 40), st.integers(0, 40))
def test_log_rate(trials, successes):
    successes = min(successes, trials)
    assert log_rate(successes, trials) == pytest.approx(
        naive_log_rate(successes, trials), rel=1e-9, abs=1e-12
    )


@given(seeds(), st.integers(1, 12), st.integers(1, 5))
def test_largest_values(seed, n_columns, count):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(4, n_columns)).astype(np.float32)
    left_out = rng.integers(-1, n_columns, 4)
    found = largest_values(values, left_out, count)
    for line, column, largest in zip(values, left_out, found, strict=True):
        kept = [v for j, v in enumerate(line) if j != column and v > 0]
        expected = (sorted(kept, reverse=True) + [0.0] * count)[:count]
        assert_allclose(largest, expected)


def sums_of(seed, n_groups, n_rows, n_columns):
    """Values, groups, and what the kernels need of them."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    # Some columns have almost one value in the first rows.
    Z[: n_rows // 2, : n_columns // 2] *= 0.05
    groups = rng.random((n_groups, n_rows)) < 0.5
    groups[:, :2] = True
    members = groups.astype(np.float32)
    sums = members @ Z, members @ np.square(Z), members.sum(axis=1)
    return Z, groups, sums, rng.random(n_columns) < 0.2


@given(seeds(), st.integers(4, 20), st.integers(1, 12))
def test_normal_gains(seed, n_rows, n_columns):
    Z, groups, sums, tied = sums_of(seed, 3, n_rows, n_columns)
    gains, linear, square = normal_gains(*sums, tied)
    for g, group in enumerate(groups):
        for j in range(n_columns):
            gain, mean, variance = naive_normal_gain(Z[group, j].tolist())
            is_narrow = variance < 1 and not tied[j]
            expected = gain if is_narrow else 0.0
            assert gains[g, j] == pytest.approx(expected, rel=1e-3, abs=1e-3)
            assert linear[g, j] == pytest.approx(mean / variance, rel=1e-3, abs=1e-3)
            assert square[g, j] == pytest.approx(0.5 - 0.5 / variance, rel=1e-3, abs=1e-3)


@given(seeds(), st.integers(4, 20), st.integers(1, 12), st.integers(1, 4))
def test_largest_normal_gains(seed, n_rows, n_columns, count):
    _, groups, sums, tied = sums_of(seed, 4, n_rows, n_columns)
    left_out = np.random.default_rng(seed).integers(-1, n_columns, len(groups))
    expected = largest_values(normal_gains(*sums, tied)[0], left_out, count)
    found = largest_normal_gains(*sums, tied, left_out, count)
    assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("with_squares", [True, False])
@given(seeds(), st.integers(0, 4), st.integers(1, 6), st.integers(1, 7))
def test_axis_values(with_squares, seed, n_axes, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    kept = rng.random((n_axes, n_columns)) < 0.4
    linear, squares = rng.normal(size=(2, n_axes, n_columns)).astype(np.float32)
    Z = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    if not with_squares:
        squares = np.zeros((0, 0), np.float32)
    expected = np.zeros((n_axes, n_rows))
    for a in range(n_axes):
        for row in range(n_rows):
            for j in np.flatnonzero(kept[a]):
                expected[a, row] += linear[a, j] * Z[row, j]
                if with_squares:
                    expected[a, row] += squares[a, j] * Z[row, j] ** 2
    assert_allclose(axis_values(kept, linear, squares, Z), expected, rtol=1e-4, atol=1e-5)
