"""A model that was saved and loaded is the same model, to the last bit."""

import pickle
import warnings
from functools import cache

import joblib
import numpy as np
import pandas as pd
import pytest
from data import make_one_factor, make_three
from sklearn.base import clone
from sklearn.cluster import SpectralBiclustering
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronNetwork,
    CoherentBiclustering,
    PatternClassifier,
    SubgroupBiclustering,
)
from bicneuron.biclustering import (
    AdaptedBiclustering,
    BiclusterFeatures,
    BiclusterSelector,
    ChengChurchBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
)
from bicneuron.exceptions import ModelFileError, NoContrastivePairWarning
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import Evidence, PatternModel
from bicneuron.persistence import load_model, save_model

LABELS = {
    "numbers": np.array([3, 5, 8]),
    "strings": np.array(["außen", "mid dle", "right"]),
    "objects": np.array(["außen", "mid dle", "right"], dtype=object),
    "floats": np.array([1.0, 2.0, 4.0]),
    "bool": np.array([False, True]),
}
MINER = CoherentBiclustering(cut_distance=0.5)


def classifier(**parameters):
    return BicNeuronClassifier(**{"search": None, "miner": MINER, "random_state": 0, **parameters})


SINGLE = {
    "linear": classifier(),
    "rbf": classifier(neuron=KernelPerceptron(bandwidth=0.3), recalibrate=True, max_ratio=np.inf),
    "linear kernel": classifier(neuron=KernelPerceptron(kernel="linear")),
    "fallback": classifier(max_ratio=0.0),
    "cv": classifier(search={"miner__cut_distance": [0.5, 1.0], "max_ratio": [0.9]}, cv=2),
}
OTHERS = {
    "ovo": classifier(multi_class="ovo", neuron=KernelPerceptron(), max_rows=15),
    "contrast miner": classifier(miner=ContrastBiclustering()),
    "subgroup miner": classifier(miner=SubgroupBiclustering(), max_ratio=np.inf),
    "logistic": classifier(neuron=LogisticRegression()),
    "perceptron": OnlinePerceptron(random_state=0, average=True),
    "kernel perceptron": KernelPerceptron(random_state=0, bandwidth=0.5),
    "network": BicNeuronNetwork(n_neurons=12, random_state=0),
    "network of bells": BicNeuronNetwork(
        n_neurons=4, neuron_kinds=[GaussianNeuron()], random_state=0
    ),
    "readable network": PatternClassifier(random_state=0),
    "network of any": BicNeuronNetwork(
        n_neurons=8,
        neuron_kinds=[OnlinePerceptron(), KernelPerceptron()],
        random_state=0,
    ),
    "pipeline": make_pipeline(StandardScaler(), classifier()),
}


@cache
def fit(model, n_classes=2, labels="numbers", frame=False):
    """Fitted once for all tests, which only look at it."""
    X, y = make_one_factor() if n_classes == 2 else make_three()
    if frame:
        X = pd.DataFrame(X, columns=[f"gène {j}<b>" for j in range(X.shape[1])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoContrastivePairWarning)
        return clone(model).fit(X, LABELS[labels][y]), X


def assert_same_decisions(one, other, X):
    assert one.classes_.dtype == other.classes_.dtype
    assert one.classes_.tolist() == other.classes_.tolist()
    X = pd.concat([X, X * 1.1 - 0.2]) if isinstance(X, pd.DataFrame) else np.vstack([X, 2 * X - 1])
    for method in ("decision_function", "predict", "predict_proba", "coverage"):
        assert hasattr(one, method) == hasattr(other, method)
        if hasattr(one, method):
            expected, got = getattr(one, method)(X), getattr(other, method)(X)
            assert got.dtype == expected.dtype
            assert got.shape == expected.shape
            assert got.tolist() == expected.tolist()
    assert hasattr(one, "feature_names_in_") == isinstance(X, pd.DataFrame)
    if isinstance(X, pd.DataFrame):
        assert one.feature_names_in_.tolist() == other.feature_names_in_.tolist()


def assert_same_patterns(one, other, X):
    """Patterns with all that they have, their scores and the table that they were found in."""
    assert one.patterns_ == other.patterns_
    for mine, yours in zip(one.patterns_, other.patterns_, strict=True):
        assert [*map(type, mine.carrier_counts or ())] == [*map(type, yours.carrier_counts or ())]
        assert type(mine.evidence) is type(yours.evidence)
        assert (mine.neuron is None) == (yours.neuron is None)
        if mine.neuron is not None:
            assert type(mine.neuron.estimator) is type(yours.neuron.estimator)
            for name in ("centroids", "sign", "threshold", "typical_score", "target", "weight"):
                mine_is, yours_is = getattr(mine.neuron, name), getattr(yours.neuron, name)
                assert np.array_equal(mine_is, yours_is), name
            assert mine.neuron.radius == yours.neuron.radius
    for mine_is, yours_is in zip(one._fingerprint, other._fingerprint, strict=True):
        assert np.array_equal(mine_is, yours_is)
        assert mine_is is None or mine_is.dtype == yours_is.dtype == np.uint64
    for method in ("pattern_scores", "carriers"):
        expected, got = getattr(one, method)(X), getattr(other, method)(X)
        assert got.dtype == expected.dtype
        assert got.tobytes() == expected.tobytes()


def with_any_evidence(model):
    """The model, with results of tests that nobody made."""
    return model.with_evidence(
        [
            Evidence(
                carriers=tuple((label, *n) for label, n in (pattern.carrier_counts or {}).items()),
                p_value=1 / (9 + k),
                family_p_value=1 / (3 + k),
                n_permutations=99,
                smallest_p=0.01,
                column_order=tuple(reversed(range(len(pattern.columns)))),
            )
            for k, pattern in enumerate(model.patterns_)
        ]
    )


@pytest.mark.parametrize(
    ("n_classes", "labels", "frame"),
    [(2, "strings", True), (3, "floats", False)],
)
@pytest.mark.parametrize(
    "name", [name for name, one in {**SINGLE, **OTHERS}.items() if isinstance(one, PatternModel)]
)
def test_patterns_evidence_and_fingerprint(tmp_path, name, n_classes, labels, frame):
    model, X = fit({**SINGLE, **OTHERS}[name], n_classes, labels, frame)
    carried = with_any_evidence(model)
    again = load_model(save_model(carried, tmp_path / "model.skops"))
    assert again.patterns_[0].evidence == carried.patterns_[0].evidence
    assert_same_patterns(carried, again, X)
    y = LABELS[labels][(make_one_factor() if n_classes == 2 else make_three())[1]]
    again.check_table(X, y)
    with pytest.raises(ValueError, match="its rows are in another order"):
        again.check_table(X[::-1], y)
    with pytest.raises(ValueError, match="y is not what the model was fitted to"):
        again.check_table(X, y[::-1])


@pytest.mark.parametrize(
    ("n_classes", "labels", "frame"),
    [(2, "strings", True), (2, "bool", False), (3, "numbers", False)],
)
@pytest.mark.parametrize("name", [*SINGLE, *OTHERS])
def test_skops(tmp_path, name, n_classes, labels, frame):
    model, X = fit({**SINGLE, **OTHERS}[name], n_classes, labels, frame)
    again = load_model(save_model(model, tmp_path / "model.skops"))
    assert type(again) is type(model)
    assert repr(again) == repr(model)
    assert_same_decisions(model, again, X)


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("linear", ".skops"),
        ("linear", ".onnx"),
        ("ovo", ".skops"),
        ("network", ".skops"),
        ("network", ".onnx"),
        ("readable network", ".skops"),
        ("fallback", ".skops"),
        ("pipeline", ".skops"),
    ],
)
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
def test_a_model_gives_the_same_file_whenever_it_is_saved(tmp_path, name, suffix):
    """No time and no place in memory: also after it was loaded, or fitted again."""
    whole = {**SINGLE, **OTHERS}[name]
    model, X = fit(whole, 2, "strings")
    again = clone(whole).fit(X, LABELS["strings"][make_one_factor()[1]])
    one, other, third = (
        save_model(saved, tmp_path / f"{k}{suffix}").read_bytes()
        for k, saved in enumerate((model, model, again))
    )
    assert one == other == third
    if suffix == ".skops":
        loaded = load_model(tmp_path / "0.skops")
        assert save_model(loaded, tmp_path / "loaded.skops").read_bytes() == one


@pytest.mark.parametrize("labels", ["bool", "numbers", "floats", "strings"])
def test_class_weights_keep_their_labels(tmp_path, labels):
    X, y = make_one_factor()
    no, yes = LABELS[labels][:2]
    for weights in ({no: 1.0, yes: 2.0}, {no.item(): 1.0, yes.item(): 2.0}):
        model = classifier(class_weight=weights).fit(X, LABELS[labels][y])
        again = load_model(save_model(model, tmp_path / "m.skops", overwrite=True))
        assert again.class_weight == weights
        assert [*map(type, again.class_weight)] == [*map(type, weights)]
        refitted = clone(again).fit(X, LABELS[labels][y])
        assert_same_decisions(model, refitted, X)


def test_keys_that_are_written_alike_are_refused(tmp_path):
    model = OnlinePerceptron().fit([[0.0], [1.0]], [0, 1]).set_params(class_weight={1: 2, "1": 3})
    with pytest.raises(ModelFileError, match=r"keys that are written alike: \['1'\]"):
        save_model(model, tmp_path / "m.skops")


@pytest.mark.parametrize("frame", [False, True], ids=["array", "frame"])
@pytest.mark.parametrize("labels", LABELS)
def test_labels(tmp_path, labels, frame):
    model, X = fit(SINGLE["linear"], 2, labels, frame)
    assert_same_decisions(model, load_model(save_model(model, tmp_path / "model")), X)


@pytest.mark.parametrize("neuron", [KernelNeuron(), KernelNeuron("linear"), GaussianNeuron()])
def test_neurons_of_a_network(tmp_path, neuron):
    model, X = fit(neuron)
    assert_same_decisions(model, load_model(save_model(model, tmp_path / "neuron.skops")), X)


@pytest.mark.parametrize(
    "miner",
    [
        CoherentBiclustering(cut_distance=0.5),
        ContrastBiclustering(),
        ChengChurchBiclustering(max_residue=0.1, n_biclusters=2),
        DifferenceBiclustering(max_residue=0.1, max_seeds=10),
        SDCBiclustering(min_columns=2),
        DiRAPOCCBiclustering(max_residue=0.1, min_difference=0),
        InformationCoclustering(n_init=1),
        AdaptedBiclustering(estimator=SpectralBiclustering(2)),
    ],
    ids=lambda miner: type(miner).__name__,
)
def test_miners(tmp_path, miner):
    X, y = make_one_factor()
    miner.fit(X, y)
    path = save_model(miner, tmp_path / "miner")
    again = load_model(path)
    assert again.patterns_ == miner.patterns_
    assert again.patterns_
    assert again.rows_.tolist() == miner.rows_.tolist()
    assert_same_patterns(miner, again, X * 1.1 - 0.2)
    again.check_table(X)
    with pytest.raises(ValueError, match="its rows are in another order"):
        again.check_table(X[::-1])
    # What was loaded gives the same file, and evidence is kept.
    assert save_model(again, tmp_path / "twice").read_bytes() == path.read_bytes()
    carried = with_any_evidence(miner)
    assert_same_patterns(carried, load_model(save_model(carried, tmp_path / "tested")), X)


@pytest.mark.parametrize("transformer", [BiclusterFeatures, BiclusterSelector])
def test_transformers(tmp_path, transformer):
    X, y = make_one_factor()
    model = make_pipeline(transformer(miner=MINER), LogisticRegression()).fit(X, y)
    again = load_model(save_model(model, tmp_path / "model"))
    assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()


@cache
def planted():
    """Half of one class is shifted in some columns, the other half rises and falls in others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 16))
    X[:20, :6] += 3.0
    X[20:40, 6:12] = rng.normal(size=(20, 1)) + 0.2 * rng.normal(size=(20, 6))
    return X, np.repeat([0, 1], 45)


def assert_same_groups(one, other, X):
    assert one.patterns_
    assert [repr(group) for group in one.patterns_] == [repr(group) for group in other.patterns_]
    assert one.patterns_ == other.patterns_
    assert one.n_seeds_ == other.n_seeds_
    assert one.rows_.tolist() == other.rows_.tolist()
    assert one.columns_.tolist() == other.columns_.tolist()
    new = X * 1.1 - 0.2
    assert_same_patterns(one, other, new)
    assert other.transform(new).tobytes() == one.transform(new).tobytes()


@pytest.mark.parametrize(
    ("labels", "frame"),
    [*((labels, False) for labels in (None, *LABELS)), (None, True), ("objects", True)],
)
def test_hidden_groups(tmp_path, labels, frame):
    X, y = planted()
    X = pd.DataFrame(X, columns=[f"gène {j}<b>" for j in range(X.shape[1])]) if frame else X
    miner = SubgroupBiclustering(kinds=("shift", "tight", "coexpressed"), n_patterns=9)
    miner.fit(X, None if labels is None else LABELS[labels][y])
    assert {group.kind for group in miner.patterns_} == set(miner.kinds)
    again = load_model(save_model(miner, tmp_path / "miner"))
    assert vars(again).keys() == vars(miner).keys()
    assert repr(again) == repr(miner)
    assert_same_groups(miner, again, X)
    assert hasattr(again, "classes_") == (labels is not None)
    assert hasattr(again, "feature_names_in_") == frame
    assert not again.patterns_[0].axis.linear.flags.writeable
    assert_same_groups(miner, pickle.loads(pickle.dumps(miner)), X)
    # What was loaded can be saved again.
    assert_same_groups(miner, load_model(save_model(again, tmp_path / "twice")), X)


@pytest.mark.parametrize(
    "parameters",
    [
        {"kinds": "coexpressed"},
        {"kinds": ["tight"], "anchor": [0], "standardize": False},
        {"anchor": np.int64(0)},
    ],
    ids=str,
)
def test_hidden_groups_in_a_pipeline(tmp_path, parameters):
    X, y = planted()
    steps = make_pipeline(StandardScaler(), SubgroupBiclustering(**parameters)).fit(X, y)
    again = load_model(save_model(steps, tmp_path / "steps"))
    assert again.transform(X).tobytes() == steps.transform(X).tobytes()
    assert_same_groups(steps[-1], again[-1], X)


def test_a_classifier_on_hidden_groups(tmp_path):
    X, y = planted()
    miner = SubgroupBiclustering(anchor=0)
    model = classifier(miner=miner, anchor=0, max_ratio=np.inf).fit(X, y)
    again = load_model(save_model(model, tmp_path / "model"))
    assert again.pairs_ == model.pairs_
    assert again.pairs_
    assert_same_decisions(model, again, X)
    refitted = clone(again).fit(X, y)
    assert refitted.pairs_ == model.pairs_


def test_several_labels(tmp_path):
    X, y = make_three()
    model = BicNeuronNetwork(n_neurons=6, neuron_kinds=[GaussianNeuron()], random_state=0)
    model.fit(X, np.column_stack([y == 0, y == 1]).astype(int))
    again = load_model(save_model(model, tmp_path / "labels.skops"))
    assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()
    assert again.predict(X).tolist() == model.predict(X).tolist()


def test_everything_that_was_fitted_comes_back(tmp_path):
    model, _ = fit(SINGLE["linear"])
    again = load_model(save_model(model, tmp_path / "model.skops"))
    assert vars(again).keys() == vars(model).keys()
    assert again.pairs_ == model.pairs_
    assert again.pairs_
    assert again.diagnostics_ == model.diagnostics_
    assert again.scores_.tolist() == model.scores_.tolist()
    assert again.estimator_ in again.neurons_  # one object, as before
    assert not again.pairs_[0].columns.flags.writeable
    network, _ = fit(OTHERS["network of bells"], 3)
    again = load_model(save_model(network, tmp_path / "network.skops"))
    assert again.patterns_ == network.patterns_
    assert [p.strength for p in again.patterns_] == [p.strength for p in network.patterns_]
    assert not again.patterns_[0].contrast_rows.flags.writeable


@pytest.mark.parametrize("name", [*SINGLE, *OTHERS])
def test_pickle_and_joblib(tmp_path, name):
    model, X = fit({**SINGLE, **OTHERS}[name], 2, "strings", True)
    assert_same_decisions(model, pickle.loads(pickle.dumps(model)), X)
    joblib.dump(model, tmp_path / "model.joblib")
    assert_same_decisions(model, joblib.load(tmp_path / "model.joblib"), X)
