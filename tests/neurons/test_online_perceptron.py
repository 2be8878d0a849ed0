import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import Perceptron
from sklearn.preprocessing import minmax_scale, scale

from bicneuron.neurons import OnlinePerceptron


def scikit_learn_twin(neuron):
    return Perceptron(
        max_iter=neuron.max_iter,
        tol=None,
        shuffle=False,
        eta0=neuron.learning_rate,
        fit_intercept=neuron.fit_intercept,
        class_weight=neuron.class_weight,
    )


def assert_same_model(neuron, X, y):
    twin = scikit_learn_twin(neuron).fit(X, y)
    neuron.fit(X, y)
    assert neuron.coef_.shape == twin.coef_.shape
    assert_allclose(neuron.coef_, twin.coef_, atol=1e-10)
    assert_allclose(neuron.intercept_, np.broadcast_to(twin.intercept_, len(neuron.coef_)))
    assert_allclose(neuron.decision_function(X), twin.decision_function(X), atol=1e-8)
    assert_array_equal(neuron.predict(X), twin.predict(X))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("rescale", [scale, minmax_scale])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
def test_equals_scikit_learn_on_real_data(load, rescale, fit_intercept):
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    neuron = OnlinePerceptron(shuffle=False, fit_intercept=fit_intercept)
    assert_same_model(neuron, rescale(X)[order], y[order])


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.5, 1: 4.0, 2: 1.0}], ids=str)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
def test_class_weights_equal_those_of_scikit_learn(load, class_weight):
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y) - 20)
    neuron = OnlinePerceptron(shuffle=False, class_weight=class_weight)
    assert_same_model(neuron, scale(X)[order], y[order])
    plain = OnlinePerceptron(shuffle=False).fit(scale(X)[order], y[order])
    assert not np.allclose(neuron.coef_, plain.coef_)


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
def test_weights_that_are_not_positive_are_refused(weight):
    neuron = OnlinePerceptron(class_weight={"a": 1.0, "b": weight})
    with pytest.raises(ValueError, match=r"class_weight=.*not positive"):
        neuron.fit([[0.0], [1.0]], ["a", "b"])


def test_a_random_state_fixes_the_result_and_another_one_changes_it():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    first, same, other = (OnlinePerceptron(random_state=s).fit(X, y).coef_ for s in (0, 0, 1))
    assert_array_equal(first, same)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("average", [False, True])
def test_huge_values_are_refused_in_words(average):
    X, y = [[1e300], [2e300]], [0, 1]
    with pytest.raises(ValueError, match=r"overflow.*2e\+300.*Scale X"):
        OnlinePerceptron(average=average).fit(X, y)
