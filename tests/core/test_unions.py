from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.merge import naive_union_residue
from packing import packed
from strategies import distinct_blocks, matrices_and_blocks, max_residues

from bicneuron._core._merge import union_of_sorted, union_residues


@settings(deadline=None)
@given(matrices_and_blocks(), max_residues(), st.data())
def test_residues_of_unions(case, bound, data):
    Z, blocks = case
    pairs = list(combinations(range(len(blocks)), 2))
    pairs = data.draw(st.lists(st.sampled_from(pairs), max_size=40)) if pairs else []
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    exact = np.array([naive_union_residue(Z.tolist(), blocks[a], blocks[b]) for a, b in pairs])
    got = union_residues(np.ascontiguousarray(Z.T), packed(blocks), first, second, bound, 1000)
    assert_allclose(got, np.where(exact <= bound, exact, np.inf), rtol=1e-9, atol=1e-12)


def test_a_union_exactly_at_the_bound():
    columns_of = np.array([[0.0, 0.0], [1.0, -1.0]])
    blocks = packed([({0, 1}, {0}), ({0, 1}, {1})])
    pair = np.array([0]), np.array([1])
    assert union_residues(columns_of, blocks, *pair, 0.25, 2) == 0.25
    assert union_residues(columns_of, blocks, *pair, 0.25, 1) == np.inf
    assert union_residues(columns_of, blocks, *pair, np.nextafter(0.25, 0), 2) == np.inf


@settings(deadline=None)
@given(distinct_blocks(7, 7, max_blocks=4).filter(bool), st.data())
def test_union_of_sorted_lists(blocks, data):
    a, b = (data.draw(st.integers(0, len(blocks) - 1)) for _ in range(2))
    flat = packed(blocks)
    union = union_of_sorted(flat.rows, flat.row_starts, a, b)
    assert_array_equal(union, sorted(blocks[a][0] | blocks[b][0]))
