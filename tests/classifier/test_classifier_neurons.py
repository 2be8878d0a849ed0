"""Which neurons a classifier trains and which one it selects."""

import hashlib
import struct

import numpy as np
import pytest
from data import classifier, make_three, minmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import (
    balanced_accuracy_score,
    f1_score,
    get_scorer,
    make_scorer,
    roc_auc_score,
)
from sklearn.svm import SVC, LinearSVC

from bicneuron import BicNeuronNetwork
from bicneuron.classifier._steps import pair_seed
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import Pattern

# --- neuron


@pytest.mark.parametrize(
    "neuron",
    [
        LogisticRegression(),
        LinearSVC(),
        RidgeClassifier(),
        SVC(),
        OnlinePerceptron(average=True),
        KernelPerceptron(),
        KernelPerceptron(kernel="linear"),
    ],
    ids=repr,
)
def test_any_classifier_with_a_decision_function_is_a_neuron(one_factor, neuron):
    X, y = one_factor
    model = classifier(neuron=neuron).fit(X, y)
    Z = minmax(X)
    for pair, fitted, score in zip(model.pairs_, model.neurons_, model.scores_, strict=True):
        block = Z[:, pair.columns]
        by_hand = clone(fitted).fit(block[pair.block[0]], y[pair.block[0]])
        assert type(fitted) is type(neuron)
        np.testing.assert_array_equal(
            fitted.decision_function(block), by_hand.decision_function(block)
        )
        assert score == pytest.approx(balanced_accuracy_score(y, by_hand.predict(block)))


def test_neurons_with_a_random_state_get_one_of_their_own(one_factor):
    model = classifier(neuron=LinearSVC(random_state=7)).fit(*one_factor)
    assert len({fitted.random_state for fitted in model.neurons_}) == len(model.pairs_) > 1


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_weights_of_labels_need_problems_with_these_labels(multi_class):
    X, y = make_three()
    heavy = OnlinePerceptron(class_weight={0: 1.0, 1: 1.0, 2: 50.0})
    model = classifier(neuron=heavy, multi_class=multi_class, max_ratio=np.inf)
    if multi_class == "ovr":
        with pytest.raises(ValueError, match=r"OnlinePerceptron has class_weight=.*the rest"):
            model.fit(X, y)
        with pytest.raises(ValueError, match=r"OnlinePerceptron has class_weight=.*the rest"):
            BicNeuronNetwork(neuron_kinds=[heavy]).fit(X, y)
        return
    light = classifier(multi_class=multi_class, max_ratio=np.inf).fit(X, y)
    model.fit(X, y)
    for part, other in zip(model.estimators_, light.estimators_, strict=True):
        assert part.neurons_[0].class_weight == heavy.class_weight
        same = part.neurons_[0].coef_.tolist() == other.neurons_[0].coef_.tolist()
        assert same == (2 not in part.classes_)


# --- selection and recalibrate


@pytest.mark.parametrize(
    "selection", ["accuracy", "f1", make_scorer(f1_score, pos_label=0)], ids=str
)
def test_selection_by_a_scorer(one_factor, selection):
    X, y = one_factor
    model = classifier(selection=selection).fit(X, y)
    Z = minmax(X)
    expected = [
        get_scorer(selection)(neuron, Z[:, pair.columns], y)
        for neuron, pair in zip(model.neurons_, model.pairs_, strict=True)
    ]
    assert model.scores_.tolist() == expected
    assert model.selected_pair_ is model.pairs_[expected.index(max(expected))]


def test_selection_by_score_auc(one_factor):
    X, y = one_factor
    model = classifier(selection="score_auc").fit(X, y)
    Z = minmax(X)
    expected = [
        roc_auc_score(y, neuron.decision_function(Z[:, pair.columns]))
        for neuron, pair in zip(model.neurons_, model.pairs_, strict=True)
    ]
    np.testing.assert_allclose(model.scores_, expected, rtol=1e-12)
    assert max(model.scores_) == pytest.approx(roc_auc_score(y, model.decision_function(X)))


@pytest.mark.parametrize("recalibrate", [False, True])
@pytest.mark.parametrize("selection", ["neg_log_loss", "roc_auc", "average_precision"])
def test_scorers_of_scores_and_probabilities(one_factor, selection, recalibrate):
    """They measure the neuron itself; moving its threshold changes no ranking."""
    X, y = one_factor
    model = classifier(
        neuron=LogisticRegression(), selection=selection, recalibrate=recalibrate
    ).fit(X, y)
    Z = minmax(X)
    expected = [
        get_scorer(selection)(neuron, Z[:, pair.columns], y)
        for neuron, pair in zip(model.neurons_, model.pairs_, strict=True)
    ]
    np.testing.assert_allclose(model.scores_, expected, rtol=1e-12)


def test_a_scorer_that_returns_nan_is_named(one_factor):
    def undefined(estimator, X, y):
        return np.nan

    with pytest.raises(ValueError, match=r"selection=.*undefined.*nan"):
        classifier(selection=undefined).fit(*one_factor)


@pytest.mark.parametrize("neuron", [None, KernelPerceptron(), RidgeClassifier()], ids=repr)
def test_recalibration_never_lowers_the_label_auc(one_factor, neuron):
    X, y = one_factor
    plain = classifier(neuron=neuron).fit(X, y)
    moved = classifier(neuron=neuron, recalibrate=True).fit(X, y)
    assert np.all(moved.scores_ >= plain.scores_)
    assert np.any(moved.scores_ > plain.scores_)
    assert balanced_accuracy_score(y, moved.predict(X)) == pytest.approx(max(moved.scores_))
    Z = minmax(X)[:, moved.selected_pair_.columns]
    np.testing.assert_allclose(
        moved.decision_function(X), moved.estimator_.decision_function(Z) - moved.threshold_
    )


def test_recalibration_moves_the_threshold(one_factor):
    X, y = one_factor
    plain, moved = (classifier(recalibrate=flag).fit(X, y) for flag in (False, True))
    assert plain.threshold_ == 0 != moved.threshold_
    after, before = (balanced_accuracy_score(y, model.predict(X)) for model in (moved, plain))
    assert after > before


def test_recalibration_leaves_score_auc_and_the_neurons_alone(one_factor):
    plain, moved = (
        classifier(selection="score_auc", recalibrate=flag).fit(*one_factor)
        for flag in (False, True)
    )
    assert plain.scores_.tobytes() == moved.scores_.tobytes()
    assert plain.estimator_.coef_.tobytes() == moved.estimator_.coef_.tobytes()


def test_scores_are_those_of_the_model_that_decides(one_factor):
    """With recalibration, too: the scorer has to see the moved threshold."""
    X, y = one_factor
    for recalibrate in (False, True):
        model = classifier(selection="accuracy", recalibrate=recalibrate).fit(X, y)
        assert max(model.scores_) == model.score(X, y)


def test_the_seed_of_a_pair_is_a_digest_of_its_lines():
    """So that it depends on neither the other pairs nor the machine."""
    for root, rows, columns in ((7, [1, 2], [3]), (7, [1], [2, 3]), (-1, [1], [2])):
        pair = Pattern(np.array(rows), np.array(columns), contrast_rows=np.array([9]))
        content = struct.pack("<q", root)
        content += struct.pack(f"<{len(rows)}q", *rows) + b"|"
        content += struct.pack(f"<{len(columns)}q", *columns)
        digest = hashlib.blake2b(content, digest_size=4).digest()
        assert pair_seed(root, pair) == int.from_bytes(digest, "little") // 2
