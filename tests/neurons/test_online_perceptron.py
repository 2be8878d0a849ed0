import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import Perceptron
from sklearn.preprocessing import minmax_scale, scale
from strategies import seeds

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


@given(seeds(), st.integers(2, 12), st.integers(1, 5), st.integers(2, 4), st.booleans())
@settings(deadline=None)
def test_equals_scikit_learn_on_integers(seed, n_rows, n_columns, n_classes, fit_intercept):
    """Integers and a step of 1/2 make every sum exact, so that ties are ties in both."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n_rows, n_columns)).astype(float)
    y = rng.integers(n_classes, size=n_rows)
    y[:2] = 0, 1
    neuron = OnlinePerceptron(shuffle=False, learning_rate=0.5, fit_intercept=fit_intercept)
    assert_same_model(neuron, X, y)


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


def test_a_heavier_class_is_predicted_more_often():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)[:, :2]
    shares = [
        np.mean(OnlinePerceptron(class_weight={0: w, 1: 1.0}, random_state=0).fit(X, y).predict(X))
        for w in (0.01, 1.0, 100.0)
    ]
    assert shares[0] > shares[1] > shares[2]


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
def test_weights_that_are_not_positive_are_refused(weight):
    neuron = OnlinePerceptron(class_weight={"a": 1.0, "b": weight})
    with pytest.raises(ValueError, match=r"class_weight=.*not positive"):
        neuron.fit([[0.0], [1.0]], ["a", "b"])


def test_the_tie_rules_part_on_a_first_negative_row():
    """A negative row at score zero is a mistake for scikit-learn and right in the paper's text."""
    X, y = [[1.0], [2.0]], [0, 1]
    rule = {"learning_rate": 1.0, "fit_intercept": False, "shuffle": False}
    # mistake at 1: w = -1; mistake at 2: w = 1; mistake at 1: w = 0; at 2: w = 2; at 1: w = 1 ...
    assert OnlinePerceptron(tie="mistake", max_iter=1, **rule).fit(X, y).coef_ == 1.0
    # right at 1: w = 0; mistake at 2: w = 2
    assert OnlinePerceptron(tie="negative", max_iter=1, **rule).fit(X, y).coef_ == 2.0


def test_averaging_by_hand():
    # x = 1 (+), 3 (-): visits end with w = 1, -2, then -1, -1: mean -3/4; b likewise 1, 0, 1, 1.
    # Epoch 2 starts with a mistake on x = 1 (score -2) and is right on x = 3 (score -3 + 1 < 0).
    neuron = OnlinePerceptron(learning_rate=1.0, shuffle=False, average=True, max_iter=2)
    neuron.fit([[1.0], [3.0]], [1, 0])
    assert neuron.coef_ == pytest.approx(-3 / 4)
    assert neuron.intercept_ == pytest.approx(3 / 4)


def test_training_ends_after_the_first_epoch_without_a_mistake():
    # By hand: w = b = 1 after row 1, w = 2 and b = 0 after row 2, then nothing is wrong.
    neuron = OnlinePerceptron(learning_rate=1.0, shuffle=False)
    neuron.fit([[1.0], [-1.0]], ["yes", "no"])
    assert neuron.n_iter_ == 2
    assert neuron.coef_ == 2.0
    assert neuron.intercept_ == 0.0


def test_n_iter_is_the_largest_over_the_classes():
    # The middle class is never separable from the rest by one cut.
    X, y = [[-1.0], [0.0], [1.0]], [0, 1, 2]
    assert OnlinePerceptron(shuffle=False, max_iter=7).fit(X, y).n_iter_ == 7


def test_a_random_state_fixes_the_result_and_another_one_changes_it():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    first, same, other = (OnlinePerceptron(random_state=s).fit(X, y).coef_ for s in (0, 0, 1))
    assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_names_of_columns_and_labels_of_any_kind():
    X = pd.DataFrame({"left": [0.0, 1.0, 2.0, 3.0], "right": [1.0, 0.0, 1.0, 0.0]})
    neuron = OnlinePerceptron(random_state=0).fit(X, ["low", "low", "high", "high"])
    assert neuron.feature_names_in_.tolist() == ["left", "right"]
    assert neuron.classes_.tolist() == ["high", "low"]
    assert neuron.predict(X).tolist() == ["low", "low", "high", "high"]
    with pytest.raises(ValueError, match="feature names should match"):
        neuron.predict(X[["right", "left"]])


def test_one_class_is_named():
    with pytest.raises(ValueError, match=r"one class, \['healthy'\]"):
        OnlinePerceptron().fit([[0.0], [1.0]], ["healthy", "healthy"])


@pytest.mark.parametrize("average", [False, True])
def test_huge_values_are_refused_in_words(average):
    X, y = [[1e300], [2e300]], [0, 1]
    with pytest.raises(ValueError, match=r"overflow.*2e\+300.*Scale X"):
        OnlinePerceptron(average=average).fit(X, y)


def test_huge_values_are_refused_by_predict():
    neuron = OnlinePerceptron().fit([[0.0, 0.0], [1.0, 100.0]], [0, 1])
    with pytest.raises(ValueError, match=r"overflow.*1e\+308.*Scale X"):
        neuron.predict([[1e308, 1e308]])


def test_tiny_values_count_as_zero():
    # Products underflow to zero, so only the intercept speaks.
    neuron = OnlinePerceptron(shuffle=False).fit([[1e-300], [-1e-300], [2e-300]], [1, 0, 1])
    scores = neuron.decision_function([[1e-300], [-1e-300]])
    assert_array_equal(scores, neuron.intercept_[0])
