"""Pictures of a pattern in a second cohort."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color
from numpy.testing import assert_allclose, assert_array_equal
from oracles.one_axis import naive_flat_hump, naive_hump, naive_mixture
from oracles.survival import survival_at
from plots import legend_texts, tick_names

from bicneuron import Findings, SubgroupBiclustering
from bicneuron._core._one_hump import best_hump, fit_flat_hump
from bicneuron._core._valley import best_pair
from bicneuron._shared._plots import ANCHOR, OTHERS
from bicneuron.inspection import (
    ColumnEffectsDisplay,
    NumbersDisplay,
    SeparateDisplay,
    SurvivalDisplay,
)
from bicneuron.outcomes import Numbers, Survival
from bicneuron.replication import replicate
from bicneuron.significance import column_evidence
from bicneuron.significance._find_groups import judged_groups


def cohort(seed):
    """A group of a fifth of the rows in twelve columns."""
    X = np.random.default_rng(seed).normal(size=(60, 150))
    X[:12, :12] += 3 * np.where(np.arange(12) < 7, 1, -1)
    return pd.DataFrame(X, columns=[f"g{j}" for j in range(150)])


FIRST, SECOND = cohort(0), cohort(1)


@cache
def one_group():
    return SubgroupBiclustering(n_patterns=1, kinds="shift").fit(FIRST)


@cache
def result(n_rows=60, n_dropped=0):
    columns = SECOND.columns[n_dropped:]
    found = Findings.untested(one_group(), FIRST)
    return replicate(found, SECOND.iloc[:n_rows][columns], n_draws=99, random_state=0)


def test_columns_are_in_the_order_of_the_training_table():
    display = ColumnEffectsDisplay.from_result(result())
    found = result().patterns[0].found
    order = np.argsort(-np.abs(found.effects_there))
    assert_array_equal(display.column_order, order)
    assert_allclose(display.here_.get_offsets()[:, 0], found.effects_here[order])
    assert_allclose(display.there_.get_offsets()[:, 0], found.effects_there[order])
    assert tick_names(display.ax_.yaxis) == [found.present[j] for j in order]
    assert legend_texts(display)[0] == "here (same direction as there in 12 of 12 columns)"
    other = ColumnEffectsDisplay(np.array([1.0, 0.5]), np.array([2.0, -1.0]), ["a", "b"]).plot()
    assert other.is_same.tolist() == [True, False]


def tables(n_rows=60):
    return np.random.default_rng(0).normal(size=n_rows) + 6 * (np.arange(n_rows) < 12)


def heights(bars):
    return [bar.get_height() for bar in bars]


def test_rows_that_carry_it_stand_on_the_others_in_another_colour():
    display = SeparateDisplay.from_result(result())
    one = result().patterns[0]
    others, carriers = display.histogram_
    n_members = int(one.found.members.sum())
    assert n_members == 12
    assert (sum(heights(others)), sum(heights(carriers))) == (48, 12)
    assert same_color(carriers[0].get_facecolor(), ANCHOR)
    assert same_color(others[0].get_facecolor(), OTHERS)
    for below, above in zip(others, carriers, strict=True):
        assert above.get_y() == below.get_height()
    lowest = one.levels[one.found.members].min()
    width = np.diff([bar.get_x() for bar in carriers])[0]
    assert all(bar.get_x() + width > lowest for bar in carriers if bar.get_height())
    assert legend_texts(display) == [
        "other rows: 48", "rows that carry it: 12", "best two humps", "best single hump",
    ]  # fmt: skip
    assert display.ax_.get_xlabel() == f"score (one hump: p = {one.separate.p_value:.2g})"


@pytest.mark.parametrize("is_flat", [False, True])
def test_curves_are_the_densities_of_the_fits_in_rows_of_a_bin(is_flat):
    scores = np.linspace(0, 9, 70) if is_flat else 3 + 2 * tables()
    display = SeparateDisplay(scores, scores > 9).plot()
    width = np.diff([bar.get_x() for bar in display.histogram_[0]])[0]
    s = np.sort(scores - np.median(scores)) / scores.std()
    pair, hump, flat = best_pair(s), best_hump(s), fit_flat_hump(s)
    assert (flat.likelihood > hump.likelihood) == is_flat
    rows = len(s) * width / scores.std() / np.sqrt(2 * np.pi)
    of_two = (pair.share, pair.low, pair.high, pair.low_spread, pair.high_spread)
    single = (naive_flat_hump, flat) if is_flat else (naive_hump, hump)
    for curve, naive, parameters in (
        (display.two_, naive_mixture, of_two),
        (display.one_, single[0], single[1].parameters),
    ):
        for place, height in zip(*(axis[20:180:20] for axis in curve.get_data()), strict=True):
            x = (place - np.median(scores)) / scores.std()
            assert height == pytest.approx(rows * np.exp(naive([x], *parameters)), rel=1e-4)
        places, drawn = curve.get_data()
        assert np.trapezoid(drawn, places) / width == pytest.approx(len(scores), rel=0.15)


@pytest.mark.parametrize("scores", [np.zeros(40), np.arange(5.0), np.array([np.nan, 1.0])])
def test_scores_that_are_few_or_equal_have_no_humps(scores):
    display = SeparateDisplay(scores, np.arange(len(scores)) < 2).plot()
    assert display.two_ is None
    assert display.one_ is None
    drawn = sum(sum(heights(bars)) for bars in display.histogram_)
    assert drawn == np.isfinite(scores).sum()
    assert display.ax_.get_xlabel() == "score"


def test_scores_of_rows_left_out_of_the_first_cohort():
    X = np.random.default_rng(0).normal(size=(60, 100))
    X[:15, :12] += 2.5
    miner = SubgroupBiclustering(n_patterns=1, kinds="shift").fit(X)
    (evidence,) = column_evidence(miner, X, patterns=[0], random_state=0)
    display = SeparateDisplay.from_evidence(evidence, p=0.004)
    own = np.isin(np.arange(60), evidence.pattern.rows)
    is_known = np.isfinite(evidence.scores)
    assert display.p == 0.004
    assert [sum(heights(bars)) for bars in display.histogram_] == [
        np.sum(~own & is_known), np.sum(own & is_known),
    ]  # fmt: skip
    unknown = replace(evidence, scores=np.full(60, np.nan))
    with pytest.raises(ValueError, match="pattern 1 has no scores to draw: it was not found again"):
        SeparateDisplay.from_evidence(unknown)


def survival(n=40):
    rng = np.random.default_rng(0)
    return np.round(rng.exponential(5, n), 1), (rng.random(n) < 0.6).astype(float)


def test_curves_are_those_of_counting_with_the_numbers_at_risk():
    time, event = survival()
    time[3], event[4] = np.nan, np.nan
    members = np.arange(40) < 15
    display = SurvivalDisplay(Survival(time, event, name="months"), members).plot()
    moments = display.ax_.get_xticks()
    known = ~(np.isnan(time) | np.isnan(event))
    sides = zip((members, ~members), display.curves_, display.at_risk_, strict=True)
    for own, curve, at_risk in sides:
        times, events = time[own & known].tolist(), event[own & known] > 0
        drawn = dict(zip(curve.get_xdata(), curve.get_ydata(), strict=True))
        for moment, share in drawn.items():  # from the last share of a moment on
            assert share == pytest.approx(survival_at(moment, times, events))
        assert at_risk == [sum(other >= moment for other in times) for moment in moments]
    assert display.at_risk_[0][0] == 13
    texts = [text.get_text() for text in display.ax_.texts]
    assert "members at risk" in texts
    assert "13" in texts
    assert display.ax_.get_xlabel() == "months"
    n_events = int(np.sum(event[members & known]))
    assert legend_texts(display)[0] == f"members: {n_events} events in 13 rows"


def test_survival_of_the_members_of_a_result_or_of_none():
    time, event = survival(60)
    display = SurvivalDisplay.from_result(result(), y=Survival(time, event))
    assert [own[0] for own in display.at_risk_] == [12, 48]
    with pytest.raises(ValueError, match="y has 59 values for 60 rows"):
        SurvivalDisplay.from_result(result(), y=Survival(time[:-1], event[:-1]))
    with pytest.raises(TypeError, match="y is no Survival; give what was tested"):
        SurvivalDisplay.from_result(result(), y=time)
    display = SurvivalDisplay(Survival(time, event), np.zeros(60, bool)).plot()
    assert set(display.at_risk_[0]) == {0}


def test_numbers_of_members_and_others_are_dots_around_their_medians():
    values = np.append(np.arange(59.0), np.nan)
    findings = judged_groups(one_group(), FIRST, Numbers(values, "dose"), random_state=0)
    display = NumbersDisplay.from_result(findings, y=Numbers(values, "dose"))
    members = np.isin(np.arange(60), findings.patterns[0].rows)
    for own, dots, median in zip(
        (members, ~members), display.ax_.collections, display.medians_, strict=True
    ):
        known = np.sort(values[own & ~np.isnan(values)])
        assert_array_equal(dots.get_offsets()[:, 0], known)
        assert median == np.median(known)
    assert display.ax_.get_xlabel() == "dose (bars: medians)"
    assert tick_names(display.ax_.yaxis) == ["members: 12 rows", "other rows: 47 rows"]
    nobody = NumbersDisplay(Numbers(values), np.zeros(60, bool)).plot()
    assert np.isnan(nobody.medians_[0])


@pytest.mark.parametrize(
    ("display", "how", "k", "message"),
    [
        (SeparateDisplay, {}, 1, "k=1, but replication has 1 patterns"),
        (SeparateDisplay, {"n_dropped": 12}, 0, "no scores to draw: 0 of its 12 columns"),
        (ColumnEffectsDisplay, {"n_rows": 12}, 0, "group 1 has no members"),
        (SeparateDisplay, {"n_rows": 12}, 0, "no scores to draw: there are 12 rows"),
        (SurvivalDisplay, {"n_rows": 12}, 0, "no members to draw: there are 12 rows"),
    ],
)
def test_what_is_not_there_is_refused(display, how, k, message):
    time, event = survival(12)
    known = {"y": Survival(time, event)} if display is SurvivalDisplay else {}
    with pytest.raises(ValueError, match=message):
        display.from_result(result(**how), k, **known)
