"""Patterns of a model in the folds of its score."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bicneuron import BicNeuronClassifier, BicNeuronNetwork, PatternClassifier
from bicneuron.datasets import make_subgroup
from bicneuron.metrics import FoldPatterns, cross_validated_scores
from bicneuron.neurons import GaussianNeuron
from bicneuron.patterns import Pattern
from bicneuron.persistence import load_model, save_model
from bicneuron.significance import with_folds
from bicneuron.significance._with_evidence import _matches


@pytest.fixture(scope="module")
def fitted():
    X, y, _, _ = make_subgroup(n_columns=60, random_state=0)
    model = PatternClassifier(random_state=0).fit(X, y)
    return X, y, model


def scores_of(model, X, y, same):
    """Two folds, in the first of which the model is the same; rows left out are every second."""
    odd = np.arange(len(y)) % 2 == 1
    carriers, rows = model.carriers(X), np.arange(len(y))
    moved = [replace(one, anchor_class="nobody") for one in model.patterns_]
    folds = (
        FoldPatterns(model.patterns_ if same else moved, rows, carriers, odd),
        FoldPatterns(moved, rows, carriers, ~odd),
    )
    return SimpleNamespace(folds=folds, n_splits=2)


def test_carriers_are_counted_among_rows_left_out_of_folds_that_have_the_pattern(fitted):
    X, y, model = fitted
    odd = np.arange(len(y)) % 2 == 1
    told = with_folds(model, X, y, scores_of(model, X, y, same=True))
    for pattern, carriers in zip(told.patterns_, model.carriers(X).T, strict=True):
        evidence = pattern.evidence
        assert (evidence.n_found, evidence.n_folds) == (1, 2)
        assert evidence.left_out == tuple(
            (label, int(np.sum(carriers & odd & (y == label))), int(np.sum(odd & (y == label))))
            for label in np.unique(y).tolist()
        )
    assert all(pattern.evidence is None for pattern in model.patterns_), "a copy"


def test_a_pattern_that_no_fold_has_is_carried_by_nobody(fitted):
    X, y, model = fitted
    told = with_folds(model, X, y, scores_of(model, X, y, same=False))
    for pattern in told.patterns_:
        assert (pattern.evidence.n_found, pattern.evidence.left_out) == (0, ())
    assert "chosen again in 0 of 2 folds" in told.summary()
    assert "carried" not in told.summary()


def test_what_folds_tell_is_saved_and_said(fitted, tmp_path):
    X, y, model = fitted
    scores = cross_validated_scores(model, X, y, n_splits=3)
    told = with_folds(model, X, y, scores)
    assert told.patterns_[0].evidence.n_found == 3
    assert "; chosen again in 3 of 3 folds" in told.summary()
    loaded = load_model(save_model(told, tmp_path / "m.skops"))
    assert loaded.patterns_ == told.patterns_
    assert loaded.summary() == told.summary()


def test_carriers_left_out_are_those_of_models_that_have_not_seen_them(fitted):
    X, y, model = fitted
    scores = cross_validated_scores(model, X, y, n_splits=3)
    left_out = np.array([fold.is_left_out for fold in scores.folds])
    assert (left_out.sum(axis=0) == 1).all(), "each row once"
    for fold in scores.folds:
        seen = fold.rows[~fold.is_left_out]
        again = PatternClassifier(random_state=0).fit(X[seen], y[seen])
        assert fold.patterns == again.patterns_
        assert (fold.carriers == again.carriers(X[fold.rows])).all()


def test_of_a_long_table_a_sample_is_told(fitted):
    X, y, model = fitted
    scores = cross_validated_scores(model, X, y, n_splits=2, max_rows=80)
    told = with_folds(model, X, y, scores).patterns_[0].evidence
    assert told.n_found == 2
    assert sum(total for _, _, total in told.left_out) == 80


def test_very_many_patterns_are_not_looked_for(fitted):
    X, y, _ = fitted
    model = BicNeuronNetwork(n_neurons=40, neuron_kinds=[GaussianNeuron()], random_state=0).fit(
        X, y
    )
    scores = cross_validated_scores(model, X, y, n_splits=2, n_repeats=1)
    assert scores.folds == ()
    assert with_folds(model, X, y, scores) is model
    assert model.summary() == f"{len(model.patterns_)} patterns decide together."


def test_the_neuron_of_the_paper_has_the_same_lines(fitted):
    X, y, _ = fitted
    model = BicNeuronClassifier(search=None, max_ratio=np.inf, random_state=0).fit(X, y)
    told = with_folds(model, X, y, cross_validated_scores(model, X, y, n_splits=2, n_repeats=1))
    (line,) = told.summary().splitlines()
    assert line.startswith("1. ")
    assert "; learned from " in line
    assert line.endswith(" of 2 folds")


def test_another_table_is_refused(fitted):
    X, y, model = fitted
    with pytest.raises(ValueError, match="X is not what the model was fitted to"):
        with_folds(model, X + 1, y, scores_of(model, X, y, same=True))


def pattern(columns, label="a"):
    return Pattern(np.array([0]), np.array(columns), anchor_class=label)


def test_each_pattern_of_a_fold_counts_once_and_for_the_one_that_is_most_alike():
    rows = np.zeros((20, 1), dtype=bool)
    rows[:10] = True
    mine = [pattern([1, 2, 3]), pattern([3, 4])]
    both = np.repeat(rows, 2, axis=1)
    assert _matches(mine, both, [pattern([3, 4, 5])], rows) == [(1, 0)]
    assert sorted(_matches(mine, both, [pattern([3, 4]), pattern([1, 2])], both)) == [
        (0, 1),
        (1, 0),
    ]
    assert _matches(mine[:1], rows, [pattern([4])], rows) == [], "no column in common"
    assert _matches(mine[:1], rows, [pattern([1], "b")], rows) == [], "another class"
    other = np.roll(rows, 3, axis=0)  # 7 of 13
    assert _matches(mine[:1], rows, [pattern([1])], other) == [], "other rows"
    other = np.roll(rows, 2, axis=0)  # 8 of 12
    assert _matches(mine[:1], rows, [pattern([1])], other) == [(0, 0)]
