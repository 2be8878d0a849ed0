"""Without a pair: the fallback is never silent."""

from dataclasses import replace

import pytest
from data import classifier, minmax
from sklearn.metrics import balanced_accuracy_score

from bicneuron import CoherentBiclustering, SubgroupBiclustering
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import OnlinePerceptron


def test_fallback_is_one_neuron_on_everything_and_says_so(one_factor):
    X, y = one_factor
    stages = classifier().fit(X, y).diagnostics_
    with pytest.warns(NoContrastivePairWarning) as caught:
        model = classifier(max_ratio=0.01).fit(X, y)
    text = str(caught[0].message)
    found = f"(best found: {stages.best_ratio:.3g}, from {stages.n_pairs} biclusters)"
    assert f"no pair has msr_ratio <= 0.01 {found}" in text
    assert "Raise max_ratio" in text
    assert "Falling back" in text
    assert model.selected_pair_ is None
    assert model.pairs_ == model.neurons_ == []
    assert model.scores_.shape == (0,)
    assert model.diagnostics_ == replace(stages, n_kept=0)
    by_hand = OnlinePerceptron(random_state=0).fit(minmax(X), y)
    assert model.estimator_.coef_.tolist() == by_hand.coef_.tolist()
    assert model.decision_function(X).tolist() == by_hand.decision_function(minmax(X)).tolist()


def test_the_warning_points_at_the_line_that_called_fit(one_factor):
    with pytest.warns(NoContrastivePairWarning) as caught:
        classifier(max_ratio=0).fit(*one_factor)
    assert caught[0].filename == __file__


def test_fallback_can_be_recalibrated(one_factor):
    X, y = one_factor
    with pytest.warns(NoContrastivePairWarning):
        plain = classifier(max_ratio=0, anchor=1).fit(X, y)
    with pytest.warns(NoContrastivePairWarning):
        moved = classifier(max_ratio=0, recalibrate=True).fit(X, y)
    after, before = (balanced_accuracy_score(y, model.predict(X)) for model in (moved, plain))
    assert after >= before


def test_without_a_bicluster_the_miner_is_to_blame(one_factor):
    X, y = one_factor
    nothing = CoherentBiclustering(max_residue=0)
    match = r"no bicluster.*class 1 with 40 rows \(\d+ seeds\).*max_residue"
    with pytest.warns(NoContrastivePairWarning, match=match):
        model = classifier(miner=nothing).fit(X, y)
    assert (model.diagnostics_.n_pairs, model.diagnostics_.best_ratio) == (0, None)


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


@pytest.mark.parametrize("miner", [ContrastBiclustering(), SubgroupBiclustering()])
def test_the_advice_on_ratios_names_parameters_that_the_miner_has(one_factor, miner):
    with pytest.warns(NoContrastivePairWarning, match="Raise max_ratio") as caught:
        classifier(miner=miner, max_ratio=0).fit(*one_factor)
    assert ("cut_distance" in str(caught[0].message)) == ("cut_distance" in miner.get_params())
