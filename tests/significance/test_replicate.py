"""Patterns in a second cohort: what is there is found again, and nothing else."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from bicneuron import BicNeuronNetwork, SubgroupBiclustering
from bicneuron.neurons import GaussianNeuron
from bicneuron.persistence import load_model, save_model
from bicneuron.significance import replicate
from bicneuron.significance._column_draws import (
    ONE_HUMP,
    RANDOM_COLUMNS,
    carried,
    is_saturated,
    two_or_one,
)

MINER = SubgroupBiclustering(kinds="shift", n_patterns=3)


def drawn(seed, n=100, p=400, shift=2.0, share=0.15, n_planted=10):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    members = np.arange(n) < share * n
    X[:, :n_planted] += shift * members[:, None]
    order = rng.permutation(n)
    return pd.DataFrame(X[order], columns=[f"g{k}" for k in range(p)]), members[order]


@cache
def miner():
    return SubgroupBiclustering(kinds="shift", n_patterns=3).fit(drawn(0)[0])


@cache
def found():
    X, members = drawn(1)
    return replicate(miner(), X, members.astype(int), n_draws=199, random_state=0)


def test_a_planted_group_is_found_again_and_noise_is_not():
    first = found().patterns[0]
    assert first.verdict == "found again"
    assert first.p_adjusted <= 0.03
    assert first.null == RANDOM_COLUMNS
    assert_array_equal(first.found.members, drawn(1)[1])
    assert first.p_class <= 0.01
    # The second group is the mirror image of the first, in the same columns.
    is_planted = [np.mean(one.found.pattern.columns < 10) > 0.5 for one in found().patterns]
    assert [one.is_found for one in found().patterns] == is_planted


def test_it_says_so_in_one_line():
    words = found().patterns[0].words
    n = len(miner().patterns_[0].columns)
    here = f"15 of 100 rows here (15 of 15 of class 1, 0 of 85 of class 0; {n} of its {n} columns)"
    assert words.startswith(f"group 1 (15 of 100 there): found again: {here}, gap ")
    assert " standard deviations (" in words
    assert repr(found().patterns[0]) == f"<{words}>"
    n_found = len(found().found)
    verb = "is" if n_found == 1 else "are"
    assert found().words.startswith(f"{n_found} of 3 groups {verb} found again")
    first = words.replace(": found again: ", " in ")
    assert found().sentence.startswith(f"{found().words}: {first}")
    assert repr(found()) == f"<Replication: {found().words}, in 100 rows>"


def test_a_sentence_names_some_of_many_patterns():
    first = found().patterns[0]
    many = replace(found(), patterns=(first,) * 7)
    assert many.words == "7 of 7 groups are found again"
    assert many.sentence.count("group 1 (15 of 100 there) in 15 of 100 rows here") == 5
    assert many.sentence.endswith("; and 2 more")
    one = replace(found(), patterns=(first,))
    assert one.words == "1 of 1 group is found again"


def test_classes_and_columns_that_are_there_are_counted():
    X, members = drawn(1)
    classes = np.where(members, "case", "control").astype(object)
    classes[np.flatnonzero(~members)[:5]] = None
    absent = miner().patterns_[0].columns[:2]
    result = replicate(
        miner(), X.drop(columns=X.columns[absent]), classes, n_draws=19, random_state=0
    )
    first, n = result.patterns[0], len(miner().patterns_[0].columns)
    assert first.members_of_classes == (("case", 15, 15), ("control", 0, 80))
    told = f"(15 of 15 case, 0 of 80 control; {n - 2} of its {n} columns)"
    assert told in first.figures
    plain = replicate(miner(), X, n_draws=19, random_state=0).patterns[0]
    assert plain.members_of_classes == ()
    assert f"15 of 100 rows here ({n} of its {n} columns), gap" in plain.figures
    # The largest shares first, and not all of many.
    many = replace(first, members_of_classes=tuple((f"c{k}", k, 9) for k in range(6)))
    assert "(5 of 9 c5, 4 of 9 c4, 3 of 9 c3, 2 of 9 c2, ...; " in many.figures


def test_where_the_group_is_absent_nothing_is_found():
    absent = drawn(1, shift=0.0)[0]
    result = replicate(miner(), absent, n_draws=199, random_state=0)
    assert result.found == ()
    assert result.patterns[0].p_class is None


def test_columns_with_the_wrong_names_do_not_pass():
    """The same columns under names of others, 30 times: together and group keep their level."""
    X, _ = drawn(1)
    small = []
    for seed in range(30):
        names = np.random.default_rng(1000 + seed).permutation(X.columns)
        one = replicate(miner(), X.set_axis(names, axis=1), n_draws=99, random_state=seed)
        small.append([one.patterns[0].p_together <= 0.05, one.patterns[0].p_group <= 0.05])
    assert (np.mean(small, axis=0) <= 0.17).all()


def test_a_label_p_alone_proves_nothing():
    """Where all columns are tied to the class, noise is, too; the second p says no."""
    X, y = drawn(1, shift=0.0)[0], np.arange(100) % 2
    tied = X + 1.0 * y[:, None]
    one = replicate(miner(), tied, y, ranks=False, n_draws=199, random_state=0).patterns[0]
    assert one.p_class_labels_only <= 0.01
    assert one.p_class > 0.05


def test_columns_that_move_together_are_not_a_group_yet():
    """A continuum in the planted columns, beside noise patterns."""
    rng = np.random.default_rng(5)
    X = drawn(1, shift=0.0)[0]
    X.iloc[:, :10] += 2.0 * rng.normal(size=(100, 1))
    first, *_ = replicate(miner(), X, n_draws=199, random_state=0).patterns
    assert first.p_together_adjusted <= 0.05
    assert first.verdict == "its columns move together, but there is no clear group"
    assert first.p_adjusted > 0.05


def test_survival_and_numbers():
    X, members = drawn(1)
    rng = np.random.default_rng(0)
    time = rng.exponential(size=100) / np.where(members, 6.0, 1.0)
    asked = {"time": time, "event": np.ones(100), "n_draws": 199, "random_state": 0}
    assert replicate(miner(), X, **asked).patterns[0].p_outcome <= 0.02
    number = members + 0.3 * rng.normal(size=100)
    result = replicate(miner(), X, outcome=number, n_draws=199, random_state=0).patterns[0]
    assert result.p_outcome <= 0.02
    assert result.p_outcome_labels_only <= 0.02
    assert result.p_class is None


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_order_does_not_matter(axis):
    X, members = drawn(1)
    y = members.astype(int)
    order = np.random.default_rng(0).permutation(100 if axis == "rows" else 400)
    if axis == "rows":
        again = replicate(miner(), X.iloc[order], y[order], n_draws=199, random_state=0)
    else:
        again = replicate(miner(), X.iloc[:, order], y, n_draws=199, random_state=0)
    for one, other in zip(again.patterns, found().patterns, strict=True):
        assert one.words == other.words
        assert (one.p_together, one.p_group) == (other.p_together, other.p_group)
        assert (one.p_class, one.p_adjusted) == (other.p_class, other.p_adjusted)
        if one.together is not None:
            assert_allclose(one.together.draws, other.together.draws)
            assert_allclose(one.group.draws, other.group.draws)


def test_gain_and_offset_of_columns_do_not_matter_without_ranks():
    X, _ = drawn(1)
    rng = np.random.default_rng(1)
    other = X * rng.uniform(0.1, 9, 400) + 50 * rng.normal(size=400)
    answers = [
        [(one.p_together, one.p_group, one.p_adjusted) for one in result.patterns]
        for result in (
            replicate(miner(), table, ranks=False, n_draws=99, random_state=0)
            for table in (X, other)
        )
    ]
    assert answers[0] == answers[1]


def test_further_columns_do_not_change_members_without_ranks():
    X, _ = drawn(1)
    more = X.assign(**{f"h{k}": np.arange(100.0) for k in range(5)})
    one, other = (
        replicate(miner(), table, ranks=False, n_draws=19, random_state=0).patterns[0]
        for table in (X, more)
    )
    assert_array_equal(one.found.members, other.found.members)
    fewer = replicate(miner(), X.iloc[:, :200], ranks=False, n_draws=19, random_state=0)
    assert_array_equal(fewer.patterns[0].found.members, one.found.members)


def test_a_model_file_has_what_is_needed(tmp_path):
    X, members = drawn(1)
    path = save_model(miner(), tmp_path / "groups.skops")
    again = replicate(load_model(path), X, members.astype(int), n_draws=199, random_state=0)
    assert [one.words for one in again.patterns] == [one.words for one in found().patterns]


def panel(seed, is_group, n=100, p=100, n_carrying=60):
    """Most columns carry one axis: two groups, or a normal continuum."""
    rng = np.random.default_rng(seed)
    axis = 2.0 * (rng.random(n) < 0.3) if is_group else 0.92 * rng.normal(size=n)
    X = rng.normal(size=(n, p))
    X[:, :n_carrying] += axis[:, None]
    return pd.DataFrame(X, columns=[f"g{k}" for k in range(p)])


def test_in_a_panel_of_markers_groups_are_found_and_continua_are_not():
    answers = []
    for seed in range(4):
        model = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(panel(seed, True))
        for is_group in (True, False):
            cohort = panel(100 + seed, is_group)
            one = replicate(model, cohort, n_draws=99, random_state=seed).patterns[0]
            assert one.null == ONE_HUMP
            answers.append((is_group, one.is_found))
    assert answers.count((True, True)) >= 3
    assert answers.count((False, True)) <= 1


def test_random_columns_carry_what_all_columns_carry():
    rng = np.random.default_rng(0)
    common, own = rng.normal(size=(200, 1)), rng.normal(size=(200, 30))
    assert carried(own) < 0.05
    assert carried(common + 0.5 * own) > 0.5


def test_ranks_saturate_where_both_ends_are_cut_off():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 100))
    here, signs = np.arange(10), np.repeat([1.0, -1.0], 5)

    def ranks(axis):
        moved = values.copy()
        moved[:, here] += np.outer(axis, signs)
        return (np.argsort(np.argsort(moved, axis=1), axis=1) + 0.5) / 100

    continuum, group = 3.0 * rng.normal(size=200), 5.0 * (np.arange(200) < 40)
    assert is_saturated(ranks(continuum), here, signs)
    assert not is_saturated(ranks(group), here, signs)
    assert is_saturated(ranks(-group), here, signs)
    assert not is_saturated(ranks(0.5 * continuum / 3), here, signs)


def test_one_hump_against_two():
    rng = np.random.default_rng(0)
    two = np.sort(np.concatenate([rng.normal(size=70), 6 + rng.normal(size=30)]))
    gains = two_or_one(two, 39, rng)
    assert gains[0] > gains[1:].max()
    of_one = [two_or_one(np.sort(np.exp(0.3 * rng.normal(size=100))), 39, rng) for _ in range(8)]
    assert np.sum([np.mean(gains[1:] >= gains[0]) <= 0.05 for gains in of_one]) <= 2
    assert (two_or_one(np.zeros(20), 5, rng)[0] >= 0).all()


def test_patterns_without_a_direction_are_not_tested():
    """Classes that differ in spread alone: the neuron is a bell."""
    rng = np.random.default_rng(0)
    y = np.repeat(["narrow", "wide"], 60)
    X = rng.normal(size=(120, 8)) * np.where(y == "wide", 4.0, 1.0)[:, None]
    network = BicNeuronNetwork(
        n_neurons=3, n_candidates=20, neuron_kinds=[GaussianNeuron()], random_state=0
    ).fit(X, y)
    result = replicate(network, X[::2] + 0.01, n_draws=19, random_state=0)
    reasons = [one.reason for one in result.patterns]
    assert any("no direction that tells who carries it" in reason for reason in reasons)
    assert all(one.p_adjusted is None for one in result.patterns if one.reason)


def test_few_rows_have_scores_only():
    result = replicate(miner(), drawn(1)[0].iloc[:12], n_draws=19, random_state=0)
    for one in result.patterns:
        assert one.p_adjusted is None
        assert one.found.members is None
        assert one.found.scores.shape == (12,)
    assert "there are 12 rows, too few for tests; 20 are needed" in result.patterns[0].words
    assert result.words == "0 of 3 groups are found again (3 cannot be tested)"


def test_few_columns_cannot_be_tested():
    result = replicate(miner(), drawn(1)[0].iloc[:, 7:], n_draws=19, random_state=0)
    assert "columns are here, with" in result.patterns[0].reason
    assert result.patterns[0].verdict == "cannot be tested"


def test_the_training_table_is_no_second_cohort():
    X, _ = drawn(0)
    (note,) = replicate(miner(), X, n_draws=19, random_state=0).notes
    assert note.startswith("100 of 100 rows are rows of the training table, which cannot show")
    named = X.set_axis([f"p{k}" for k in range(100)])
    model = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(named)
    other = drawn(1)[0].set_axis([f"p{k}" for k in range(95, 195)])
    (note,) = replicate(model, other, n_draws=19, random_state=0).notes
    assert note.startswith("5 of 100 row names are those of training rows")
    assert found().notes == ()


def test_progress():
    seen = []
    replicate(
        miner(),
        drawn(1)[0],
        n_draws=5,
        random_state=0,
        after_patterns=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ranks": "maybe"}, "ranks is 'maybe'; give True, False or 'auto'"),
        ({"n_draws": 0}, "n_draws == 0"),
        ({"outcome": np.zeros(100), "time": np.ones(100)}, "outcome and time with event are both"),
        ({"time": np.ones(100)}, "time and event belong together"),
        ({"strata": np.zeros(3), "y2": np.zeros(100)}, "strata has 3 values for 100 rows"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        replicate(miner(), drawn(1)[0], **settings)


def test_other_models_are_refused():
    with pytest.raises(TypeError, match=r"KMeans.*replicate takes a miner"):
        replicate(KMeans(), drawn(1)[0])


def test_draws_follow_the_seed():
    first, second, third = (
        replicate(miner(), drawn(1)[0], n_draws=49, random_state=seed) for seed in (0, 0, 1)
    )
    assert_allclose(first.patterns[0].together.draws, second.patterns[0].together.draws)
    assert not np.array_equal(first.patterns[0].together.draws, third.patterns[0].together.draws)
