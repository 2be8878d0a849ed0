from functools import cache

import numpy as np
import pytest
from data import make_noisy_linear, soft_scores
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, make_multilabel_classification
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import brier_score_loss, f1_score
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.datasets import make_ringnorm
from bicneuron.neurons import GaussianNeuron, KernelNeuron

WDBC = tuple(values[::2] for values in load_breast_cancer(return_X_y=True))
READABLE, ACCURATE = {"max_patterns": 5}, {"n_neurons": 60}


def made(**parameters):
    kind = PatternClassifier if "max_patterns" in parameters else BicNeuronNetwork
    return kind(**parameters)


def halves(X, y):
    return X[::2], y[::2], X[1::2], y[1::2]


@cache
def network_of(step=1, **params):
    """Fitted to every ``step``-th row of WDBC, for all tests that only look at it."""
    X, y = WDBC
    return made(**params, random_state=0).fit(X[::step], y[::step])


@cache
def chances(seed):
    """Probabilities on noisy data from the networks of three folds, and from three regressions."""
    X, y = make_noisy_linear(seed)
    models = BicNeuronNetwork(random_state=0), LogisticRegression()
    return y, [cross_val_predict(m, X, y, cv=3, method="predict_proba") for m in models]


def planted(seed=0):
    """30 columns of noise; a third of class 1 is shifted in columns 3, 8 and 21."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(240, 30)), np.repeat([0, 1], 120)
    part = np.arange(120, 160)
    X[np.ix_(part, [3, 8, 21])] += 4
    return X, y, part


@pytest.mark.parametrize("params", [READABLE, ACCURATE], ids=["readable", "accurate"])
def test_the_scores_of_patterns_add_up_to_the_score_of_a_row(params):
    X, _ = WDBC
    network = network_of(**params)
    scores = network.pattern_scores(X[:50])
    # In units of the typical score, and positive for the class of the pattern's rows; neurons
    # speak for the class with fewer rows.
    signs = np.array([1 if pattern.anchor_class == 0 else -1 for pattern in network.patterns_])
    if params is ACCURATE:
        assert len(set(signs.tolist())) == 2
    assert signs.tolist() == [pattern.neuron.sign for pattern in network.patterns_]
    weights = np.array([pattern.neuron.weight[0] for pattern in network.patterns_])
    expected = np.tanh(scores) @ (signs * weights) + network.intercept_
    assert_allclose(network.decision_function(X[:50]), expected, rtol=1e-9, atol=1e-9)


def test_columns_in_use_are_those_of_the_patterns():
    network = network_of(**READABLE)
    columns = {c for pattern in network.patterns_ for c in pattern.columns.tolist()}
    assert network.columns_in_use_.tolist() == sorted(columns)


@pytest.mark.parametrize("params", [READABLE, {"n_neurons": 100}], ids=["readable", "accurate"])
def test_learns_what_no_plane_separates(params):
    X, y, X_test, y_test = halves(*make_ringnorm(600, random_state=0))
    linear = LogisticRegression().fit(X, y).score(X_test, y_test)
    network = made(**params, random_state=0).fit(X, y)
    assert network.score(X_test, y_test) > max(0.9, linear + 0.1)


def test_a_readable_pattern_names_the_planted_columns():
    X, y, part = planted()
    network = PatternClassifier(random_state=0).fit(X, y)
    first = network.patterns_[0]
    assert {3, 8, 21} <= set(first.columns)
    assert first.anchor_class == 1
    scores = first.neuron.estimator.column_scores(soft_scores(X, X)[:, first.columns])
    strongest = first.columns[np.argsort(-scores[part].mean(axis=0))[:3]]
    assert set(strongest) == {3, 8, 21}


def test_scores_are_the_weighted_outputs_of_the_patterns():
    X, _, X_test, _ = halves(*WDBC)
    network = network_of(step=2, n_neurons=60)
    Z = soft_scores(X, X_test)
    scores = network.intercept_[0] + sum(
        p.neuron.weight[0]
        * np.tanh(p.neuron.estimator.decision_function(Z[:, p.columns]) / p.neuron.typical_score)
        for p in network.patterns_
    )
    # In single precision.
    assert_allclose(network.decision_function(X_test), scores, atol=1e-5)
    assert_allclose(sum(p.strength for p in network.patterns_), 1)
    contributions = [p.strength for p in network.patterns_]
    assert contributions == sorted(contributions, reverse=True)


def test_neurons_have_not_seen_their_fold():
    X, y = WDBC
    network = network_of(n_neurons=60)
    # Honest scores cannot be much better than the scores of rows that were never there.
    honest = np.mean((network.test_scores_[:, 0] > 0) == y)
    apart = cross_val_score(BicNeuronNetwork(n_neurons=60, random_state=0), X, y, cv=5).mean()
    assert abs(honest - apart) < 0.03


@pytest.mark.parametrize(
    ("seeds", "most"), [([1], 0.02), pytest.param([0, 1, 2], 0.01, marks=pytest.mark.slow)]
)
def test_overlapping_classes_are_not_its_weak_point(seeds, most):
    """Hardly worse than logistic regression where a quarter of the labels cannot be known."""
    right = [
        [np.mean(both.argmax(axis=1) == y) for both in found]
        for y, found in (chances(seed) for seed in seeds)
    ]
    network, linear = np.mean(right, axis=0)
    assert network >= linear - most


def test_probabilities_are_calibrated():
    y, (network, linear) = chances(1)
    assert_allclose(network.sum(axis=1), 1)
    assert brier_score_loss(y, network[:, 1]) < brier_score_loss(y, linear[:, 1]) + 0.01


def test_more_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    X, names, X_test, test_names = halves(X, names)
    network = BicNeuronNetwork(n_neurons=100, random_state=0).fit(X, names)
    assert network.score(X_test, test_names) > 0.9
    assert network.decision_function(X_test).shape == (75, 3)
    chances = network.predict_proba(X_test)
    assert_allclose(chances.sum(axis=1), 1)
    assert_array_equal(network.classes_[chances.argmax(axis=1)], network.predict(X_test))
    assert {p.anchor_class for p in network.patterns_} == set(names)


def test_the_size_does_not_choose_the_neurons():
    X, y = WDBC
    assert BicNeuronNetwork()._resolved_design().n_neurons == 400
    for size in (4, 55):
        network = BicNeuronNetwork(n_neurons=size, random_state=0)
        patterns = network.fit(X[::3], y[::3]).patterns_
        assert len(patterns) <= size
        assert all(isinstance(pattern.neuron.estimator, KernelNeuron) for pattern in patterns)


@pytest.mark.parametrize("params", [READABLE, {"n_neurons": 100}], ids=["readable", "accurate"])
def test_several_labels(params):
    X, Y = make_multilabel_classification(400, n_classes=4, random_state=0)
    network = made(**params, random_state=0).fit(X[:300], Y[:300])
    predicted = network.predict(X[300:])
    assert predicted.shape == (100, 4)
    assert f1_score(Y[300:], predicted, average="micro") > 0.7
    assert_array_equal(network.predict_proba(X[300:]) > 0.5, predicted == 1)


def test_a_label_that_no_row_has_is_never_predicted():
    X, Y = make_multilabel_classification(100, n_classes=3, random_state=0)
    Y[:, 1] = 0
    network = BicNeuronNetwork(n_neurons=60, random_state=0).fit(X, Y)
    assert not network.predict(X)[:, 1].any()
    answers = network.predict(np.vstack([X[:3], X[:1] + 1e6]), reject=0.1)
    assert_array_equal(answers.mask, [[False] * 3] * 3 + [[True] * 3])


def test_there_are_few_patterns_where_few_are_needed():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 10)), np.repeat([0, 1], 100)
    X[:, 4] += 5 * y
    network = PatternClassifier(random_state=0).fit(X, y)
    (pattern,) = network.patterns_
    assert 4 in pattern.columns
    assert network.score(X, y) > 0.97


def test_kinds_can_be_mixed_with_any_classifier():
    X, y, X_test, y_test = halves(*WDBC)
    kinds = [make_pipeline(StandardScaler(), Perceptron()), GaussianNeuron()]
    network = BicNeuronNetwork(n_neurons=60, neuron_kinds=kinds, random_state=0).fit(X, y)
    assert network.score(X_test, y_test) > 0.93


def test_ranked_columns_are_those_of_the_pair_in_another_order():
    for pattern in network_of(**READABLE).patterns_:
        assert_array_equal(np.sort(pattern.ranked_columns), pattern.columns)
        apart = dict(
            zip(
                pattern.columns.tolist(),
                abs(pattern.neuron.centroids[0] - pattern.neuron.centroids[1]),
                strict=True,
            )
        )
        sizes = [apart[column] for column in pattern.ranked_columns.tolist()]
        assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("params", [READABLE, ACCURATE], ids=["readable", "accurate"])
def test_rows_far_from_every_pattern_are_rejected(params):
    X, _ = WDBC
    network = network_of(**params)
    known = network.coverage(X)
    strange = network.coverage(X.mean(axis=0) + 50 * X.std(axis=0) * np.ones((1, 30)))
    assert np.all((known >= 0) & (known <= 1 + 1e-9))
    assert np.median(known) > 0.8
    assert_array_equal(strange, 0)
    answers = network.predict(np.vstack([X[:5], X[:1] + 1e6]), reject=0.1)
    assert answers.mask[5]
    assert_array_equal(answers[:5].data, network.predict(X[:5]))
    assert not hasattr(network.predict(X[:5]), "mask")


@pytest.mark.parametrize("params", [READABLE, ACCURATE], ids=["readable", "accurate"])
def test_the_same_bits_whatever_n_jobs(params):
    X, y, X_test, _ = halves(*WDBC)
    one = network_of(step=2, **params)
    two = made(**params, random_state=0, n_jobs=2).fit(X, y)
    assert_array_equal(one.decision_function(X_test), two.decision_function(X_test))
    for a, b in zip(one.patterns_, two.patterns_, strict=True):
        assert a == b
        assert_array_equal(a.neuron.weight, b.neuron.weight)
    other = made(**params, random_state=4).fit(X, y)
    assert not np.array_equal(one.decision_function(X_test), other.decision_function(X_test))


def test_units_do_not_matter():
    X, y, X_test, _ = halves(*WDBC)
    one = network_of(step=2, n_neurons=60)
    other = BicNeuronNetwork(n_neurons=60, random_state=0).fit(X * 1024 + 7, y)
    assert_allclose(
        one.decision_function(X_test), other.decision_function(X_test * 1024 + 7), atol=1e-6
    )


def test_the_output_layer_may_see_a_sample_of_the_rows():
    X, y, X_test, y_test = halves(*WDBC)
    network = BicNeuronNetwork(n_neurons=60, max_output_rows=120, random_state=0).fit(X, y)
    assert len(network.output_rows_) == 120
    assert network.test_scores_.shape == (120, 1)
    assert network.score(X_test, y_test) > 0.93


@pytest.mark.parametrize("params", [READABLE, {"n_neurons": 12}], ids=["readable", "accurate"])
def test_a_row_scores_the_same_alone_and_with_threads(params):
    """Bit for bit: rows are independent, also where they fall into several parts."""
    X, y = WDBC
    network = made(**params, random_state=0)
    network.fit(X[::3], y[::3])
    many = np.tile(X, (20, 1))
    scores = network.decision_function(many)
    assert_array_equal(scores[: len(X)], scores[-len(X) :])
    for row in (0, 1, 77, 5001):
        assert network.decision_function(many[row : row + 1])[0] == scores[row]
    assert_array_equal(network.set_params(n_jobs=2).decision_function(many), scores)


def test_columns_that_no_pattern_has_do_not_count():
    X, y = WDBC
    network = PatternClassifier(max_columns=5, random_state=0).fit(X, y)
    used = np.concatenate([pattern.columns for pattern in network.patterns_])
    unused = np.setdiff1d(np.arange(X.shape[1]), used)
    assert len(unused)
    other = X.copy()
    other[:, unused] = 1e6
    assert_array_equal(network.decision_function(other), network.decision_function(X))
    assert_array_equal(network.coverage(other), network.coverage(X))
    other[3, unused[0]] = np.inf
    with pytest.raises(ValueError, match=f"column {unused[0]}, row 3"):
        network.predict(other)
