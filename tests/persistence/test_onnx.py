"""Exports are run by onnxruntime and compared with the models that they came from."""

import json
import warnings

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bicneuron import BicNeuronNetwork
from bicneuron.exceptions import ModelFileError, NoContrastivePairWarning
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.persistence import save_model

BELLS = BicNeuronNetwork(n_neurons=5, neuron_kinds=[GaussianNeuron()], random_state=0)
SEVERAL = [OnlinePerceptron(), KernelPerceptron()]
NETWORKS = {
    "kernels": BicNeuronNetwork(n_neurons=20, random_state=0),
    "linear kernels": BicNeuronNetwork(n_neurons=20, neuron_kinds=[KernelNeuron("linear")]),
    "bells": BELLS,
    "three kinds": BicNeuronNetwork(
        n_neurons=12, neuron_kinds=[KernelNeuron(), GaussianNeuron(), KernelNeuron("linear")]
    ),
    "perceptrons": BicNeuronNetwork(n_neurons=8, neuron_kinds=SEVERAL, random_state=0),
}
NEURONS = {
    "kernel": KernelNeuron(),
    "linear kernel": KernelNeuron("linear"),
    "bell": GaussianNeuron(),
}
MODELS = {
    "linear": classifier(),
    "recalibrated": classifier(recalibrate=True, anchor="both"),
    "rbf": classifier(neuron=KernelPerceptron(bandwidth=0.3)),
    "narrow rbf": classifier(neuron=KernelPerceptron(bandwidth=0.01)),
    "rbf of a linear kernel": classifier(neuron=KernelPerceptron(kernel="linear")),
    "kernel neuron": classifier(neuron=KernelNeuron()),
    "gaussian neuron": classifier(neuron=GaussianNeuron()),
    "fallback": classifier(max_ratio=0.0),
    "ovo": classifier(multi_class="ovo", neuron=KernelPerceptron()),
    "cv": classifier(search={"miner__cut_distance": [0.5, 1.0], "max_ratio": [0.9]}, cv=2),
    "perceptron": OnlinePerceptron(random_state=0),
    "kernel perceptron": KernelPerceptron(random_state=0, bandwidth=0.5),
    **NETWORKS,
}
LABELS = {
    "numbers": np.array([3, 5, 8], dtype=np.int16),
    "strings": np.array(["außen", "mid dle", "right"]),
    "objects": np.array(["außen", "mid dle", "right"], dtype=object),
    "bool": np.array([False, True]),
}


def fit(model, n_classes, labels="numbers", gaps=False):
    X, y = make_one_factor() if n_classes == 2 else make_three()
    if gaps:
        X = np.where(np.random.default_rng(0).random(X.shape) < 0.3, np.nan, X)
        X[3] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoContrastivePairWarning)
        return clone(model).fit(X, LABELS[labels][y]), X


def run(path, X):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": np.asarray(X, dtype=float)}), strict=True))


def assert_agrees(model, X, path):
    """Scores to 1e-5, and equal labels where the score does not leave them open."""
    got, scores = run(path, X), model.decision_function(X)
    np.testing.assert_allclose(got["scores"], scores, rtol=1e-5, atol=1e-5)
    ranked = np.sort(scores, axis=1) if scores.ndim == 2 else np.column_stack([0 * scores, scores])
    clear = np.abs(ranked[:, -1] - ranked[:, -2]) > 1e-4
    assert clear.any()  # a narrow kernel is 0 almost everywhere
    assert got["label"][clear].tolist() == model.predict(X)[clear].tolist()
    assert ("probabilities" in got) == hasattr(model, "predict_proba")
    if "probabilities" in got:
        np.testing.assert_allclose(got["probabilities"], model.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_agrees_with_the_model(tmp_path, name, n_classes):
    model, X = fit(MODELS[name], n_classes)
    path = save_model(model, tmp_path / "model.onnx")
    # Also rows that were not trained on, and rows far away from all others.
    random = np.random.RandomState(0)
    assert_agrees(model, np.vstack([X, X + random.normal(size=X.shape), 50 * X]), path)


CASES = [(name, n_classes) for name in NETWORKS for n_classes in (2, 3)]


@pytest.mark.parametrize(("name", "n_classes"), [*CASES, *((name, 2) for name in NEURONS)])
def test_agrees_on_missing_values(tmp_path, name, n_classes):
    model, holes = fit({**NETWORKS, **NEURONS}[name], n_classes, gaps=True)
    assert_agrees(model, holes, save_model(model, tmp_path / "model.onnx"))


@pytest.mark.parametrize("labels", LABELS)
def test_labels(tmp_path, labels):
    model, X = fit(classifier(), 2, labels)
    label = run(save_model(model, tmp_path / "model.onnx"), X)["label"]
    assert label.tolist() == model.predict(X).tolist()
    assert label.dtype == {"numbers": np.int64, "bool": bool}.get(labels, object)


@pytest.mark.parametrize("model", [classifier(), BELLS], ids=["classifier", "bells"])
def test_columns_of_any_size_are_scaled_as_the_model_scales_them(tmp_path, model):
    X, y = make_one_factor()
    X = X * 10.0 ** np.linspace(-300, 300, X.shape[1])
    model = clone(model).fit(X, y)
    assert_agrees(model, X, save_model(model, tmp_path / "model.onnx"))


def test_a_subnormal_column(tmp_path):
    X, y = make_one_factor(n_columns=4)
    X = np.round(X * 1000) * 5e-324
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0.0).fit(X, y)
    got = run(save_model(model, tmp_path / "model.onnx"), X)
    np.testing.assert_allclose(got["scores"], model.decision_function(X), rtol=1e-9, atol=1e-9)
    assert np.ptp(got["scores"]) > 0.1


def test_real_columns_their_names_one_row_and_none(tmp_path):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = BicNeuronNetwork(n_neurons=20, random_state=0).fit(X[::4], y[::4])
    path = save_model(model, tmp_path / "model.onnx")
    assert_agrees(model, X, path)
    assert_agrees(model, X[:1], path)
    assert run(path, X[:0])["scores"].shape == (0,)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    metadata = session.get_modelmeta().custom_metadata_map
    assert json.loads(metadata["feature_names"]) == list(X.columns)


def test_the_default_network_is_a_small_graph_of_the_same_neurons(tmp_path):
    """In double precision, while the model scores most of its neurons in single precision."""
    X, y = load_breast_cancer(return_X_y=True)
    model = BicNeuronNetwork(random_state=0).fit(X, y)
    path = save_model(model, tmp_path / "model.onnx")
    assert path.stat().st_size < 2e6
    assert len(onnx.load(path).graph.node) < 200  # thousands take more than a minute to load
    Z = model._scaled(X)
    neurons = [pattern.neuron for pattern in model.patterns_]
    outputs = [
        neuron.weight
        * np.tanh(neuron.estimator._scores(Z[:, pattern.columns]) / neuron.typical_score)
        for pattern, neuron in zip(model.patterns_, neurons, strict=True)
    ]
    exact = sum(outputs) + model.intercept_
    np.testing.assert_allclose(run(path, X)["scores"], exact, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), exact, rtol=0, atol=1e-5)


def test_what_cannot_be_exported_is_named(tmp_path):
    X, y = make_one_factor()
    mixed = classifier().fit(X, pd.Series(y))
    mixed.classes_ = np.array([1, "a"], dtype=object)
    for model, said in {
        classifier(neuron=LogisticRegression()).fit(X, y): r"support LogisticRegression\(",
        make_pipeline(classifier()).fit(X, y): "support Pipeline",
        clone(BELLS).fit(X, np.column_stack([y, 1 - y])): "support a network with several labels",
        mixed: "no type for the classes",
    }.items():
        with pytest.raises(ModelFileError, match=said):
            save_model(model, tmp_path / "model.onnx")
    assert not any(tmp_path.iterdir())
