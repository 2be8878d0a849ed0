"""Orders of units, sums over groups and their variances, against loops; survival, too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare
from strategies import seeds

from bicneuron._core._permuted_sums import orders_within, sums_in_orders, variances_in_orders
from bicneuron._core._survival import hazard_ratio, log_rank


def drawn_groups(rng, n_units, n_groups):
    """Shares of the rows of units that carry groups, and the same as the kernels take it."""
    shares = rng.choice([0.0, 0.5, 1.0], size=(n_units, n_groups))
    unit, group = np.nonzero(shares)
    starts = np.searchsorted(unit, np.arange(n_units + 1))
    return shares, (starts, group, shares[unit, group])


def test_all_orders_within_strata_are_as_likely():
    ends = np.array([3, 5])
    orders = orders_within(ends, np.random.default_rng(0).random((1200, 5)))
    seen, counts = np.unique(orders, axis=0, return_counts=True)
    assert {tuple(sorted(order[:3])) for order in seen.tolist()} == {(0, 1, 2)}
    assert len(seen) == 12
    assert chisquare(counts).pvalue > 0.001


@given(seeds(), st.integers(2, 12), st.integers(1, 3), st.integers(1, 3))
def test_sums_are_those_of_the_scores_of_the_places(seed, n_units, n_groups, n_scores):
    rng = np.random.default_rng(seed)
    shares, members = drawn_groups(rng, n_units, n_groups)
    scores = rng.normal(size=(n_units, n_scores))
    orders = orders_within(np.array([n_units]), rng.random((4, n_units)))
    found = sums_in_orders(orders, members, n_groups, scores)
    for order, own in zip(orders, found, strict=True):
        assert_allclose(own, shares.T @ scores[order], atol=1e-12)


def naive_variance(time, event, shares):
    """Sum over the times of events of the variance of the members among those at risk."""
    total = 0.0
    for moment in np.unique(time[event]):
        there = shares[time >= moment]
        n, n_events = len(there), int(np.sum(event & (time == moment)))
        if n > 1:
            within = np.mean(there**2) - np.mean(there) ** 2
            total += n_events * (n - n_events) / (n - 1) * within
    return total


@given(seeds(), st.integers(2, 14), st.integers(1, 3))
def test_log_rank_statistics_and_variances(seed, n_units, n_strata):
    rng = np.random.default_rng(seed)
    strata = np.sort(rng.integers(0, n_strata, n_units))
    _, strata = np.unique(strata, return_inverse=True)
    time, event = rng.integers(0, 6, n_units) / 2, rng.random(n_units) < 0.7
    places = np.lexsort((time, strata))
    time, event = time[places], event[places]
    of_strata = [strata == stratum for stratum in np.unique(strata)]
    parts = [log_rank(time[own], event[own]) for own in of_strata]
    scores, spread, pull = (np.concatenate(one) for one in zip(*parts, strict=True))
    shares, members = drawn_groups(rng, n_units, 2)
    ends = np.cumsum(np.bincount(strata))
    orders = orders_within(ends, rng.random((3, n_units)))
    sums = sums_in_orders(orders, members, 2, scores[:, None])[:, :, 0]
    found = variances_in_orders(orders, ends, members, 2, spread, pull)
    for order, own_sums, own in zip(orders, sums, found, strict=True):
        at_place = np.empty_like(shares)
        at_place[order] = shares
        for group, of_units in enumerate(at_place.T):
            expected = sum(
                naive_variance(time[rows], event[rows], of_units[rows]) for rows in of_strata
            )
            assert own[group] == pytest.approx(expected, abs=1e-10)
            surplus = 0.0
            for rows in of_strata:
                for moment in np.unique(time[rows & event]):
                    dies, at_risk = rows & event & (time == moment), rows & (time >= moment)
                    surplus += of_units[dies].sum() - dies.sum() * of_units[at_risk].mean()
            assert own_sums[group] == pytest.approx(surplus, abs=1e-10)


@pytest.mark.parametrize("inside", [np.arange(6) < 6, np.arange(6) < 3])
def test_there_is_no_hazard_ratio_of_one_side_or_without_events_in_the_other(inside):
    assert hazard_ratio(np.arange(6.0), np.arange(6) < 3, inside, np.zeros(6, np.intp)) is None


def naive_log_likelihood(beta, time, event, inside, strata):
    """Cox's partial likelihood with ties after Efron."""
    total = 0.0
    for stratum in np.unique(strata):
        own = strata == stratum
        for moment in np.unique(time[own & event]):
            dies = own & event & (time == moment)
            risk = np.exp(beta * inside)
            for k in range(dies.sum()):
                left = risk[own & (time >= moment)].sum() - k * risk[dies].mean()
                total -= np.log(left)
            total += beta * inside[dies].sum()
    return total


@given(seeds(), st.integers(6, 20), st.integers(1, 2))
def test_hazard_ratio_maximises_the_likelihood(seed, n, n_strata):
    rng = np.random.default_rng(seed)
    time, event = rng.integers(0, 8, n) / 2, rng.random(n) < 0.8
    inside, strata = rng.random(n) < 0.5, rng.integers(0, n_strata, n)
    found = hazard_ratio(time, event, inside, strata)
    given_data = (time, event, inside * 1.0, strata)
    if found is None:  # it still rises far away, or does not depend on the ratio
        ends = [naive_log_likelihood(beta, *given_data) for beta in (-15, -12, 0, 12, 15)]
        assert max(ends) - max(ends[0], ends[-1]) < 1e-4
        return
    beta = np.log(found.ratio)
    best, *others = (naive_log_likelihood(beta + step, *given_data) for step in (0, -1e-3, 1e-3))
    assert best >= max(others)
    curvature = (2 * best - sum(others)) / 1e-6
    width = np.log(found.high / found.low) / (2 * 1.959964)
    assert_array_equal(found.low <= found.ratio <= found.high, True)
    assert 1 / width**2 == pytest.approx(curvature, rel=0.02, abs=1e-3)
