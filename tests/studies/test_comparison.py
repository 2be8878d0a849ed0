from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from studies._comparison import (
    compare_models,
    friedman_p_value,
    holm,
    mean_ranks,
    signed_rank_p_value,
)

# --- signed ranks


def counted_p_value(differences):
    """Two-sided p by counting all signs of the non-zero differences, ranks with ties shared."""
    sizes = [abs(d) for d in differences if d]
    ranks = [sum(b < a for b in sizes) + (sum(b == a for b in sizes) + 1) / 2 for a in sizes]
    total = sum(ranks)
    seen = sum(rank for rank, d in zip(ranks, filter(None, differences), strict=True) if d > 0)
    extreme = abs(seen - total / 2)
    sums = [
        sum(r for r, up in zip(ranks, signs, strict=True) if up)
        for signs in product((0, 1), repeat=len(ranks))
    ]
    return sum(abs(s - total / 2) >= extreme for s in sums) / len(sums)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
@settings(max_examples=25)
def test_signed_ranks_with_ties_and_zeros_equal_a_count_of_all_signs(differences):
    p = signed_rank_p_value(np.array(differences) / 10)
    assert p == pytest.approx(counted_p_value(differences))
    assert signed_rank_p_value(np.zeros(12)) == 1.0


def test_equal_differences_are_ties_though_their_last_bits_differ():
    assert 0.3 - 0.2 != 0.2 - 0.1
    expected = counted_p_value([1, 1, -2])
    assert signed_rank_p_value(np.array([0.3 - 0.2, 0.2 - 0.1, -0.2])) == pytest.approx(expected)


# --- Holm


@given(st.lists(st.integers(0, 100).map(lambda x: x / 100), max_size=8), st.randoms())
@settings(max_examples=25)
def test_holm(p_values, random):
    corrected = holm(p_values)
    ascending = sorted(p_values)
    for p, given_back in zip(p_values, corrected, strict=True):
        smaller = [(len(ascending) - k) * q for k, q in enumerate(ascending) if q <= p]
        assert given_back == pytest.approx(min(1, max(smaller)))
    order = random.sample(range(len(p_values)), len(p_values))
    assert holm([p_values[i] for i in order]) == [corrected[i] for i in order]


# --- over data sets


def test_comparison():
    result = compare_models(
        {
            "a": {"x": 0.7, "y": 0.9, "z": 0.5},
            "b": {"x": 0.8, "y": 0.8, "z": 0.9},
            "c": {"x": 0.6, "y": 0.7, "z": 0.5},
        }
    )
    assert result.datasets == ("a", "b", "c")
    assert result.models == ("y", "x", "z")
    assert result.mean_ranks == pytest.approx([4.5 / 3, 6.5 / 3, 7 / 3])
    found = {(p.first, p.second): (p.wins, p.ties, p.losses) for p in result.pairs}
    assert found == {("y", "x"): (2, 1, 0), ("y", "z"): (2, 0, 1), ("x", "z"): (2, 0, 1)}
    assert [p.p_holm for p in result.pairs] == holm([p.p_value for p in result.pairs])
    assert result.pairs[0].p_value == 0.5


@given(st.lists(st.tuples(*[st.integers(0, 9)] * 4), min_size=2, max_size=9))
@settings(deadline=None, max_examples=25)
def test_mean_ranks_and_friedman(rows):
    scores = np.array(rows, dtype=float)
    ranks = mean_ranks(scores)
    assert ranks.sum() == pytest.approx(10)
    expected = [
        np.mean(
            [sum(b > row[j] for b in row) + (row.count(row[j]) + 1) / 2 for row in scores.tolist()]
        )
        for j in range(4)
    ]
    assert ranks == pytest.approx(expected)
    p = friedman_p_value(scores)
    assert 0 <= p <= 1
    if np.ptp(scores, axis=1).any():
        assert p == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue)
    else:
        assert p == 1.0


def test_friedman_needs_three_models_and_two_data_sets():
    for shape in ((5, 2), (1, 3)):
        assert friedman_p_value(np.random.default_rng(0).random(shape)) is None
