import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from bicneuron.datasets import make_noisy_linear


@pytest.mark.parametrize("bayes_error", [0.05, 0.25, 0.45])
def test_the_best_rule_errs_as_often_as_asked(bayes_error):
    X, y = make_noisy_linear(60_000, 4, bayes_error=bayes_error, random_state=0)
    linear = LogisticRegression(C=np.inf).fit(X, y)
    error = np.mean(linear.predict(X) != y)
    assert_allclose(error, bayes_error, atol=5 * np.sqrt(bayes_error / 60_000))


def test_columns_are_standard_normal_and_classes_balanced():
    X, y = make_noisy_linear(20_000, random_state=1)
    assert X.shape == (20_000, 8)
    assert_allclose(X.mean(axis=0), 0, atol=5 / np.sqrt(20_000))
    assert_allclose(X.std(axis=0), 1, atol=5 / np.sqrt(40_000))
    assert_allclose(y.mean(), 0.5, atol=5 * 0.5 / np.sqrt(20_000))


def test_the_seed_decides():
    (X, y), (again, y_again) = make_noisy_linear(random_state=3), make_noisy_linear(random_state=3)
    assert_array_equal(X, again)
    assert_array_equal(y, y_again)
    assert not np.array_equal(X, make_noisy_linear(random_state=4)[0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_samples": 1}, "n_samples == 1, must be >= 2"),
        ({"n_features": 0}, "n_features == 0, must be >= 1"),
        ({"bayes_error": 0.5}, "bayes_error == 0.5, must be < 0.5"),
        ({"bayes_error": 0}, "bayes_error == 0, must be > 0"),
    ],
)
def test_absurd_values(given, message):
    with pytest.raises(ValueError, match=message):
        make_noisy_linear(**given)
