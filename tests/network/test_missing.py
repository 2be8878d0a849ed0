"""Networks on tables with missing values."""

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.neurons import OnlinePerceptron

X, Y = load_breast_cancer(return_X_y=True)
RNG = np.random.default_rng(0)
HOLES = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
TRAIN, TEST = slice(0, None, 2), slice(1, None, 2)


def network(design):
    if design == "readable":
        return PatternClassifier(random_state=0)
    return BicNeuronNetwork(n_neurons=30, random_state=0)


@cache
def fitted(design, holes=True):
    return network(design).fit((HOLES if holes else X)[TRAIN], Y[TRAIN])


DESIGNS = pytest.mark.parametrize("design", ["accurate", "readable"])


@DESIGNS
def test_a_fifth_of_the_cells_costs_little(design):
    complete = fitted(design, holes=False).score(X[TEST], Y[TEST])
    assert fitted(design).score(HOLES[TEST], Y[TEST]) > complete - 0.03
    assert fitted(design, holes=False).score(HOLES[TEST], Y[TEST]) > complete - 0.03


@DESIGNS
def test_half_of_the_cells_leave_honest_probabilities(design):
    half = np.where(np.random.default_rng(1).random(X.shape) < 0.5, np.nan, X)[TEST]
    chances = fitted(design).predict_proba(half)[:, 1]
    assert np.mean((chances - Y[TEST]) ** 2) < 0.08
    assert abs(chances.mean() - Y[TEST].mean()) < 0.08


@DESIGNS
def test_a_row_without_values_is_scored_and_not_covered(design):
    model = fitted(design)
    rows = HOLES[TEST][:5].copy()
    rows[2] = np.nan
    chances = model.predict_proba(rows)
    assert 0.2 < chances[2, 1] < 0.8
    assert model.coverage(rows)[2] == 0
    assert model.predict(rows, reject=0.01).mask[2]
    # The other rows do not notice, to the last bit.
    assert_array_equal(model.predict_proba(rows[3:]), chances[3:])


@DESIGNS
def test_coverage_falls_with_what_is_missing(design):
    model = fitted(design)
    few = np.where(np.random.default_rng(1).random(X.shape) < 0.9, np.nan, X)
    assert model.coverage(few).mean() < model.coverage(X).mean()


@DESIGNS
def test_explanations_say_missing_and_add_up(design):
    model = fitted(design)
    rows = HOLES[TEST][:3].copy()
    rows[1] = np.nan
    explanations = model.explain(rows)
    for row, explanation in zip(rows, explanations, strict=True):
        assert "missing" in str(explanation)
        total = (
            explanation.bias + explanation.rest + sum(p.contribution for p in explanation.patterns)
        )
        assert total == pytest.approx(explanation.score, abs=1e-6)
        for pattern in explanation.patterns:
            for column in pattern.columns:
                assert np.isnan(column.value) == np.isnan(row[int(column.feature[1:])])
                if np.isnan(column.value) and column.estimate is None:
                    assert not column.contribution
                assert column.estimate is None or np.isnan(column.value)
            if pattern.bias is not None:
                parts = pattern.bias + sum(c.contribution for c in pattern.columns)
                assert parts == pytest.approx(pattern.contribution, abs=1e-6)
    assert "All of its columns are missing" in str(explanations[1])


@DESIGNS
def test_explanations_tell_what_a_missing_value_is_taken_for(design):
    """The mean radius follows from perimeter and area."""
    rows = X[TEST][:20].copy()
    rows[:, 0] = np.nan
    estimates = {
        k: column
        for k, explanation in enumerate(fitted(design, holes=False).explain(rows))
        for pattern in explanation.patterns
        for column in pattern.columns
        if column.feature == "x0"
    }
    for k, column in estimates.items():
        assert column.estimate == pytest.approx(X[TEST][k, 0], rel=0.1)
        assert column.written_value == f"missing, about {column.estimate:.4g}"
    assert len(estimates) > 5


@DESIGNS
def test_sparse_tables_may_have_stored_gaps(design):
    model = network(design).fit(sp.csr_array(HOLES[TRAIN]), Y[TRAIN])
    assert_array_equal(
        model.decision_function(sp.csc_array(HOLES[TEST])),
        fitted(design).decision_function(HOLES[TEST]),
    )


@DESIGNS
def test_columns_and_rows_without_values(design):
    """A column that was never seen tells nothing, whatever it holds later."""
    empty = HOLES[TRAIN].copy()
    empty[:, 3] = np.nan
    empty[10] = np.nan
    model = network(design).fit(empty, Y[TRAIN])
    later = HOLES[TEST].copy()
    later[:, 3] = np.nan
    scores = model.decision_function(later)
    assert np.isfinite(scores).all()
    assert model.score(later, Y[TEST]) > 0.9


def test_kinds_that_take_no_gaps_are_given_the_means_of_columns():
    kinds = [LogisticRegression(), OnlinePerceptron(max_iter=5)]
    model = BicNeuronNetwork(neuron_kinds=kinds, n_neurons=30, random_state=0).fit(
        HOLES[TRAIN], Y[TRAIN]
    )
    assert model.score(HOLES[TEST], Y[TEST]) > 0.85
    explanation = model.explain(HOLES[TEST][:1])[0]
    for pattern in explanation.patterns:
        parts = pattern.bias + sum(c.contribution for c in pattern.columns)
        assert_allclose(parts, pattern.contribution, atol=1e-9)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinities_are_refused_by_name(value):
    bad = HOLES.copy()
    bad[0, 0] = np.nan
    bad[6, 4] = value
    with pytest.raises(ValueError, match=r"column 4, row 6, is -?inf"):
        BicNeuronNetwork(n_neurons=30, random_state=0).fit(bad, Y)
    with pytest.raises(ValueError, match=r"column 4, row 6, is -?inf"):
        fitted("readable").predict(sp.csr_array(bad))
