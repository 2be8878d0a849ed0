import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import Perceptron
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale, scale
from strategies import seeds

from bicneuron.neurons import KernelPerceptron

BINARY = load_breast_cancer(return_X_y=True)
MULTICLASS = load_iris(return_X_y=True)


@given(seeds(), st.integers(2, 12), st.integers(1, 5), st.integers(2, 4))
@settings(deadline=None)
def test_linear_dual_equals_scikit_learn_on_integers(seed, n_rows, n_columns, n_classes):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n_rows, n_columns)).astype(float)
    y = rng.integers(n_classes, size=n_rows)
    y[:2] = 0, 1
    twin = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=20).fit(X, y)
    neuron = KernelPerceptron(kernel="linear", shuffle=False).fit(X, y)
    assert_allclose(neuron.dual_coef_ @ neuron.support_vectors_, twin.coef_, atol=1e-10)
    assert_allclose(neuron.decision_function(X), twin.decision_function(X), atol=1e-10)


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


@given(seeds(), st.sampled_from(["linear", "rbf"]))
@settings(deadline=None, max_examples=30)
def test_permuting_the_columns_changes_nothing(seed, kernel):
    """Integers and a bandwidth of 1 make every distance exact, in whatever order it is summed."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (10, 5)).astype(float)
    y = np.arange(10) % 2
    order = rng.permutation(5)
    neuron = KernelPerceptron(kernel=kernel, bandwidth=1.0, random_state=0)
    scores = neuron.fit(X, y).decision_function(X)
    permuted = neuron.fit(X[:, order], y).decision_function(X[:, order])
    assert_array_equal(permuted, scores)


def test_rows_beyond_one_chunk_are_scored_like_the_others():
    X, y = minmax_scale(BINARY[0]), BINARY[1]
    many = np.tile(X, (4, 1))
    neuron = KernelPerceptron(random_state=0).fit(X[:100], y[:100])
    one_by_one = np.tile(neuron.decision_function(X), 4)
    assert_allclose(neuron.decision_function(many), one_by_one, atol=1e-12)


def test_the_tie_rules_part_on_a_first_negative_row():
    X, y = [[1.0], [2.0]], [0, 1]
    by_rule = {
        tie: KernelPerceptron(kernel="linear", shuffle=False, tie=tie, max_iter=1).fit(X, y)
        for tie in ("mistake", "negative")
    }
    assert_array_equal(by_rule["mistake"].dual_coef_, [[-1.0, 1.0]])
    # The negative row has a score of zero, which the paper's text calls right.
    assert_array_equal(by_rule["negative"].support_, [1])
    assert_array_equal(by_rule["negative"].dual_coef_, [[1.0]])


def test_averaging_by_hand():
    # x = 1 (+), 3 (-). Epoch 1: both mistaken. Epoch 2: w = 1 - 3 = -2, row 1 mistaken, row 2 not.
    # alpha of row 1 after the four visits: 1, 1, 2, 2; of row 2: 0, 1, 1, 1.
    neuron = KernelPerceptron(kernel="linear", shuffle=False, average=True, max_iter=2)
    neuron.fit([[1.0], [3.0]], [1, 0])
    assert_array_equal(neuron.dual_coef_, [[6 / 4, -3 / 4]])


def test_training_ends_after_the_first_epoch_without_a_mistake():
    neuron = KernelPerceptron(kernel="linear", shuffle=False).fit([[1.0], [-1.0]], ["yes", "no"])
    assert neuron.n_iter_ == 2
    assert_array_equal(neuron.support_, [0])


def test_n_iter_is_the_largest_over_the_classes():
    # Through the origin the row at 0 is never right, and only its class calls it positive: the
    # classes 0 and 2 call it negative, which the paper's tie rule accepts.
    X, y = [[-1.0], [0.0], [1.0]], [0, 1, 2]
    neuron = KernelPerceptron(kernel="linear", shuffle=False, tie="negative", max_iter=7)
    assert neuron.fit(X, y).n_iter_ == 7
    assert neuron.fit(X, [0, 2, 2]).n_iter_ == 7
    assert neuron.fit(X, [0, 0, 2]).n_iter_ == 2


def test_a_random_state_fixes_the_result_and_another_one_changes_it():
    X, y = scale(BINARY[0]), BINARY[1]
    fits = [KernelPerceptron(kernel="linear", random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    first, same, other = (neuron.decision_function(X) for neuron in fits)
    assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_names_of_columns_and_labels_of_any_kind():
    X = pd.DataFrame({"left": [0.0, 1.0, 2.0, 3.0], "right": [1.0, 0.0, 1.0, 0.0]})
    neuron = KernelPerceptron(random_state=0).fit(X, ["low", "low", "high", "high"])
    assert neuron.feature_names_in_.tolist() == ["left", "right"]
    assert neuron.predict(X).tolist() == ["low", "low", "high", "high"]


def test_one_class_is_named():
    with pytest.raises(ValueError, match=r"one class, \['healthy'\]"):
        KernelPerceptron().fit([[0.0], [1.0]], ["healthy", "healthy"])


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


def test_tiny_values_count_as_zero():
    X = [[1e-300], [-1e-300]]
    neuron = KernelPerceptron(kernel="linear").fit(X, [0, 1])
    assert_array_equal(neuron.decision_function([[1e-300]]), 0.0)
