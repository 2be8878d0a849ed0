from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.merge import naive_union_residue
from packing import packed
from strategies import distinct_blocks, matrices_and_blocks, max_residues, seeds

from bicneuron._core._unions import (
    far_apart,
    residues_of_pairs,
    row_distances,
    union_of_sorted,
    union_residues,
)


@pytest.mark.parametrize("residues", [union_residues, residues_of_pairs])
@settings(deadline=None)
@given(matrices_and_blocks(), max_residues(), st.data())
def test_residues_of_unions(residues, case, bound, data):
    Z, blocks = case
    pairs = list(combinations(range(len(blocks)), 2))
    pairs = data.draw(st.lists(st.sampled_from(pairs), max_size=40)) if pairs else []
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    exact = np.array([naive_union_residue(Z.tolist(), blocks[a], blocks[b]) for a, b in pairs])
    got = residues(np.ascontiguousarray(Z.T), packed(blocks), first, second, bound, 1000)
    assert_allclose(got, np.where(exact <= bound, exact, np.inf), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("residues", [union_residues, residues_of_pairs])
def test_a_union_exactly_at_the_bound(residues):
    columns_of = np.array([[0.0, 0.0], [1.0, -1.0]])
    blocks = packed([({0, 1}, {0}), ({0, 1}, {1})])
    pair = np.array([0]), np.array([1])
    assert residues(columns_of, blocks, *pair, 0.25, 2) == 0.25
    assert residues(columns_of, blocks, *pair, 0.25, 1) == np.inf
    assert residues(columns_of, blocks, *pair, np.nextafter(0.25, 0), 2) == np.inf


@settings(deadline=None)
@given(distinct_blocks(7, 7, max_blocks=4).filter(bool), st.data())
def test_union_of_sorted_lists(blocks, data):
    a, b = (data.draw(st.integers(0, len(blocks) - 1)) for _ in range(2))
    flat = packed(blocks)
    union = union_of_sorted(flat.rows, flat.row_starts, a, b)
    assert_array_equal(union, sorted(blocks[a][0] | blocks[b][0]))


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_distances_of_rows(offset):
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((9, 12)) + offset
    rows, columns = np.array([1, 4, 6]), np.array([0, 3, 5, 11])
    centred = Z[:, columns] - Z[:, columns].mean(axis=1, keepdims=True)
    exact = ((centred - centred[rows].mean(axis=0)) ** 2).sum(axis=1)
    least, most = row_distances(np.ascontiguousarray(Z.T), rows, columns)
    assert (least <= exact).all()
    assert (exact <= most).all()
    assert_allclose(least, most, rtol=1e-4)


@settings(deadline=None)
@given(seeds(), st.sampled_from([0.0, 0.01, 0.1]), st.sampled_from([0.0, 1e6]))
def test_no_union_within_the_bound_is_given_up(seed, noise, offset):
    """Bounds that a union just keeps, of blocks that share few lines or many."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((6, 1)) + rng.standard_normal(8) + noise * rng.standard_normal((6, 8))
    Z[:, 0] += offset
    blocks = [
        tuple(set(rng.permutation(size)[: rng.integers(1, size)].tolist()) for size in Z.shape)
        for _ in range(12)
    ]
    columns_of, flat = np.ascontiguousarray(Z.T), packed(blocks)
    hosts, guests = np.zeros(11, np.intp), np.arange(1, 12)
    for guest in guests:
        bound = naive_union_residue(Z.tolist(), blocks[0], blocks[guest])
        assert not far_apart(columns_of, flat, hosts, guests, bound)[guest - 1]


@settings(deadline=None)
@given(seeds(), st.sampled_from([0.1, 1.0]))
def test_no_host_is_taken_for_another(seed, noise):
    """All pairs of many blocks: each is far apart only if its own union is."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((6, 1)) + noise * rng.standard_normal((6, 10))
    blocks = [
        tuple(set(rng.permutation(size)[: rng.integers(1, size)].tolist()) for size in Z.shape)
        for _ in range(6)
    ]
    pairs = list(permutations(range(6), 2))
    hosts, guests = np.array(pairs).T
    exact = np.array([naive_union_residue(Z.tolist(), blocks[a], blocks[b]) for a, b in pairs])
    for bound in exact:
        apart = far_apart(np.ascontiguousarray(Z.T), packed(blocks), hosts, guests, bound)
        assert not apart[exact <= bound].any()


def test_blocks_far_apart_are_known_before_they_are_united():
    """Two patterns: blocks of one go together, those of different ones do not."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((20, 40))
    Z[:10, :20] = rng.standard_normal((10, 1)) + 0.01 * rng.standard_normal((10, 20))
    Z[10:, 20:] = rng.standard_normal((10, 1)) + 0.01 * rng.standard_normal((10, 20))
    same = [(set(range(k, k + 6)), set(range(k, k + 9))) for k in range(5)]
    other = [(set(range(10 + k, 16 + k)), set(range(20 + k, 29 + k))) for k in range(5)]
    columns_of, flat = np.ascontiguousarray(Z.T), packed([*same, *other])
    hosts, guests = np.zeros(9, np.intp), np.arange(1, 10)
    apart = far_apart(columns_of, flat, hosts, guests, 0.01)
    assert apart.tolist() == [False] * 4 + [True] * 5
    # Three guests have fewer rows than there are: nothing is computed for them.
    assert not far_apart(columns_of, flat, hosts[-3:], guests[-3:], 0.01).any()
    assert far_apart(columns_of, flat, hosts[-4:], guests[-4:], 0.01).all()
