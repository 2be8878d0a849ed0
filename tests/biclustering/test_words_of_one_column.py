"""Rows with the same word in a column are not a group."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bicneuron import SubgroupBiclustering
from bicneuron.biclustering._subgroups._strength import n_facts


def coded(words):
    return pd.get_dummies(pd.Series(words)).to_numpy(float)


@given(st.lists(st.sampled_from("abcd"), min_size=2), st.integers(0, 3))
def test_the_words_of_a_column_are_one_fact(words, n_numbers):
    if len({*words}) < 2:
        return
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(len(words), n_numbers)) + np.arange(len(words))[:, None] * 9
    assert n_facts(coded(words)) == 1
    if len(words) > 2:
        assert n_facts(np.column_stack([numbers, coded(words)])) == 1 + n_numbers


def test_columns_of_yes_and_no_that_occur_together_are_several_facts():
    assert n_facts(np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1.0], [0, 0, 0]])) == 3
    gaps = coded([*"abcabc"])
    gaps[0] = np.nan
    assert n_facts(gaps) == 1


@pytest.mark.parametrize("n_words", [3, 5])
def test_a_group_is_found_and_not_the_words_of_a_column(n_words):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 30))
    X[:25, :5] += 3.0
    ward = coded(rng.integers(n_words, size=90).astype(str))
    miner = SubgroupBiclustering().fit(np.column_stack([X, ward]))
    first = miner.patterns_[0]
    assert set(first.columns.tolist()) >= set(range(5))
    assert abs(len(first.rows) - 25) <= 1
    for pattern in miner.patterns_:
        assert np.sum(pattern.columns < 30) >= 2


def test_rows_that_share_several_mutations_are_a_group():
    rng = np.random.default_rng(0)
    X = (rng.random((100, 40)) < 0.1).astype(float)
    X[:20, :8] = rng.random((20, 8)) < 0.9
    first = SubgroupBiclustering().fit(X).patterns_[0]
    assert set(first.columns.tolist()) >= set(range(8))
