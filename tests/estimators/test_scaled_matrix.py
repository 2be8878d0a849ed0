"""Scaled sparse matrices are, wherever they are looked at, the scaled dense matrix."""

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csc_array

from bicneuron._shared import _scaling
from bicneuron._shared._scaling import (
    ScaledSparse,
    dense,
    minmax_scaling,
    row_chunks,
    scaled,
    scaling_of,
    soft_scaling,
    zscore_scaling,
)

SCALINGS = [minmax_scaling, zscore_scaling, soft_scaling]


@pytest.fixture(autouse=True)
def few_cells():
    """Small matrices are cut into many parts, as large ones are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_scaling, "MAX_CELLS", 60)
        yield


@st.composite
def counts(draw):
    """Many zeros, many ties, some columns all zero; now and then negative or huge values."""
    shape = draw(st.integers(1, 9)), draw(st.integers(1, 70))
    rng = np.random.default_rng(draw(strategies.seeds()))
    X = rng.poisson(0.4, shape) * draw(st.sampled_from([1.0, -1.0, 0.1, 1e200, 1e-200]))
    return X * rng.choice([1.0, 1.0, -3.0], shape)


def sparse_with_explicit_zeros(X):
    """Every third value is stored, zero or not."""
    mask = (X != 0) | (np.arange(X.size).reshape(X.shape) % 3 == 0)
    rows, columns = np.nonzero(mask)
    return csc_array((X[rows, columns], (rows, columns)), X.shape)


@pytest.mark.parametrize("fit", SCALINGS)
@settings(deadline=None)
@given(X=counts())
def test_the_scaling_of_a_sparse_matrix_is_that_of_the_dense_one(fit, X):
    here, there = scaling_of(fit, sparse_with_explicit_zeros(X)), fit(X)
    for one, other in zip(np.ravel([*here]), np.ravel([*there]), strict=True):
        assert_array_equal(one, other)


@settings(deadline=None)
@given(X=counts())
def test_a_scaling_may_build_on_one_that_is_known(X):
    known = minmax_scaling(X)
    for matrix in (X, sparse_with_explicit_zeros(X)):
        for one, other in zip(
            scaling_of(zscore_scaling, matrix, known), zscore_scaling(X), strict=True
        ):
            assert_array_equal(one, other)


@pytest.mark.compiled_only
def test_rows_by_the_thousand_are_summed_up_in_the_same_order():
    X = np.random.default_rng(0).poisson(0.3, (9000, 5)) * 0.1
    for one, other in zip(scaling_of(zscore_scaling, csc_array(X)), zscore_scaling(X), strict=True):
        assert_array_equal(one, other)


@pytest.mark.parametrize("fit", SCALINGS)
@settings(deadline=None)
@given(X=counts(), data=st.data())
def test_it_is_indexed_as_the_array(fit, X, data):
    scaling = fit(X)
    Z = scaling.apply(X)
    lazy = ScaledSparse(sparse_with_explicit_zeros(X), scaling)
    assert (lazy.shape, len(lazy)) == (Z.shape, len(Z))
    rows, columns = (
        data.draw(st.lists(st.integers(0, k - 1), min_size=1, max_size=12).map(np.array))
        for k in X.shape
    )
    mask = np.arange(len(X)) % 2 == 0
    for index in [
        np.ix_(rows, columns),
        (rows[:, None], columns),
        (slice(None), columns),
        (slice(1, 4), columns),
        (rows, columns[0]),
    ]:
        assert_array_equal(lazy[index], Z[index])
    for some in (rows, mask, slice(0, 3)):
        assert_array_equal(dense(lazy[some]), Z[some])
    assert_array_equal(np.vstack(list(lazy.row_chunks(columns))), Z[:, columns])
    for kind in (csc_array, np.asarray):
        parts = list(row_chunks(kind(X), columns, scaling))
        assert all(part.size <= max(_scaling.MAX_CELLS, len(columns)) for part in parts)
        assert_array_equal(np.vstack(parts), Z[:, columns])


@pytest.mark.parametrize(("n_columns", "kind"), [(6, np.ndarray), (7, ScaledSparse)])
def test_what_is_small_becomes_an_array(n_columns, kind):
    X = np.arange(10.0 * n_columns).reshape(10, n_columns)
    scaling = minmax_scaling(X)
    Z = scaled(csc_array(X), scaling)
    assert isinstance(Z, kind)
    assert_array_equal(dense(Z), scaling.apply(X))


def test_an_array_is_left_as_it_is():
    X = np.arange(12.0).reshape(3, 4)
    scaling = minmax_scaling(X)
    assert_array_equal(scaled(X, scaling), scaling.apply(X))
    assert dense(X) is X


@settings(deadline=None)
@given(data=st.data())
def test_blocks_are_cut_into_small_parts_that_hold_them(data):
    shape = 20, 30
    Z = ScaledSparse(csc_array(shape), minmax_scaling(np.zeros(shape)))
    block = st.tuples(*(strategies.index_sets(k, max_size=8) for k in shape))
    blocks = data.draw(st.lists(block, min_size=1, max_size=12))
    chunks = list(Z.chunks(blocks))
    numbers = range(len(blocks))
    assert [k for chunk in chunks for k in numbers[chunk.blocks]] == [*numbers]
    for chunk in chunks:
        some = blocks[chunk.blocks]
        assert_array_equal(chunk.rows, np.unique(np.concatenate([rows for rows, _ in some])))
        assert_array_equal(chunk.columns, np.unique(np.concatenate([cols for _, cols in some])))
        assert len(some) == 1 or len(chunk.rows) * len(chunk.columns) <= _scaling.MAX_CELLS
