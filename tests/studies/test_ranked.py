"""Measures of ranked lists and mean ranks, by worked examples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from studies._ranked import best_row_ari, row_column_jaccard, weighted_row_ari
from studies.ranks import describe_ranks

PLANTED = ([0, 1, 2, 3], [0, 1])
MISSED = ([0, 1, 8], [1, 2, 3])
ROWS_ONLY, COLUMNS_ONLY, BOTH = ([0, 1, 2, 3], [7]), ([8, 9], [0]), ([0, 1], [0])
MASK = np.array([True, True, False, False, False, False])


@pytest.mark.parametrize(
    ("found", "planted", "n_first", "expected"),
    [
        ([MISSED, PLANTED], PLANTED, 1, (2 / 5, 1 / 4)),  # better ones behind it are not judged
        ([MISSED, PLANTED], PLANTED, 2, (1, 1)),
        ([PLANTED, MISSED], PLANTED, 1, (1, 1)),
        ([MISSED, PLANTED], PLANTED, None, (1, 1)),
        ([ROWS_ONLY, BOTH], PLANTED, 2, (0.5, 0.5)),  # the best shares most cells
        ([COLUMNS_ONLY, ROWS_ONLY], PLANTED, 2, (1, 0)),  # or has the largest sum of both
        ([], PLANTED, 1, (0, 0)),
        ([(MASK, [0, 1])], PLANTED, 1, (0.5, 1)),
        ([([0], [])], ([0], []), 1, (1, 0)),
    ],
)
def test_jaccard_of_rows_and_columns(found, planted, n_first, expected):
    assert row_column_jaccard(found, planted, n_first=n_first) == expected


def test_the_adjusted_rand_index_of_two_divisions():
    # Divisions 11000 0 and 10000 0 of six rows. Of 15 pairs, 7 are joined by the group, 10 by the
    # pattern and 6 by both; 7 * 10 / 15 would be by chance.
    expected = (6 - 70 / 15) / ((7 + 10) / 2 - 70 / 15)
    assert_allclose(best_row_ari([([0], [0])], [0, 1], range(6)), expected)
    assert best_row_ari([], [0, 1], range(6)) == 0
    # Rows outside the cases are ignored.
    assert best_row_ari([([0, 1, 6, 7], [0])], [0, 1], range(6)) == 1
    assert best_row_ari([([0, 1, 5], [0])], [0, 1], range(6)) < 1
    # Only the first ten count.
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
    assert weighted_row_ari([], [PLANTED], 6) == 0


# --- mean ranks over the data sets of a reproduction


def fold(dataset, model, acc, protocol="clean"):
    return {"dataset": dataset, "model": model, "protocol": protocol, "acc": str(acc)}


def test_models_are_ranked_by_their_means_over_folds():
    folds = [
        fold(dataset, model, acc)
        for dataset in ("colon", "wdbc", "sonar", "parkinsons", "ringnorm", "twonorm")
        for model, accs in (("SP", (0.5, 0.8)), ("BN_CV", (0.7, 0.7)))
        for acc in accs
    ]
    folds += [fold("colon", "SP", 1.0, "paper"), fold("eeg-A-B", "SP", 1.0)]
    text = describe_ranks(folds, "acc")
    assert "acc over 6 data sets" in text
    assert "| BN_CV | 1.00 |" in text
    assert "| SP | 2.00 |" in text
    assert "| BN_CV against SP | 0.0312 | 0.0312 |" in text
