"""Groups that were planted are found first; what does not matter changes nothing."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

from bicneuron import BicNeuronClassifier, SubgroupBiclustering
from bicneuron.exceptions import NoBiclusterWarning


def planted(seed=0, shift=3.0, n_rows=80, n_columns=300, size=12, width=10):
    """Half cases, half controls; the first cases are shifted in the first columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    X[:size, :width] += shift * rng.choice([-1, 1], width)
    return X, np.repeat(["case", "control"], n_rows // 2)


@cache
def fitted(seed=0):
    X, y = planted(seed)
    return SubgroupBiclustering().fit(X, y)


@pytest.mark.parametrize("seed", range(4))
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


def test_directions_are_those_of_the_shift():
    X, _ = planted()
    first = fitted().patterns_[0]
    higher = X[:12, first.columns].mean(axis=0) > X[12:, first.columns].mean(axis=0)
    assert_array_equal(first.directions, np.where(higher, 1, -1))


def test_noise_is_weaker_than_a_group():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(80, 300)), np.repeat(["case", "control"], 40)
    noise = SubgroupBiclustering().fit(X, y).patterns_
    assert noise[0].strength < 0.6 * min(fitted(seed).patterns_[0].strength for seed in range(4))


def test_two_groups_are_both_found_and_do_not_hide_each_other():
    X, y = planted(3)
    X[12:24, 20:30] += 3.0
    found = SubgroupBiclustering(anchor="case").fit(X, y).patterns_
    sets = [group.rows.tolist() for group in found[:2]]
    assert sorted(sets) == [list(range(12)), list(range(12, 24))]


def test_a_group_inside_a_group_is_its_child():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 400)), np.repeat(["case", "control"], 60)
    X[:30, :30] += 3.0
    X[:10, 50:70] += 3.0
    found = SubgroupBiclustering(anchor="case").fit(X, y).patterns_
    places = {len(group.rows): k for k, group in enumerate(found[:2])}
    assert {30, 10} <= set(places)
    inner, outer = found[places[10]], places[30]
    assert_array_equal(inner.rows, np.arange(10))
    assert places[10] > outer
    assert inner.parent == outer
    assert found[outer].parent is None


def test_order_names_and_powers_of_two_do_not_matter():
    X, y = planted(1)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    moved = (X * 2.0 ** rng.integers(-8, 9, X.shape[1]))[np.ix_(rows, columns)]
    found = SubgroupBiclustering(n_jobs=2).fit(moved, y[rows]).patterns_
    assert len(found) == len(fitted(1).patterns_)
    for before, after in zip(fitted(1).patterns_, found, strict=True):
        assert_array_equal(np.sort(rows[after.rows]), before.rows)
        assert_array_equal(np.sort(columns[after.columns]), before.columns)
        assert after.strength == before.strength
        assert after.carrier_counts == before.carrier_counts


def test_a_column_given_twice_is_one_piece_of_evidence():
    X, y = planted(2)
    twice = np.column_stack([X, -3.0 * X[:, 0], X[:, 40]])
    before, after = fitted(2).patterns_[0], SubgroupBiclustering().fit(twice, y).patterns_[0]
    assert_array_equal(after.rows, before.rows)
    assert after.strength == before.strength
    assert set(after.columns.tolist()) == {*before.columns.tolist(), 300}
    assert after.directions[-1] == -after.directions[0]


def test_members_of_the_training_set_are_the_carriers():
    X, _ = planted()
    model = fitted()
    scores, is_member = model.pattern_scores(X), model.carriers(X)
    assert_array_equal(np.flatnonzero(is_member[:, 0]), model.patterns_[0].rows)
    assert_array_equal(is_member, scores > 0)
    assert_array_equal(model.transform(X), scores)
    assert scores.shape == (80, len(model.get_feature_names_out()))


def test_new_rows_carry_groups_alone_as_in_a_table():
    model = fitted()
    sign = np.sign(planted()[0][:12, :10].mean(axis=0))
    rng = np.random.default_rng(1)
    new = rng.normal(size=(40, 300))
    new[:20, :10] += 3.0 * sign
    scores, is_member = model.pattern_scores(new), model.carriers(new)
    assert is_member[:20, 0].mean() >= 0.9
    assert is_member[20:, 0].mean() <= 0.1
    alone = np.vstack([model.pattern_scores(new[[row]]) for row in range(len(new))])
    assert_array_equal(alone, scores)


def test_without_labels_groups_stand_against_all_other_rows():
    X, _ = planted(4)
    first = SubgroupBiclustering().fit(X).patterns_[0]
    assert_array_equal(first.rows, np.arange(12))
    assert first.anchor_class is None
    assert first.carrier_counts == {None: (12, 80)}


def test_sparse_tables_and_fits_in_threads_are_the_same():
    X, y = planted()
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    plain = SubgroupBiclustering().fit(X, y).patterns_
    assert SubgroupBiclustering(n_jobs=2).fit(csr_matrix(X), y).patterns_ == plain
    assert SubgroupBiclustering().fit(X, y).patterns_ == plain


def test_a_classifier_takes_it_as_a_miner():
    X, y = planted()
    miner = SubgroupBiclustering(n_patterns=5)
    model = BicNeuronClassifier(
        search=None, miner=miner, anchor="both", max_ratio=np.inf, random_state=0
    )
    pair = model.fit(X, y).pairs_
    assert any(p.rows.tolist() == list(range(12)) for p in pair)


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


def test_more_patterns_than_there_are():
    X, y = planted()
    many = SubgroupBiclustering(anchor="case", n_patterns=1000).fit(X, y).patterns_
    few = SubgroupBiclustering(anchor="case", n_patterns=3).fit(X, y).patterns_
    assert len(few) == 3 < len(many) < 1000
    assert_array_equal(few[0].rows, many[0].rows)
    strengths = [group.strength for group in many]
    assert strengths == sorted(strengths, reverse=True)


@pytest.mark.parametrize("kind", ["shift", "tight", "coexpressed"])
def test_a_table_without_variation_has_no_groups(kind):
    y = np.repeat(["case", "control"], 20)
    with pytest.warns(NoBiclusterWarning, match="no bicluster in 40 rows x 6 columns"):
        assert SubgroupBiclustering(kinds=kind).fit(np.ones((40, 6)), y).patterns_ == []


def test_what_is_too_small_has_no_groups():
    X, y = planted()
    y[2:] = "control"
    found = SubgroupBiclustering().fit(X, y).patterns_
    assert {group.anchor_class for group in found} <= {"control"}
    with pytest.warns(NoBiclusterWarning, match="no bicluster"):
        assert SubgroupBiclustering(anchor="case").fit(X, y).patterns_ == []


def test_bad_input_is_refused_by_name():
    X, y = planted()
    with pytest.raises(ValueError, match="y has one class, 'case'; two are needed"):
        SubgroupBiclustering().fit(X, np.repeat("case", 80))
    with pytest.raises(ValueError, match="anchor has 'cases'; choose from case, control"):
        SubgroupBiclustering(anchor="cases").fit(X, y)
    with pytest.raises(ValueError, match="anchor has 'cases'; choose from case, control"):
        SubgroupBiclustering(anchor=["case", "cases"]).fit(X, y)
    with pytest.raises(ValueError, match="anchor is empty; choose from case, control"):
        SubgroupBiclustering(anchor=[]).fit(X, y)
    with pytest.raises(ValueError, match="anchor='case' names classes, but there is no y; give"):
        SubgroupBiclustering(anchor="case").fit(X)
    with pytest.raises(ValueError, match="or set anchor=None to search all rows"):
        SubgroupBiclustering(anchor=[]).fit(X)
    with pytest.raises(ValueError, match="'n_patterns' parameter"):
        SubgroupBiclustering(n_patterns=0).fit(X, y)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        SubgroupBiclustering().fit(X, X[:, 0])


def test_other_tables_and_miners_without_fit_have_no_members():
    X, _ = planted()
    with pytest.raises(ValueError, match="X has 299 features, but SubgroupBiclustering is expect"):
        fitted().pattern_scores(X[:, 1:])
    with pytest.raises(ValueError, match="X has 299 features, but SubgroupBiclustering is expect"):
        fitted().carriers(X[:, 1:])
    with pytest.raises(ValueError, match="column 7, row 1, is inf"):
        fitted().transform(np.where(np.arange(300) == 7, [[0], [np.inf]], 0.0))
    model = SubgroupBiclustering()
    for unfitted in (model.pattern_scores, model.carriers, model.transform):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            unfitted(X)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        SubgroupBiclustering().get_feature_names_out()


def test_groups_are_values():
    X, y = planted()
    first, second = fitted().patterns_[:2]
    (again, *_) = SubgroupBiclustering().fit(X, y).patterns_
    assert again is not first
    assert len({first, again, second}) == 2
    assert first != second
    assert first != (first.rows, first.columns)
    assert replace(first, strength=0.0) != first
    assert replace(first, axis=first.axis._replace(cut=9.0)) != first
    for array in (first.rows, first.columns, first.weights, first.axis.linear):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert_array_equal(first.directions, np.sign(first.weights))


def test_a_group_says_what_it_is():
    first = fitted().patterns_[0]
    shape = f"12 rows of class 'case' in {len(first.columns)} columns"
    assert repr(first) == f"<Pattern: shift of {shape}, strength {first.strength:.4g}>"
    assert "shift of 12 rows in" in repr(replace(first, anchor_class=None))
    assert first.shape == (12, len(first.columns))
    assert first.direction_words == ["higher" if d > 0 else "lower" for d in first.differences]
    alike = replace(first, kind="coexpressed").direction_words
    assert alike == ["together" if weight > 0 else "opposite" for weight in first.weights]


def test_the_rest_of_a_class_is_not_a_second_group():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 300))
    X[:40, :12] += 3.0
    rows = [group.rows for group in SubgroupBiclustering().fit(X).patterns_]
    assert_array_equal(rows[0], np.arange(40) + (0 if 0 in rows[0] else 40))
    rest = set(range(80)) - set(rows[0].tolist())
    for other in map(set, rows[1:]):
        assert len(rest & other) < 0.75 * len(rest | other)
