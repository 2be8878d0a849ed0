"""Scalings of columns: their definitions, extremes, units, and parts of tables."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array
from strategies import blocks, seeds

from bicneuron._core._scale_columns import FARTHEST, ROWS_PER_SUM
from bicneuron._shared._scaling import (
    RobustScaling,
    minmax_scaling,
    row_chunks,
    soft_scaling,
    zscore_scaling,
)

both = pytest.mark.parametrize("scaling_of", [minmax_scaling, zscore_scaling])
every = pytest.mark.parametrize("scaling_of", [minmax_scaling, zscore_scaling, soft_scaling])
varied = blocks(min_rows=2).filter(lambda X: np.all(np.ptp(X, axis=0) > 0))
EXTREMES = [
    [1e300, -1e300, 3e299],
    [1e-300, 3e-300, -2e-300],
    [1e300, 1e-300, 0.0],
    [-1e300, 1e-300, 0.5],
    [5e-324, 0.0, 1e-323],
    [np.finfo(float).max, -np.finfo(float).max, 1.0],
]


def scaled(X, scaling_of):
    return scaling_of(X).apply(X)


def naive_minmax(X):
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


def naive_zscore(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize(
    ("scaling_of", "naive"), [(minmax_scaling, naive_minmax), (zscore_scaling, naive_zscore)]
)
@given(varied)
def test_it_is_the_definition(scaling_of, naive, X):
    assert_allclose(scaled(X, scaling_of), naive(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_rows", [ROWS_PER_SUM, ROWS_PER_SUM + 1, 2 * ROWS_PER_SUM + 5])
def test_zscore_of_many_rows(n_rows):
    X = np.random.default_rng(0).gamma(1.0, size=(n_rows, 2)) * 7 - 3
    assert_allclose(scaled(X, zscore_scaling), naive_zscore(X), rtol=1e-9, atol=1e-9)


@every
@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e16 + 0.1, 1e300, 1e-300, 5e-324])
def test_constant_columns_become_exactly_zero(scaling_of, value):
    X = np.column_stack([np.full(7, value), np.arange(7.0)])
    Z = scaled(X, scaling_of)
    assert_array_equal(Z[:, 0], 0)
    assert np.ptp(Z[:, 1]) > 0
    assert_array_equal(scaled(X[:1], scaling_of), [[0, 0]])


@pytest.mark.parametrize("column", EXTREMES)
def test_extreme_columns_are_scaled_like_ordinary_ones(column):
    """As if divided by a power of two near their largest magnitude, which is exact."""
    exponent = int(np.frexp(np.abs(column).max())[1])
    X = np.array(column)[:, None]
    ordinary = np.ldexp(X, -exponent)
    spread = np.ptp(ordinary, axis=0)
    assert_array_equal(scaled(X, minmax_scaling), (ordinary - ordinary.min(axis=0)) / spread)
    expected = (ordinary - ordinary.mean(axis=0)) / ordinary.std(axis=0)
    assert_allclose(scaled(X, zscore_scaling), expected, rtol=1e-12, atol=1e-15)


@every
@given(X=varied, data=st.data())
def test_units_that_are_powers_of_two_do_not_matter(scaling_of, X, data):
    exponents = [data.draw(st.integers(-900, 900)) for _ in range(X.shape[1])]
    scaling = scaling_of(np.ldexp(X, exponents))
    original = scaling_of(X)
    for other in (X, 3 * X[::-1] - 1):
        moved = scaling.apply(np.ldexp(other, exponents))
        assert_array_equal(moved, original.apply(other))


@both
def test_a_small_spread_beside_a_large_level_keeps_its_digits(scaling_of):
    steps = np.array([[0.0], [3.0], [4.0], [9.0]])
    assert_allclose(
        scaled(2.0**40 + steps, scaling_of), scaled(steps, scaling_of), rtol=1e-9, atol=1e-9
    )


@every
@pytest.mark.parametrize("column", [[0.0, 1.0], [1e-300, 2e-300], [5e-324, 0.0], [7.0, 7.0]])
def test_unseen_extremes_stay_finite(scaling_of, column):
    scaling = scaling_of(np.array(column)[:, None])
    largest = np.finfo(float).max
    far = scaling.apply(np.array([[largest], [-largest], [1e-320]]))
    assert np.isfinite(far**2).all()
    assert_array_equal(np.sign(far[:2, 0]), [1, -1])


@both
@pytest.mark.parametrize("order", ["C", "F"])
def test_columns_taken_from_either_order_to_the_last_bit(scaling_of, order):
    X = np.array([*EXTREMES, [0.1, -3.0, 7.5]], order=order)
    scaling = scaling_of(X)
    with np.errstate(all="ignore"):
        expected = (np.ldexp(X, -scaling.exponent) - scaling.shift) / scaling.scale
    expected = np.clip(expected, -FARTHEST, FARTHEST)
    assert_array_equal(scaling.apply(X), expected)
    columns = np.array([2, 0])
    part = scaling.take(columns).apply(X[:, columns])
    assert_array_equal(part, expected[:, columns])
    assert part.flags.c_contiguous


@every
@pytest.mark.parametrize(
    "n_rows", [7, pytest.param(2 * ROWS_PER_SUM + 1, marks=pytest.mark.compiled_only)]
)
def test_float32_and_either_order_are_scaled_as_float64_in_c_order(scaling_of, n_rows):
    single = np.random.default_rng(0).gamma(1.0, size=(n_rows, 2)).astype(np.float32)
    single[:, 1] *= np.float32(1e37)
    expected = scaled(single.astype(np.float64), scaling_of)
    assert expected.dtype == np.float64
    for kind in (single, np.asfortranarray(single), np.asfortranarray(single, dtype=np.float64)):
        found = scaled(kind, scaling_of)
        assert found.flags.c_contiguous
        assert_array_equal(found, expected)


@pytest.mark.parametrize("columns", [[0, 3], [-1, 0], [10**9, 0]])
def test_columns_that_are_not_there_are_refused(columns):
    X = np.arange(12.0).reshape(4, 3)
    scaling = minmax_scaling(X)
    with pytest.raises(ValueError, match="does not fit X, which has 3 columns"):
        next(row_chunks(X, np.array(columns), scaling))
    with pytest.raises(ValueError, match="a scaling of 2 columns does not fit the 3 columns"):
        scaling.take(np.array([0, 1])).apply(X)


def test_rows_in_parts_are_those_of_the_whole(monkeypatch):
    monkeypatch.setattr("bicneuron._shared._scaling.MAX_CELLS", 60)
    X = np.random.default_rng(0).poisson(0.4, (90, 7)) * 0.1
    scaling, columns = soft_scaling(X), np.array([5, 0, 2])
    for table in (X, csc_array(X)):
        parts = list(row_chunks(table, columns, scaling))
        assert len(parts) == 5
        assert_array_equal(np.vstack(parts), scaling.apply(X)[:, columns])


def test_a_scaling_may_build_on_one_that_is_known():
    X = np.random.default_rng(0).poisson(0.4, (90, 7)) * 0.1
    for one, other in zip(zscore_scaling(X, minmax_scaling(X)), zscore_scaling(X), strict=True):
        assert_array_equal(one, other)


def twin(column):
    """From the definition, for one column without extremes."""
    ordered = sorted(column)

    def quantile(share):
        place = share * (len(ordered) - 1)
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (place - below) * (ordered[above] - ordered[below])

    spread = quantile(0.75) - quantile(0.25)
    if spread == 0:
        spread = np.std(column)
    soft = [np.arcsinh((x - quantile(0.5)) / spread) for x in column]
    return [(s - np.mean(soft)) / np.std(soft) for s in soft]


with_spread = blocks(min_rows=3).filter(
    lambda X: (
        np.all(np.ptp(X, axis=0) > 1e-3)
        and np.all(np.ptp(np.quantile(X, (0.25, 0.75), axis=0), axis=0) > 1e-6)
    )
)


@given(with_spread)
@example(np.array([[0.0, 0, 0, 0, 0, 0, 0, 3, 9, 0, 0, 0]]).T).via("equal quartiles")
def test_soft_scaling_is_the_definition(X):
    expected = np.column_stack([twin(column) for column in X.T])
    assert_allclose(scaled(X, soft_scaling), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("n_columns", [1, 2, 5])
def test_columns_do_not_depend_on_each_other(n_columns, monkeypatch):
    monkeypatch.setattr("bicneuron._shared._scaling.VALUES_PER_SORT", 40)
    X = np.random.default_rng(1).lognormal(size=(20, n_columns))
    for j in range(n_columns):
        assert_allclose(
            scaled(X, soft_scaling)[:, j], scaled(X[:, [j]], soft_scaling)[:, 0], rtol=1e-12
        )


@given(with_spread)
def test_undo_gives_the_columns_own_units(X):
    fitted = soft_scaling(X)
    assert_allclose(fitted.undo(fitted.apply(X)), X, rtol=1e-7, atol=1e-7)
    some = np.arange(X.shape[1])[::2]
    assert_array_equal(fitted.take(some).apply(X[:, some]), fitted.apply(X)[:, some])


@given(seeds())
def test_robust_scores_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_cauchy((9, 4)).round(2)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[0, 0], X[1, 1] = np.inf, -np.inf
    centre, shift = rng.normal(size=(2, 4))
    spread, scale = rng.uniform(0.1, 2, size=(2, 4))
    for clip in (4.0, 1e6):
        clipped = np.clip((X - centre) / spread, -clip, clip)
        expected = np.round((clipped - shift) / scale, 5)
        found = RobustScaling(centre, spread, shift, scale).apply(X, clip)
        assert_array_equal(found, np.where(np.isnan(X), 0.0, expected))
        assert not np.signbit(found[found == 0]).any()
