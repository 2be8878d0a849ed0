import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles.cheng_church import naive_add_lines, naive_delete_many, naive_find_block
from strategies import index_sets, matrices, residues

from bicneuron._core._cheng_church import add_lines, delete_many, find_block


def told(rows, columns, is_mirrored):
    signs = np.where(is_mirrored, -1, 1)
    return dict(zip(rows.tolist(), signs.tolist(), strict=True)), columns.tolist()


@given(matrices(), residues(), st.sampled_from([1.0, 1.2, 2.0]), st.integers(2, 5))
def test_multiple_deletion_is_the_definition(Z, bound, threshold, least):
    rows, columns = delete_many(Z, bound, threshold, (least, 2), 3)
    expected = naive_delete_many(Z.tolist(), bound, threshold, (least, 2), 3)
    assert (rows.tolist(), columns.tolist()) == expected


@given(matrices(), st.data(), st.booleans())
def test_addition_is_the_definition(Z, data, mirror):
    rows, columns = (data.draw(index_sets(size, min_size=2)) for size in Z.shape)
    added = add_lines(Z, rows, columns, mirror)
    assert told(*added) == naive_add_lines(Z.tolist(), rows.tolist(), columns.tolist(), mirror)


@given(matrices(), residues(), st.booleans())
def test_all_steps_are_the_definition(Z, bound, mirror):
    found = told(*find_block(Z, bound, 1.2, (2, 2), mirror, 3))
    assert found == naive_find_block(Z.tolist(), bound, 1.2, (2, 2), mirror, 3)


def test_lines_are_not_deleted_beyond_the_minimum(rng):
    Z = rng.normal(size=(6, 5))
    rows, columns = delete_many(Z, 0.0, 1.0, Z.shape, 0)
    assert (rows.tolist(), columns.tolist()) == ([*range(6)], [*range(5)])
    assert len(delete_many(Z, 0.0, 1.0, (2, 5), 0)[0]) < 6


def test_a_mirrored_row_is_added_with_its_sign():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(8, 1)) + rng.normal(size=6) + 0.1 * rng.normal(size=(8, 6))
    centre = Z.mean(axis=0)
    Z[3] = 2 - centre  # fits turned over, better than any other row
    rows, _, is_mirrored = add_lines(Z, np.array([0, 1, 2, 4]), np.arange(6), True)
    assert 3 in rows[is_mirrored]
    assert 3 not in add_lines(Z, np.array([0, 1, 2, 4]), np.arange(6), False)[0]
