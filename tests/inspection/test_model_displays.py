"""Pictures of searches, of many pairs and of models against each other."""

import warnings

import numpy as np
import pytest
from data import classifier, make_three
from sklearn.model_selection import GridSearchCV

from bicneuron import BicNeuronClassifierCV, BicNeuronNetwork
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.inspection import (
    PathDisplay,
    RankedPairsDisplay,
)
from bicneuron.neurons import GaussianNeuron, OnlinePerceptron


def legend_of(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


# --- the path


@pytest.fixture(scope="module")
def search(one_factor):
    return BicNeuronClassifierCV(
        classifier(),
        preset="paper",
        cut_distances=[0.3, 0.5],
        max_ratios=[0.0, 0.7, np.inf],
        neurons=[OnlinePerceptron(average=True), OnlinePerceptron()],
        cv=2,
        random_state=0,
    ).fit(*one_factor)


def test_the_path_is_that_of_the_search(search):
    display = PathDisplay.from_estimator(search)
    np.testing.assert_array_equal(display.cut_distances, search.path_["cut_distances"])
    np.testing.assert_array_equal(display.max_ratios, search.path_["max_ratios"])
    np.testing.assert_array_equal(display.scores, search.path_["mean_test_score"])
    cut, ratio = display.best
    assert display.cut_distances[cut] == search.best_params_["miner__cut_distance"]
    assert display.max_ratios[ratio] == search.best_params_["max_ratio"]
    assert display.scores[display.best] == search.best_score_
    assert display.best_.get_bbox().bounds == (ratio - 0.5, cut - 0.5, 1, 1)


def test_points_without_a_pair_are_hatched(search):
    display = PathDisplay.from_estimator(search)
    assert [patch.get_xy() for patch in display.missing_] == [(-0.5, -0.5), (-0.5, 0.5)]
    assert all(patch.get_hatch() for patch in display.missing_)
    assert legend_of(display) == ["chosen", "no pair in some fold"]
    written = {text.get_position(): text.get_text() for text in display.texts_}
    assert written == {
        (ratio, cut): f"{display.scores[cut, ratio]:.3f}" for cut in (0, 1) for ratio in (1, 2)
    }
    ticks = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert ticks == ["0", "0.7", "none"]


def test_a_grid_search_has_a_path_too(one_factor):
    grid = {
        "miner__cut_distance": [0.5, 0.3],
        "max_ratio": [0.9, 0.5],
        "recalibrate": [True, False],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoContrastivePairWarning)
        search = GridSearchCV(classifier(), grid, cv=2).fit(*one_factor)
    display = PathDisplay.from_cv_results(search.cv_results_)
    for c, cut in enumerate([0.3, 0.5]):
        for t, ratio in enumerate([0.5, 0.9]):
            point = {
                "miner__cut_distance": cut,
                "max_ratio": ratio,
                "recalibrate": search.best_params_["recalibrate"],
            }
            place = search.cv_results_["params"].index(point)
            assert display.scores[c, t] == search.cv_results_["mean_test_score"][place]
    with pytest.raises(ValueError, match="cv_results has no param_max_ratio; search over it too"):
        PathDisplay.from_cv_results({"param_miner__cut_distance": [0.5], "mean_test_score": [1.0]})


def test_a_path_without_any_pair_can_be_drawn(one_factor):
    with pytest.warns(NoContrastivePairWarning):
        search = BicNeuronClassifierCV(classifier(), preset="paper", max_ratios=[0.0], cv=2).fit(
            *one_factor
        )
    display = PathDisplay.from_estimator(search)
    assert len(display.missing_) == 4
    assert display.colorbar_ is None
    display.figure_.canvas.draw()


def test_a_large_path_is_not_written_out():
    scores = np.linspace(0, 1, 200).reshape(10, 20)
    display = PathDisplay(np.arange(10.0), np.arange(20.0), scores).plot()
    assert display.texts_ == []
    assert display.best_ is None
    assert display.im_.get_clim() == (0, 1)


def test_only_a_search_has_a_path(one_factor):
    model = classifier().fit(*one_factor)
    with pytest.raises(TypeError, match="a BicNeuronClassifier, which has no path; give a fitted"):
        PathDisplay.from_estimator(model)
    search = BicNeuronClassifierCV(
        classifier(), preset="paper", cut_distances=[0.5], max_ratios=[np.inf], cv=2
    ).fit(*make_three())
    with pytest.raises(ValueError, match="3 classes and a path for each of 3 problems"):
        PathDisplay.from_estimator(search)
    assert PathDisplay.from_estimator(search.estimators_[1]).scores.shape == (1, 1)


# --- ranked pairs


def test_every_pair_is_a_point(one_factor):
    model = classifier().fit(*one_factor)
    display = RankedPairsDisplay.from_estimator(model)
    expected = {
        (len(pair.rows) * len(pair.columns), pair.msr_ratio, score)
        for pair, score in zip(model.pairs_, model.scores_, strict=True)
    }
    drawn = zip(
        display.points_.get_offsets().tolist(), display.points_.get_array().tolist(), strict=True
    )
    assert {(x, y, score) for (x, y), score in drawn} == expected
    chosen = model.selected_pair_
    assert display.selected_.get_offsets().tolist() == [
        [len(chosen.rows) * len(chosen.columns), chosen.msr_ratio]
    ]
    assert display.colorbar_.ax.get_ylabel() == "label auc on the training rows"
    assert np.all(np.diff(display.points_.get_array()) >= 0)


def test_a_search_shows_the_pairs_of_its_best_estimator(search):
    display = RankedPairsDisplay.from_estimator(search)
    expected = RankedPairsDisplay.from_estimator(search.best_estimator_)
    assert display.ratios.tolist() == expected.ratios.tolist()
    assert display.selected == expected.selected
    assert display.score_name == "label auc on the training rows"


def test_beyond_two_classes_the_pairs_that_decide_are_drawn():
    model = classifier(max_ratio=np.inf).fit(*make_three())
    display = RankedPairsDisplay.from_estimator(model)
    assert display.scores.tolist() == [pattern.strength for pattern in model.patterns_]
    assert display.ratios.tolist() == [pattern.msr_ratio for pattern in model.patterns_]
    assert (display.score_name, display.selected) == ("strength", None)
    with pytest.warns(NoContrastivePairWarning):
        fallen_back = classifier(max_ratio=0.0).fit(*make_three())
    with pytest.raises(ValueError, match="there is nothing to draw: no contrastive pair"):
        RankedPairsDisplay.from_estimator(fallen_back)


def test_infinite_ratios_lie_above_the_others():
    display = RankedPairsDisplay([9, 12, 200], [0.5, np.inf, 2.0], [0.6, 0.7, 0.8], selected=1)
    display.plot()
    assert display.points_.get_offsets()[:, 1].tolist() == [0.5, 2.0]
    ((_, height),) = display.infinite_.get_offsets()
    assert height > 2
    assert display.selected_.get_offsets()[0, 1] == height
    assert legend_of(display) == ["infinite ratio", "selected"]
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_ylim()[0] == 0


def test_a_network_shows_what_its_patterns_contribute(one_factor):
    model = BicNeuronNetwork(
        n_neurons=4, n_candidates=20, neuron_kinds=[GaussianNeuron()], random_state=0
    ).fit(*one_factor)
    display = RankedPairsDisplay.from_estimator(model)
    assert display.scores.tolist() == [pattern.strength for pattern in model.patterns_]
    assert display.selected_ is None
    assert display.colorbar_.ax.get_ylabel() == "strength"
