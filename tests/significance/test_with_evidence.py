"""Patterns that carry what tests said about them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bicneuron import BicNeuronNetwork, PatternClassifier, SubgroupBiclustering
from bicneuron.datasets import make_subgroup
from bicneuron.metrics import FoldPatterns, cross_validated_scores
from bicneuron.neurons import GaussianNeuron
from bicneuron.patterns import Evidence, Pattern
from bicneuron.persistence import load_model, save_model
from bicneuron.significance import (
    Separate,
    column_evidence,
    significance_test,
    with_evidence,
    with_folds,
)
from bicneuron.significance._with_evidence import _matches

Y = np.repeat(["case", "control"], 30)


def table(seed=0):
    """Twelve of 30 cases are shifted in eight of 60 columns."""
    X = np.random.default_rng(seed).normal(size=(60, 60))
    X[:12, :8] += 3
    return X


def test_columns_come_by_their_evidence_and_other_results_stay(tmp_path):
    X = table()
    miner = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(X)
    result = significance_test(miner, X, Y, random_state=0)
    tested = with_evidence(miner, result)
    told = tested.patterns_[0].evidence
    assert (told.smallest_p, told.n_permutations) == (result.smallest_p, result.n_permutations)
    (columns,) = column_evidence(miner, X, Y, patterns=[0], n_folds=3, random_state=0)
    by_weight = miner.patterns_[0].ranked_columns
    assert columns.ranked_columns.tolist() != by_weight.tolist()
    carried = with_evidence(tested, columns=[columns])
    first, second, _ = carried.patterns_
    assert first.ranked_columns.tolist() == columns.ranked_columns.tolist()
    assert second == tested.patterns_[1]
    assert first.evidence.family_p_value == tested.patterns_[0].evidence.family_p_value
    assert f"(x{columns.ranked_columns[0]}, " in carried.summary()
    save_model(carried, tmp_path / "model.skops")
    assert load_model(tmp_path / "model.skops").summary() == carried.summary()
    other = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(table(seed=1))
    with pytest.raises(ValueError, match="evidence of pattern 1 is not about"):
        with_evidence(other, columns=[columns])


def test_two_questions_have_two_answers():
    X = table()[:, :20]
    miner = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(X)
    y = np.tile(["a", "b"], 30)  # has nothing to do with the group
    of_class = significance_test(miner, X, y, random_state=0)
    separate = {0: Separate(0.004), 1: Separate(None, "too few rows")}
    at_once = with_evidence(miner, of_class, separate=separate)
    one_by_one = with_evidence(with_evidence(miner, separate=separate), of_class)
    assert at_once.patterns_ == one_by_one.patterns_
    told = [one.evidence for one in at_once.patterns_]
    answers = [(one.separate_p, one.separate_reason, one.is_separate) for one in told]
    assert answers == [(0.004, "", True), (None, "too few rows", False), (None, "", False)]
    # Where there are classes, they decide.
    first, second, third = told
    assert first.decisive_p == first.family_p_value > 0.05
    assert (first.is_chance, first.is_finding) == (True, False)
    assert first.verdict.startswith("not tied to a class")
    assert first.verdict.endswith("; a separate group")
    assert "corrected for all patterns; as a separate group p = 0.004" in str(first)
    assert str(second).endswith("; not tested as a separate group: too few rows")
    assert "separate" not in str(third)


def test_without_classes_the_test_of_separate_groups_decides():
    miner = SubgroupBiclustering(kinds="shift", n_patterns=2).fit(table()[:, :20])
    tested = with_evidence(miner, separate={0: Separate(0.05), 1: Separate(0.051)})
    first, second = (one.evidence for one in tested.patterns_)
    assert first.family_p_value is None
    assert (first.verdict, second.verdict) == ("a separate group", "no separate group was shown")
    assert (first.is_significant, second.is_significant) == (True, False)
    assert (first.is_chance, second.is_chance) == (False, True)
    assert (first.decisive_p, second.decisive_p) == (0.05, 0.051)
    assert str(first) == "as a separate group p = 0.05"


def test_results_about_separate_groups_replace_older_ones_and_no_others():
    miner = SubgroupBiclustering(kinds="shift", n_patterns=2).fit(table()[:, :20])
    before = with_evidence(miner, separate={0: Separate(0.05), 1: Separate(None, "too few")})
    after = with_evidence(before, separate={1: Separate(0.3)})
    first, second = (one.evidence for one in after.patterns_)
    assert (first.separate_p, first.separate_reason) == (0.05, "")
    assert (second.separate_p, second.separate_reason) == (0.3, "")
    assert before.patterns_[1].evidence.separate_reason == "too few", "it is not changed"
    for place in (2, -1):
        with pytest.raises(ValueError, match=f"separate has position {place}, but model has 2"):
            with_evidence(miner, separate={place: Separate(0.3)})
    with pytest.raises(ValueError, match="give a bool for each of the"):
        with_evidence(miner, class_columns=3)


# --- a part of the difference between whole classes


def in_columns(pattern, n_own, n_others, n_columns=60):
    """Classes differ in so many columns of a pattern, and in so many others."""
    mask = np.zeros(n_columns, dtype=bool)
    mask[pattern.columns[:n_own]] = True
    mask[np.setdiff1d(np.arange(n_columns), pattern.columns)[:n_others]] = True
    return mask


@pytest.fixture(scope="module")
def tied():
    """The first group just passes the test of the tie to a class, and the second just does not."""
    miner = SubgroupBiclustering(kinds="shift", n_patterns=2).fit(table())
    assert miner.patterns_[0].columns.tolist() == [*range(8)]
    carriers = (("case", 12, 30), ("control", 0, 30))
    return miner.with_evidence(
        [Evidence(carriers, p, p, 999, smallest_p=0.001) for p in (0.05, 0.051)]
    )


@pytest.mark.parametrize(
    ("n_own", "n_others", "is_part"),
    [(8, 0, True), (4, 4, True), (3, 50, False), (4, 3, False), (7, 0, False), (0, 0, False)],
    ids=["all", "half", "less than half", "too few in all", "one too few", "none"],
)
def test_a_part_has_half_of_its_columns_in_a_difference_of_as_many(tied, n_own, n_others, is_part):
    mask = in_columns(tied.patterns_[0], n_own, n_others)
    told = with_evidence(tied, class_columns=mask)
    assert told.patterns_[0].evidence.is_class_difference == is_part
    assert told.class_columns_ == n_own + n_others
    words = f"The classes differ in {n_own + n_others} of 60 columns (false discovery rate 5 %)"
    assert words in told.summary()
    assert told.summary().startswith(words) == is_part


@pytest.mark.parametrize(("n_differ", "is_part"), [(9, False), (10, True)])
def test_a_difference_in_few_of_all_columns_is_none_of_whole_classes(n_differ, is_part):
    X = np.random.default_rng(0).normal(size=(60, 200))
    X[:12, :8] += 4
    miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X)
    assert miner.patterns_[0].columns.tolist() == [*range(8)]
    told = with_evidence(
        miner.with_evidence([Evidence((("a", 12, 30), ("b", 0, 30)), 0.01, 0.01, 99)]),
        class_columns=in_columns(miner.patterns_[0], 8, n_differ - 8, n_columns=200),
    )
    assert told.patterns_[0].evidence.is_class_difference == is_part, "5 % of 200"


@pytest.mark.parametrize(
    ("p", "is_part"), [(0.05, False), (0.051, True), (None, True)], ids=["separate", "not", "open"]
)
def test_a_separate_group_is_no_part_of_the_difference(tied, p, is_part):
    mask = in_columns(tied.patterns_[0], 8, 9)
    separate = {0: Separate(p, "" if p is not None else "too few rows")}
    for model in (tied, with_evidence(tied, class_columns=mask)):
        told = with_evidence(model, separate=separate, class_columns=mask)
        assert told.patterns_[0].evidence.is_class_difference == is_part


def test_what_is_not_tied_to_a_class_is_no_part_of_its_difference(tied):
    everywhere = np.ones(60, dtype=bool)
    told = with_evidence(tied, class_columns=everywhere)
    assert [one.evidence.is_class_difference for one in told.patterns_] == [True, False]
    untested = SubgroupBiclustering(kinds="shift", n_patterns=2).fit(table())
    separate = {0: Separate(0.01), 1: Separate(0.5)}
    told = with_evidence(untested, separate=separate, class_columns=everywhere)
    assert not any(one.evidence.is_class_difference for one in told.patterns_)


def test_a_model_without_a_seed_carries_results_through_a_file(tmp_path):
    """With another seed a second fit would find other patterns: the fitted ones are tested."""
    X = table() + (Y == "case")[:, None]
    model = BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()]).fit(X, Y)
    columns = column_evidence(model, X, Y)
    carried = with_evidence(model, columns=columns)
    for pattern, tested in zip(carried.patterns_, columns, strict=True):
        assert pattern.ranked_columns.tolist() == tested.ranked_columns.tolist()
    # Results of a model with evidence are about the same patterns.
    with_evidence(model, columns=column_evidence(carried, X, Y))
    assert load_model(save_model(carried, tmp_path / "m.skops")).patterns_ == carried.patterns_


# --- Patterns of a model in the folds of its score


@pytest.fixture(scope="module")
def fitted():
    X, y, _, _ = make_subgroup(n_columns=60, random_state=0)
    model = PatternClassifier(random_state=0).fit(X, y)
    return X, y, model


def scores_of(model, X, y, same):
    """Two folds, in the first of which the model is the same; rows left out are every second."""
    odd = np.arange(len(y)) % 2 == 1
    carriers, rows = model.carriers(X), np.arange(len(y))
    moved = [replace(one, anchor_class="nobody") for one in model.patterns_]
    folds = (
        FoldPatterns(model.patterns_ if same else moved, rows, carriers, odd),
        FoldPatterns(moved, rows, carriers, ~odd),
    )
    return SimpleNamespace(folds=folds, n_splits=2)


def test_carriers_are_counted_among_rows_left_out_of_folds_that_have_the_pattern(fitted):
    X, y, model = fitted
    odd = np.arange(len(y)) % 2 == 1
    told = with_folds(model, X, y, scores_of(model, X, y, same=True))
    for pattern, carriers in zip(told.patterns_, model.carriers(X).T, strict=True):
        evidence = pattern.evidence
        assert (evidence.n_found, evidence.n_folds) == (1, 2)
        assert evidence.left_out == tuple(
            (label, int(np.sum(carriers & odd & (y == label))), int(np.sum(odd & (y == label))))
            for label in np.unique(y).tolist()
        )
    assert all(pattern.evidence is None for pattern in model.patterns_), "a copy"


def test_what_folds_tell_is_saved_and_said_by_models_that_have_not_seen_the_rows(fitted, tmp_path):
    X, y, model = fitted
    scores = cross_validated_scores(model, X, y, n_splits=3, n_repeats=1)
    told = with_folds(model, X, y, scores)
    assert told.patterns_[0].evidence.n_found == 3
    assert "; chosen again in 3 of 3 folds" in told.summary()
    loaded = load_model(save_model(told, tmp_path / "m.skops"))
    assert (loaded.patterns_, loaded.summary()) == (told.patterns_, told.summary())
    left_out = np.array([fold.is_left_out for fold in scores.folds])
    assert (left_out.sum(axis=0) == 1).all(), "each row once"
    for fold in scores.folds:
        seen = fold.rows[~fold.is_left_out]
        again = PatternClassifier(random_state=0).fit(X[seen], y[seen])
        assert fold.patterns == again.patterns_
        assert (fold.carriers == again.carriers(X[fold.rows])).all()


def pattern(columns, label="a"):
    return Pattern(np.array([0]), np.array(columns), anchor_class=label)


def test_each_pattern_of_a_fold_counts_once_and_for_the_one_that_is_most_alike():
    rows = np.zeros((20, 1), dtype=bool)
    rows[:10] = True
    mine = [pattern([1, 2, 3]), pattern([3, 4])]
    both = np.repeat(rows, 2, axis=1)
    assert _matches(mine, both, [pattern([3, 4, 5])], rows) == [(1, 0)]
    assert sorted(_matches(mine, both, [pattern([3, 4]), pattern([1, 2])], both)) == [
        (0, 1),
        (1, 0),
    ]
    assert _matches(mine[:1], rows, [pattern([4])], rows) == [], "no column in common"
    assert _matches(mine[:1], rows, [pattern([1], "b")], rows) == [], "another class"
    other = np.roll(rows, 3, axis=0)  # 7 of 13
    assert _matches(mine[:1], rows, [pattern([1])], other) == [], "other rows"
    other = np.roll(rows, 2, axis=0)  # 8 of 12
    assert _matches(mine[:1], rows, [pattern([1])], other) == [(0, 0)]
