"""Who carries a pattern of a model that needs labels, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronClassifier, BicNeuronNetwork, PatternClassifier, SubgroupBiclustering
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.neurons import GaussianNeuron
from bicneuron.significance import column_evidence, significance_test
from bicneuron.significance._folds import in_own_class

Y = np.repeat(["case", "control"], 30)


def table(seed=0, shift=2.0):
    """All cases are shifted in eight of 40 columns."""
    X = np.random.default_rng(seed).normal(size=(60, 40))
    X[:30, :8] += shift
    return X


def network(**options):
    return BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0, **options)


def classifier(**options):
    return BicNeuronClassifier(search=None, max_ratio=np.inf, random_state=0, **options)


MODELS = pytest.mark.parametrize("make", [network, classifier])


def test_the_neuron_of_a_pattern_tells_its_carriers():
    X = table()[:, :8]
    fitted = network().fit(X, Y)
    for carriers, pattern in zip(fitted.carriers(X).T, fitted.patterns_, strict=True):
        Z = fitted._scaling.apply(X)[:, pattern.columns]
        of_second = pattern.neuron.estimator.decision_function(Z) > 0
        is_anchor = of_second if pattern.anchor_class == "control" else ~of_second
        assert_array_equal(carriers, is_anchor)
        # Most rows that it was trained on are on their side.
        assert carriers[pattern.rows].mean() > 0.7
        assert carriers[pattern.contrast_rows].mean() < 0.3
        inside = pattern.anchor_class == Y
        (own,) = in_own_class([pattern], carriers[:, None], Y).T
        rows = np.flatnonzero(own)
        assert_array_equal(rows, np.flatnonzero(is_anchor & inside))


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_each_problem_of_a_classifier_has_its_pair(multi_class):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    fitted = classifier(multi_class=multi_class).fit(X, names)
    assert sorted(pattern.neuron.target for pattern in fitted.patterns_) == [0, 1, 2]
    for carriers, pattern in zip(fitted.carriers(X).T, fitted.patterns_, strict=True):
        binary = fitted.estimators_[pattern.neuron.target]
        pair = binary.selected_pair_
        assert pattern.anchor_class == pair.anchor_class
        assert_array_equal(pattern.columns, pair.columns)
        assert_array_equal(pattern.rows, binary.rows_used_[pair.rows])
        assert_array_equal(pattern.contrast_rows, binary.rows_used_[pair.contrast_rows])
        # One against the rest, the score speaks for the one; its pair may be of the rest only if
        # these are one class.
        is_second = multi_class == "ovr" or pattern.anchor_class == binary.classes_[1]
        assert_array_equal(carriers, (binary._binary_scores(X) > 0) == is_second)
        (own,) = in_own_class([pattern], carriers[:, None], names).T
        rows = np.flatnonzero(own)
        assert set(names[rows]) == {pattern.anchor_class}


@MODELS
def test_a_fitted_model_refuses_another_table_and_other_labels(make):
    X = table()
    fitted = make().fit(X, Y)
    for other, difference in [
        (X[::-1], "its rows are in another order"),
        (X + (np.arange(40) < 2), "60 of 60 rows differ, the first is row 0"),
        (table(seed=1), "60 of 60 rows differ, the first is row 0"),
    ]:
        message = f"X is not what the model was fitted to: {difference}"
        with pytest.raises(ValueError, match=message):
            column_evidence(fitted, other, Y)
    swapped = Y.copy()
    swapped[[4, 40]] = swapped[[40, 4]]
    for labels, difference in [
        (swapped, "2 of 60 rows differ, the first is row 4"),
        (Y[::-1], "60 of 60 rows differ, the first is row 0"),
    ]:
        message = f"y is not what the model was fitted to: {difference}"
        with pytest.raises(ValueError, match=message):
            column_evidence(fitted, X, labels)


def test_what_cannot_be_tested_is_refused():
    with pytest.raises(TypeError, match="model is a LogisticRegression, which has no patterns"):
        significance_test(LogisticRegression(), table(), Y)
    with pytest.raises(TypeError, match="column_evidence takes a miner, BicNeuronNetwork"):
        column_evidence(LogisticRegression(), table(), Y)
    with pytest.raises(ValueError, match="y is None, but carriers are compared with classes"):
        significance_test(SubgroupBiclustering(), table(), None)
    X, several = make_multilabel_classification(60, random_state=0)
    with pytest.raises(ValueError, match="y should be a 1d array"):
        significance_test(PatternClassifier(), X, several)


@pytest.mark.parametrize("model", [network(), classifier(), ContrastBiclustering()], ids=repr)
def test_patterns_that_are_found_with_classes_are_scored_and_not_tested(model):
    name = type(model).__name__
    message = f"a {name} finds its patterns with the classes.*cross_validated_scores.*Subgroup"
    with pytest.raises(ValueError, match=message):
        significance_test(model, table(), Y)


def test_networks_set_no_covariates_aside():
    with pytest.raises(ValueError, match="a PatternClassifier cannot set covariates aside"):
        significance_test(PatternClassifier(), np.ones((60, 3)), Y, covariates=np.arange(60))
