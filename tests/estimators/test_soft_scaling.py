import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from strategies import blocks

from bicneuron._shared._scaling import soft_scaling

EXTREMES = [
    [1e300, -1e300, 3e299, 0.0],
    [1e-300, 3e-300, -2e-300, 0.0],
    [5e-324, 0.0, 1e-323, 0.0],
    [np.finfo(float).max, -np.finfo(float).max, 1.0, 2.0],
]


def scaled(X):
    return soft_scaling(X).apply(X)


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


varied = blocks(min_rows=3).filter(
    lambda X: (
        np.all(np.ptp(X, axis=0) > 1e-3)
        and np.all(np.ptp(np.quantile(X, (0.25, 0.75), axis=0), axis=0) > 1e-6)
    )
)


@given(varied)
def test_it_is_the_definition(X):
    expected = np.column_stack([twin(column) for column in X.T])
    assert_allclose(scaled(X), expected, rtol=1e-7, atol=1e-7)


def test_equal_quartiles_take_the_standard_deviation():
    column = np.array([0.0, 0, 0, 0, 0, 0, 0, 3, 9, 0, 0, 0])
    assert_allclose(scaled(column[:, None])[:, 0], twin(column), rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e300, 5e-324])
def test_constant_columns_become_exactly_zero(value):
    X = np.column_stack([np.full(7, value), np.arange(7.0)])
    Z = scaled(X)
    assert_array_equal(Z[:, 0], 0)
    assert_allclose([Z[:, 1].mean(), Z[:, 1].std()], [0, 1], atol=1e-12)


@given(varied, st.integers(-30, 30))
def test_units_do_not_matter(X, power):
    assert_array_equal(scaled(np.ldexp(X, power)), scaled(X))


@given(varied)
def test_order_is_kept(X):
    Z = scaled(X)
    for x, z in zip(X.T, Z.T, strict=True):
        assert np.all(np.diff(z[np.argsort(x, kind="stable")]) >= 0)


@pytest.mark.parametrize("column", EXTREMES)
def test_extreme_values_stay_finite(column):
    X = np.array(column)[:, None]
    fitted = soft_scaling(X)
    far = np.array([[np.finfo(float).max], [-np.finfo(float).max], [0.0]])
    assert np.isfinite(fitted.apply(X)).all()
    assert np.isfinite(fitted.apply(far)).all()


def test_a_far_value_leaves_the_others_apart():
    rng = np.random.default_rng(0)
    X = np.append(rng.normal(size=99), 1e9)[:, None]
    z = scaled(X)[:, 0]
    assert np.ptp(z[:99]) > 1  # as z-scores they would all be the same number
    assert np.abs(z).max() < 10


@pytest.mark.parametrize("n_columns", [1, 2, 5])
def test_columns_do_not_depend_on_each_other(n_columns, monkeypatch):
    monkeypatch.setattr("bicneuron._shared._scaling.VALUES_PER_SORT", 40)
    X = np.random.default_rng(1).lognormal(size=(20, n_columns))
    for j in range(n_columns):
        assert_allclose(scaled(X)[:, j], scaled(X[:, [j]])[:, 0], rtol=1e-12)


def test_the_input_is_not_changed():
    X = np.random.default_rng(2).normal(size=(10, 3))
    before = X.copy()
    scaled(X)
    assert_array_equal(X, before)


@given(varied)
def test_undo_gives_the_columns_own_units(X):
    fitted = soft_scaling(X)
    assert_allclose(fitted.undo(fitted.apply(X)), X, rtol=1e-7, atol=1e-7)
    some = np.arange(X.shape[1])[::2]
    assert_array_equal(fitted.take(some).apply(X[:, some]), fitted.apply(X)[:, some])
