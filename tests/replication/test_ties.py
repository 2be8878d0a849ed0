"""Ties of a score to classes and outcomes: within strata, with whole patients exchanged."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import pearsonr, spearmanr

from bicneuron.outcomes import Numbers, Survival
from bicneuron.replication._ties import p_value, tie_to, tie_to_class


def random(seed=0):
    return np.random.default_rng(seed)


def p_of(tie, scores, seed=0, n_draws=199):
    """Label p, and the larger with that of random columns: here noise."""
    drawn = random(100 + seed).normal(size=(len(scores), n_draws))
    return tie.p_values(np.asarray(scores, np.float64), drawn, random(seed))


def test_p_counts_the_observed_value():
    assert p_value(3.0, np.array([1.0, 2.0, 3.0, 4.0])) == 3 / 5
    assert p_value(9.0, np.zeros(19)) == 1 / 20


@pytest.mark.parametrize("anchor", [None, "case"])
def test_the_statistic_of_two_classes_is_a_correlation(anchor):
    scores, y = random(1).normal(size=40), np.repeat(["case", "control"], [15, 25])
    tie = tie_to_class(y, anchor, None, None, 40)
    found = tie.statistic(scores[:, None])[0]
    expected = pearsonr(scores, y == "case")[0]
    assert_allclose(found, expected if anchor else abs(expected))


def test_a_named_class_must_have_the_higher_scores():
    y = np.repeat(["case", "control"], 30)
    scores = np.where(y == "case", 1.0, -1.0) + random().normal(size=60)
    assert p_of(tie_to_class(y, "case", None, None, 60), scores)[1] <= 0.01
    assert p_of(tie_to_class(y, "case", None, None, 60), -scores)[1] > 0.9
    assert p_of(tie_to_class(y, None, None, None, 60), -scores)[1] <= 0.01
    # A label that files write as a number.
    numbers = np.where(y == "case", 1.0, 0.0)
    assert p_of(tie_to_class(numbers, 1.0, None, None, 60), scores)[1] <= 0.01


def test_random_columns_that_are_tied_as_well_take_the_tie_away():
    y = np.repeat([0, 1], 40)
    tie = tie_to_class(y, None, None, None, 80)
    scores = y + random().normal(size=80)
    tied = 1.5 * y[:, None] + random(1).normal(size=(80, 199))
    by_labels, by_both = tie.p_values(scores, tied, random())
    assert by_labels <= 0.01
    assert by_both > 0.2


def test_a_tie_by_the_strata_alone_is_none():
    """Scores and classes both differ between two batches; the label p holds its level."""
    small = []
    batch = np.repeat([0, 1], 40)
    for seed in range(60):
        rng = random(seed)
        y = (rng.random(80) < np.where(batch, 0.8, 0.2)).astype(int)
        scores = 3 * batch + rng.normal(size=80)
        small.append(p_of(tie_to_class(y, None, batch, None, 80), scores, seed, 99)[0] <= 0.05)
        if not seed:
            assert p_of(tie_to_class(y, None, None, None, 80), scores)[0] <= 0.01
    assert np.mean(small) < 0.15


def test_rows_of_a_patient_count_as_one():
    """Six patients with twenty rows each say no more than six rows."""
    patients = np.repeat(np.arange(6), 20)
    y, level = patients % 2, random(3).normal(size=6)
    scores = level[patients] + y + 0.1 * random().normal(size=120)
    assert p_of(tie_to_class(y, None, None, None, 120), scores)[0] <= 0.01
    assert p_of(tie_to_class(y, None, None, patients, 120), scores)[0] >= 0.05
    tie = tie_to_class(y, None, None, patients, 120)
    means = [scores[patients == k].mean() for k in range(6)]
    assert_allclose(tie.of_units(scores[:, None])[:, 0], means)


def test_a_number_is_compared_by_ranks():
    scores, outcome = random(1).normal(size=30), np.exp(random(2).normal(size=30))
    tie = tie_to(Numbers(outcome), None, None, None, 30)
    assert_allclose(tie.statistic(scores[:, None])[0], abs(spearmanr(scores, outcome)[0]))
    assert p_of(tie, outcome**3)[1] <= 0.01


def test_unknown_labels_are_left_out():
    y = np.array(["case", "control", None, "case", "control", "control"], dtype=object)
    tie = tie_to_class(y, None, None, None, 6)
    assert tie.rows.tolist() == [0, 1, 3, 4, 5]
    assert tie_to(Numbers([1, 2, np.nan, 4]), None, None, None, 4).rows.tolist() == [0, 1, 3]
    assert tie_to(Survival([1, np.nan, 3], [1, 1, 0]), None, None, None, 3).rows.tolist() == [0, 2]


def test_what_is_known_of_a_patient():
    """Once in each class, the mean of numbers, the last time."""
    tie = tie_to_class([0, 1, 1, 0, 0], None, None, [0, 0, 0, 1, 1], 5)
    assert tie.units.tolist() == [0, 1, 1, 2, 2]
    scores, patients = random().normal(size=7), [0, 0, 1, 1, 2, 2, 3]
    for visits, of_patients in (
        (
            tie_to(Numbers([1, 3, 0.1, 0.1, 5, 9, 4]), None, None, patients, 7),
            tie_to(Numbers([2, 2, 0.1, 0.1, 7, 7, 4]), None, None, patients, 7),
        ),
        (
            tie_to(Survival([1, 3, 2, 2, 9, 5, 4], [0, 1, 0, 1, 0, 1, 1]), None, None, patients, 7),
            tie_to(Survival([3, 3, 2, 2, 9, 9, 4], [1, 1, 1, 1, 0, 0, 1]), None, None, patients, 7),
        ),
    ):
        assert p_of(visits, scores, 0, 99) == p_of(of_patients, scores, 0, 99)


@pytest.mark.parametrize("kind", ["class", "number", "survival"])
def test_the_order_of_rows_does_not_matter(kind):
    rng = random(4)
    order = rng.permutation(60)
    scores, drawn = rng.normal(size=60), rng.normal(size=(60, 99))
    batch, y, number = rng.integers(0, 2, 60), rng.integers(0, 2, 60), rng.normal(size=60)

    def p(rows):
        known = batch[rows], None, 60
        if kind == "class":
            tie = tie_to_class(y[rows], None, *known)
        elif kind == "number":
            tie = tie_to(Numbers(number[rows]), None, *known)
        else:
            tie = tie_to(Survival(np.abs(number[rows]), y[rows]), None, *known)
        return tie.p_values(scores[rows], drawn[rows], random())

    assert p(order) == p(np.arange(60))


@pytest.mark.parametrize(
    ("tie", "arguments", "message"),
    [
        (tie_to_class, ([1, 1, 1], None, None, None, 3), "y2 has one class: nothing"),
        (tie_to_class, ([0, 0, 1, 1], None, [0, 0, 1, 1], None, 4), "one class in every stratum"),
        (tie_to_class, ([0, 1], None, None, None, 3), "y2 has 2 values for 3 rows"),
        (tie_to, (Numbers([1, 2]), None, None, None, 3), "y2 has 2 values for 3 rows"),
        (tie_to, (Numbers([1, 2, 3]), None, [0, 1], None, 3), "strata has 2 values for 3 rows"),
    ],
)
def test_bad_input(tie, arguments, message):
    with pytest.raises(ValueError, match=message):
        tie(*arguments)
