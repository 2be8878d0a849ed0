import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.base import clone

from bicneuron.neurons import GaussianNeuron


def columns_of(blocks):
    return [columns for _, columns in blocks]


X = np.random.default_rng(0).normal(size=(30, 4))
Y = np.where(np.arange(30) < 12, "a", "b")


def test_score_is_the_mean_log_ratio_of_normal_densities(rng):
    neuron = GaussianNeuron(slack=0.2).fit(X, Y)
    new = rng.normal(size=(5, 4))
    logs = {
        label: norm.logpdf(
            new, X[label == Y].mean(axis=0), np.sqrt(X[label == Y].var(axis=0) + 0.2)
        )
        for label in "ab"
    }
    assert_allclose(neuron.column_scores(new), 2 * (logs["b"] - logs["a"]))
    assert_allclose(neuron.decision_function(new), neuron.column_scores(new).mean(axis=1))


def test_blocks_are_fits_on_submatrices():
    y = np.where(Y == "b", 1.0, -1.0)
    blocks = [(np.array([0, 2, 9, 20, 28]), np.array([0, 2])), (np.arange(30), np.arange(4))]
    neuron = GaussianNeuron()
    fitted = neuron.fit_blocks(X, y, blocks, [0, 1])
    scores = neuron.decide_blocks(X, fitted, columns_of(blocks))
    for (rows, columns), one, line in zip(blocks, fitted, scores, strict=True):
        alone = clone(neuron).fit(X[np.ix_(rows, columns)], y[rows])
        assert_array_equal(line, alone.decision_function(X[:, columns]))
        assert_array_equal(one.predict(X[:, columns]), alone.predict(X[:, columns]))


def test_missing_values_do_not_count(rng):
    holes = np.where(rng.random(X.shape) < 0.3, np.nan, X)
    holes[3], holes[Y == "a", 2] = np.nan, np.nan
    neuron = GaussianNeuron().fit(holes, Y)
    for k, label in enumerate("ab"):
        side = holes[label == Y][:, [0, 1, 3]]
        assert_allclose(neuron.means_[k, [0, 1, 3]], np.nanmean(side, axis=0))
        assert_allclose(neuron.variances_[k, [0, 1, 3]], np.nanvar(side, axis=0) + 0.5)
    columns = neuron.column_scores(holes)
    # Column 2 is known of one class only: it tells nothing.
    assert_array_equal(columns[np.isnan(holes)], 0)
    assert_array_equal(columns[:, 2], 0)
    assert_allclose(neuron.decision_function(holes), columns.mean(axis=1))
    assert neuron.decision_function(holes)[3] == 0
