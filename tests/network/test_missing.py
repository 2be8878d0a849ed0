"""Networks on tables with missing values."""

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron._shared._scaling import filling_of
from bicneuron.neurons import OnlinePerceptron

X, Y = load_breast_cancer(return_X_y=True)
RNG = np.random.default_rng(0)
HOLES = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
TRAIN, TEST = slice(0, None, 3), slice(1, None, 3)


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
def test_explanations_say_missing_and_add_up(design):
    rows = HOLES[TEST][:3].copy()
    rows[1] = np.nan
    explanations = fitted(design).explain(rows)
    for row, explanation in zip(rows, explanations, strict=True):
        assert "missing" in str(explanation)
        told = explanation.bias + explanation.rest
        told += sum(pattern.contribution for pattern in explanation.patterns)
        assert told == pytest.approx(explanation.score, abs=1e-6)
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
    n_told = 0
    for radius, explanation in zip(
        X[TEST][:20, 0], fitted(design, holes=False).explain(rows), strict=True
    ):
        for column in (column for pattern in explanation.patterns for column in pattern.columns):
            if column.feature == "x0":
                n_told += 1
                assert column.estimate == pytest.approx(radius, rel=0.1)
                assert column.written_value == f"missing, about {column.estimate:.4g}"
    assert n_told > 5


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


# --- Tables with missing cells, filled by their components


def with_factors(n_rows, n_columns, n_factors=3, noise=0.3, seed=0):
    random = np.random.default_rng(seed)
    loadings = random.normal(size=(n_columns, n_factors))
    Z = random.normal(size=(n_rows, n_factors)) @ loadings.T
    Z += noise * random.normal(size=Z.shape)
    return (Z - Z.mean(axis=0)) / Z.std(axis=0)


def with_gaps(Z, share, seed=0):
    return np.where(np.random.default_rng(seed).random(Z.shape) < share, np.nan, Z)


@pytest.mark.parametrize("shape", [(300, 12), (40, 200), (60, 700)], ids=["tall", "wide", "wider"])
def test_what_columns_have_in_common_fills_gaps(shape):
    Z = with_factors(*shape)
    gappy = with_gaps(Z, 0.2)
    found = filling_of(gappy).apply(gappy)
    missing = np.isnan(gappy)
    assert_array_equal(found[~missing], Z[~missing])
    estimated = missing & ~np.isnan(found)
    assert estimated.sum() > 0.9 * missing.sum()
    # The best possible error is that of the noise, about 0.03 of the variance.
    assert np.mean((found - Z)[estimated] ** 2) < 0.15


@pytest.mark.parametrize("shape", [(600, 20), (100, 20), (60, 300)])
def test_columns_with_nothing_in_common_stay_as_they_are(shape):
    gappy = with_gaps(np.random.default_rng(0).normal(size=shape), 0.2)
    assert_array_equal(filling_of(gappy).apply(gappy), gappy)


def test_some_columns_tell_what_they_can():
    Z = with_factors(300, 12)
    filling = filling_of(Z)
    some = np.array([1, 4, 7, 8, 10])
    gappy = with_gaps(Z[:, some], 0.2)
    wide = np.full(Z.shape, np.nan)
    wide[:, some] = gappy
    assert_allclose(filling.take(some).apply(gappy), filling.apply(wide)[:, some])


@pytest.mark.parametrize("shape", [(1, 3), (2, 1), (2, 3), (5, 1)])
def test_tiny_and_constant_tables(shape):
    for Z in (np.zeros(shape), np.arange(np.prod(shape), dtype=float).reshape(shape)):
        gappy = Z.copy()
        gappy[0, 0] = np.nan
        found = filling_of(gappy).apply(gappy)
        assert_array_equal(found.ravel()[1:], Z.ravel()[1:])


@pytest.mark.parametrize("seed", range(5))
def test_rounding_leaves_no_gap(seed):
    """Where the rest of a row tells nothing, the share that it tells can come out below 0."""
    random = np.random.default_rng(seed)
    Z = random.normal(size=(25, 12))
    Z[random.random(Z.shape) < 0.9] = np.nan
    Z -= np.nansum(Z, axis=0) / np.maximum(np.isfinite(Z).sum(axis=0), 1)
    assert all(np.isfinite(part).all() for part in filling_of(Z))
