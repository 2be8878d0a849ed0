"""Damaged and hostile files: a clean error or the same model, and nothing is executed."""

import copy
import io
import json
import subprocess
import sys
import zlib
from dataclasses import replace
from zipfile import ZIP_DEFLATED, ZipFile

import model_damage as damage
import numpy as np
import pytest
from data import classifier, make_one_factor
from numpy.lib import format as npy

from bicneuron import BicNeuronNetwork, SubgroupBiclustering
from bicneuron.exceptions import ModelFileError
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import Axis, Pattern
from bicneuron.persistence import load_about, load_model, save_model

N_FILES = 48


@pytest.fixture(scope="module")
def data():
    X, y = make_one_factor()
    return X, np.array(["no", "yes"])[y]


@pytest.fixture(scope="module")
def miner(data):
    return SubgroupBiclustering(n_patterns=2).fit(*data)


@pytest.fixture(scope="module")
def content(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "model.skops"
    return save_model(classifier().fit(*data), path).read_bytes()


@pytest.fixture
def entries(content):
    return damage.entries_of(content)


@pytest.fixture
def schema(entries):
    return json.loads(entries["schema.json"])


@pytest.fixture
def refuse(tmp_path):
    def check(content, match, load=load_model):
        path = tmp_path / "bad.skops"
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=match) as caught:
            load(path)
        assert str(path) in str(caught.value)

    return check


@pytest.fixture
def refuse_schema(refuse, entries):
    """Refuse the model with another schema, whose checksum is right."""

    def check(schema, match):
        text = schema if isinstance(schema, bytes) else json.dumps(schema).encode()
        refuse(damage.sealed({**entries, "schema.json": text}), match)

    return check


def run_child(code, *arguments):
    """Run code in a process that finds modules where this one does; give what it prints."""
    paths = f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}\n"
    command = [sys.executable, "-c", paths + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_damaged_files_execute_nothing_and_foreign_types_are_refused(data, tmp_path):
    """Whether a model that comes from a damaged file is the same: see hardening."""
    models = {
        "linear": classifier(),
        "network": BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0),
        "miner": SubgroupBiclustering(n_patterns=2),
    }
    whole = [
        save_model(model.fit(*data), tmp_path / f"whole-{name}.skops")
        for name, model in models.items()
    ]
    np.save(tmp_path / "rows.npy", data[0])
    hows = [how for how in damage.DAMAGES if how is not damage.alter]  # it may need other kernels
    rng, poisoned = np.random.default_rng(0), set()
    for number in range(N_FILES):
        how = hows[number // len(whole) % len(hows)]
        name = f"damaged-{number}.skops"
        damaged = how(whole[number % len(whole)].read_bytes(), rng)
        (tmp_path / name).write_bytes(damaged)
        poisoned |= {name} if how is damage.poison else set()
    code = "import model_damage, pathlib; model_damage.main(pathlib.Path(sys.argv[1]))"
    refusals, reports = json.loads(run_child(code, tmp_path))
    assert reports == []
    assert poisoned <= {*refusals}
    assert len(refusals) > 0.7 * N_FILES
    assert any(" holds " in said for said in refusals.values())


def test_the_hook_would_notice(tmp_path):
    code = (
        "import os, model_damage as damage\n"
        "reports = []; damage.watch(reports)\n"
        "os.system('true'); exec('1'); open(sys.argv[1], 'w').close(); import colorsys\n"
        "print(*{report.split()[0] for report in reports})"
    )
    noticed = run_child(code, tmp_path / "written")
    assert {"os.system", "exec", "open", "import"} <= set(noticed.split())


@pytest.mark.parametrize("hostile", damage.HOSTILE, ids=lambda parts: ".".join(parts))
def test_foreign_types_are_refused_by_name(refuse_schema, schema, hostile):
    module, name, loader = hostile
    node = {"__module__": module, "__class__": name, "__loader__": loader, "content": {}}
    schema["content"]["content"]["miner"] = node
    refuse_schema(schema, rf"holds {module}\.{name} \({loader}\), which no")


def test_schemas_that_no_model_has_are_refused(refuse_schema, schema):
    for protocol in (0, True, None, "2"):
        refuse_schema({**schema, "protocol": protocol}, "has protocol")
    nested = b'{"protocol": 2, "content": ' + b"[" * 10**5 + b"]" * 10**5 + b"}"
    refuse_schema(nested, "is damaged: RecursionError")
    inner = {**schema["content"], "protocol": schema["protocol"]}
    refuse_schema(inner, "holds a dict, not a model")
    schema["content"]["content"]["miner"] = {**schema, "content": None}  # it contains itself
    refuse_schema(schema, "is damaged: RecursionError")


def test_bombs_are_not_unpacked(refuse, content, entries):
    buffer = io.BytesIO(content)
    with ZipFile(buffer, "a", ZIP_DEFLATED) as archive, archive.open("99999.npy", "w") as entry:
        for _ in range(100):
            entry.write(bytes(2**20))
    assert len(buffer.getvalue()) < 2**18
    for load in (load_model, load_about):
        refuse(buffer.getvalue(), "would unpack from", load)
    # A size that is not told: what is beyond it is not read.
    told = (100 * 2**20).to_bytes(4, "little")
    refuse(buffer.getvalue().replace(told, (1000).to_bytes(4, "little")), "is damaged")
    # An array of a petabyte in a hundred bytes, and an array of objects.
    array = next(name for name in entries if name.endswith(".npy"))
    file, objects = io.BytesIO(), io.BytesIO()
    npy.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (2**47,)})
    refuse(damage.sealed({**entries, array: file.getvalue()}), "an array of")
    np.save(objects, np.array([print]), allow_pickle=True)
    refuse(damage.sealed({**entries, array: objects.getvalue()}), "an array of object, which")


def test_foreign_entries_archives_and_headers_are_refused(refuse, entries):
    refuse(damage.archive_of({**entries, "../../evil.py": b"print()"}), "not a model file")
    refuse(damage.archive_of({"a.txt": b""}), "not a model file")
    refuse(b"", "is damaged")
    refuse(zlib.compress(b"text"), "is damaged")
    # The archive has a right checksum of its own.
    header = {**json.loads(entries[damage.HEADER]), "about": {"table": "another"}}
    changed = damage.archive_of({**entries, damage.HEADER: json.dumps(header).encode()})
    for load in (load_model, load_about):
        refuse(changed, "its checksum differs", load)
    del entries[damage.HEADER]
    refuse(damage.archive_of(entries), "try skops.io.load")


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
def test_values_that_no_fit_gives_are_refused_when_a_model_is_saved(
    tmp_path, data, part, value, reason
):
    model = classifier().fit(*data)
    setattr(model, part, value)
    with pytest.raises(ModelFileError, match=rf"^the model is damaged: .*{reason}"):
        save_model(model, tmp_path / "m.skops")
    assert not any(tmp_path.iterdir())


FORGED_GROUPS = {
    "rows": (np.array([3, 1]), "does not lie in its table"),
    "weights": (np.ones((2, 2)), r"shape \(2, 2\); it needs one dimension"),
    "linear": (np.ones(10**6), "does not fit"),
    "squares": (np.array(["a", "b"]), "could not convert"),
    "common": (np.array(1.0), "one dimension"),
}


@pytest.mark.parametrize(("part", "forged"), FORGED_GROUPS.items(), ids=FORGED_GROUPS)
def test_groups_of_a_forged_file_are_refused(tmp_path, refuse, miner, part, forged):
    values, reason = forged
    entries = damage.entries_of(save_model(miner, tmp_path / "whole.skops").read_bytes())
    schema = json.loads(entries["schema.json"])
    group = next(n for n in damage.nodes_of(schema) if n.get("__class__") == "Pattern")
    parts = dict(zip(Pattern.__slots__, group["content"]["content"], strict=True))
    parts |= zip(Axis._fields, parts["axis"]["content"], strict=True)
    file = io.BytesIO()
    np.save(file, values)
    entries[parts[part]["file"]] = file.getvalue()
    refuse(damage.sealed(entries), reason)


@pytest.mark.parametrize(
    ("neuron", "part"),
    [
        (OnlinePerceptron(), "coef_"),
        (OnlinePerceptron(), "intercept_"),
        (KernelPerceptron(), "support_vectors_"),
        (GaussianNeuron(), "means_"),
        (GaussianNeuron(), "variances_"),
        (KernelNeuron(), "support_vectors_"),
        (KernelNeuron(), "dual_coef_"),
        (KernelNeuron("linear"), "coef_"),
    ],
)
def test_neurons_with_too_few_values(data, neuron, part):
    model = BicNeuronNetwork(neuron_kinds=[neuron], n_neurons=3, random_state=0).fit(*data)
    fitted = model.patterns_[0].neuron.estimator
    setattr(fitted, part, getattr(fitted, part)[..., :0])
    for answer in (model.predict, model.carriers):
        with pytest.raises(ValueError, match=r"differ in number|has 0 columns"):
            answer(data[0])


def test_scalings_pairs_and_miners_of_other_columns(data, miner):
    X, _ = data
    bells = BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0)
    model, network = classifier().fit(*data), bells.fit(*data)
    network._scaling = network._scaling.take(np.arange(X.shape[1] - 1))
    pair = model.selected_pair_
    model._scaling = model._scaling.take(np.zeros(10**5, dtype=np.intp))
    model.selected_pair_ = replace(pair, columns=pair.columns + 10**4)
    for forged in (network, model):
        with pytest.raises(ValueError, match="does not fit"):
            forged.decision_function(X)
    group = miner.patterns_[0]
    wide = np.ones(10**5)
    for name, forged in (
        ("patterns_", [replace(group, columns=group.columns + X.shape[1])]),
        ("_components", np.ones((2, 1))),
        ("_robust", miner._robust._replace(shift=wide)),
        ("_robust", miner._robust._replace(scale=wide[:1])),
        ("_scaling", miner._scaling._replace(shift=wide)),
    ):
        changed = copy.copy(miner)
        setattr(changed, name, forged)
        with pytest.raises(ValueError, match="not fit"):
            changed.transform(X)
