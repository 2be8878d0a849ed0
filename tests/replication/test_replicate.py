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
from bicneuron.outcomes import Numbers
from bicneuron.patterns import Evidence
from bicneuron.replication import replicate, transfer
from bicneuron.replication._replicate import _draws_needed
from bicneuron.significance import separate_test
from bicneuron.significance._separate import in_order


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


def first_of(X2, y2=None, **settings):
    """The first pattern in another table."""
    settings = {"n_draws": 19, "random_state": 0, **settings}
    return replicate(first_cohort(), X2, y2, **settings).patterns[0]


def test_a_planted_group_is_found_again_and_noise_is_not():
    first = found().patterns[0]
    assert first.verdict == "found again"
    assert first.p_found <= 0.03
    assert first.is_separate
    assert first.separate_words == f"a separate group here (p = {first.corrected.separate:.2g})"
    assert_array_equal(first.found.members, drawn(1)[1])
    assert first.p_tied <= 0.01
    # The second group is the mirror image of the first, in the same columns.
    is_planted = [np.mean(one.found.pattern.columns < 10) > 0.5 for one in found().patterns]
    assert [one.is_found for one in found().patterns] == is_planted


def test_it_says_so_in_one_line_and_names_some_of_many_patterns():
    first, n = found().patterns[0], len(miner().patterns_[0].columns)
    here = f"15 of 100 rows here (15 of 15 of class 1, 0 of 85 of class 0; {n} of its {n} columns)"
    assert first.words.startswith(f"group 1 (15 of 100 there): found again: {here}, gap ")
    assert repr(first) == f"<{first.words}>"
    assert replace(found(), patterns=(first,)).words == "1 of 1 group is found again"
    assert repr(found()) == f"<Replication: {found().words}, in 100 rows>"
    many = replace(found(), patterns=(first,) * 7)
    assert many.words == "7 of 7 groups are found again"
    sentence = first.words.replace(": found again: ", " in ")
    assert many.sentence.startswith(f"{many.words}: {sentence}")
    assert many.sentence.count("group 1 (15 of 100 there) in 15 of 100 rows here") == 5
    assert many.sentence.endswith("; and 2 more")


def test_classes_and_columns_that_are_there_are_counted():
    X, members = drawn(1)
    classes = np.where(members, "case", "control").astype(object)
    classes[np.flatnonzero(~members)[:5]] = None
    columns = miner().patterns_[0].columns
    first, n = first_of(X.drop(columns=X.columns[columns[:2]]), classes), len(columns)
    assert first.members_of_classes == (("case", 15, 15), ("control", 0, 80))
    assert f"(15 of 15 case, 0 of 80 control; {n - 2} of its {n} columns)" in first.figures
    # The largest shares first, and not all of many.
    many = replace(first, members_of_classes=tuple((f"c{k}", k, 9) for k in range(6)))
    assert "(5 of 9 c5, 4 of 9 c4, 3 of 9 c3, 2 of 9 c2, ...; " in many.figures
    assert first_of(X).members_of_classes == ()


def test_where_the_group_is_absent_nothing_is_found():
    absent = drawn(1, shift=0.0)[0]
    result = replicate(first_cohort(), absent, n_draws=199, random_state=0)
    assert result.found == ()
    assert result.patterns[0].p_tied is None


def test_columns_with_the_wrong_names_do_not_pass():
    """The same columns under names of others, 15 times: both answers keep their level."""
    X, _ = drawn(1)
    small = []
    for seed in range(15):
        names = np.random.default_rng(1000 + seed).permutation(X.columns)
        one = first_of(X.set_axis(names, axis=1), n_draws=99, random_state=seed)
        small.append([one.p_together <= 0.05, one.separate.p_value <= 0.05])
    assert (np.mean(small, axis=0) <= 0.2).all()


def test_a_label_p_alone_proves_nothing_without_columns_that_move_together():
    """Where all columns are tied to the class, noise is, too; the second p says no."""
    X, y = drawn(1, shift=0.0)[0], np.arange(100) % 2
    one = first_of(X + 1.0 * y[:, None], y, ranks=False, n_draws=199)
    assert one.p_tied_labels_only <= 0.01
    assert one.p_tied > 0.05
    assert one.verdict == "not found again"
    assert "separate" not in one.words


def continuum(seed=5, loading=2.0):
    """A normal factor in the planted columns, beside noise."""
    X = drawn(1, shift=0.0)[0]
    X.iloc[:, :10] += loading * np.random.default_rng(seed).normal(size=(100, 1))
    return X


def test_a_gradient_is_found_again_and_not_called_a_group():
    first = first_of(continuum(), n_draws=199)
    assert first.verdict == "found again"
    assert first.p_found == first.corrected.together
    assert first.p_tied is None
    assert not first.is_separate
    p = first.corrected.separate
    assert first.separate_words == f"may be the end of a gradient (p = {p:.2g})"
    assert first.words.endswith(f", {first.separate_words}")


def test_what_moves_together_without_a_tie_is_not_found_again():
    random = np.random.default_rng(0)
    first = first_of(continuum(), random.integers(0, 2, 100), n_draws=199)
    assert first.p_tied > 0.05
    assert first.verdict == "its columns move together, but it is not tied to the class here"
    assert first.corrected.together <= 0.05 < first.p_found
    first = first_of(continuum(), random.normal(size=100), n_draws=199)
    assert first.verdict == "its columns move together, but it is not tied to y here"


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
    few, enough = (
        replicate(first_cohort(), drawn(1)[0], n_draws=n, random_state=0) for n in (19, 39)
    )
    separate = "group 1 cannot be shown as separate with {} draws; {} are needed"
    assert [one.p_found for one in few.patterns] == [0.1, 0.1, None]
    assert few.draws_needed == (
        "group 1 cannot be shown with 19 draws, nor 1 pattern after it; 39 are needed",
        separate.format(19, 79),
    )
    assert enough.patterns[0].is_found
    assert enough.draws_needed == (separate.format(39, 79),)
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
    blind = first_of(X, y, ranks=False, n_draws=199)
    assert blind.is_found
    assert blind.is_separate
    known = first_of(X, y, strata=batch, ranks=False, n_draws=199)
    assert known.verdict == "not found again"
    assert min(known.p_together, known.separate.p_value) > 0.05
    assert known.p_tied > blind.p_tied
    assert_allclose([np.median(known.levels[own]) for own in (batch, ~batch)], 0, atol=1e-12)


def test_columns_that_a_batch_leaves_alone_do_not_seem_to_move_together():
    """Within batches, others would vary less, had all columns the same scale with the batch."""
    batch = np.arange(100) % 2
    small = []
    for seed in range(20):
        X = drawn(100 + seed, shift=0.0)[0]
        X.iloc[:, 10:] += 4.0 * batch[:, None] * np.random.default_rng(seed).choice([-1, 1], 390)
        one = first_of(X, strata=batch, ranks=False, n_draws=99, random_state=seed)
        small.append(one.p_together <= 0.05)
    assert np.mean(small) <= 0.2


def test_the_third_answer_is_that_of_sums_of_values_beside_the_level_of_a_row():
    X, _ = drawn(1)
    first = first_of(X, ranks=True, n_draws=99, random_state=3)
    made = transfer(first_cohort(), X, ranks=True)
    here = first.found.here
    sums = (made.levels - made.row_means[:, None])[:, here] @ first.found.signature.linear
    assert_allclose(first.levels, sums - np.median(sums), atol=1e-9)
    assert first.separate == separate_test(sums, n_draws=99, random_state=draw_seed(3))
    told = first_of(X, groups=np.repeat(np.arange(20), 5))
    assert told.separate_words == (
        "whether it is a separate group was not tested (20 rows with a score are too few to say; "
        "30 are needed)"
    )
    assert told.corrected.separate is None


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


def test_an_outcome_in_numbers():
    X, members = drawn(1)
    outcome = members + 0.3 * np.random.default_rng(0).normal(size=100)
    first = first_of(X, Numbers(outcome, "score"), n_draws=199)
    assert max(first.p_tied, first.p_tied_labels_only) <= 0.02
    medians = [np.median(outcome[members == side]) for side in (True, False)]
    assert [first.effect.inside, first.effect.outside] == pytest.approx(medians, abs=0.1)
    assert f", {first.effect.words}, " in first.words
    assert "median score " in first.words


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_order_does_not_matter(axis):
    X, members = drawn(1)
    y = members.astype(int)
    order = np.random.default_rng(0).permutation(100 if axis == "rows" else 400)
    X, y = (X.iloc[order], y[order]) if axis == "rows" else (X.iloc[:, order], y)
    again = replicate(first_cohort(), X, y, n_draws=199, random_state=0)
    for one, other in zip(again.patterns, found().patterns, strict=True):
        for name in ("words", "p_together", "separate", "p_tied", "p_found"):
            assert getattr(one, name) == getattr(other, name)
        if one.together is not None:
            assert_allclose(one.together.draws, other.together.draws)


def test_gain_and_offset_of_columns_and_further_ones_do_not_matter_without_ranks():
    X, _ = drawn(1)
    rng = np.random.default_rng(1)
    one, other, more = (
        first_of(table, ranks=False, n_draws=99)
        for table in (
            X,
            X * rng.uniform(0.1, 9, 400) + 50 * rng.normal(size=400),
            X.assign(**{f"h{k}": np.arange(100.0) for k in range(5)}),
        )
    )
    assert (one.p_together, one.separate, one.p_found) == (
        *(other.p_together, other.separate, other.p_found),
    )
    assert_array_equal(one.found.members, more.found.members)


def test_few_rows_have_scores_only_and_few_columns_cannot_be_tested():
    result = replicate(first_cohort(), drawn(1)[0].iloc[:12], n_draws=19, random_state=0)
    for one in result.patterns:
        assert one.p_found is None
        assert one.found.members is None
        assert one.found.scores.shape == (12,)
    assert "there are 12 rows, too few for tests; 20 are needed" in result.patterns[0].words
    assert result.words == "0 of 3 groups are found again (3 cannot be tested)"
    first = first_of(drawn(1)[0].iloc[:, 7:])
    assert "columns are here, with" in first.reason
    assert first.verdict == "cannot be tested"


def masked(rows):
    """Half of the cells of the planted columns are missing, in chosen rows or anywhere."""
    return lambda X: X.mask(rows & (np.arange(400) < 10))


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X.assign(**{f"g{k}": 3.0 for k in range(10)}),
        masked(np.random.default_rng(0).random((100, 400)) < 0.5),
        masked((np.arange(100) % 2 == 0)[:, None]),
        masked(np.ones((100, 1), bool)),
        lambda X: X * 0 + np.arange(400),
    ],
    ids=["constant", "half missing", "half of the rows", "missing", "all rows identical"],
)
def test_columns_that_say_nothing_do_not_count(change):
    first = first_of(change(drawn(1)[0]))
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
    one, other = (first_of(table, ranks=False, n_draws=99) for table in (fewer, without))
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
    first = first_of(X, ranks=ranks, n_draws=99)
    assert not first.is_found
    assert first.separate.p_value is None
    assert "rows have the score of another row" in first.separate.reason


def test_strata_of_one_row():
    X, members = drawn(1)
    y = members.astype(int)
    first = first_of(X, y, strata=np.append(np.zeros(99), 1), n_draws=99)
    assert first.is_found
    assert first.separate.p_value <= 0.05
    alone = first_of(X, strata=np.arange(100))
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


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ranks": "maybe"}, "ranks is 'maybe'; give True, False or 'auto'"),
        ({"n_draws": 0}, "n_draws == 0"),
        ({"y2": Numbers([1, 2])}, "y2 has 2 values for 100 rows"),
        ({"strata": np.zeros(3), "y2": np.zeros(100)}, "strata has 3 values for 100 rows"),
        ({"y2": np.ones(100)}, "y2 has one class: nothing can be tied to it"),
        (
            {"strata": np.arange(100), "y2": np.arange(100) % 2},
            "y2 has one class in every stratum",
        ),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        replicate(first_cohort(), drawn(1)[0], **settings)


@pytest.mark.parametrize("model", [KMeans(), SubgroupBiclustering()])
def test_models_are_refused(model):
    with pytest.raises(TypeError, match=f"a {type(model).__name__}; replicate takes what find_gro"):
        replicate(model, drawn(1)[0])
