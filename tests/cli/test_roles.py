"""What commands say about ids, repeats and columns that give the class away."""

import numpy as np
import pandas as pd
import pytest

from bicneuron.persistence import load_model

# In noise it is one neuron on all columns, which commands say in a line of their own.
MODEL, FEW = ["--model", "neuron"], ["--folds", "3"]
pytestmark = pytest.mark.filterwarnings("default::bicneuron.exceptions.NoContrastivePairWarning")


def noise(n_rows, n_columns=4, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        rng.normal(size=(n_rows, n_columns)), columns=[*"abcdefghijkl"[:n_columns]]
    )
    return frame.assign(kind=np.where(np.arange(n_rows) % 2, "ill", "well"))


def of_persons():
    """Five rows of each of twelve persons, who are known again; the classes say nothing else."""
    persons = np.arange(60) // 5
    centres = np.random.default_rng(5).normal(size=(12, 12)) * 5
    frame = noise(60, 12)
    frame[[*"abcdefghijkl"]] = frame[[*"abcdefghijkl"]] * 0.1 + centres[persons]
    return frame.assign(kind=np.where(persons % 2, "ill", "well")), persons


@pytest.fixture
def fit(answer_of, tmp_path):
    """Fit a model to a frame; give the answer."""

    def fitted(frame, *options):
        table, model = tmp_path / "table.csv", tmp_path / "model.skops"
        frame.to_csv(table, index=False)
        arguments = ["fit", table, "--target", "kind", "-o", model, "--force", "--jobs", "1"]
        answer = answer_of(*arguments, *MODEL, *options)
        return answer, load_model(model)[-1]

    return fitted


def test_an_id_that_is_sorted_by_class_is_no_feature(fit):
    frame = noise(40).sort_values("kind").assign(PatNr=np.arange(1, 41))
    answer, model = fit(frame, "--folds", "0")
    said = "column 'PatNr' taken for an id; --read keep=PatNr takes it as a feature"
    assert said in answer["notes"]
    assert model.feature_names_in_.tolist() == [*"abcd"]
    (warning,) = answer["warnings"]
    assert "no pattern tells the classes apart" in warning
    _, model = fit(frame, "--folds", "0", "--read", "keep=PatNr")
    assert model.feature_names_in_.tolist() == [*"abcd", "PatNr"]


def test_folds_keep_the_rows_of_a_patient_together(fit):
    frame, persons = of_persons()
    frame["patient"] = persons
    together, model = fit(frame, *FEW)
    assert "patient" not in model.feature_names_in_
    named, _ = fit(frame, "--groups", "patient", *FEW)
    assert together["scores"] == named["scores"]
    apart, _ = fit(frame, "--drop", "patient", *FEW)
    of_both = [one["scores"]["model"]["balanced_accuracy"]["mean"] for one in (apart, together)]
    assert of_both[0] > of_both[1] + 0.1
