"""No decision depends on the last bits of scaled values, which differ between processors."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from perturbed import perturbed
from scipy.sparse import issparse
from sklearn.base import clone

from bicneuron import BicNeuronClassifier, SubgroupBiclustering
from bicneuron.significance._find_groups import judged_groups
from contract.producers import OTHERS, PRODUCERS, table

MODELS = PRODUCERS | OTHERS
# Columns of whole numbers have ties, which are to stay ties. A perceptron is left out: it asks
# whether a score is 0, and cells of one value have one scaled value on every machine.
CASES = [
    (producer, kind)
    for producer, (model, _, _) in MODELS.items()
    for kind in ("as it is", "whole numbers")
    if kind == "as it is" or not isinstance(model, BicNeuronClassifier)
]


def fitted(model, X, y):
    copy = clone(model)
    if "random_state" in copy.get_params():
        copy.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return copy.fit(X, y)


def scores_of(model, X):
    is_miner = not hasattr(model, "decision_function")
    return model.pattern_scores(X) if is_miner else model.decision_function(X)


@pytest.mark.parametrize(("producer", "kind"), CASES)
def test_last_bits_do_not_matter(producer, kind, monkeypatch):
    model, name, y = MODELS[producer]
    X = table(name)
    if kind == "whole numbers":
        X = np.round(np.asarray(X.toarray() if issparse(X) else X))
    expected = fitted(model, X, y)
    scores, carriers = scores_of(expected, X), expected.carriers(X)
    labels = expected.predict(X) if hasattr(expected, "predict") else None
    with perturbed(monkeypatch, 0):
        other = fitted(model, X, y)
        assert len(other.patterns_) == len(expected.patterns_)
        for ours, theirs in zip(other.patterns_, expected.patterns_, strict=True):
            assert_array_equal(ours.rows, theirs.rows)
            assert_array_equal(ours.columns, theirs.columns)
            assert_array_equal(ours.contrast_rows, theirs.contrast_rows)
        assert_array_equal(other.carriers(X), carriers)
        assert_allclose(scores_of(other, X), scores, rtol=1e-8, atol=1e-8)
        if labels is not None:
            assert_array_equal(other.predict(X), labels)


def whether_separate(X, y):
    miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X)
    (one,) = judged_groups(miner, X, y, random_state=0).miner.patterns_
    return one.evidence.separate_p, one.evidence.separate_reason, one.evidence.is_class_difference


@pytest.mark.parametrize("y", [None, np.repeat([0, 1], 30)], ids=["no classes", "classes"])
def test_last_bits_do_not_decide_whether_a_group_is_separate(y, monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 16))
    X[:14, :6] += 2.2
    expected = whether_separate(X, y)
    assert 0 < expected[0] < 1
    with perturbed(monkeypatch, 1):
        assert whether_separate(X, y) == expected
