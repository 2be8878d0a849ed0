"""Which pairs a classifier forms and how it ranks them."""

import numpy as np
import pytest
from data import classifier, make_one_factor
from miners import CarelessMiner, FixedMiner, LabelMiner, TopRowsMiner

from bicneuron import BicNeuronClassifier


def anchor_classes(model, X, y):
    return {pair.anchor_class for pair in model.fit(X, y).pairs_}


def without_rank(pair):
    rows, columns = pair.block
    return pair.anchor_class, rows.tobytes(), columns.tobytes(), pair.msr_ratio


# --- anchor


def test_anchor_names_the_class_that_is_mined(one_factor):
    X, y = one_factor
    assert anchor_classes(classifier(), X, y) == {1}
    assert anchor_classes(classifier(anchor="majority"), X, y) == {0}
    assert anchor_classes(classifier(anchor=0), X, y) == {0}
    assert anchor_classes(classifier(anchor=1), X, y) == {1}
    assert anchor_classes(classifier(anchor="both"), X, y) == {0, 1}


def test_when_classes_are_equal_the_minority_is_the_class_of_the_first_row():
    X, y = make_one_factor(n_minority=40, n_majority=40)
    for names in (["zebra", "ant"], ["ant", "zebra"]):
        labels = np.array(names)[y]
        assert anchor_classes(classifier(), X, labels) == {labels[0]}


def test_both_anchors_pool_their_pairs(one_factor):
    X, y = one_factor
    both = classifier(anchor="both").fit(X, y)
    apart = [classifier(anchor=label).fit(X, y) for label in (1, 0)]
    assert both.pairs_ == sorted(apart[0].pairs_ + apart[1].pairs_, key=lambda p: p.criterion)
    assert max(both.scores_) == max(max(model.scores_) for model in apart)
    assert both.diagnostics_.n_seeds == sum(model.diagnostics_.n_seeds for model in apart)


# --- ties, scale


def test_ties_in_selection_go_to_the_better_ranked(one_factor):
    X, y = one_factor
    miner = FixedMiner([([3, 4, 5], [0, 1, 2]), ([0, 1, 2], [0, 1]), ([0, 1, 2], [2, 3])])
    model = classifier(
        miner=miner,
        max_ratio=np.inf,
        selection=lambda neuron, Z, y: float(Z.shape[1] == 2),
    ).fit(X, y)
    assert [pair.columns.tolist() for pair in model.pairs_] == [[0, 1], [2, 3], [0, 1, 2]]
    assert model.scores_.tolist() == [1, 1, 0]
    assert model.selected_pair_ is model.pairs_[0]


@pytest.mark.parametrize("scale", ["all", "anchor", "minmax"])
def test_scale_is_what_the_miner_sees(scale):
    random = np.random.RandomState(0)
    y = np.repeat([0, 1], [40, 20])
    X = random.standard_t(2, size=(60, 4))
    X[y == 1, 0] *= 0.05  # matters more when the anchor rows are scaled by themselves
    anchor = X[y == 1]
    seen = {
        "all": (anchor - X.mean(axis=0)) / X.std(axis=0),
        "anchor": (anchor - anchor.mean(axis=0)) / anchor.std(axis=0),
        "minmax": (anchor - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)),
    }
    largest = {name: set(40 + np.argsort(Z.sum(axis=1))[-4:]) for name, Z in seen.items()}
    assert len(set(map(frozenset, largest.values()))) == 3
    model = BicNeuronClassifier(
        search=None, miner=TopRowsMiner(4), scale=scale, max_ratio=np.inf
    ).fit(X, y)
    assert set(model.pairs_[0].rows) == largest[scale]


# --- a miner that sees labels


@pytest.mark.parametrize(("anchor", "classes"), [("minority", {1}), ("both", {0, 1}), (0, {0})])
def test_a_miner_that_sees_labels_gets_all_rows(one_factor, anchor, classes):
    X, y = one_factor
    model = classifier(miner=LabelMiner(), anchor=anchor, max_ratio=np.inf).fit(X, y)
    assert model.diagnostics_.n_seeds == len(X)
    assert {pair.anchor_class for pair in model.pairs_} == classes
    for pair in model.pairs_:
        assert np.array_equal(pair.rows, np.flatnonzero(y == pair.anchor_class))


def test_a_miner_that_sees_labels_has_no_anchor_rows_to_scale_by(one_factor):
    with pytest.raises(ValueError, match=r'scale="anchor".*LabelMiner.*use scale="all"'):
        classifier(miner=LabelMiner(), scale="anchor").fit(*one_factor)


def test_a_miner_that_mixes_classes_is_told_so(one_factor):
    with pytest.raises(ValueError, match=r"CarelessMiner.*one class"):
        classifier(miner=CarelessMiner(), anchor="both").fit(*one_factor)
