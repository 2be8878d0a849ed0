"""Values whose squares overflow or vanish."""

import numpy as np
import pytest
from data import assert_no_nan, classifier, make_one_factor, with_cell
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression

from bicneuron import CoherentBiclustering, KernelPerceptron, OnlinePerceptron

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
        {},
        {"neuron": KernelPerceptron()},
        {"neuron": KernelPerceptron(kernel="linear")},
        {"neuron": LogisticRegression()},
        {"scale": "anchor"},
        {"scale": "minmax"},
        {"criterion": "centroid_distance"},
        {"criterion": "farthest_distance", "recalibrate": True, "anchor": "both"},
        {"miner": CoherentBiclustering(search="prune", add_rows=True)},
    ],
    ids=str,
)
def test_extreme_values(extreme, parameters):
    X, y = make_one_factor()
    X = EXTREMES[extreme](X)
    model = classifier(**parameters).fit(X, y)
    assert_no_nan(model, X)
    for found in CoherentBiclustering().fit(X).found_:
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


@pytest.mark.parametrize("value", [1.7e308, -1.7e308, 1e300, 1e-300, 5e-324])
@pytest.mark.parametrize("training_unit", [1e-300, 1.0, 1e300])
@pytest.mark.parametrize(
    "neuron", [OnlinePerceptron(), KernelPerceptron(), KernelPerceptron(kernel="linear")], ids=str
)
def test_extremes_at_predict_only(one_factor, value, training_unit, neuron):
    X, y = one_factor
    model = classifier(neuron=neuron).fit(X * training_unit, y)
    rows = value * np.array([np.ones(10), np.linspace(-0.5, 0.5, 10)])
    assert np.isfinite(model.decision_function(rows)).all()
