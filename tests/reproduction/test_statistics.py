import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reproduction._grids import NOTHING, decimals
from reproduction._published import fold_index, load_published
from reproduction._tables import (
    mean_and_spread,
    p_values_against_best,
    paper_marks,
    rank_sum_p_value,
)

PUBLISHED = load_published()
SETS = list(dict.fromkeys(row.dataset for row in PUBLISHED.values() if row.table == 2))
SCORES = st.lists(st.integers(0, 100).map(lambda x: x / 100), min_size=10, max_size=10)


def printed_folds(dataset, measure):
    return {model: PUBLISHED[dataset, model, measure].folds for model in ("SP", "KP_L", "BN")}


# --- the paper's rule


@pytest.mark.parametrize("measure", ["acc", "label_auc"])
@pytest.mark.parametrize("dataset", SETS)
def test_the_rule_gives_every_mark_that_the_paper_prints(dataset, measure):
    marks = paper_marks(printed_folds(dataset, measure), "BN")
    assert marks == {model: PUBLISHED[dataset, model, measure].marks for model in marks}


def test_printed_p_values_of_table_5_are_rank_sum_p_values_but_for_one():
    """Two times ten folds have rank sums in steps of one half, and so only some p-values."""
    reachable = 2 * stats.norm.sf(np.arange(0, 50.5, 0.5) / np.sqrt(10 * 10 * 21 / 12))
    printed = {row.p_value for row in PUBLISHED.values() if row.table == 5}
    assert {p for p in printed if np.abs(reachable - p).min() > 0.005} == {0.54}


@given(SCORES, SCORES)
@settings(max_examples=25)
def test_p_values_against_best(first, second):
    p_values = p_values_against_best({"a": first, "b": second})
    best = "a" if np.mean(first) >= np.mean(second) else "b"
    assert p_values[best] == 1.0
    other = {"a": "b", "b": "a"}[best]
    assert p_values[other] == pytest.approx(rank_sum_p_value(first, second))


def test_worked_examples():
    assert mean_and_spread([0.25, 0.75]) == (0.5, pytest.approx(np.sqrt(0.125)))
    assert np.isnan(mean_and_spread([0.25])[1])
    assert rank_sum_p_value([1.0] * 10, [1.0] * 7 + [0.9] * 3) == pytest.approx(0.26, abs=0.005)
    assert [fold_index(column) for column in range(1, 11)] == [9, *range(1, 9), 0]


def test_rounding_does_not_depend_on_the_order_of_summation():
    assert decimals(0.625) == decimals(0.1 + 0.2 + 0.325) == "0.62"
    assert (decimals(2 / 3, 3), decimals(None)) == ("0.667", NOTHING)
