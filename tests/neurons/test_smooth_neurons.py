import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.base import clone

from bicneuron.neurons import GaussianNeuron, KernelNeuron


def columns_of(blocks):
    return [columns for _, columns in blocks]


def two_clouds(n=20, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(["a", "b"], [n // 4, n - n // 4])
    return rng.normal(size=(n, 3)) + (y == "b")[:, None], y


def naive_scores(neuron, X, y, X_new):
    """Minimise sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2 over f in the kernel's space."""
    signs = np.where(y == neuron.classes_[1], 1.0, -1.0)
    weights = np.array([len(y) / (2 * np.sum(y == label)) for label in y])
    distances = np.array([[np.sum((a - b) ** 2) for b in X] for a in X])
    scale = neuron.width * np.median(distances[distances > 1e-9])

    def kernel(a, b):
        if neuron.kernel == "linear":
            return 1 + a @ b
        return 1 + np.exp(-np.sum((a - b) ** 2) / scale)

    gram = np.array([[kernel(a, b) for b in X] for a in X])
    duals = np.linalg.solve(
        np.diag(weights) @ gram + neuron.alpha * np.eye(len(X)), weights * signs
    )
    return np.array([sum(d * kernel(x, a) for d, a in zip(duals, X, strict=True)) for x in X_new])


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize(("width", "alpha"), [(1.0, 0.3), (0.4, 5.0)])
def test_solves_the_weighted_problem(kernel, width, alpha):
    X, y = two_clouds()
    new = two_clouds(8, seed=1)[0]
    neuron = KernelNeuron(kernel, width=width, alpha=alpha).fit(X, y)
    assert_allclose(neuron.decision_function(new), naive_scores(neuron, X, y, new), atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_blocks_are_fits_on_submatrices(kernel):
    X, y = two_clouds(30)
    y = np.where(y == "b", 1.0, -1.0)
    blocks = [(np.array([0, 2, 9, 20, 28]), np.array([0, 2])), (np.arange(30), np.arange(3))]
    neuron = KernelNeuron(kernel)
    fitted = neuron.fit_blocks(X, y, blocks, [0, 1])
    scores = neuron.decide_blocks(X, fitted, columns_of(blocks))
    for (rows, columns), one, line in zip(blocks, fitted, scores, strict=True):
        alone = clone(neuron).fit(X[np.ix_(rows, columns)], y[rows])
        # The RBF neurons of a network score in single precision.
        bound = 1e-6 * np.abs(alone.dual_coef_).sum() if kernel == "rbf" else 0.0
        assert_allclose(line, alone.decision_function(X[:, columns]), rtol=0, atol=bound)
        assert_array_equal(one.predict(X[:, columns]), alone.predict(X[:, columns]))
    assert not hasattr(neuron, "classes_")


def test_neurons_with_huge_weights_keep_double_precision():
    """Equal rows of both classes and next to no penalty: weights that nearly cancel."""
    X, y = two_clouds(30)
    X, signs = np.vstack([X, X + 1e-6]), np.where(np.append(y, y[::-1]) == "b", 1.0, -1.0)
    neuron = KernelNeuron(alpha=1e-7)
    block = np.arange(60), np.arange(3)
    (fitted,) = neuron.fit_blocks(X, signs, [block], [0])
    assert np.abs(fitted.dual_coef_).sum() > 1e5
    (scores,) = neuron.decide_blocks(X, [fitted], [block[1]])
    assert_allclose(scores, fitted.decision_function(X), atol=1e-7)


def test_kinds_of_kernels_can_be_scored_together():
    X, y = two_clouds(30)
    signs = np.where(y == "b", 1.0, -1.0)
    block = np.arange(30), np.arange(3)
    neurons = [
        kind.fit_blocks(X, signs, [block], [0])[0]
        for kind in (KernelNeuron(), KernelNeuron("linear"), KernelNeuron(alpha=1e-9))
    ]
    together = neurons[0].decide_blocks(X, neurons, [block[1]] * 3)
    for neuron, scores in zip(neurons, together, strict=True):
        assert_allclose(scores, neuron.decision_function(X), atol=1e-4)


def test_equal_rows_have_no_median_distance():
    neuron = KernelNeuron(width=1.0).fit(np.ones((4, 2)), [0, 0, 1, 1])
    assert neuron.squared_width_ == 1.0


def test_missing_values():
    X, y = two_clouds(40)
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.3, np.nan, X)
    holes[4] = np.nan
    rbf, linear = (KernelNeuron(kernel).fit(holes, y) for kernel in ("rbf", "linear"))
    means = [np.nanmean(holes[y == label], axis=0) for label in "ab"]
    assert_allclose(rbf.centre_, np.mean(means, axis=0))
    complete = np.where(np.isnan(holes), rbf.centre_, holes)
    # Training rows are completed, and a linear neuron sees every row so.
    assert_array_equal(rbf.support_vectors_, complete)
    assert_array_equal(linear.coef_, KernelNeuron("linear").fit(complete, y).coef_)
    assert_allclose(linear.decision_function(holes), linear.decision_function(complete))
    for row, score in zip(holes, rbf.decision_function(holes), strict=True):
        seen = ~np.isnan(row)
        squares = np.square(row[seen] - rbf.support_vectors_[:, seen]).sum(axis=1)
        near = np.exp(-squares * 3 / max(1, seen.sum()) / rbf.squared_width_)
        expected = near @ rbf.dual_coef_ + rbf.intercept_ if seen.any() else 0.0
        assert score == pytest.approx(expected, abs=1e-9)


def test_a_column_that_a_class_lacks():
    X, y = two_clouds(20)
    X[y == "a", 0], X[:, 1] = np.nan, np.nan
    neuron = KernelNeuron().fit(X, y)
    assert_allclose(neuron.centre_[:2], [np.mean(X[y == "b", 0]), 0.0])
    assert np.isfinite(neuron.decision_function(X)).all()


# --- gaussian neuron

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


def test_blocks_of_gaussians_are_fits_on_submatrices():
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
