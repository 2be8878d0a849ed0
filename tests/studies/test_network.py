"""The network against its rivals: what is run, and what is shown of it."""

import numpy as np
import pytest
from data import make_one_factor
from fold_records import make_fold
from sklearn.svm import SVC

from bicneuron import BicNeuronNetwork
from reproduction._folds import Fold, run_fold
from reproduction._problems import EEG_PAIRS, TABLE_SETS, Problem
from studies._classifiers import NETWORK
from studies._comparison import mean_ranks
from studies._study import write_study
from studies.network import DATASETS, METHODS, NAMES, STUDY, RelativeSVC, tuned_svc


def made_up(datasets, probable=NAMES[:3]):
    """One fold for each; the models of ``probable`` give probabilities."""
    random = np.random.RandomState(0)
    return [
        make_fold(
            *("network", dataset, model, 0, random.uniform(), 0.5),
            score_auc=random.uniform(),
            brier=0.125 if model in probable else None,
        )
        for dataset in datasets
        for model in NAMES
    ]


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_network_has_its_default_settings_on_the_twelve_sets_and_the_eeg_pairs():
    built = METHODS[0].build(NETWORK, "wdbc", 7)
    assert repr(built) == repr(BicNeuronNetwork(random_state=7))
    assert (*TABLE_SETS, *EEG_PAIRS) == DATASETS
    assert (NETWORK.n_folds, NETWORK.max_rows) == (10, 2000)


def test_gamma_is_relative_to_scale():
    X, y = make_one_factor()
    for factor in (1.0, 0.3):
        theirs = SVC(C=2.0, gamma=factor / (X.shape[1] * X.var())).fit(X, y)
        ours = RelativeSVC(C=2.0, relative_gamma=factor).fit(X, y)
        assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X))


@pytest.mark.slow
def test_tuning_is_done_on_training_rows_by_a_seeded_grid_and_goes_into_the_record():
    problem = Problem.from_labels("made-up", *make_one_factor())
    first, again = (tuned_svc(NETWORK, "made-up", 3).fit(problem.X, problem.y) for _ in range(2))
    assert len(first.cv_results_["params"]) == 16
    assert first.n_splits_ == 5
    scores = [one.cv_results_["mean_test_score"].tolist() for one in (first, again)]
    assert scores[0] == scores[1]
    (tuned,) = (model for model in METHODS if model.name == "TunedSVC")
    record = run_fold(Fold(NETWORK, problem, tuned, 0, 0))
    assert set(record.params) == {"relativesvc__C", "relativesvc__relative_gamma"}
    assert 0.5 < record.inner_score <= 1


def test_ranks_are_those_over_all_sets_and_over_the_twelve(tmp_path):
    datasets = ("chen", "sonar", "wdbc", "eeg-A-B")
    records = made_up(datasets)
    markdown, _, *plots = write_study(STUDY, records, tmp_path)
    assert [plot.name for plot in plots] == ["network-acc.svg", "network-auc.svg"]
    text = markdown.read_text()
    assert all(plot.name in text for plot in plots)
    acc = {(record.dataset, record.model): record.acc for record in records}
    table = np.array([[acc[dataset, model] for model in NAMES] for dataset in datasets])
    lines = [cells(line) for line in text.splitlines() if line.startswith("|")]
    assert lines[0] == ["data set", *NAMES]
    assert lines[2] == ["chen", *(f"{value:.3f}" for value in table[0])]
    assert lines[6] == ["**mean**", *(f"{value:.3f}" for value in table.mean(axis=0))]
    all_four = next(line for line in lines if line[0] == "all 4")
    assert all_four[1:] == [f"{rank:.2f}" for rank in mean_ranks(table)]
    assert ["data set", *NAMES[:3]] in lines, "those that give probabilities"
    assert "chen | 0.125 | 0.125 | 0.125" in text.split("## Brier score")[1]
    three = next(line for line in lines if line[0] == "the 3 of Table 2")
    assert three[1:] == [f"{rank:.2f}" for rank in mean_ranks(table[:3])]
