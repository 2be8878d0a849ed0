"""Measures of ranked lists, by worked examples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from studies._ranked import best_row_ari, row_column_jaccard, weighted_row_ari

PLANTED = ([0, 1, 2, 3], [0, 1])


def test_the_first_is_judged_and_better_ones_behind_it_are_not():
    found = [([0, 1, 8], [1, 2, 3]), PLANTED]
    assert row_column_jaccard(found, PLANTED) == (2 / 5, 1 / 4)
    assert row_column_jaccard(found, PLANTED, n_first=2) == (1, 1)
    assert row_column_jaccard(found[::-1], PLANTED) == (1, 1)
    assert row_column_jaccard(found, PLANTED, n_first=None) == (1, 1)


def test_the_best_of_several_shares_most_cells():
    rows_only, both = ([0, 1, 2, 3], [7]), ([0, 1], [0])
    assert row_column_jaccard([rows_only, both], PLANTED, n_first=2) == (0.5, 0.5)
    # Neither has a common cell: the sum of both indices decides.
    columns_only = ([8, 9], [0])
    assert row_column_jaccard([columns_only, rows_only], PLANTED, n_first=2) == (1, 0)


def test_nothing_found_is_zero():
    assert row_column_jaccard([], PLANTED) == (0, 0)
    assert best_row_ari([], [0, 1], range(6)) == 0
    assert weighted_row_ari([], [PLANTED], 6) == 0


def test_masks_and_empty_column_sets_are_allowed():
    mask = np.array([True, True, False, False, False, False])
    assert row_column_jaccard([(mask, [0, 1])], PLANTED) == (0.5, 1)
    assert row_column_jaccard([([0], [])], ([0], [])) == (1, 0)


def test_the_adjusted_rand_index_of_two_divisions():
    # Divisions 11000 0 and 10000 0 of six rows. Of 15 pairs, 7 are joined by the group, 10 by the
    # pattern and 6 by both; 7 * 10 / 15 would be by chance.
    expected = (6 - 70 / 15) / ((7 + 10) / 2 - 70 / 15)
    assert_allclose(best_row_ari([([0], [0])], [0, 1], range(6)), expected)


def test_rows_outside_the_cases_are_ignored():
    assert best_row_ari([([0, 1, 6, 7], [0])], [0, 1], range(6)) == 1
    assert best_row_ari([([0, 1, 5], [0])], [0, 1], range(6)) < 1


def test_only_the_first_ten_count():
    found = [([5], [0])] * 10 + [([0, 1], [0])]
    assert best_row_ari(found, [0, 1], range(6)) < 0.1
    assert best_row_ari(found, [0, 1], range(6), n_first=11) == 1
    assert best_row_ari(found, [0, 1], range(6), n_first=None) == 1


def test_large_blocks_weigh_more():
    planted = [([0, 1, 2], [0]), ([4], [1])]
    missed = best_row_ari([([0, 1, 2], [0])], [4], range(8))
    found = weighted_row_ari([([0, 1, 2], [0])], planted, 8)
    assert_allclose(found, (3 * 1 + 1 * missed) / 4)
    assert weighted_row_ari([([4], [9]), ([0, 1, 2], [9])], planted, 8) == 1
    assert weighted_row_ari([([4], [9]), ([0, 1, 2], [9])], planted, 8, n_first=1) < 0.6


@pytest.mark.parametrize("n_first", [1, 10, None])
def test_a_perfect_list_is_perfect(n_first):
    assert row_column_jaccard([PLANTED], PLANTED, n_first=n_first) == (1, 1)
    assert weighted_row_ari([PLANTED], [PLANTED], 9, n_first=n_first) == 1
