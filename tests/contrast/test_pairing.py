import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import contrast
from oracles.contrast import naive_nearest_rows
from oracles.residue import naive_submatrix
from strategies import index_sets, tie_free_matrices

from bicneuron.patterns import Pattern, contrastive_pairs, ranking


@st.composite
def problems(draw):
    """A matrix, biclusters among some rows, and all other rows."""
    Z = draw(tie_free_matrices(min_rows=5, max_rows=14))
    n_anchor = draw(st.integers(2, len(Z) - 1))
    order = np.array(draw(st.permutations(range(len(Z)))))
    anchor_rows, pool = np.sort(order[:n_anchor]), np.sort(order[n_anchor:])
    biclusters = [
        Pattern(
            anchor_rows[draw(index_sets(n_anchor, min_size=2))], draw(index_sets(Z.shape[1])), 0.0
        )
        for _ in range(draw(st.integers(0, 4)))
    ]
    return Z, biclusters, pool


def pair(ratio, criterion=None, label="a"):
    rows = np.array([0])
    return Pattern(
        rows,
        rows,
        contrast_rows=rows,
        anchor_class=label,
        kind="pair",
        msr_ratio=ratio,
        criterion=ratio if criterion is None else criterion,
    )


@given(problems(), st.sampled_from([0.1, 0.5, 1.0, 1.7, 30.0]))
def test_pairs_agree_with_their_definition(problem, contrast_size):
    Z, biclusters, pool = problem
    pairs = contrastive_pairs(Z, biclusters, pool, anchor_class="a", contrast_size=contrast_size)
    assert len(pairs) == len(biclusters)
    for found, paired in zip(biclusters, pairs, strict=True):
        size = contrast.naive_contrast_size(contrast_size, len(found.rows), len(pool))
        nearest = naive_nearest_rows(Z.tolist(), found.rows, found.columns, pool.tolist(), size)
        blocks = [np.array(naive_submatrix(Z, r, found.columns)) for r in (found.rows, nearest)]
        assert (paired.kind, paired.anchor_class) == ("pair", "a")
        assert_array_equal(paired.rows, found.rows)
        assert_array_equal(paired.contrast_rows, nearest)
        assert_array_equal(paired.columns, found.columns)
        assert_allclose(paired.msr_ratio, contrast.naive_msr_ratio(*blocks), rtol=1e-9, atol=1e-9)
        assert paired.criterion == paired.msr_ratio


@pytest.mark.parametrize(
    ("contrast_size", "expected"),
    [(1.0, 5), (0.01, 1), (0.5, 3), (0.49, 2), (1.4, 7), (1.8, 8), (1e300, 8), (math.inf, 8)],
)
def test_number_of_contrast_rows(contrast_size, expected):
    """Five anchor rows, eight others; halves are rounded up."""
    Z = np.random.default_rng(0).standard_normal((13, 3))
    found = Pattern(np.arange(5), np.arange(3), 0.0)
    (paired,) = contrastive_pairs(
        Z, [found], np.arange(5, 13), anchor_class=1, contrast_size=contrast_size
    )
    assert len(paired.contrast_rows) == expected


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.3, 0.5, 0.9, math.inf]), st.integers(-2, 2))),
    st.sampled_from([0.0, 0.4, 0.5, 0.9, math.inf]),
)
def test_ranking_cuts_on_the_ratio_and_sorts_by_the_criterion(values, max_ratio):
    pairs = [pair(ratio, float(value), label) for label, (ratio, value) in enumerate(values)]
    kept = [p for p in pairs if p.msr_ratio <= max_ratio]
    in_order = sorted(kept, key=lambda p: (p.criterion, p.anchor_class))
    assert [pairs[k] for k in ranking(pairs, max_ratio)] == in_order


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_has_no_order_is_refused(value):
    Z = np.array([[0.1, 0.2], [0.3, 0.4], [0.9, 0.1], [0.2, 0.4]])
    Z[3, 1] = value
    found = Pattern(np.array([0, 1]), np.array([0, 1]), 0.0)
    with pytest.raises(ValueError, match="Z has values that are not finite"):
        contrastive_pairs(Z, [found], np.array([2, 3]), anchor_class="a")


def test_finite_values_are_taken_whatever_they_sum_up_to():
    Z = np.array([[0.1, 0.2], [0.3, 0.4], [0.9, 0.1], [0.2, 0.4]])
    found, pool = Pattern(np.array([0, 1]), np.array([0, 1]), 0.0), np.array([2, 3])
    beside_huge_ones = np.column_stack([Z, np.full(4, 1.7e308)])
    assert contrastive_pairs(beside_huge_ones, [found], pool, anchor_class="a") == (
        contrastive_pairs(Z, [found], pool, anchor_class="a")
    )
