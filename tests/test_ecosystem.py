"""Life inside scikit-learn: pipelines, searches, cross-validation, ensembles, data frames."""

import pickle

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import BicNeuronClassifier, CoherentBiclustering, KernelPerceptron, OnlinePerceptron

MINER = CoherentBiclustering(cut_distance=0.5)


def classifier(**parameters):
    return BicNeuronClassifier(
        **{"miner": MINER, "random_state": 0, "max_ratio": np.inf, **parameters}
    )


def test_search_over_the_parameters_of_miner_and_neuron(one_factor):
    X, y = one_factor
    model = Pipeline([("scaler", StandardScaler()), ("bic", classifier(neuron=OnlinePerceptron()))])
    grid = {"bic__miner__cut_distance": [0.5, 0.8], "bic__neuron__average": [False, True]}
    serial = GridSearchCV(model, grid, cv=3).fit(X, y)
    parallel = GridSearchCV(model, grid, cv=3, n_jobs=2).fit(X, y)
    assert serial.best_params_ == parallel.best_params_
    for key in ("mean_test_score", "std_test_score"):
        assert serial.cv_results_[key].tolist() == parallel.cv_results_[key].tolist()
    best = serial.best_estimator_.named_steps["bic"]
    assert best.miner.cut_distance == serial.best_params_["bic__miner__cut_distance"]


def test_nested_parallelism_changes_nothing(one_factor):
    X, y = one_factor
    expected = cross_val_score(classifier(), X, y, cv=3)
    for n_jobs in (1, 2):
        scores = cross_val_score(classifier(n_jobs=n_jobs), X, y, cv=3, n_jobs=2)
        assert scores.tolist() == expected.tolist()


def test_pandas_through_a_pipeline(one_factor):
    X, y = one_factor
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(10)], index=range(500, 600))
    model = make_pipeline(StandardScaler(), classifier()).set_output(transform="pandas")
    model.fit(frame, pd.Series(y, index=frame.index))
    fitted = model[-1]
    assert fitted.feature_names_in_.tolist() == list(frame.columns)
    plain = make_pipeline(StandardScaler(), classifier()).fit(X, y)
    assert model.predict(frame).tolist() == plain.predict(X).tolist()


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array([False, True]),
        np.array([1.0, 2.0]),
        pd.array(["no", "yes"], dtype="string"),
        pd.Categorical(["no", "yes"]),
        pd.Categorical(["yes", "no"], categories=["yes", "no"]),
    ],
    ids=lambda labels: f"{labels.dtype}",
)
def test_labels_of_any_kind(one_factor, labels):
    X, y = one_factor
    named = pd.Series(labels[y])
    model = classifier().fit(X, named)
    assert model.classes_.tolist() == sorted(labels.tolist())
    assert set(model.predict(X)) <= set(labels.tolist())
    assert model.score(X, named) > 0.6


def test_wrappers_that_resample_and_calibrate(one_factor):
    X, y = one_factor
    bagged = BaggingClassifier(classifier(), n_estimators=3, random_state=0).fit(X, y)
    assert bagged.score(X, y) > 0.6
    calibrated = CalibratedClassifierCV(classifier(anchor="both"), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (100, 2)


@pytest.mark.parametrize("neuron", [None, OnlinePerceptron(), KernelPerceptron()], ids=repr)
def test_html_repr_and_pickle(one_factor, neuron):
    X, y = one_factor
    model = classifier(neuron=neuron)
    assert "BicNeuronClassifier" in model._repr_html_()
    model.fit(X, y)
    assert "BicNeuronClassifier" in model._repr_html_()
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    miner = pickle.loads(pickle.dumps(CoherentBiclustering(search="prune").fit(X)))
    assert miner.rows_.shape == (len(miner.found_), 100)


def test_huge_imbalance():
    X, y = make_one_factor(n_minority=6, n_majority=3000)
    model = classifier(miner=CoherentBiclustering(cut_distance=2, max_residue=0.2)).fit(X, y)
    assert model.selected_pair_.anchor_class == 1
    assert len(model.selected_pair_.anchor_rows) <= 6
