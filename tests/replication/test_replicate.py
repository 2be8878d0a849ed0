"""Patterns in a second cohort: what is there is found again, and nothing else."""

from copy import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from bicneuron import Findings, SubgroupBiclustering
from bicneuron._shared._estimators import draw_seed
from bicneuron._shared._steps import listening
from bicneuron.patterns import Evidence
from bicneuron.persistence import load_model
from bicneuron.replication import replicate, transfer
from bicneuron.replication._replicate import Corrected, _draws_needed
from bicneuron.significance import separate_test
from bicneuron.significance._separate import in_order

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
def first_cohort():
    return Findings.untested(miner(), drawn(0)[0])


@cache
def found():
    X, members = drawn(1)
    return replicate(first_cohort(), X, members.astype(int), n_draws=199, random_state=0)


def test_a_planted_group_is_found_again_and_noise_is_not():
    first = found().patterns[0]
    assert first.verdict == "found again"
    assert first.p_found <= 0.03
    assert first.is_separate
    assert first.separate_words == f"a separate group here (p = {first.corrected.separate:.2g})"
    assert_array_equal(first.found.members, drawn(1)[1])
    assert first.p_tied == first.p_class <= 0.01
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
        first_cohort(), X.drop(columns=X.columns[absent]), classes, n_draws=19, random_state=0
    )
    first, n = result.patterns[0], len(miner().patterns_[0].columns)
    assert first.members_of_classes == (("case", 15, 15), ("control", 0, 80))
    told = f"(15 of 15 case, 0 of 80 control; {n - 2} of its {n} columns)"
    assert told in first.figures
    plain = replicate(first_cohort(), X, n_draws=19, random_state=0).patterns[0]
    assert plain.members_of_classes == ()
    assert f"15 of 100 rows here ({n} of its {n} columns), gap" in plain.figures
    # The largest shares first, and not all of many.
    many = replace(first, members_of_classes=tuple((f"c{k}", k, 9) for k in range(6)))
    assert "(5 of 9 c5, 4 of 9 c4, 3 of 9 c3, 2 of 9 c2, ...; " in many.figures


def test_where_the_group_is_absent_nothing_is_found():
    absent = drawn(1, shift=0.0)[0]
    result = replicate(first_cohort(), absent, n_draws=199, random_state=0)
    assert result.found == ()
    assert result.patterns[0].p_class is None


def test_columns_with_the_wrong_names_do_not_pass():
    """The same columns under names of others, 30 times: both answers keep their level."""
    X, _ = drawn(1)
    small = []
    for seed in range(30):
        names = np.random.default_rng(1000 + seed).permutation(X.columns)
        one = replicate(first_cohort(), X.set_axis(names, axis=1), n_draws=99, random_state=seed)
        one = one.patterns[0]
        small.append([one.p_together <= 0.05, one.separate.p_value <= 0.05])
    assert (np.mean(small, axis=0) <= 0.17).all()


def test_a_label_p_alone_proves_nothing():
    """Where all columns are tied to the class, noise is, too; the second p says no."""
    X, y = drawn(1, shift=0.0)[0], np.arange(100) % 2
    tied = X + 1.0 * y[:, None]
    one = replicate(first_cohort(), tied, y, ranks=False, n_draws=199, random_state=0).patterns[0]
    assert one.p_class_labels_only <= 0.01
    assert one.p_class > 0.05


def continuum(seed=5, loading=2.0):
    """A normal factor in the planted columns, beside noise."""
    X = drawn(1, shift=0.0)[0]
    X.iloc[:, :10] += loading * np.random.default_rng(seed).normal(size=(100, 1))
    return X


def test_a_gradient_is_found_again_and_not_called_a_group():
    first, *_ = replicate(first_cohort(), continuum(), n_draws=199, random_state=0).patterns
    assert first.verdict == "found again"
    assert first.p_found == first.corrected.together
    assert first.p_tied is None
    assert not first.is_separate
    p = first.corrected.separate
    assert first.separate_words == f"may be the end of a gradient (p = {p:.2g})"
    assert first.words.endswith(f", {first.separate_words}")


def test_what_moves_together_without_a_tie_is_not_found_again():
    y = np.random.default_rng(0).integers(0, 2, 100)
    first, *_ = replicate(first_cohort(), continuum(), y, n_draws=199, random_state=0).patterns
    assert first.p_class > 0.05
    assert first.verdict == "its columns move together, but it is not tied to the class here"
    assert first.corrected.together <= 0.05 < first.p_found
    outcome = np.random.default_rng(0).normal(size=100)
    first, *_ = replicate(first_cohort(), continuum(), outcome=outcome, n_draws=199).patterns
    assert first.verdict == "its columns move together, but it is not tied to the outcome here"


def test_a_tie_without_columns_that_move_together_is_not_found_again():
    """Columns tied to the class one by one, as all others are."""
    X, y = drawn(1, shift=0.0)[0], np.arange(100) % 2
    first = replicate(first_cohort(), X + 1.0 * y[:, None], y, ranks=False, n_draws=99).patterns[0]
    assert first.verdict == "not found again"
    assert "separate" not in first.words


def test_each_answer_is_corrected_in_the_order_of_the_model():
    tested = [one for one in found().patterns if not one.reason]
    raw = np.array([(one.p_together, one.p_tied, one.separate.p_value) for one in tested])
    answers = np.column_stack([in_order(raw[:, :2].max(axis=1)), *map(in_order, raw.T)])
    for one, expected in zip(tested, answers, strict=True):
        assert_allclose([one.p_found, *one.corrected], expected)
    others = [one for one in found().patterns if one.reason]
    assert others
    assert all(one.p_found is None and one.corrected == Corrected() for one in others)


def as_findings(model, *positions):
    """The model, as if tests had proven some of its patterns."""
    evidence = Evidence(family_p_value=0.01, proven_columns=(0,))
    again = copy(model.miner)
    again.patterns_ = [
        replace(one, evidence=evidence if k in positions else Evidence(family_p_value=0.9))
        for k, one in enumerate(model.patterns)
    ]
    return replace(model, miner=again)


def test_findings_of_the_first_cohort_are_tested_first():
    X = drawn(4, shift=0.0)[0]
    for k in range(3):
        X.iloc[20 * k : 20 * k + 15, 10 * k : 10 * k + 10] += 2.5
    model = SubgroupBiclustering(kinds="shift", n_patterns=4).fit(X)
    model = Findings.untested(model, X)
    asked = {"n_draws": 19, "random_state": 0}
    plain = replicate(model, drawn(1)[0], **asked)
    places = [k for k, one in enumerate(plain.patterns) if not one.reason]
    assert len(places) >= 3
    last = places[-1]
    first = replicate(as_findings(model, last), drawn(1)[0], **asked)
    assert [one.number for one in first.patterns] == [1, 2, 3, 4]
    for result, order in ((plain, places), (first, [last, *places[:-1]])):
        p = np.array([result.patterns[k].p_together for k in order])
        assert_allclose([result.patterns[k].p_found for k in order], in_order(p))
    assert first.patterns[places[0]].p_found > plain.patterns[places[0]].p_found


def test_too_few_draws_say_how_many_are_needed():
    few = replicate(first_cohort(), drawn(1)[0], n_draws=19, random_state=0)
    assert [one.p_found for one in few.patterns] == [0.1, 0.1, None]
    assert few.draws_needed == (
        "group 1 cannot be shown with 19 draws, nor 1 pattern after it; 39 are needed",
        "group 1 cannot be shown as separate with 19 draws; 79 are needed",
    )
    enough = replicate(first_cohort(), drawn(1)[0], n_draws=39, random_state=0)
    assert enough.patterns[0].is_found
    assert [line[:40] for line in enough.draws_needed] == [
        "group 1 cannot be shown as separate with"
    ]
    assert found().draws_needed == ()


@pytest.mark.parametrize(("n_draws", "is_said"), [(998, True), (999, False), (2558, True)])
def test_the_level_of_the_seventh_pattern(n_draws, is_said):
    """Six that are not found give no level on; 1 / 2560 is a hundred-and-twenty-eighth of .05."""
    smallest = 1 / (1 + n_draws)
    p_values = np.array([0.5] * 6 + [smallest if n_draws != 999 else 0.02] + [0.5] * 13)
    names = [f"pattern {k + 1}" for k in range(20)]
    said = _draws_needed(names, p_values, in_order(p_values), n_draws)
    expected = f"pattern 7 cannot be shown with {n_draws:,} draws; 2,559 are needed"
    assert said == (expected if is_said else "")
    assert in_order(np.array([0.5] * 6 + [1 / 2560] + [0.5] * 13))[6] <= 0.05


def test_batches_are_centred_out_of_all_three_answers():
    """A batch in the columns of the pattern, and no group: it moves together, but for the batch."""
    X = drawn(1, shift=0.0)[0]
    batch = np.random.default_rng(0).permutation(100) < 30
    X.iloc[:, :10] += 3.0 * batch[:, None]
    y = np.where(np.random.default_rng(1).random(100) < 0.1, ~batch, batch).astype(int)
    asked = {"ranks": False, "n_draws": 199, "random_state": 0}
    blind = replicate(first_cohort(), X, y, **asked).patterns[0]
    assert blind.is_found
    assert blind.is_separate
    known = replicate(first_cohort(), X, y, strata=batch, **asked).patterns[0]
    assert known.verdict == "not found again"
    assert min(known.p_together, known.separate.p_value) > 0.05
    assert known.p_class > blind.p_class
    assert_allclose([np.median(known.levels[own]) for own in (batch, ~batch)], 0, atol=1e-12)


def test_columns_that_a_batch_leaves_alone_do_not_seem_to_move_together():
    """Within batches, others would vary less, had all columns the same scale with the batch."""
    batch = np.arange(100) % 2
    small = []
    for seed in range(20):
        X = drawn(100 + seed, shift=0.0)[0]
        X.iloc[:, 10:] += 4.0 * batch[:, None] * np.random.default_rng(seed).choice([-1, 1], 390)
        asked = {"strata": batch, "ranks": False, "n_draws": 99, "random_state": seed}
        small.append(replicate(first_cohort(), X, **asked).patterns[0].p_together <= 0.05)
    assert np.mean(small) <= 0.2


def test_the_third_answer_is_that_of_sums_of_values():
    X, members = drawn(1)
    for ranks in (True, False):
        result = replicate(first_cohort(), X, ranks=ranks, n_draws=99, random_state=3)
        made = transfer(first_cohort(), X, ranks=ranks)
        first = result.patterns[0]
        here = first.found.here
        sums = (made.levels - made.row_means[:, None])[:, here] @ first.found.signature.linear
        assert_allclose(first.levels, sums - np.median(sums), atol=1e-9)
        assert first.separate == separate_test(sums, n_draws=99, random_state=draw_seed(3))
    rows = np.repeat(np.arange(20), 5)
    told = replicate(first_cohort(), X, groups=rows, n_draws=19, random_state=0).patterns[0]
    assert told.separate_words == (
        "whether it is a separate group was not tested (20 rows with a score are too few to say; "
        "30 are needed)"
    )
    assert told.corrected.separate is None
    assert members.sum() == 15


def test_a_pattern_that_is_no_matter_of_levels_is_not_called_separate():
    rng = np.random.default_rng(0)

    def table():
        X = rng.normal(size=(80, 100))
        X[:20, :10] = 2.5 * rng.normal(size=(20, 1)) * np.where(np.arange(10) < 5, 1, -1)
        X[:20, :10] += 0.3 * rng.normal(size=(20, 10))
        return pd.DataFrame(X, columns=[f"g{k}" for k in range(100)])

    first = table()
    model = SubgroupBiclustering(kinds="coexpressed", n_patterns=1).fit(first)
    model = Findings.untested(model, first)
    (one,) = replicate(model, table(), n_draws=19, random_state=0).patterns
    assert not one.reason
    assert one.separate.p_value is None
    assert one.separate.reason == "its columns need not differ in level"
    assert one.levels is None


def test_survival_and_numbers():
    X, members = drawn(1)
    rng = np.random.default_rng(0)
    time = rng.exponential(size=100) / np.where(members, 6.0, 1.0)
    asked = {"outcome": (time, np.ones(100)), "n_draws": 199, "random_state": 0}
    assert replicate(first_cohort(), X, **asked).patterns[0].p_outcome <= 0.02
    number = members + 0.3 * rng.normal(size=100)
    result = replicate(first_cohort(), X, outcome=number, n_draws=199, random_state=0).patterns[0]
    assert result.p_outcome <= 0.02
    assert result.p_outcome_labels_only <= 0.02
    assert result.p_class is None


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_order_does_not_matter(axis):
    X, members = drawn(1)
    y = members.astype(int)
    order = np.random.default_rng(0).permutation(100 if axis == "rows" else 400)
    if axis == "rows":
        again = replicate(first_cohort(), X.iloc[order], y[order], n_draws=199, random_state=0)
    else:
        again = replicate(first_cohort(), X.iloc[:, order], y, n_draws=199, random_state=0)
    for one, other in zip(again.patterns, found().patterns, strict=True):
        assert one.words == other.words
        assert (one.p_together, one.separate) == (other.p_together, other.separate)
        assert (one.p_class, one.p_found) == (other.p_class, other.p_found)
        if one.together is not None:
            assert_allclose(one.together.draws, other.together.draws)
            assert one.levels is not None


def test_gain_and_offset_of_columns_do_not_matter_without_ranks():
    X, _ = drawn(1)
    rng = np.random.default_rng(1)
    other = X * rng.uniform(0.1, 9, 400) + 50 * rng.normal(size=400)
    answers = [
        [(one.p_together, one.separate, one.p_found) for one in result.patterns]
        for result in (
            replicate(first_cohort(), table, ranks=False, n_draws=99, random_state=0)
            for table in (X, other)
        )
    ]
    assert answers[0] == answers[1]


def test_further_columns_do_not_change_members_without_ranks():
    X, _ = drawn(1)
    more = X.assign(**{f"h{k}": np.arange(100.0) for k in range(5)})
    one, other = (
        replicate(first_cohort(), table, ranks=False, n_draws=19, random_state=0).patterns[0]
        for table in (X, more)
    )
    assert_array_equal(one.found.members, other.found.members)
    fewer = replicate(first_cohort(), X.iloc[:, :200], ranks=False, n_draws=19, random_state=0)
    assert_array_equal(fewer.patterns[0].found.members, one.found.members)


def test_a_model_file_has_what_is_needed(tmp_path):
    X, members = drawn(1)
    path = first_cohort().save(tmp_path / "groups.skops")
    for saved in (path, str(path), load_model(path)):
        again = replicate(saved, X, members.astype(int), n_draws=199, random_state=0)
        assert [one.words for one in again.patterns] == [one.words for one in found().patterns]


def panel(seed, is_group, n=100, p=100, n_carrying=60):
    """Most columns carry one axis: two groups, or a normal continuum."""
    rng = np.random.default_rng(seed)
    axis = 2.0 * (rng.random(n) < 0.3) if is_group else 0.92 * rng.normal(size=n)
    X = rng.normal(size=(n, p))
    X[:, :n_carrying] += axis[:, None]
    return pd.DataFrame(X, columns=[f"g{k}" for k in range(p)])


def test_in_a_panel_of_markers_groups_are_separate_and_continua_are_not():
    answers = []
    for seed in range(4):
        model = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(panel(seed, True))
        model = Findings.untested(model, panel(seed, True))
        for is_group in (True, False):
            cohort = panel(100 + seed, is_group)
            one = replicate(model, cohort, n_draws=99, random_state=seed).patterns[0]
            answers.append((is_group, one.is_separate))
    assert answers.count((True, True)) >= 3
    assert answers.count((False, True)) <= 1


def test_few_rows_have_scores_only():
    result = replicate(first_cohort(), drawn(1)[0].iloc[:12], n_draws=19, random_state=0)
    for one in result.patterns:
        assert one.p_found is None
        assert one.found.members is None
        assert one.found.scores.shape == (12,)
    assert "there are 12 rows, too few for tests; 20 are needed" in result.patterns[0].words
    assert result.words == "0 of 3 groups are found again (3 cannot be tested)"


def test_few_columns_cannot_be_tested():
    result = replicate(first_cohort(), drawn(1)[0].iloc[:, 7:], n_draws=19, random_state=0)
    assert "columns are here, with" in result.patterns[0].reason
    assert result.patterns[0].verdict == "cannot be tested"


def half_missing(X):
    return X.mask((np.random.default_rng(0).random(X.shape) < 0.5) & (np.arange(400) < 10))


def missing_in_half_of_the_rows(X):
    return X.mask((np.arange(100) % 2 == 0)[:, None] & (np.arange(400) < 10))


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X.assign(**{f"g{k}": 3.0 for k in range(10)}),
        half_missing,
        missing_in_half_of_the_rows,
        lambda X: X.assign(**{f"g{k}": np.nan for k in range(10)}),
        lambda X: X * 0 + np.arange(400),
    ],
    ids=["constant", "half missing", "half of the rows", "missing", "all rows identical"],
)
def test_columns_that_say_nothing_do_not_count(change):
    first = replicate(first_cohort(), change(drawn(1)[0]), n_draws=19, random_state=0).patterns[0]
    assert first.verdict == "cannot be tested"
    assert first.reason == (
        "0 of its 10 columns are here and vary, with values in 75% of the rows, with 0 % of its "
        "weight; 5 columns and 30 % are needed"
    )
    assert first.separate_words == ""


def test_columns_that_say_nothing_have_no_part_in_the_tests():
    X = drawn(1)[0]
    fewer = X.mask((np.arange(100) % 2 == 0)[:, None] & (np.arange(400) < 3))
    without = X.drop(columns=["g0", "g1", "g2"])
    asked = {"ranks": False, "n_draws": 99, "random_state": 0}
    one, other = (
        replicate(first_cohort(), table, **asked).patterns[0] for table in (fewer, without)
    )
    assert one.is_found
    assert_allclose(one.together.observed, other.together.observed)
    assert_allclose(one.levels, other.levels)


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("ranks", [True, False])
def test_lumps_of_counts_are_no_groups(most, ranks):
    """Columns of 0 and 1, or of 0, 1 and 2, have few sums; ranks make them look different."""
    shares = np.random.default_rng(0).uniform(0.03, 0.2, size=400)
    counts = np.random.default_rng(1).binomial(most, shares, size=(100, 400))
    X = pd.DataFrame(counts.astype(float), columns=[f"g{k}" for k in range(400)])
    first = replicate(first_cohort(), X, ranks=ranks, n_draws=99, random_state=0).patterns[0]
    assert not first.is_found
    assert first.separate.p_value is None
    assert "rows have the score of another row" in first.separate.reason


def test_a_cohort_of_one_class_has_no_tie():
    with pytest.raises(ValueError, match="y2 has one class: nothing can be tied to it"):
        replicate(first_cohort(), drawn(1)[0], np.ones(100), n_draws=19)


def test_strata_of_one_row():
    X, members = drawn(1)
    y = members.astype(int)
    one_alone = np.append(np.zeros(99), 1)
    first = replicate(first_cohort(), X, y, strata=one_alone, n_draws=99, random_state=0).patterns[
        0
    ]
    assert first.is_found
    assert first.separate.p_value <= 0.05
    with pytest.raises(ValueError, match="y2 has one class in every stratum"):
        replicate(first_cohort(), X, y, strata=np.arange(100), n_draws=19)
    alone = replicate(
        first_cohort(), X, strata=np.arange(100), n_draws=19, random_state=0
    ).patterns[0]
    assert alone.p_together == 1
    assert alone.verdict == "not found again"
    assert alone.separate.reason == "0 rows with a score are too few to say; 30 are needed"


def test_the_training_table_is_no_second_cohort():
    X, _ = drawn(0)
    (note,) = replicate(first_cohort(), X, n_draws=19, random_state=0).notes
    assert note.startswith("100 of 100 rows are rows of the training table, which cannot show")
    named = X.set_axis([f"p{k}" for k in range(100)])
    model = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(named)
    model = Findings.untested(model, named)
    other = drawn(1)[0].set_axis([f"p{k}" for k in range(95, 195)])
    (note,) = replicate(model, other, n_draws=19, random_state=0).notes
    assert note.startswith("5 of 100 row names are those of training rows")
    assert found().notes == ()


def test_progress():
    seen = []
    with listening(lambda done, total: seen.append((done, total))):
        replicate(first_cohort(), drawn(1)[0], n_draws=5, random_state=0)
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ranks": "maybe"}, "ranks is 'maybe'; give True, False or 'auto'"),
        ({"n_draws": 0}, "n_draws == 0"),
        ({"outcome": (np.ones(100),)}, "a number for each row, or a pair of time and event"),
        ({"strata": np.zeros(3), "y2": np.zeros(100)}, "strata has 3 values for 100 rows"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        replicate(first_cohort(), drawn(1)[0], **settings)


@pytest.mark.parametrize("model", [KMeans(), SubgroupBiclustering()])
def test_models_are_refused(model):
    with pytest.raises(TypeError, match=f"a {type(model).__name__}; replicate takes what find_gro"):
        replicate(model, drawn(1)[0])


def test_draws_follow_the_seed():
    first, second, third = (
        replicate(first_cohort(), drawn(1)[0], n_draws=49, random_state=seed) for seed in (0, 0, 1)
    )
    assert_allclose(first.patterns[0].together.draws, second.patterns[0].together.draws)
    assert not np.array_equal(first.patterns[0].together.draws, third.patterns[0].together.draws)
