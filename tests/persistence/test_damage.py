"""Damaged and hostile files: a clean error or the same model, and nothing is executed."""

import copy
import io
import json
import subprocess
import sys
import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import model_damage as damage
import numpy as np
import pytest
from data import classifier, make_one_factor
from numpy.lib import format as npy

from bicneuron import BicNeuronNetwork, SubgroupBiclustering
from bicneuron.exceptions import ModelFileError
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron
from bicneuron.patterns import Axis, Pattern
from bicneuron.persistence import load_about, load_model, save_model

N_FILES = 100


@pytest.fixture(scope="module")
def data():
    X, y = make_one_factor()
    return X, np.array(["no", "yes"])[y]


@pytest.fixture(scope="module")
def content(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "model.skops"
    return save_model(classifier().fit(*data), path).read_bytes()


def refuse(tmp_path, content, match):
    path = tmp_path / "bad.skops"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=match) as caught:
        load_model(path)
    assert str(path) in str(caught.value)


def test_hundreds_of_damaged_files(data, tmp_path):
    models = {
        "linear": classifier(),
        "network": BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0),
        "miner": SubgroupBiclustering(n_patterns=2),
        "rbf": classifier(neuron=KernelPerceptron(bandwidth=0.5)),
    }
    whole = [
        save_model(model.fit(*data), tmp_path / f"whole-{name}.skops")
        for name, model in models.items()
    ]
    np.save(tmp_path / "rows.npy", data[0])
    rng = np.random.default_rng(0)
    for number in range(N_FILES):
        path = whole[number % len(whole)]
        how = damage.DAMAGES[number // len(whole) % len(damage.DAMAGES)]
        name = path.stem.split("-")[1]
        damaged = how(path.read_bytes(), rng)
        (tmp_path / f"damaged-{name}-{how.__name__}-{number}{path.suffix}").write_bytes(damaged)
    paths = [path for path in sys.path if path]
    done = subprocess.run(
        [sys.executable, "-c", _CHILD.format(paths=paths), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    outcomes, reports = json.loads(done.stdout)
    assert reports == []
    assert len(outcomes) == N_FILES
    assert not {"another model", "fails"} & set(outcomes.values())
    # Hardly any damage does no harm, between two entries; most is noticed, or changes nothing.
    harmless = Counter(outcomes.values())
    assert harmless["same"] < 0.05 * N_FILES
    assert 0 < harmless["forged"] < 0.1 * N_FILES
    assert any("holds os.system" in outcome for outcome in outcomes.values())
    assert all(outcomes[name] not in ("same", "forged") for name in outcomes if "poison" in name)


_CHILD = """
import sys
sys.path[:0] = {paths!r}
from pathlib import Path
import model_damage as damage
damage.main(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("hostile", damage.HOSTILE, ids=lambda parts: ".".join(parts))
def test_foreign_types_are_refused_by_name(tmp_path, content, hostile):
    module, name, loader = hostile
    entries = damage.entries_of(content)
    schema = json.loads(entries["schema.json"])
    node = {"__module__": module, "__class__": name, "__loader__": loader, "content": {}}
    schema["content"]["content"]["miner"] = node
    entries["schema.json"] = json.dumps(schema).encode()
    refuse(tmp_path, damage.sealed(entries), rf"holds {module}\.{name} \({loader}\), which no")


def test_a_file_does_not_choose_an_older_reader(tmp_path, content):
    entries = damage.entries_of(content)
    for protocol in (0, True, None, "2"):
        schema = {**json.loads(entries["schema.json"]), "protocol": protocol}
        sealed = damage.sealed({**entries, "schema.json": json.dumps(schema).encode()})
        refuse(tmp_path, sealed, "has protocol")


def test_a_model_that_contains_itself_is_refused(tmp_path, content):
    entries = damage.entries_of(content)
    schema = json.loads(entries["schema.json"])
    schema["content"]["content"]["miner"] = {**schema, "content": None}
    sealed = damage.sealed({**entries, "schema.json": json.dumps(schema).encode()})
    refuse(tmp_path, sealed, "is damaged: RecursionError")


def test_deep_nesting_is_refused(tmp_path, content):
    nested = b'{"protocol": 2, "content": ' + b"[" * 10**5 + b"]" * 10**5 + b"}"
    sealed = damage.sealed({**damage.entries_of(content), "schema.json": nested})
    refuse(tmp_path, sealed, "is damaged: RecursionError")


def test_something_else_than_a_model_is_refused(tmp_path, content):
    entries = damage.entries_of(content)
    schema = json.loads(entries["schema.json"])
    inner = {**schema["content"], "protocol": schema["protocol"]}
    sealed = damage.sealed({**entries, "schema.json": json.dumps(inner).encode()})
    refuse(tmp_path, sealed, "holds a dict, not a model")


def test_bombs_are_not_unpacked(tmp_path, content):
    entries = damage.entries_of(content)
    buffer = io.BytesIO(content)
    with ZipFile(buffer, "a", ZIP_DEFLATED) as archive, archive.open("99999.npy", "w") as entry:
        for _ in range(100):
            entry.write(bytes(2**20))
    assert len(buffer.getvalue()) < 2**18
    refuse(tmp_path, buffer.getvalue(), "would unpack from")
    with pytest.raises(ModelFileError, match="would unpack from"):
        load_about(tmp_path / "bad.skops")
    # A size that is not told: what is beyond it is not read.
    lied = bytearray(buffer.getvalue())
    told = (100 * 2**20).to_bytes(4, "little")
    for _ in range(lied.count(told)):
        place = lied.index(told)
        lied[place : place + 4] = (1000).to_bytes(4, "little")
    refuse(tmp_path, bytes(lied), "is damaged")
    # An array of a petabyte in a hundred bytes.
    array = next(name for name in entries if name.endswith(".npy"))
    file = io.BytesIO()
    npy.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (2**47,)})
    refuse(tmp_path, damage.sealed({**entries, array: file.getvalue()}), "an array of")


def test_objects_are_no_arrays(tmp_path, content):
    entries = damage.entries_of(content)
    array = next(name for name in entries if name.endswith(".npy"))
    file = io.BytesIO()
    np.save(file, np.array([print]), allow_pickle=True)
    refuse(
        tmp_path, damage.sealed({**entries, array: file.getvalue()}), "an array of object, which"
    )


def test_foreign_entries_and_archives_are_refused(tmp_path, content):
    entries = damage.entries_of(content)
    foreign = damage.archive_of({**entries, "../../evil.py": b"print()"})
    refuse(tmp_path, foreign, "not a model file")
    refuse(tmp_path, damage.archive_of({"a.txt": b""}), "not a model file")
    del entries[damage.HEADER]
    refuse(tmp_path, damage.archive_of(entries), "try skops.io.load")
    refuse(tmp_path, b"", "is damaged")
    refuse(tmp_path, zlib.compress(b"text"), "is damaged")


def test_a_changed_header_is_noticed(tmp_path, content):
    """Also where the archive has a right checksum of its own."""
    entries = damage.entries_of(content)
    header = json.loads(entries[damage.HEADER])
    header["about"] = {"table": "another"}
    changed = damage.archive_of({**entries, damage.HEADER: json.dumps(header).encode()})
    refuse(tmp_path, changed, "its checksum differs")
    with pytest.raises(ModelFileError, match="its checksum differs"):
        load_about(tmp_path / "bad.skops")


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        ("classes_", np.array(["no", "no"]), "classes are not distinct"),
        ("n_features_in_", 10**9, "is for 1000000000 features"),
        ("feature_names_in_", np.array(["a"], dtype=object), "do not have as many names"),
        ("threshold_", np.nan, "its decision_function gives values that are not finite"),
        ("max_ratio", -1.0, "InvalidParameterError: The 'max_ratio' parameter"),
    ],
)
def test_values_that_no_fit_gives_are_refused(tmp_path, data, part, value, reason):
    """When a model is saved, as when it is loaded."""
    model = classifier().fit(*data)
    setattr(model, part, value)
    with pytest.raises(ModelFileError, match=rf"^the model is damaged: .*{reason}"):
        save_model(model, tmp_path / "m.skops")
    assert not any(tmp_path.iterdir())


def test_neurons_of_a_forged_file_do_not_read_beyond_their_arrays(data):
    X, y = data
    linear, kernel = (classifier(neuron=n).fit(X, y) for n in (None, KernelPerceptron()))
    for part in ("coef_", "intercept_"):
        model = classifier().fit(X, y)
        setattr(model.estimator_, part, getattr(linear.estimator_, part)[..., :0])
        with pytest.raises(ValueError, match="differ in number"):
            model.decision_function(X)
    kernel.estimator_.support_vectors_ = kernel.estimator_.support_vectors_[:, :1]
    with pytest.raises(ValueError, match="support_vectors_ has 1 columns"):
        kernel.decision_function(X)


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        (GaussianNeuron(), "means_"),
        (GaussianNeuron(), "variances_"),
        (KernelNeuron(), "support_vectors_"),
        (KernelNeuron(), "dual_coef_"),
        (KernelNeuron("linear"), "coef_"),
    ],
)
def test_networks_of_a_forged_file_do_not_read_beyond_their_arrays(data, kind, part):
    X, y = data
    network = BicNeuronNetwork(neuron_kinds=[kind], n_neurons=3, random_state=0).fit(X, y)
    neuron = network.patterns_[0].neuron.estimator
    setattr(neuron, part, getattr(neuron, part)[..., :1])
    for answer in (network.predict, network.carriers):
        with pytest.raises(ValueError, match="differ in number"):
            answer(X)


def test_scalings_of_a_forged_file_do_not_read_beyond_their_arrays(data):
    X, y = data
    model = classifier().fit(X, y)
    network = BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0).fit(
        X, y
    )
    network._scaling = network._scaling.take(np.arange(X.shape[1] - 1))
    model._scaling = model._scaling.take(np.zeros(10**5, dtype=np.intp))
    model.selected_pair_ = replace(
        model.selected_pair_, columns=model.selected_pair_.columns + 10**4
    )
    for forged in (network, model):
        with pytest.raises(ValueError, match="does not fit"):
            forged.decision_function(X)


@pytest.fixture(scope="module")
def miner(data):
    return SubgroupBiclustering(n_patterns=2).fit(*data)


FORGED_GROUPS = {
    "rows": (np.array([3, 1]), "does not lie in its table"),
    "columns": (np.array([-1, 1]), "does not fit"),
    "contrast_rows": (np.array([[1, 2]]), r"shape \(1, 2\); it needs one dimension"),
    "weights": (np.ones((2, 2)), r"shape \(2, 2\); it needs one dimension"),
    "linear": (np.ones(10**6), "does not fit"),
    "squares": (np.array(["a", "b"]), "could not convert"),
    "common": (np.array(1.0), "one dimension"),
}


@pytest.mark.parametrize(("part", "forged"), FORGED_GROUPS.items(), ids=FORGED_GROUPS)
def test_groups_of_a_forged_file_are_refused(tmp_path, miner, part, forged):
    values, reason = forged
    entries = damage.entries_of(save_model(miner, tmp_path / "whole.skops").read_bytes())
    schema = json.loads(entries["schema.json"])
    group = next(n for n in damage.nodes_of(schema) if n.get("__class__") == "Pattern")
    parts = dict(zip(Pattern.__slots__, group["content"]["content"], strict=True))
    parts |= zip(Axis._fields, parts["axis"]["content"], strict=True)
    file = io.BytesIO()
    np.save(file, values)
    entries[parts[part]["file"]] = file.getvalue()
    refuse(tmp_path, damage.sealed(entries), reason)


def test_miners_of_a_forged_file_do_not_read_beyond_their_arrays(data, miner):
    X, _ = data
    group = miner.patterns_[0]
    beyond = replace(group, columns=group.columns + X.shape[1])
    wide = np.ones(10**5)
    for name, forged in (
        ("patterns_", [beyond]),
        ("_components", np.ones((2, 1))),
        ("_robust", miner._robust._replace(shift=wide)),
        ("_robust", miner._robust._replace(scale=wide[:1])),
        ("_scaling", miner._scaling._replace(shift=wide)),
    ):
        changed = copy.copy(miner)
        setattr(changed, name, forged)
        with pytest.raises(ValueError, match="not fit"):
            changed.transform(X)


def test_the_hook_would_notice(tmp_path):
    """The watch of the thousand files sees what it is there to see."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(damage.__file__).parent)!r})\n"
        "import os, model_damage as damage\n"
        "reports = []; damage.watch(reports)\n"
        "os.system('true'); exec('1'); open(sys.argv[1], 'w').close(); import colorsys\n"
        "print(*{report.split()[0] for report in reports})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "written")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert {"os.system", "exec", "open", "import"} <= set(done.stdout.split())
