"""The JSON file: what stands in it is enough for any other program, and nothing else is taken."""

import copy
import json
from math import exp, isfinite

import model_damage as damage
import numpy as np
import pytest
from data import classifier, make_one_factor, make_three

from bicneuron import BicNeuronNetwork
from bicneuron.exceptions import ModelFileError
from bicneuron.neurons import KernelNeuron, KernelPerceptron
from bicneuron.persistence import load_model, save_model

NEURONS = {"linear": None, "rbf": KernelPerceptron(bandwidth=0.4)}


@pytest.fixture(scope="module", params=NEURONS)
def model(request):
    X, y = make_one_factor()
    return classifier(neuron=NEURONS[request.param], recalibrate=True).fit(X, y)


@pytest.fixture
def read(model, tmp_path):
    return json.loads(save_model(model, tmp_path / "model.json").read_text())


def score(parts, row):
    """What another program would make of the file, from the words of the schema alone."""
    z = []
    for j, exponent, shift, scale in zip(
        parts["columns"],
        *(parts["scaling"][k] for k in ("exponent", "shift", "scale")),
        strict=True,
    ):
        z.append((row[j] / 2.0**exponent - shift) / scale)
    neuron = parts["neuron"]
    if neuron["kind"] == "linear":
        total = sum(w * v for w, v in zip(neuron["weights"], z, strict=True)) + neuron["intercept"]
    else:
        total = 0.0
        for weight, vector in zip(neuron["weights"], neuron["support_vectors"], strict=True):
            distance = sum((a - b) ** 2 for a, b in zip(z, vector, strict=True))
            total += weight * exp(-distance / (2 * neuron["bandwidth"] ** 2))
    return total - parts["threshold"]


def test_the_schema_says_how_to_predict(model, read):
    X, _ = make_one_factor()
    told = [score(read["model"], row) for row in X.tolist()]
    np.testing.assert_allclose(told, model.decision_function(X), rtol=1e-12, atol=1e-12)
    labels = [read["model"]["classes"]["values"][s > 0] for s in told]
    assert labels == model.predict(X).tolist()
    chances = [1 / (1 + exp(-read["model"]["slope"] * s)) for s in told]
    np.testing.assert_allclose(chances, model.predict_proba(X)[:, 1], rtol=1e-12)


def test_the_pair_is_written(model, read):
    written, pair = read["model"]["pair"], model.selected_pair_
    assert read["model"]["columns"] == pair.columns.tolist()
    assert written["anchor_rows"] == pair.anchor_rows.tolist()
    assert written["contrast_rows"] == pair.contrast_rows.tolist()
    assert written["msr_ratio"] == pair.msr_ratio


def test_infinite_ratios(tmp_path):
    X, y = make_one_factor()
    model = classifier(max_ratio=np.inf, criterion=lambda a, b: -np.inf).fit(X, y)
    again = load_model(save_model(model, tmp_path / "model.json"))
    assert again.selected_pair_.criterion == -np.inf
    assert again.selected_pair_ == model.selected_pair_


def places(value, path=()):
    """Paths to everything in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else list(enumerate(value))[:1]
        for key, part in items:
            yield from places(part, (*path, key))


def changed(content, path, change):
    content = copy.deepcopy(content)
    part = content
    for key in path[:-1]:
        part = part[key]
    change(part, path[-1])
    return damage.resealed(content)


def refuse(tmp_path, content, reason=""):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ModelFileError, match=rf"bad\.json (is|does not|has).*{reason}") as caught:
        load_model(path)
    assert len(str(caught.value)) < len(str(path)) + 300


def test_whatever_is_of_another_type_or_missing_is_refused(tmp_path, read):
    """Even with a right checksum; free are only `about`, and the labels among each other."""
    free = [("about",), ("versions",), ("class",), ("sha256",)]
    for path in places(read):
        if not path or any(path[: len(start)] == start for start in free):
            continue

        def drop(part, key):
            del part[key]

        def replace(part, key):
            part[key] = {"type": "no"}

        refuse(tmp_path, changed(read, path, replace))
        if path[-1] not in (0, "feature_names"):
            refuse(tmp_path, changed(read, path, drop))


def setting(value):
    """Give a change that puts this value in the place of another."""
    return lambda part, key: part.__setitem__(key, value)


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("model", "columns", 0), True, r"the file\.model\.columns\[0\] must be integer"),
        (("model", "scaling", "scale", 0), 0, r"file\.model\.scaling\.scale\[0\] must be bigger"),
        (("model", "neuron", "weights", 0), "a", r"file\.model\.neuron\.weights\[0\] must be num"),
        (("model", "neuron", "kind"), "eval", r"the file\.model\.neuron\.kind must be one of"),
        (("model", "pair", "anchor_rows", 0), None, r"model\.pair\.anchor_rows\[0\] must be int"),
        (("model", "further"), 1, r"the file\.model must not contain .*further"),
        (("x" * 10**5,), 1, r"the file must not contain .*xxx\.\.\.\.$"),
        (("model", "threshold"), float("nan"), "NaN is not a finite number"),
        (("model", "threshold"), float("-inf"), "-Infinity is not a finite number"),
    ],
)
def test_the_reason_names_the_place(tmp_path, read, path, value, reason):
    refuse(tmp_path, changed(read, path, setting(value)), reason)


def test_numbers_beyond_the_largest_double_are_refused(tmp_path, read):
    path = tmp_path / "bad.json"
    for huge in ("1e999", "9" * 400):
        content = changed(read, ("model", "threshold"), setting(0.125))
        path.write_text(json.dumps(content).replace("0.125", huge))
        with pytest.raises(ModelFileError, match="is damaged"):
            load_model(path)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("model", "columns", 0), 10**6),
        (("model", "columns", 0), -1),
        (("model", "columns", 0), 1.5),
        (("model", "columns", 0), True),
        (("model", "columns"), []),
        (("model", "threshold"), float("nan")),
        (("model", "threshold"), float("inf")),
        (("model", "scaling", "scale", 0), 0),
        (("model", "scaling", "exponent", 0), 5000),
        (("model", "n_features"), 10**12),
        (("model", "n_features"), 0),
        (("model", "feature_names"), ["a"]),
        (("model", "neuron", "weights"), [1.0] * 99),
        (("model", "neuron", "kind"), "eval"),
        (("model", "centroids"), [[0.0], [1.0]]),
        (("model", "centroids", 0, 0), None),
        (("model", "classes", "dtype"), "|V8"),
        (("model", "classes", "dtype"), "<U1"),
        (("model", "classes", "values"), [1, 2, 3]),
        (("model", "pair"), None),
        (("model", "further"), 1),
        (("further",), 1),
    ],
)
def test_values_that_cannot_be(tmp_path, read, path, value):
    refuse(tmp_path, changed(read, path, setting(value)))


def test_integers_may_be_written_with_a_point(tmp_path, read, model):
    """For JSON Schema, and for programs that know one type of number, 2.0 is an integer."""
    X, _ = make_one_factor()
    for key in (("model", "n_features"), ("model", "pair", "anchor_rows", 0)):
        part = read
        for name in key:
            part = part[name]
        read = changed(read, key, setting(float(part)))
    path = tmp_path / "model.json"
    path.write_text(json.dumps(read))
    again = load_model(path)
    assert again.selected_pair_ == model.selected_pair_
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_an_edit_by_hand_is_noticed(tmp_path, read):
    read["model"]["threshold"] += 1e-9
    refuse(tmp_path, read)


def test_a_model_with_nan_is_not_written(tmp_path):
    model = classifier().fit(*make_one_factor())
    model.threshold_ = float("nan")
    with pytest.raises(ModelFileError, match=r"holds NaN or infinity; save it as \.skops"):
        save_model(model, tmp_path / "model.json")


def test_floats_are_written_in_full(read):
    numbers = read["model"]["scaling"]["shift"] + read["model"]["neuron"]["weights"]
    assert all(isfinite(number) for number in numbers)
    assert any(len(repr(number)) > 12 for number in numbers)


def test_other_models_are_named(tmp_path):
    X, y = make_three()
    with pytest.raises(ModelFileError, match=r"BicNeuronNetwork of 3; save it as \.skops"):
        save_model(
            BicNeuronNetwork(design="readable", n_neurons=2, n_candidates=9).fit(X, y),
            tmp_path / "m.json",
        )
    with pytest.raises(ModelFileError, match="BicNeuronClassifier of 3"):
        save_model(classifier(max_ratio=np.inf).fit(X, y), tmp_path / "m.json")
    X, y = make_one_factor()
    with pytest.raises(ModelFileError, match=r"the neuron is KernelNeuron\(\)"):
        save_model(classifier(neuron=KernelNeuron()).fit(X, y), tmp_path / "m.json")
    kernel = KernelPerceptron(kernel=lambda A, B: A @ B.T)
    with pytest.raises(ModelFileError, match=r"the neuron is KernelPerceptron\(kernel=<"):
        save_model(classifier(neuron=kernel).fit(X, y), tmp_path / "m.json")


def test_what_is_loaded_forgets_the_other_columns(tmp_path, model):
    X, _ = make_one_factor()
    again = load_model(save_model(model, tmp_path / "model.json"))
    others = np.setdiff1d(np.arange(X.shape[1]), model.selected_pair_.columns)
    assert len(others)
    changed_rows = X.copy()
    changed_rows[:, others] = 1e6
    assert again.predict(changed_rows).tolist() == model.predict(X).tolist()
    with pytest.raises(AttributeError):
        _ = again.pairs_
