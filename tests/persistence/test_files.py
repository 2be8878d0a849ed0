"""Model files for users: names, headers, versions, and errors."""

import importlib
import json
import os
import sys

import model_damage as damage
import numpy as np
import pytest
import sklearn
from data import classifier, make_one_factor
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

import bicneuron
from bicneuron import BicNeuronNetwork
from bicneuron.exceptions import ModelFileError, ModelVersionWarning
from bicneuron.persistence import load_about, load_model, save_model
from bicneuron.persistence._trusted import TRUSTED

ABOUT = {
    "target": "Diagnose <b>",
    "id": None,
    "dropped": ["ä", "b"],
    "command": "bicneuron fit t.csv",
    "n_rows": 100,
}


@pytest.fixture(scope="module")
def model():
    return classifier().fit(*make_one_factor())


def test_what_a_file_says_of_itself(tmp_path, model):
    told = load_about(save_model(model, tmp_path / "m.skops", about=ABOUT))
    assert told["about"] == ABOUT
    assert told["class"] == "BicNeuronClassifier"
    assert told["format"] == 11
    assert told["versions"]["bicneuron"] == bicneuron.__version__
    assert told["versions"]["scikit-learn"] == sklearn.__version__
    assert told["versions"]["numpy"] == np.__version__
    assert load_about(save_model(model, tmp_path / "n.skops"))["about"] == {}


def test_names(tmp_path, model):
    assert save_model(model, f"{tmp_path}/plain") == tmp_path / "plain.skops"
    for wrong in ("m.pkl", "m.v1", "m.SKOPSX"):
        with pytest.raises(ModelFileError, match=r"must end in \.skops or \.onnx\."):
            save_model(model, tmp_path / wrong)
    with pytest.raises(ModelFileError, match="is not a model file"):
        load_model(tmp_path / "m.pkl")
    assert os.listdir(tmp_path) == ["plain.skops"]
    assert load_model(save_model(model, tmp_path / "loud.SKOPS")).classes_.shape == (2,)


@pytest.mark.parametrize("suffix", [".skops", ".onnx"])
def test_a_file_is_replaced_only_if_asked(tmp_path, model, suffix):
    path = save_model(model, tmp_path / f"m{suffix}", about={"n": 1})
    before = path.read_bytes()
    with pytest.raises(ModelFileError, match=r"exists already; choose .* overwrite=True"):
        save_model(model, path, about={"n": 2})
    assert path.read_bytes() == before
    assert save_model(model, path, about={"n": 2}, overwrite=True).read_bytes() != before


def test_a_model_that_cannot_be_written_leaves_what_is_there(tmp_path, model):
    path = save_model(model, tmp_path / "m.skops")
    before = path.read_bytes()
    foreign = classifier(neuron=SVC(kernel=lambda A, B: A @ B.T))
    foreign.fit(*make_one_factor())
    with pytest.raises(ModelFileError, match=r"holds .*SVC \(ObjectNode\).*Use pickle"):
        save_model(foreign, path, overwrite=True)
    seeded = classifier(random_state=np.random.RandomState(0)).fit(*make_one_factor())
    with pytest.raises(ModelFileError, match="RandomState"):
        save_model(seeded, path, overwrite=True)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.skops"]


def test_only_fitted_models(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(classifier(), tmp_path / "m.skops")
    with pytest.raises(TypeError, match="not an estimator"):
        save_model({"a": 1}, tmp_path / "m.skops")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("about", [{"a": object()}, {"a": {1, 2}}, {"a": float("nan")}, [1]])
def test_about_is_json(tmp_path, model, about):
    with pytest.raises(ModelFileError, match="about cannot be written as JSON"):
        save_model(model, tmp_path / "m.skops", about=about)


def test_folders(tmp_path, model):
    with pytest.raises(FileNotFoundError, match=r"nowhere/m\.skops'$"):
        save_model(model, tmp_path / "nowhere" / "m.skops")
    with pytest.raises(FileNotFoundError, match=r"m\.skops"):
        load_model(tmp_path / "m.skops")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match=r"file/m\.skops'$"):
        save_model(model, tmp_path / "file" / "m.skops")
    (tmp_path / "folder.skops").mkdir()
    with pytest.raises(IsADirectoryError):
        load_model(tmp_path / "folder.skops")


def test_exports_cannot_be_loaded(tmp_path, model):
    path = save_model(model, tmp_path / "m.onnx")
    for load in (load_model, load_about):
        with pytest.raises(ModelFileError, match=r"m\.onnx is an export; run it with onnxruntime"):
            load(path)


def test_every_estimator_is_trusted_and_every_trusted_name_is_a_type():
    public = [getattr(bicneuron, name) for name in bicneuron.__all__]
    public += [getattr(bicneuron.network, name) for name in bicneuron.network.__all__]
    estimators = {
        f"{kind.__module__}.{kind.__name__}"
        for kind in public
        if isinstance(kind, type) and issubclass(kind, BaseEstimator)
    }
    assert estimators <= TRUSTED["ObjectNode"]
    for loader in ("ObjectNode", "ConstructorFromReduceNode", "TupleNode", "ListNode", "DictNode"):
        for name in TRUSTED[loader]:
            module, _, kind = name.rpartition(".")
            assert isinstance(getattr(importlib.import_module(module), kind), type)


# --- versions


def with_header(path, **changes):
    """The file with another header, as another version would have written it."""
    entries = damage.entries_of(path.read_bytes())
    header = {**json.loads(entries[damage.HEADER]), **changes}
    entries[damage.HEADER] = json.dumps(damage.resealed(header)).encode()
    path.write_bytes(damage.archive_of(entries))
    return path


def test_another_version_says_so(tmp_path, model):
    path = save_model(model, tmp_path / "m.skops")
    major, minor = map(int, bicneuron.__version__.split(".")[:2])
    for version in (f"{major}.{minor + 1}.0", f"{major + 1}.{minor}.0", "0.0.9"):
        with_header(path, versions={"bicneuron": version})
        with pytest.warns(ModelVersionWarning, match=f"written by bicneuron {version}, and this"):
            load_model(path)
        assert load_about(path)["versions"]["bicneuron"] == version
    with_header(path, versions={"bicneuron": f"{major}.{minor}.99"})
    load_model(path)


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (5, "has file format 5: a development version .* with bicneuron fit or find"),
        (12, "has file format 12, .* update bicneuron"),
    ],
)
def test_other_formats_are_refused(tmp_path, model, number, reason):
    path = with_header(save_model(model, tmp_path / "m.skops"), format=number)
    for load in (load_model, load_about):
        with pytest.raises(ModelFileError, match=reason) as caught:
            load(path)
        assert "\n" not in str(caught.value)


def test_models_in_json_are_refused(tmp_path, model):
    path = tmp_path / "m.json"
    path.write_text('{"format": 4, "class": "BicNeuronClassifier"}')
    for use in (load_model, load_about, lambda path: save_model(model, path, overwrite=True)):
        with pytest.raises(ModelFileError, match=r"m\.json: .* save it as \.skops") as caught:
            use(path)
        assert "\n" not in str(caught.value)


# --- what is not installed


@pytest.mark.parametrize(
    ("package", "suffix", "extra"),
    [("skops.io", ".skops", "safe"), ("onnx", ".onnx", "onnx")],
)
def test_a_missing_package_is_named(tmp_path, monkeypatch, model, package, suffix, extra):
    save_model(model, tmp_path / f"there{suffix}")
    monkeypatch.setitem(sys.modules, package, None)
    for save_or_load in (
        lambda: save_model(model, tmp_path / f"m{suffix}"),
        lambda: load_model(tmp_path / f"there{suffix}"),
    )[: 1 if suffix == ".onnx" else 2]:
        with pytest.raises(ImportError, match=rf"pip install 'bicneuron\[{extra}\]'"):
            save_or_load()
    assert os.listdir(tmp_path) == [f"there{suffix}"]


def test_files_are_small(tmp_path):
    """A neuron of a large network takes as much as its rows, and little beyond."""
    X, y = make_one_factor()
    network = BicNeuronNetwork(n_neurons=100, random_state=0).fit(X, y)
    numbers = sum(
        getattr(pattern.neuron.estimator, "support_vectors_", np.empty(0)).size
        for pattern in network.patterns_
    )
    path = save_model(network, tmp_path / "m.skops")
    assert path.stat().st_size < 8 * numbers + 4000 * len(network.patterns_)
