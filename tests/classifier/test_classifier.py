"""The six steps of `BicNeuronClassifier`: what a fit leaves behind and what it is invariant to."""

import hashlib
import struct
from dataclasses import replace

import numpy as np
import pytest
from data import classifier, make_one_factor, make_three, minmax
from hypothesis import given, settings
from hypothesis import strategies as st
from miners import CarelessMiner, FixedMiner, LabelMiner, TopRowsMiner
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score, f1_score, get_scorer, make_scorer
from sklearn.svm import SVC, LinearSVC

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronNetwork,
    CoherentBiclustering,
    SubgroupBiclustering,
)
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.classifier._steps import pair_seed
from bicneuron.datasets import load_worked_example
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.metrics import mean_squared_residue
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import Pattern


def test_a_score_of_zero_speaks_for_the_first_class(one_factor):
    """No support vector reaches so far, hence the score is zero exactly."""
    X, y = one_factor
    model = classifier(neuron=KernelPerceptron()).fit(X, np.array(["no", "yes"])[y])
    far_away = np.full((1, 10), 1e9)
    assert model.decision_function(far_away).tolist() == [0.0]
    assert model.predict(far_away).tolist() == ["no"]


def test_diagnostics_count_every_stage(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    stages = model.diagnostics_
    rows = np.flatnonzero(y == 1)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    miner = CoherentBiclustering(cut_distance=0.5, standardize=False).fit(Z[rows])
    ratios = [pair.msr_ratio for pair in classifier(max_ratio=np.inf).fit(X, y).pairs_]
    assert stages.n_seeds == miner.n_seeds_
    assert stages.n_pairs == len(miner.patterns_)
    assert stages.n_kept == len(model.pairs_) == len(model.neurons_) == len(model.scores_)
    assert (stages.best_ratio, stages.worst_ratio) == (min(ratios), max(ratios))


@given(st.lists(st.integers(-40, 40), min_size=10, max_size=10))
@settings(max_examples=10)
def test_rescaling_a_feature_by_a_power_of_two_changes_nothing(exponents):
    X, y = make_one_factor()
    scaled = np.ldexp(X, exponents)
    left, right = classifier().fit(X, y), classifier().fit(scaled, y)
    assert left.pairs_ == right.pairs_
    assert left.scores_.tobytes() == right.scores_.tobytes()
    assert left.decision_function(X).tobytes() == right.decision_function(scaled).tobytes()


def test_scores_do_not_depend_on_how_many_rows_are_scored_at_once(one_factor, monkeypatch):
    X, y = one_factor
    model = classifier().fit(X, y)
    expected = model.decision_function(X)
    monkeypatch.setattr("bicneuron._shared._scaling.MAX_CELLS", 10)
    assert_array_equal(model.decision_function(X), expected)
    assert_array_equal(model.decision_function(np.asfortranarray(X)), expected)


# --- Which pairs a classifier forms and how it ranks them


def anchor_classes(model, X, y):
    return {pair.anchor_class for pair in model.fit(X, y).pairs_}


@pytest.mark.parametrize(
    ("anchor", "classes"),
    [("minority", {1}), ("majority", {0}), (0, {0}), (1, {1}), ("both", {0, 1})],
)
def test_anchor_names_the_class_that_is_mined(one_factor, anchor, classes):
    assert anchor_classes(classifier(anchor=anchor), *one_factor) == classes


@pytest.mark.parametrize("names", [["zebra", "ant"], ["ant", "zebra"]])
def test_when_classes_are_equal_the_minority_is_the_class_of_the_first_row(names):
    X, y = make_one_factor(n_minority=40, n_majority=40)
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


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        # There are no anchor rows to scale by.
        (
            {"miner": LabelMiner(), "scale": "anchor"},
            r'scale="anchor".*LabelMiner.*use scale="all"',
        ),
        ({"miner": CarelessMiner(), "anchor": "both"}, r"CarelessMiner.*one class"),
        ({"selection": lambda model, X, y: np.nan}, r"selection=.*lambda.*nan"),
    ],
)
def test_what_cannot_be_done_is_refused(one_factor, parameters, message):
    with pytest.raises(ValueError, match=message):
        classifier(**parameters).fit(*one_factor)


def blocks(miner):
    return {(b.rows.tobytes(), b.columns.tobytes()) for b in miner.patterns_}


def test_sampled_seeds_find_a_part_of_what_all_seeds_find():
    X, _ = make_one_factor()
    everything = CoherentBiclustering(cut_distance=0.5, merge=False).fit(X)
    some = [
        CoherentBiclustering(cut_distance=0.5, merge=False, max_seeds=10, random_state=s).fit(X)
        for s in (0, 0, 1)
    ]
    assert everything.n_seeds_ > 10
    assert [miner.n_seeds_ for miner in some] == [10, 10, 10]
    assert blocks(some[0]) == blocks(some[1]) != blocks(some[2])
    assert blocks(some[0]) < blocks(everything)


def test_max_rows_takes_a_sample_of_each_class_and_tells_which():
    X, y = make_one_factor()
    model = classifier(max_rows=30, max_ratio=np.inf).fit(X, y)
    used = model.rows_used_
    assert_array_equal(used, np.unique(used))
    assert np.bincount(y[used]).tolist() == [30, 30]
    small = classifier(max_ratio=np.inf, anchor=1).fit(X[used], y[used])
    assert model.pairs_ == small.pairs_
    assert_array_equal(model.decision_function(X), small.decision_function(X))
    again = classifier(max_rows=30, max_ratio=np.inf, random_state=2).fit(X, y)
    assert again.rows_used_.tolist() != used.tolist()


def test_the_anchor_is_the_minority_of_all_rows_not_of_the_sample():
    X, y = make_one_factor(n_minority=40, n_majority=60)
    for labels in (y, 1 - y):
        model = classifier(max_rows=30, max_ratio=np.inf).fit(X, labels)
        minority = int(np.bincount(labels).argmin())
        assert {pair.anchor_class for pair in model.pairs_} == {minority}


# --- Without a pair: the fallback is never silent


def test_fallback_is_one_neuron_on_everything_and_says_so(one_factor):
    X, y = one_factor
    stages = classifier().fit(X, y).diagnostics_
    with pytest.warns(NoContrastivePairWarning, match=r"Raise max_ratio.*Falling back") as caught:
        model = classifier(max_ratio=0.01).fit(X, y)
    found = f"(best found: {stages.best_ratio:.3g}, from {stages.n_pairs} biclusters)"
    assert f"no pair has msr_ratio <= 0.01 {found}" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert model.selected_pair_ is None
    assert model.pairs_ == model.neurons_ == []
    assert model.scores_.shape == (0,)
    assert model.diagnostics_ == replace(stages, n_kept=0)
    by_hand = OnlinePerceptron(random_state=0).fit(minmax(X), y)
    assert model.decision_function(X).tolist() == by_hand.decision_function(minmax(X)).tolist()


@pytest.mark.parametrize(
    ("miner", "advice"),
    [
        (CoherentBiclustering(max_residue=0), "raise max_residue, change cut_distance or lower"),
        (ContrastBiclustering(cut_distance=0), "raise cut_distance or lower min_rows"),
        (SubgroupBiclustering(anchor=0), "or anchor=0 leaves it out"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_advice_is_that_of_the_miner(one_factor, miner, advice):
    with pytest.warns(NoContrastivePairWarning) as caught:
        classifier(miner=miner, anchor=1).fit(*one_factor)
    text = str(caught[0].message)
    assert text.startswith(f"{type(miner).__name__} found no bicluster in class 1 with 40 rows")
    assert advice in text
    known = {*CoherentBiclustering().get_params(), *ContrastBiclustering().get_params()}
    assert not [name for name in known - miner.get_params().keys() if name in text]


# --- Which neurons a classifier trains and which one it selects


@pytest.mark.parametrize(
    "neuron",
    [LinearSVC(), RidgeClassifier(), SVC(), OnlinePerceptron(average=True), KernelPerceptron()],
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
        assert_array_equal(fitted.decision_function(block), by_hand.decision_function(block))
        assert score == pytest.approx(balanced_accuracy_score(y, by_hand.predict(block)))


def test_neurons_with_a_random_state_get_one_of_their_own(one_factor):
    model = classifier(neuron=LinearSVC(random_state=7)).fit(*one_factor)
    assert len({fitted.random_state for fitted in model.neurons_}) == len(model.pairs_) > 1


HEAVY = OnlinePerceptron(class_weight={0: 1.0, 1: 1.0, 2: 50.0})


@pytest.mark.parametrize(
    "model", [classifier(neuron=HEAVY), BicNeuronNetwork(neuron_kinds=[HEAVY])], ids=["one", "net"]
)
def test_weights_of_labels_need_problems_with_these_labels(model):
    with pytest.raises(ValueError, match=r"OnlinePerceptron has class_weight=.*the rest"):
        model.fit(*make_three())


def test_weights_of_labels_count_in_the_problems_of_their_class():
    options = {"multi_class": "ovo", "max_ratio": np.inf}
    heavy, light = (
        classifier(neuron=neuron, **options).fit(*make_three()) for neuron in (HEAVY, None)
    )
    for part, other in zip(heavy.estimators_, light.estimators_, strict=True):
        same = part.neurons_[0].coef_.tolist() == other.neurons_[0].coef_.tolist()
        assert same == (2 not in part.classes_)


# --- selection and recalibrate


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


SCORERS = ["accuracy", "f1", make_scorer(f1_score, pos_label=0)]
RANKINGS = ["neg_log_loss", "score_auc", "average_precision"]


@pytest.mark.parametrize(
    ("selection", "recalibrate"),
    [*((one, False) for one in SCORERS), *((one, flag) for one in RANKINGS for flag in (0, 1))],
    ids=str,
)
def test_selection_by_a_scorer(one_factor, selection, recalibrate):
    """It measures the neuron itself; moving its threshold changes no ranking."""
    X, y = one_factor
    model = classifier(
        neuron=LogisticRegression(), selection=selection, recalibrate=bool(recalibrate)
    ).fit(X, y)
    Z = minmax(X)
    scorer = get_scorer("roc_auc" if selection == "score_auc" else selection)
    expected = [
        scorer(neuron, Z[:, pair.columns], y)
        for neuron, pair in zip(model.neurons_, model.pairs_, strict=True)
    ]
    np.testing.assert_allclose(model.scores_, expected, rtol=1e-12)
    assert model.selected_pair_ is model.pairs_[int(np.argmax(expected))]
    assert (model.threshold_ != 0) == bool(recalibrate)


# --- Figure 1 of the paper through the classifier, as printed and from exact data

CONTRAST_ROWS = [[8, 6, 7], [5, 4]]  # o9, o7, o8 and o6, o5: nearest first


def fit(printed, max_ratio):
    example = load_worked_example(printed=printed)
    miner = FixedMiner(example.biclusters)
    model = BicNeuronClassifier(search=None, miner=miner, max_ratio=max_ratio, random_state=0)
    return model.fit(example.data, example.target)


def printed_like(value, text):
    return f"{value:.{len(text.partition('.')[2])}f}"


@pytest.mark.parametrize(
    ("printed", "which", "anchor_msr", "contrast_msr", "ratio"),
    [
        (True, 0, "0.000205", "0.02089", "0.0098"),
        (True, 1, "0.004556", "0.0049", "0.9298"),
        (False, 0, "0.0001866", "0.020711", "0.00901"),
        (False, 1, "0.0044405", "0.0050884", "0.8727"),
    ],
)
def test_numbers_of_a_pair(printed, which, anchor_msr, contrast_msr, ratio):
    example = load_worked_example(printed=printed)
    pair = fit(printed, max_ratio=np.inf).pairs_[which]
    rows, columns = example.biclusters[which]
    assert pair.anchor_class == -1
    assert pair.rows.tolist() == rows.tolist()
    assert pair.columns.tolist() == columns.tolist()
    assert pair.contrast_rows.tolist() == CONTRAST_ROWS[which]
    Z = minmax(example.data)
    msr = [mean_squared_residue(Z[np.ix_(r, columns)]) for r in (rows, pair.contrast_rows)]
    assert printed_like(msr[0], anchor_msr) == anchor_msr
    assert printed_like(msr[1], contrast_msr) == contrast_msr
    assert printed_like(pair.msr_ratio, ratio) == ratio


@pytest.mark.parametrize(("printed", "n_kept"), [(True, 1), (False, 2)])
def test_verdict_at_the_threshold_of_the_paper(printed, n_kept):
    """The rounding of the printed figure decides whether the second pair passes tau = 0.9."""
    model = fit(printed, max_ratio=0.9)
    kept = [pair.rows.tolist() for pair in model.pairs_]
    assert kept == [[0, 1, 2], [2, 3]][:n_kept]
    assert model.diagnostics_.n_pairs == 2
    assert model.diagnostics_.n_kept == n_kept
