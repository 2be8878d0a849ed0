"""A model that was saved and loaded is the same model, to the last bit."""

import pickle
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three
from miners import QUICK_MINERS
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import (
    BicNeuronNetwork,
    CoherentBiclustering,
    PatternClassifier,
    SubgroupBiclustering,
)
from bicneuron.biclustering import BiclusterFeatures, BiclusterSelector
from bicneuron.exceptions import ModelFileError, NoContrastivePairWarning
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import PatternModel
from bicneuron.persistence import load_model, save_model

LABELS = {
    "numbers": np.array([3, 5, 8]),
    "strings": np.array(["außen", "mid dle", "right"]),
    "objects": np.array(["außen", "mid dle", "right"], dtype=object),
    "floats": np.array([1.0, 2.0, 4.0]),
    "bool": np.array([False, True]),
}
MINER = CoherentBiclustering(cut_distance=0.5)
SEVERAL = [OnlinePerceptron(), KernelPerceptron()]
MODELS = {
    "linear": classifier(),
    "rbf": classifier(neuron=KernelPerceptron(bandwidth=0.3), recalibrate=True, max_ratio=np.inf),
    "fallback": classifier(max_ratio=0.0),
    "cv": classifier(search={"miner__cut_distance": [0.5, 1.0], "max_ratio": [0.9]}, cv=2),
    "ovo": classifier(multi_class="ovo", neuron=KernelPerceptron(), max_rows=15),
    "logistic": classifier(neuron=LogisticRegression()),
    "perceptron": OnlinePerceptron(random_state=0, average=True),
    "kernel perceptron": KernelPerceptron(random_state=0, bandwidth=0.5),
    "kernel neuron": KernelNeuron(),
    "bell": GaussianNeuron(),
    "network": BicNeuronNetwork(n_neurons=12, random_state=0),
    "readable network": PatternClassifier(random_state=0),
    "network of any": BicNeuronNetwork(n_neurons=8, neuron_kinds=SEVERAL, random_state=0),
    "pipeline": make_pipeline(StandardScaler(), classifier()),
    "features": make_pipeline(BiclusterFeatures(miner=MINER), LogisticRegression()),
    "selector": make_pipeline(BiclusterSelector(miner=MINER), LogisticRegression()),
}
# Groups have a test of their own.
MINERS = [miner for miner in QUICK_MINERS if not isinstance(miner, SubgroupBiclustering)]
MODELS |= {type(miner).__name__: miner for miner in MINERS}
TABLES = [(2, "strings", True), (2, "bool", False), (3, "floats", False)]
CASES = [
    (name, *table)
    for name in MODELS
    for table in (TABLES if name in ("linear", "ovo", "network", "perceptron") else TABLES[:1])
]
CASES += [("linear", 2, "objects", True), ("linear", 3, "numbers", False)]


@cache
def fit(name, n_classes=2, labels="numbers", frame=False):
    """Fitted once for all tests, which only look at it."""
    X, y = make_one_factor() if n_classes == 2 else make_three()
    if frame:
        X = pd.DataFrame(X, columns=[f"gène {j}<b>" for j in range(X.shape[1])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoContrastivePairWarning)
        return clone(MODELS[name]).fit(X, LABELS[labels][y]), X, LABELS[labels][y]


def assert_same_answers(one, other, X):
    for name in ("classes_", "feature_names_in_"):
        assert hasattr(one, name) == hasattr(other, name)
        if hasattr(one, name):
            assert getattr(one, name).dtype == getattr(other, name).dtype
            assert getattr(one, name).tolist() == getattr(other, name).tolist()
    new = X * 1.1 - 0.2
    methods = ("decision_function", "predict", "predict_proba", "coverage", "transform")
    for method in (*methods, "pattern_scores", "carriers"):
        assert hasattr(one, method) == hasattr(other, method)
        for rows in (X, new) if hasattr(one, method) else ():
            expected, got = getattr(one, method)(rows), getattr(other, method)(rows)
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            assert np.array_equal(got, expected)
    if hasattr(one, "explain"):
        assert [*one.explain(X)[:5]] == [*other.explain(X)[:5]]


def assert_same_patterns(one, other):
    """Patterns with all that they have, and the table that they were found in."""
    assert one.patterns_ == other.patterns_
    for mine, yours in zip(one.patterns_, other.patterns_, strict=True):
        assert np.array_equal(mine.strength, yours.strength, equal_nan=True)
        assert mine.evidence == yours.evidence
        assert [*map(type, mine.carrier_counts or ())] == [*map(type, yours.carrier_counts or ())]
        assert not yours.columns.flags.writeable
        assert (mine.neuron is None) == (yours.neuron is None)
        if mine.neuron is not None:
            assert type(mine.neuron.estimator) is type(yours.neuron.estimator)
            names = ("centroids", "sign", "threshold", "typical_score", "target", "weight")
            for name in (*names, "radius"):
                mine_is, yours_is = getattr(mine.neuron, name), getattr(yours.neuron, name)
                assert np.array_equal(mine_is, yours_is), name
    for mine_is, yours_is in zip(one._fingerprint, other._fingerprint, strict=True):
        assert np.array_equal(mine_is, yours_is)
        assert mine_is is None or mine_is.dtype == yours_is.dtype == np.uint64


@pytest.mark.parametrize(("name", "n_classes", "labels", "frame"), CASES)
def test_a_model_that_was_loaded(tmp_path, name, n_classes, labels, frame):
    model, X, y = fit(name, n_classes, labels, frame)
    path = save_model(model, tmp_path / "model.skops")
    again = load_model(path)
    assert type(again) is type(model)
    assert repr(again) == repr(model)
    assert vars(again).keys() == vars(model).keys()
    assert_same_answers(model, again, X)
    assert_same_answers(model, pickle.loads(pickle.dumps(model)), X)
    assert save_model(again, tmp_path / "twice.skops").read_bytes() == path.read_bytes()
    if (name, n_classes) == ("linear", 2):
        assert (again.pairs_, again.diagnostics_) == (model.pairs_, model.diagnostics_)
        assert again.estimator_ in again.neurons_  # one object, as before
    if isinstance(model, PatternModel):
        assert model.patterns_
        assert_same_patterns(model, again)
        again.check_table(X, y)
        with pytest.raises(ValueError, match="its rows are in another order"):
            again.check_table(X[::-1], y)
        if len(again._fingerprint.labels if again._fingerprint.labels is not None else ()):
            with pytest.raises(ValueError, match="y is not what the model was fitted to"):
                again.check_table(X, y[::-1])


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@pytest.mark.parametrize("suffix", [".skops", ".onnx"])
@pytest.mark.parametrize("name", ["linear", "network", "readable network", "fallback"])
def test_a_model_gives_the_same_file_whenever_it_is_saved(tmp_path, name, suffix):
    """No time and no place in memory: also after it was fitted again."""
    model, X, y = fit(name)
    again = clone(MODELS[name]).fit(X, y)
    one, other = (
        save_model(saved, tmp_path / f"{k}{suffix}").read_bytes()
        for k, saved in enumerate((model, again))
    )
    assert one == other


@pytest.mark.parametrize("labels", ["bool", "numbers", "strings"])
def test_class_weights_keep_their_labels(tmp_path, labels):
    X, y = make_one_factor()
    no, yes = LABELS[labels][:2]
    for weights in ({no: 1.0, yes: 2.0}, {no.item(): 1.0, yes.item(): 2.0}):
        model = classifier(class_weight=weights).fit(X, LABELS[labels][y])
        again = load_model(save_model(model, tmp_path / "m.skops", overwrite=True))
        assert again.class_weight == weights
        assert [*map(type, again.class_weight)] == [*map(type, weights)]
        assert_same_answers(model, clone(again).fit(X, LABELS[labels][y]), X)


def test_keys_that_are_written_alike_are_refused(tmp_path):
    model = OnlinePerceptron().fit([[0.0], [1.0]], [0, 1]).set_params(class_weight={1: 2, "1": 3})
    with pytest.raises(ModelFileError, match=r"keys that are written alike: \['1'\]"):
        save_model(model, tmp_path / "m.skops")


@pytest.mark.parametrize(
    ("labels", "frame", "parameters"),
    [
        (None, True, {"kinds": ("shift", "tight", "coexpressed"), "n_patterns": 9}),
        ("numbers", False, {"kinds": ["tight"], "anchor": [3], "standardize": False}),
        ("floats", False, {"anchor": np.float64(1.0), "n_patterns": 3}),
    ],
)
def test_hidden_groups(tmp_path, labels, frame, parameters):
    X = np.random.default_rng(0).normal(size=(90, 16))
    X[:20, :6] += 3.0
    X = pd.DataFrame(X, columns=[f"gène {j}<b>" for j in range(16)]) if frame else X
    y = None if labels is None else LABELS[labels][np.repeat([0, 1], 45)]
    miner = SubgroupBiclustering(**parameters).fit(X, y)
    again = load_model(save_model(miner, tmp_path / "miner"))
    assert (repr(again), again.n_seeds_) == (repr(miner), miner.n_seeds_)
    for other in (again, pickle.loads(pickle.dumps(miner))):
        assert_same_patterns(miner, other)
        assert_same_answers(miner, other, X)
    assert not again.patterns_[0].axis.linear.flags.writeable


def test_several_labels(tmp_path):
    X, y = make_three()
    model = BicNeuronNetwork(n_neurons=6, neuron_kinds=[GaussianNeuron()], random_state=0)
    model.fit(X, np.column_stack([y == 0, y == 1]).astype(int))
    again = load_model(save_model(model, tmp_path / "labels.skops"))
    assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()
    assert again.predict(X).tolist() == model.predict(X).tolist()
