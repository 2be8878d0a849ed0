"""Model files that were damaged by accident or made with intent, and a child that loads them."""

import copy
import io
import json
import sys
import warnings
from hashlib import sha256
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np

HEADER = "bicneuron.json"
# Where a file might lead a careless reader, and how skops would be told to go there.
HOSTILE = [
    ("os", "system", "FunctionNode"),
    ("builtins", "eval", "TypeNode"),
    ("builtins", "exec", "ListNode"),
    ("subprocess", "Popen", "ConstructorFromReduceNode"),
    ("antigravity", "fly", "DictNode"),
    ("operator", "methodcaller", "OperatorFuncNode"),
    ("functools", "partial", "PartialNode"),
    ("numpy", "load", "NdArrayNode"),
    ("sklearn.preprocessing._function_transformer", "FunctionTransformer", "ObjectNode"),
    ("sklearn.tree._tree", "Tree", "TreeNode"),
    ("bicneuron._shared._files", "write_atomically", "ConstructorFromReduceNode"),
    ("bicneuron.neurons._perceptrons", "OnlinePerceptron", "DictNode"),
    ("numpy.random._generator", "Generator", "RandomGeneratorNode"),
]


def entries_of(content):
    with ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive_of(entries):
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def sealed(entries):
    """The archive with checksums that are right, as an attacker would write them."""
    lines = [
        f"{name} {sha256(entries[name]).hexdigest()}\n"
        for name in sorted(entries)
        if name != HEADER
    ]
    header = {**json.loads(entries[HEADER]), "content": sha256("".join(lines).encode()).hexdigest()}
    return archive_of({**entries, HEADER: json.dumps(resealed(header)).encode()})


def resealed(content):
    """An object of JSON with a checksum that is right."""
    rest = {key: value for key, value in content.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return {**rest, "sha256": sha256(text.encode()).hexdigest()}


def nodes_of(schema):
    """All parts of a skops schema, or of any JSON, that are objects."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, dict | list):
            yield from nodes_of(part)


def flip(content, rng):
    damaged = bytearray(content)
    for place in rng.integers(len(content), size=rng.integers(1, 9)):
        damaged[place] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def cut(content, rng):
    return content[: rng.integers(len(content))]


def insert(content, rng):
    place = rng.integers(len(content))
    return content[:place] + rng.bytes(rng.integers(1, 20)) + content[place:]


def remove(content, rng):
    place = rng.integers(len(content))
    return content[:place] + content[place + rng.integers(1, 200) :]


def swap(content, rng):
    """Exchange the contents of two entries of an archive."""
    entries = entries_of(content)
    one, other = rng.choice(list(entries), 2, replace=False)
    entries[one], entries[other] = entries[other], entries[one]
    return archive_of(entries)


def edit(content, rng):
    """Replace a value, drop it or name it otherwise, somewhere in the JSON of a file."""
    entries = entries_of(content)
    name = "schema.json" if rng.random() < 0.9 else HEADER
    read = json.loads(entries[name])
    nodes = [node for node in nodes_of(read) if node]
    node = nodes[rng.integers(len(nodes))]
    key = list(node)[rng.integers(len(node))]
    value = node.pop(key)
    change = rng.integers(3)
    if change == 0:
        others = [None, -1, 2**70, 1.5, "", "9" * 30, [], {}, [[]], True, float("inf")]
        node[key] = others[rng.integers(len(others))]
    elif change == 1:
        node[f"{key}x"] = value
    entries[name] = json.dumps(read).encode()
    return archive_of(entries)


def poison(content, rng):
    """Name a type that no model holds, with a right checksum."""
    entries = entries_of(content)
    schema = json.loads(entries["schema.json"])
    nodes = [node for node in nodes_of(schema) if "__loader__" in node]
    node = nodes[rng.integers(len(nodes))]
    module, name, loader = HOSTILE[rng.integers(len(HOSTILE))]
    node.update(__module__=module, __class__=name)
    if rng.random() < 0.7:
        node["__loader__"] = loader
    entries["schema.json"] = json.dumps(schema).encode()
    return sealed(entries)


def forge(content, rng):
    """Put parts of a model in each other's place, with a right checksum."""
    entries = entries_of(content)
    schema = json.loads(entries["schema.json"])
    for _ in range(rng.integers(1, 6)):
        one, other = rng.choice([n for n in nodes_of(schema) if "__loader__" in n], 2)
        keys = [["__class__", "__module__"], ["__loader__"], ["content"], ["__id__"], ["file"]]
        for key in keys[rng.integers(len(keys))]:
            if key in other:
                one[key] = copy.deepcopy(other[key])
    entries["schema.json"] = json.dumps(schema).encode()
    return sealed(entries)


def alter(content, rng):
    """Change values of a model, with a right checksum."""
    entries = entries_of(content)
    schema = json.loads(entries["schema.json"])
    arrays = [name for name in entries if name.endswith(".npy")]
    if rng.random() < 0.5:
        file, name = io.BytesIO(), rng.choice(arrays)
        np.save(file, _altered(np.load(io.BytesIO(entries[name])), rng))
        entries[name] = file.getvalue()
    else:
        node = rng.choice([n for n in nodes_of(schema) if n.get("__loader__") == "JsonNode"])
        others = ["NaN", "Infinity", "-1", "0", "1e308", "null", '"x"', "true", "[]", "3", "{}"]
        node["content"] = str(rng.choice(others))
    entries["schema.json"] = json.dumps(schema).encode()
    return sealed(entries)


def _altered(array, rng):
    """An array with another cell, shape or type."""
    change = rng.integers(6)
    if change < 3 and array.size and array.dtype.kind in "iuf":
        others = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 5e-324]
        if array.dtype.kind != "f":
            others = [1 if array.dtype.kind == "u" else -1, 0, 10**6, 2**62]
        with np.errstate(over="ignore"):  # some are of single precision
            array.reshape(-1)[rng.integers(array.size)] = others[rng.integers(len(others))]
        return array
    if change == 3:
        return array[None]
    if change == 4:
        return array[..., :-1] if array.ndim else array.reshape(1)
    with np.errstate(over="ignore"):
        return array.astype(np.float32 if array.dtype.kind in "iuf" else "U20")


DAMAGES = [flip, cut, insert, remove, swap, edit, poison, forge, alter]


def watch(reports):
    """Report all that a loader has no business with."""
    forbidden = ("os.", "subprocess.", "socket.", "shutil.", "ctypes.", "pickle.", "marshal.")

    def hook(event, arguments):
        writes = event == "open" and (set(str(arguments[1])) & set("wax+") or arguments[2] & 3)
        # Numpy reads the header of an array as a Python literal, which is parsed and not run.
        compiled = event == "compile" and arguments[1] != "<unknown>"
        if event.startswith(forbidden) or event in ("exec", "import") or writes or compiled:
            reports.append(f"{event} {arguments!r}"[:200])

    sys.addaudithook(hook)


def main(folder):
    """Load all files; tell what was refused, and what was done that no loader should do."""
    from bicneuron.exceptions import ModelFileError
    from bicneuron.persistence import load_model, save_model

    warnings.simplefilter("ignore")
    rows = np.load(folder / "rows.npy")
    for path in folder.glob("whole-*"):  # imports what any such file needs
        model = load_model(path)
        model.carriers(rows)
        save_model(model, folder / "again.skops", overwrite=True)
    refusals, reports = {}, []
    paths = sorted(folder.glob("damaged-*"))
    watch(reports)
    for path in paths:
        seen = len(reports)
        try:
            load_model(path)
        except ModelFileError as error:
            refusals[path.name] = str(error)
        reports[seen:] = [f"{path.name}: {report}" for report in reports[seen:]]
    json.dump([refusals, reports], sys.stdout)
