"""Values whose squares overflow or vanish; ``make fuzz`` draws many more of them."""

import numpy as np
import pytest
from data import assert_no_nan, classifier, make_one_factor, with_cell
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronNetwork, CoherentBiclustering, PatternClassifier
from bicneuron._shared._scaling import with_means
from bicneuron.biclustering import BiclusterFeatures
from bicneuron.classifier._steps import log_odds_line
from bicneuron.explanation._neuron import root_mean_square
from bicneuron.network._patterns import distance
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron

falls_back = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
finds_nothing = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")

EXTREMES = {
    "1e300": lambda X: X * 1e300,
    "1e-300": lambda X: X * 1e-300,
    "mixed": lambda X: X * np.logspace(-300, 300, X.shape[1]),
    "subnormal": lambda X: X * 1e-320,
    "one huge cell": lambda X: with_cell(X, 1e300),
    "one huge cell of each sign": lambda X: with_cell(with_cell(X, 1.7e308), -1.7e308, row=5),
    "far from zero": lambda X: X + 1e300,
    "all the same": lambda X: np.full_like(X, 1.7e308),
}


@falls_back
@finds_nothing
@pytest.mark.parametrize("extreme", EXTREMES)
@pytest.mark.parametrize(
    "parameters",
    [
        {"recalibrate": True, "anchor": "both"},
        {"neuron": KernelPerceptron(), "scale": "anchor"},
        {"neuron": LogisticRegression(), "scale": "minmax"},
        {"neuron": GaussianNeuron(slack=1e-9)},
        {"neuron": KernelNeuron(width=1e-200)},
    ],
    ids=str,
)
def test_extreme_values(extreme, parameters):
    X, y = make_one_factor()
    X = EXTREMES[extreme](X)
    assert_no_nan(classifier(**parameters).fit(X, y), X)
    for found in CoherentBiclustering().fit(X).patterns_:
        assert 0 <= found.msr <= 0.02


def test_units_do_not_matter(one_factor):
    X, y = one_factor
    plain = classifier().fit(X, y)
    for exponent in (-1000, 1000):
        other = classifier().fit(np.ldexp(X, exponent), y)
        assert [p.columns.tolist() for p in other.pairs_] == [
            p.columns.tolist() for p in plain.pairs_
        ]
        assert_array_equal(other.predict(np.ldexp(X, exponent)), plain.predict(X))


SMOOTH = [
    *(GaussianNeuron(slack=slack) for slack in (5e-324, 1.7e308)),
    *(KernelNeuron(width=width) for width in (5e-324, 1e-200, 1.7e308)),
    *(KernelNeuron(alpha=alpha) for alpha in (5e-324, 1.7e308)),
    KernelNeuron("linear", alpha=5e-324),
]


@pytest.mark.parametrize("neuron", SMOOTH, ids=str)
def test_parameters_of_smooth_neurons_at_their_ends(neuron):
    """Scores are finite, alone and in blocks, of near and of far rows."""
    X, y = np.random.default_rng(0).normal(size=(8, 3)), np.array([0, 1] * 4)
    for table in (X, X * 0 + 2, X[[0, 1, 2, 3] * 2], X * 0):
        rows = np.vstack([table, np.zeros(3), np.ones(3), np.full(3, 1e100)])
        rows[-2, 1] = np.nan
        fitted = neuron.fit(table, y)
        assert np.isfinite(fitted.decision_function(rows)).all()
        assert np.isfinite(neuron.decide_blocks(rows, [fitted], [np.arange(3)])).all()


def test_rows_of_a_narrow_kernel_are_near_themselves_alone():
    """Kernel 1 + 1 of a row with itself, else 1: ridge regression by hand, with alpha 0.1."""
    X = 1e3 + np.random.default_rng(0).normal(size=(8, 3))
    neuron = KernelNeuron(width=1e-200).fit(X, [0, 1] * 4)
    scores = neuron.decision_function(np.vstack([X, X + 1e-9]))
    np.testing.assert_allclose(scores, [*[-1 / 1.1, 1 / 1.1] * 4, *[0.0] * 8], atol=1e-12)


@pytest.mark.parametrize("neuron", [GaussianNeuron(), KernelNeuron(), KernelNeuron("linear")])
@pytest.mark.parametrize("first", [0.0, np.nan])
def test_smooth_neurons_refuse_what_they_cannot_square(neuron, first):
    too_large = np.random.default_rng(0).normal(size=(8, 3)) * 1e300
    for X, largest in ((too_large, r".*e\+300"), (np.full((8, 3), 1.7e308), r"1\.7e\+308")):
        X[0, 0] = first
        with pytest.raises(ValueError, match=rf"absolute values up to {largest}\. Scale X\."):
            neuron.fit(X, [0, 1] * 4)


def test_the_variances_of_gaussian_neurons_may_differ_by_any_ratio():
    neuron = GaussianNeuron(slack=1e-300).fit([[0.0], [0.0], [-1e100], [1e100]], [0, 0, 1, 1])
    # At the mean of the constant class: log(1e-300 / 1e200), by hand.
    np.testing.assert_allclose(neuron.decision_function([[0.0]]), -500 * np.log(10))


def test_log_odds_of_scores_whose_squares_overflow():
    slope, offset = log_odds_line(np.array([-2e200, -1e200, 1e200, 2e200]), np.array([0, 0, 1, 1]))
    assert 0 < slope < 1e-199
    assert abs(offset) < 1e-6


@falls_back
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoPatternWarning")
@pytest.mark.parametrize("model", [BicNeuronNetwork(n_neurons=4), PatternClassifier()])
def test_an_output_layer_on_hardly_any_rows(model):
    X, y = make_one_factor()
    for seed in range(8):
        few = {"max_output_rows": 2 + seed % 2, "random_state": seed}
        model = clone(model).set_params(**few).fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        assert np.isfinite(model.predict_proba(X)).all()


@falls_back
@finds_nothing
def test_gaps_beside_numbers_whose_sum_overflows():
    X = np.full((60, 3), 1.7e308)
    X[::2, 0] = np.nan
    X[::3, 1] = 0.0
    assert_array_equal(with_means(X)[:, 1:], X[:, 1:])
    np.testing.assert_allclose(with_means(X)[:, 0], 1.7e308)
    assert_no_nan(classifier().fit(X, np.arange(60) % 2), X)


def test_features_of_rows_that_cannot_be_squared(one_factor):
    X, _ = one_factor
    features = BiclusterFeatures(
        miner=CoherentBiclustering(standardize=False, max_residue=1.0), output="residue"
    ).fit(X)
    with pytest.raises(ValueError, match=r"X\[1, 0\] is 1e\+300, too large to square"):
        features.transform(np.repeat([[0.0], [1e300]], X.shape[1], axis=1))


@falls_back
def test_explanations_and_probabilities_of_tiny_weights(one_factor):
    X, y = one_factor
    rows = np.vstack([X, np.zeros((1, X.shape[1])), np.full((1, X.shape[1]), 1e300)])
    model = classifier(neuron=OnlinePerceptron(learning_rate=5e-324, random_state=0)).fit(X, y)
    assert np.isfinite(model.slope_)
    assert np.isfinite(model.predict_proba(rows)).all()
    tiny = OnlinePerceptron(learning_rate=5e-324, fit_intercept=False, random_state=0)
    network = BicNeuronNetwork(n_neurons=10, neuron_kinds=[tiny], random_state=0).fit(X, y)
    for explanation in network.explain(rows):
        assert np.isfinite(explanation.score)
        for pattern in explanation.patterns:
            columns = [column.contribution for column in pattern.columns]
            assert np.isfinite([pattern.contribution, *columns]).all()
    assert np.isfinite(network.pattern_scores(rows)).all()


def test_distances_whose_squares_overflow():
    assert root_mean_square(np.array([3e200, np.nan, -4e200])) == pytest.approx(12.5**0.5 * 1e200)
    assert root_mean_square(np.array([3.0, -4.0])) == pytest.approx(12.5**0.5)
    far, here = np.full(2, 1e308), np.zeros(2)
    assert distance(np.zeros((1, 2)), far, here) == 0
    assert distance(np.zeros((1, 2)), far, -far) == np.inf
