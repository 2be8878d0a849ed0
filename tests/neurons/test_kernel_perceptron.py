import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import Perceptron
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale, scale

from bicneuron.neurons import KernelPerceptron

BINARY = load_breast_cancer(return_X_y=True)
MULTICLASS = load_iris(return_X_y=True)


@pytest.mark.parametrize("rescale", [scale, minmax_scale])
@pytest.mark.parametrize(("X", "y"), [BINARY, MULTICLASS])
def test_linear_dual_equals_scikit_learn_on_real_data(X, y, rescale):
    order = np.random.default_rng(0).permutation(len(y))
    X, y = rescale(X)[order], y[order]
    twin = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=20).fit(X, y)
    neuron = KernelPerceptron(kernel="linear", shuffle=False).fit(X, y)
    assert_allclose(neuron.dual_coef_ @ neuron.support_vectors_, twin.coef_, atol=1e-10)
    assert_array_equal(neuron.predict(X), twin.predict(X))


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize(("X", "y"), [BINARY, MULTICLASS])
def test_the_score_is_the_sum_over_the_support(X, y, average):
    X = minmax_scale(X)
    neuron = KernelPerceptron(average=average, random_state=0).fit(X, y)
    assert_array_equal(neuron.support_vectors_, X[neuron.support_])
    assert neuron.dual_coef_.any(axis=0).all()
    gram = rbf_kernel(X, neuron.support_vectors_, gamma=1 / (2 * 0.1**2))
    scores = neuron.decision_function(X)
    assert_allclose(scores, np.squeeze(gram @ neuron.dual_coef_.T), atol=1e-9)


def test_rows_beyond_one_chunk_are_scored_like_the_others():
    X, y = minmax_scale(BINARY[0]), BINARY[1]
    many = np.tile(X, (4, 1))
    neuron = KernelPerceptron(random_state=0).fit(X[:100], y[:100])
    one_by_one = np.tile(neuron.decision_function(X), 4)
    assert_allclose(neuron.decision_function(many), one_by_one, atol=1e-12)


def test_a_random_state_fixes_the_result_and_another_one_changes_it():
    X, y = scale(BINARY[0]), BINARY[1]
    fits = [KernelPerceptron(kernel="linear", random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    first, same, other = (neuron.decision_function(X) for neuron in fits)
    assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_the_rbf_kernel_takes_any_finite_value():
    X, y = np.array([[1.7e308], [-1.7e308], [1e-300], [5.0]]), [0, 1, 0, 1]
    neuron = KernelPerceptron(random_state=0).fit(X, y)
    assert_array_equal(neuron.predict(X), y)
    assert_array_equal(neuron.decision_function([[1e100]]), 0.0)


def test_huge_values_are_refused_in_words():
    with pytest.raises(ValueError, match=r"overflow.*2e\+300.*Scale X"):
        KernelPerceptron(kernel="linear").fit([[1e300], [2e300]], [0, 1])
    neuron = KernelPerceptron(kernel="linear").fit([[0.0, 0.0], [1.0, 100.0]], [0, 1])
    with pytest.raises(ValueError, match=r"overflow.*1e\+308.*Scale X"):
        neuron.predict([[1e308, 1e308]])
