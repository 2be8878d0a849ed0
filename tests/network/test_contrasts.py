"""Columns that tell two sets of rows apart, against twins column by column."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron.network._contrasts import BELL, BELL_SLACK, LINE, LINE_SLACK, fit_contrasts
from bicneuron.neurons import GaussianNeuron


@pytest.fixture(params=[False, True], ids=["complete", "gaps"])
def table(request):
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(40, 7))
    Z[:12, 2] += 3
    Z[:12, 5] *= 4
    if request.param:
        Z[rng.random(Z.shape) < 0.15] = np.nan
    sides = np.zeros((2, 40), np.int8)
    sides[0, :12], sides[0, 12:] = 1, -1
    sides[1, 5:15], sides[1, 20:] = 1, -1
    return Z, sides


def observed(Z, rows, column):
    values = Z[rows, column]
    return values[~np.isnan(values)]


def test_means_variances_and_evidence_are_those_of_the_observed_values(table):
    Z, sides = table
    fitted = fit_contrasts(Z, sides)
    for k, side in enumerate(sides):
        for column in range(Z.shape[1]):
            own, others = observed(Z, side > 0, column), observed(Z, side < 0, column)
            both = np.concatenate([own, others])
            within = (own.var() * len(own) + others.var() * len(others)) / len(both)
            assert_allclose(fitted.means[1][k, column], own.mean())
            assert_allclose(fitted.means[0][k, column], others.mean())
            assert_allclose(fitted.shared[k, column], within)
            # Half of n times the log of the ratio of variances, without and with two means.
            ratio = (both.var() + LINE_SLACK) / (within + LINE_SLACK)
            assert_allclose(fitted.shift[k, column], len(both) / 2 * np.log(ratio))
            pooled = within + LINE_SLACK
            spread = 0.5 * (
                len(own) * np.log(pooled / (own.var() + LINE_SLACK))
                + len(others) * np.log(pooled / (others.var() + LINE_SLACK))
            )
            assert_allclose(fitted.spread[k, column], spread)


@pytest.mark.parametrize(
    ("form", "neuron"),
    [
        (LINE, GaussianNeuron(slack=LINE_SLACK, shared_variance=True)),
        (BELL, GaussianNeuron(slack=BELL_SLACK)),
    ],
    ids=["line", "bell"],
)
def test_scores_are_those_of_the_neuron_that_a_pattern_has(table, form, neuron):
    Z, sides = table
    fitted = fit_contrasts(Z, sides)
    columns = [np.array([2, 5]), np.array([0, 2, 6])]
    scores = fitted.scores(Z, form, columns)
    for k, side in enumerate(sides):
        rows = np.flatnonzero(side)
        neuron.fit(Z[np.ix_(rows, columns[k])], side[rows])
        assert_allclose(scores[:, k], neuron.decision_function(Z[:, columns[k]]), atol=1e-10)


def test_columns_are_the_clearest_and_only_clear_ones(table):
    Z, sides = table
    fitted = fit_contrasts(Z, sides[:1])
    (line,) = fitted.columns(LINE, np.array([5]))
    clear = np.flatnonzero(fitted.shift[0] > np.log(7))
    assert_array_equal(line, clear)
    assert 2 in line
    (bell,) = fitted.columns(BELL, np.array([5]))
    assert {2, 5} <= set(bell.tolist())  # the second differs in spread alone
    (one,) = fitted.columns(LINE, np.array([1]))
    assert one.tolist() == [int(np.argmax(fitted.shift[0]))]


def test_at_least_one_column_remains():
    Z = np.random.default_rng(0).normal(size=(20, 30))
    fitted = fit_contrasts(Z, np.where(np.arange(20) < 10, 1, -1)[None])
    (columns,) = fitted.columns(LINE, np.array([8]))
    assert columns.tolist() == [int(np.argmax(fitted.shift[0]))] or len(columns) > 1
