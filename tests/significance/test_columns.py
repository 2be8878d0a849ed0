"""Columns with their own evidence: planted columns, noise, strata, patients, classes."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.stats import false_discovery_control, mannwhitneyu

from bicneuron import CoherentBiclustering, PatternClassifier, SubgroupBiclustering
from bicneuron._shared._steps import listening
from bicneuron.datasets import make_subgroups
from bicneuron.significance import column_evidence
from bicneuron.significance._folds import Units, fold_numbers


def mined(X, y=None, **known):
    return SubgroupBiclustering(kinds="shift", n_patterns=3).fit(X, y, **known)


@cache
def planted(shift=2.5):
    """Fifteen of 30 cases differ in eight of 120 columns."""
    return make_subgroups(
        "shift",
        shift=shift,
        n_cases=30,
        n_controls=30,
        n_columns=120,
        share=0.5,
        n_signature=8,
        random_state=0,
    )


@cache
def fitted(shift=2.5):
    return mined(planted(shift).X)


@cache
def evidence(shift=2.5):
    X = planted(shift).X
    (found,) = column_evidence(fitted(shift), X, patterns=[0], n_folds=3, random_state=0)
    return found


def test_planted_columns_are_proven_and_no_others():
    (group,) = planted().groups
    found = evidence()
    assert np.flatnonzero(found.is_proven).tolist() == group.columns.tolist()
    assert (found.method, found.n_folds, found.n_found, found.reason) == ("folds", 3, 3, "")
    assert (found.n_group, found.n_others) == (15, 45)
    assert found.words.startswith(
        "8 of 8 columns have evidence of their own (false discovery rate 5% over 120 columns)"
    )
    assert "found again in 3 of 3 folds" in found.words
    signs = np.sign(planted().X[group.rows].mean(axis=0))[group.columns]
    assert_array_equal(np.sign(found.statistic[group.columns]), signs)
    # The true shift of 2.5 standard deviations is in the intervals of most columns.
    sizes = np.sort([found.low[group.columns] * signs, found.high[group.columns] * signs], axis=0)
    assert np.mean((sizes[0] < 2.5) & (sizes[1] > 2.5)) > 0.7


def test_a_column_whose_means_and_ranks_disagree_is_not_proven():
    found = evidence()
    column = np.flatnonzero(found.is_proven)[0]
    for direction, word in ((0, "not clear"), (-found.direction[column], None)):
        changed = found.direction.copy()
        changed[column] = direction
        other = replace(found, direction=changed)
        assert not other.is_proven[column]
        assert other.is_proven.sum() == found.is_proven.sum() - 1
        assert word in (None, other.record(column)["direction"])


def test_a_group_of_noise_proves_nothing():
    """In its own rows a group of chance has columns that look clear; in others it has none."""
    X = np.random.default_rng(0).normal(size=(60, 300))
    model = SubgroupBiclustering(n_patterns=4).fit(X)
    inside = model.carriers(X)[:, 0]
    naive = mannwhitneyu(X[inside], X[~inside]).pvalue
    assert (false_discovery_control(naive) <= 0.05).sum() >= 3
    found = column_evidence(model, X, random_state=0)
    assert sum(one.is_proven.sum() for one in found) == 0


def test_the_column_that_is_tested_has_no_say():
    """A pattern of one clear column, and its copy, cannot prove it: no other column agrees."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40))
    X[:20, 3] += 12.0
    X[:, 7] = -X[:, 3] + 0.01 * rng.normal(size=60)
    model = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X)
    (found,) = column_evidence(model, X, random_state=0)
    assert {3, 7} <= {*model.patterns_[0].columns.tolist()}
    assert not found.is_proven[[3, 7]].any()


def test_number_of_processes_and_seed():
    X = planted().X
    with parallel_config("threading"):  # `bicneuron find` is run with processes
        again = column_evidence(fitted(), X, patterns=[0], n_folds=3, n_jobs=2, random_state=0)[0]
    assert_array_equal(again.p_values, evidence().p_values)
    assert_array_equal(again.effect, evidence().effect)
    calls = []
    with listening(lambda *n: calls.append(n)):
        column_evidence(fitted(), X, patterns=[0], n_folds=3)
    assert calls == [(1, 3), (2, 3), (3, 3)]


def test_frames_sparse_tables_and_missing_cells():
    X = planted().X.copy()
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(120)])
    named = mined(frame)
    (found,) = column_evidence(named, frame, patterns=[0], n_folds=3, random_state=0)
    assert_allclose(found.p_values, evidence().p_values)
    lines = found.to_frame()
    assert len(lines) == 120
    assert lines["in_pattern"].sum() == 8
    assert lines["column"][:8].tolist() == [one["column"] for one in found.records]
    assert lines["p"].is_monotonic_increasing
    sparse = csr_array(X)
    (found,) = column_evidence(mined(sparse), sparse, patterns=[0], n_folds=3, random_state=0)
    assert_allclose(found.p_values, evidence().p_values)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    X[:58, 5] = np.nan
    (found,) = column_evidence(mined(X), X, patterns=[0], n_folds=3, random_state=0)
    (group,) = planted().groups
    assert np.flatnonzero(found.is_proven).tolist() == group.columns.tolist()
    assert found.p_values[5] > 0.5, "two cells say nothing"


def test_a_whole_class_is_compared_by_the_class():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 40)), np.repeat(["ill", "well"], 30)
    X[:30, :6] += 2.0
    for model in (mined(X, y), PatternClassifier(random_state=0).fit(X, y)):
        found = column_evidence(model, X, y, patterns=[0])[0]
        assert (found.method, found.n_group, found.n_others) == ("class", 30, 30)
        sides = X[y == found.pattern.anchor_class], X[y != found.pattern.anchor_class]
        exact = mannwhitneyu(*sides).pvalue
        assert_allclose(found.p_values, exact, rtol=0.3, atol=0.02)
        assert np.flatnonzero(found.is_proven).tolist() == [*range(6)]
        assert found.words.endswith("by the classes of all rows")


def rank_p(X, inside):
    return mannwhitneyu(X[inside], X[~inside], method="exact").pvalue


def test_rows_of_a_patient_count_as_one():
    X, (group,) = planted(4.0).X, planted(4.0).groups
    twice = np.repeat(X, 2, axis=0) + 0.01 * np.random.default_rng(0).normal(size=(120, 120))
    known = {"groups": np.repeat(np.arange(60), 2), "n_folds": 2, "random_state": 0}
    (found,) = column_evidence(mined(twice), twice, patterns=[0], **known)
    assert (found.n_group, found.n_others) == (15, 45)
    inside = np.isin(np.arange(60), group.rows)
    exact = rank_p((twice[::2] + twice[1::2]) / 2, inside)
    assert_allclose(np.log(found.p_values), np.log(exact), rtol=0.05, atol=0.1)
    assert found.p_values.min() > rank_p(twice, np.repeat(inside, 2)).min()


def test_folds_have_whole_units_and_equal_shares():
    strata = np.array([0] * 10 + [1] * 20)
    of_rows = np.repeat(np.arange(30), 2)
    folds = fold_numbers(Units(of_rows, strata), 5, None, 0)
    assert_array_equal(folds[::2], folds[1::2])
    for stratum in (0, 1):
        counts = np.bincount(folds[::2][strata == stratum], minlength=5)
        assert counts.min() == counts.max()
    rare = np.where(of_rows == 3, "rare", "common")
    folds = fold_numbers(Units(of_rows, strata), 5, rare, 0)
    assert set(folds[rare == "rare"].tolist()) == {-1}, "the search needs the class"
    assert -1 not in folds[rare == "common"]


def test_what_cannot_be_tested_says_why():
    X = planted().X
    coexpressed = replace(fitted().patterns_[0], kind="coexpressed")
    model = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X)
    model.patterns_ = [coexpressed]
    (found,) = column_evidence(model, X)
    assert "rise and fall together" in found.words
    assert (found.p_corrected == 1).all()
    blocks = CoherentBiclustering(cut_distance=1.5, max_residue=0.5).fit(X[:, :10])
    found = column_evidence(blocks, X[:, :10], patterns=[0])[0]
    assert "there are none" in found.words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"patterns": [7]}, "patterns has 7; the model has 3, counted from 0"),
        ({"n_folds": 1}, "n_folds == 1, must be >= 2"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        column_evidence(fitted(), planted().X, **options)


def test_what_the_fit_knew_must_be_given():
    X, y = planted().X, planted().y
    with pytest.raises(ValueError, match="differ"):
        column_evidence(fitted(), X + 1.0)
    with pytest.raises(ValueError, match="was fitted with classes; give y"):
        column_evidence(mined(X, y), X)
