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
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

import bicneuron
from bicneuron import BicNeuronNetwork
from bicneuron.exceptions import ModelFileError, ModelVersionWarning
from bicneuron.persistence import load_about, load_model, save_model
from bicneuron.persistence._trusted import TRUSTED


@pytest.fixture(scope="module")
def model():
    return classifier().fit(*make_one_factor())


def test_what_a_file_says_of_itself(tmp_path, model):
    about = {"target": "Diagnose <b>", "id": None, "dropped": ["ä", "b"], "n_rows": 100}
    told = load_about(save_model(model, tmp_path / "m.skops", about=about))
    assert told["about"] == about
    assert (told["class"], told["format"]) == ("BicNeuronClassifier", 13)
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
    before, data = path.read_bytes(), make_one_factor()
    foreign = classifier(neuron=SVC(kernel=lambda A, B: A @ B.T)).fit(*data)
    seeded = classifier(random_state=np.random.RandomState(0)).fit(*data)
    for given, about, error, said in [
        (foreign, None, ModelFileError, r"holds .*SVC \(ObjectNode\).*Use pickle"),
        (seeded, None, ModelFileError, "RandomState"),
        (classifier(), None, NotFittedError, "not fitted"),
        ({"a": 1}, None, TypeError, "not an estimator"),
        (model, {"a": {1, 2}}, ModelFileError, "about cannot be written as JSON"),
        (model, {"a": float("nan")}, ModelFileError, "about cannot be written as JSON"),
        (model, [1], ModelFileError, "about cannot be written as JSON"),
    ]:
        with pytest.raises(error, match=said):
            save_model(given, path, about=about, overwrite=True)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.skops"]


def test_every_trusted_name_is_a_type():
    for loader in ("ObjectNode", "ConstructorFromReduceNode", "TupleNode", "ListNode", "DictNode"):
        for name in TRUSTED[loader]:
            module, _, kind = name.rpartition(".")
            assert isinstance(getattr(importlib.import_module(module), kind), type)


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


def in_json(path):
    path.write_text('{"format": 4, "class": "BicNeuronClassifier"}')
    return path


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        (
            "m.skops",
            lambda path: with_header(path, format=5),
            "has file format 5: a development version .* with bicneuron fit or find",
        ),
        (
            "m.skops",
            lambda path: with_header(path, format=14),
            "has file format 14, .* update bicneuron",
        ),
        ("m.onnx", lambda path: path, r"m\.onnx is an export; run it with onnxruntime"),
        ("m.skops", lambda path: in_json(path.with_suffix(".json")), r"json: .* save it as \.skop"),
    ],
    ids=["older", "newer", "export", "JSON"],
)
def test_other_formats_are_refused(tmp_path, model, name, change, reason):
    path = change(save_model(model, tmp_path / name))
    for load in (load_model, load_about):
        with pytest.raises(ModelFileError, match=reason) as caught:
            load(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("package", "suffix", "extra"), [("skops.io", ".skops", "safe"), ("onnx", ".onnx", "onnx")]
)
def test_a_missing_package_is_named(tmp_path, monkeypatch, model, package, suffix, extra):
    there = save_model(model, tmp_path / f"there{suffix}")
    monkeypatch.setitem(sys.modules, package, None)
    said = rf"pip install 'bicneuron\[{extra}\]'"
    with pytest.raises(ImportError, match=said):
        save_model(model, tmp_path / f"m{suffix}")
    if suffix == ".skops":
        with pytest.raises(ImportError, match=said):
            load_model(there)
    assert os.listdir(tmp_path) == [there.name]


def test_a_neuron_of_a_large_network_takes_as_much_as_its_rows_and_little_beyond(tmp_path):
    network = BicNeuronNetwork(n_neurons=100, random_state=0).fit(*make_one_factor())
    numbers = sum(
        getattr(pattern.neuron.estimator, "support_vectors_", np.empty(0)).size
        for pattern in network.patterns_
    )
    path = save_model(network, tmp_path / "m.skops")
    assert path.stat().st_size < 8 * numbers + 4000 * len(network.patterns_)
