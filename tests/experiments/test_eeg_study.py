"""The five EEG classes at once."""

import numpy as np
import pytest
from fold_records import make_fold

from bicneuron.experiments._eeg_study import EEG_STUDY_MODELS
from bicneuron.experiments._folds import Fold, run_fold
from bicneuron.experiments._problems import EEG_ALL, load_problem
from bicneuron.experiments._protocols import NETWORK
from bicneuron.experiments._studies import STUDIES, write_study


@pytest.mark.real_data
def test_the_five_classes_are_one_problem():
    problem = load_problem(EEG_ALL, "clean")
    assert np.bincount(problem.y).tolist() == [100] * 5
    record = run_fold(Fold(NETWORK, problem, EEG_STUDY_MODELS[1], 0, 0))
    assert (record.n_train, record.n_test) == (450, 50)
    assert record.acc > 0.6
    assert record.score_auc is record.brier is None


def test_accuracies_stand_side_by_side(tmp_path):
    records = [
        make_fold("network", EEG_ALL, model.name, fold, acc, None, score_auc=None)
        for model, accs in zip(EEG_STUDY_MODELS, [(0.5, 1.0), (0.25, 0.5), (0.0, 0.5)], strict=True)
        for fold, acc in enumerate(accs)
    ]
    text = write_study("eeg", records, tmp_path)[0].read_text()
    assert f"| {EEG_ALL} | 0.750 | 0.375 | 0.250 |" in text
    assert STUDIES["eeg"].datasets == (EEG_ALL,)
