"""Groups that were planted are found first; what does not matter changes nothing."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bicneuron import SubgroupBiclustering
from bicneuron.biclustering._subgroups._strength import n_facts
from bicneuron.exceptions import NoBiclusterWarning


def planted(seed=0, shift=3.0, n_rows=80, n_columns=150, size=12, width=10):
    """Half cases, half controls; the first cases are shifted in the first columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    X[:size, :width] += shift * rng.choice([-1, 1], width)
    return X, np.repeat(["case", "control"], n_rows // 2)


Y80 = np.repeat(["case", "control"], 40)


@cache
def fitted(seed=0):
    X, y = planted(seed)
    return SubgroupBiclustering().fit(X, y)


@pytest.mark.parametrize("seed", range(2))
def test_a_planted_group_comes_first(seed):
    found = fitted(seed).patterns_
    first, strengths = found[0], [group.strength for group in found]
    assert_array_equal(first.rows, np.arange(12))
    assert set(range(10)) <= set(first.columns.tolist())
    assert len(first.columns) <= 12
    assert first.anchor_class == "case"
    assert first.carrier_counts == {"case": (12, 40), "control": (0, 40)}
    assert strengths[0] > 2 * max(strengths[1:])
    assert len(found) <= 20


def test_a_group_inside_a_group_is_its_child():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 200)), np.repeat(["case", "control"], 60)
    X[:30, :30] += 3.0
    X[:10, 50:70] += 3.0
    first, second, *_ = SubgroupBiclustering(anchor="case").fit(X, y).patterns_
    assert (len(first.rows), first.parent) == (30, None)
    assert_array_equal(second.rows, np.arange(10))
    assert second.parent == 0


def test_a_column_given_twice_is_one_piece_of_evidence():
    X, y = planted(2)
    twice = np.column_stack([X, -3.0 * X[:, 0], X[:, 40]])
    before, after = fitted(2).patterns_[0], SubgroupBiclustering().fit(twice, y).patterns_[0]
    assert_array_equal(after.rows, before.rows)
    assert after.strength == before.strength
    assert set(after.columns.tolist()) == {*before.columns.tolist(), 150}
    assert after.directions[-1] == -after.directions[0]


def test_new_rows_carry_groups_alone_as_in_a_table():
    model = fitted()
    sign = np.sign(planted()[0][:12, :10].mean(axis=0))
    rng = np.random.default_rng(1)
    new = rng.normal(size=(40, 150))
    new[:20, :10] += 3.0 * sign
    scores, is_member = model.pattern_scores(new), model.carriers(new)
    assert is_member[:20, 0].mean() >= 0.9
    assert is_member[20:, 0].mean() <= 0.1
    alone = np.vstack([model.pattern_scores(new[[row]]) for row in range(len(new))])
    assert_array_equal(alone, scores)


def test_outliers_and_constant_columns():
    X, y = planted()
    X[50, 100], X[:, 101] = 1e300, 7.0
    first = SubgroupBiclustering().fit(X, y).patterns_[0]
    assert_array_equal(first.rows, np.arange(12))
    assert 101 not in first.columns


def test_counts_that_are_mostly_zero():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.3, size=(80, 200)).astype(float)
    X[:12, :10] = rng.poisson(4.0, size=(12, 10))
    y = np.repeat(["case", "control"], 40)
    first = SubgroupBiclustering(anchor="case").fit(X, y).patterns_[0]
    assert_array_equal(first.rows, np.arange(12))
    assert set(first.columns.tolist()) <= set(range(10))
    assert set(first.directions.tolist()) == {1}


def test_what_is_too_small_has_no_groups():
    X, _ = planted()
    y = np.repeat(["case", "control"], [2, 78])
    found = SubgroupBiclustering().fit(X, y).patterns_
    assert {group.anchor_class for group in found} <= {"control"}
    with pytest.warns(NoBiclusterWarning, match="no bicluster"):
        assert SubgroupBiclustering(anchor="case").fit(X, y).patterns_ == []


@pytest.mark.parametrize(
    ("parameters", "labels", "message"),
    [
        ({}, ["case"] * 80, "y has one class, 'case'; two are needed"),
        ({"anchor": "cases"}, Y80, "anchor has 'cases'; choose from case, control"),
        ({"anchor": ["case", "cases"]}, Y80, "anchor has 'cases'; choose from case, control"),
        ({"anchor": []}, Y80, "anchor is empty; choose from case, control"),
        ({"anchor": "case"}, None, "anchor='case' names classes, but there is no y; give"),
        ({"anchor": []}, None, "or set anchor=None to search all rows"),
        ({}, np.linspace(0, 1, 80), "Unknown label type: continuous"),
    ],
)
def test_bad_input_is_refused_by_name(parameters, labels, message):
    with pytest.raises(ValueError, match=message):
        SubgroupBiclustering(**parameters).fit(planted()[0], labels)


def test_a_fit_without_labels_forgets_the_classes_of_an_earlier_one():
    X, y = make_one_factor()
    miner = SubgroupBiclustering(n_patterns=2).fit(X, y)
    assert hasattr(miner, "classes_")
    assert not hasattr(miner.fit(X), "classes_")
    assert all(pattern.anchor_class is None for pattern in miner.patterns_)


# --- Groups of any share of a class, carried by rows of other classes too

Y = np.repeat(["case", "control"], 50)
COLUMNS = np.arange(12)


def table(n_cases, n_controls, n_columns=150, shift=2.0, seed=0):
    rng = np.random.default_rng([n_cases, n_controls, seed])
    X = rng.normal(size=(100, n_columns))
    rows = np.r_[:n_cases, 50 : 50 + n_controls]
    X[np.ix_(rows, COLUMNS)] += shift * rng.choice([-1, 1], len(COLUMNS))
    return X, rows


def jaccard(a, b):
    return len(np.intersect1d(a, b)) / len(np.union1d(a, b))


@pytest.mark.parametrize(("n_cases", "n_controls"), [(15, 0), (15, 7), (25, 9), (40, 0)])
def test_a_group_of_any_share_comes_first(n_cases, n_controls):
    X, rows = table(n_cases, n_controls)
    model = SubgroupBiclustering().fit(X, Y)
    first = model.patterns_[0]
    assert jaccard(np.flatnonzero(model.carriers(X)[:, 0]), rows) >= 0.9
    assert jaccard(first.columns, COLUMNS) >= 0.75
    assert first.anchor_class == "case"
    assert set(first.rows.tolist()) <= set(range(50))
    assert first.is_class_wide == (n_cases >= 40)


def test_groups_of_three_rows_are_listed_if_they_are_strong():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 200))
    X[:3, :40] += 3.5 * rng.choice([-1, 1], 40)
    first = SubgroupBiclustering().fit(X, Y).patterns_[0]
    assert first.rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize("anchor", ["case", "control"])
def test_groups_of_other_classes_are_not_listed_with_an_anchor(anchor):
    X, _ = table(15, 0)
    found = SubgroupBiclustering(anchor=anchor).fit(X, Y).patterns_
    assert {one.anchor_class for one in found} == {anchor}
    strong = [one for one in found if one.strength > 15]
    assert bool(strong) == (anchor == "case")


DRAWS = {
    "skewed": lambda rng, shape: np.exp(1.5 * rng.normal(size=shape)),
    "heavy": lambda rng, shape: rng.standard_t(3, size=shape),
    "floored": lambda rng, shape: np.maximum(rng.normal(size=shape), 1.0),
    "binary": lambda rng, shape: (rng.random(shape) < 0.3).astype(float),
    "zeros": lambda rng, shape: np.where(rng.random(shape) < 0.6, 0.0, rng.random(shape) ** -0.3),
}


@pytest.mark.parametrize("distribution", DRAWS)
@pytest.mark.parametrize("labels", [None, Y], ids=["all rows", "classes"])
def test_noise_of_any_distribution_is_weak(distribution, labels):
    X = DRAWS[distribution](np.random.default_rng(7), (100, 120))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBiclusterWarning)  # the best answer
        found = SubgroupBiclustering().fit(X, labels).patterns_
    assert all(one.strength <= 10 for one in found)


# --- A split of the rows has two sides; the list has one of them


@pytest.mark.parametrize(("shift", "seed"), [(2.0, 2), (3.0, 1)])
def test_a_pattern_and_its_mirror_image_are_listed_once_by_the_smaller_side(shift, seed):
    """44 of the first 50 rows differ in 12 of 150 columns."""
    X = np.random.default_rng(seed).normal(size=(100, 150))
    X[:44, :12] += shift
    first, *others = SubgroupBiclustering().fit(X).patterns_
    assert jaccard(first.rows, np.arange(44)) > 0.95
    assert first.carrier_counts[None][0] < 50
    for one in others:
        assert jaccard(one.rows, np.arange(44)) <= 0.75
        assert jaccard(one.rows, np.arange(44, 100)) <= 0.75


# --- Rows with the same word in a column are not a group


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
