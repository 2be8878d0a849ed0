"""The standard model file: a skops archive with a header, both under a checksum."""

import io
import json
import math
from importlib import import_module
from typing import Any
from zipfile import ZIP_DEFLATED

import numpy as np
from sklearn.base import BaseEstimator

from bicneuron._shared._compat import import_extra
from bicneuron.exceptions import ModelFileError
from bicneuron.persistence._archive import SCHEMA, TABLE, entries_of, pack, unpack
from bicneuron.persistence._encoders import joined, record_of
from bicneuron.persistence._sound import check_sound
from bicneuron.persistence._trusted import check_types, nodes_of
from bicneuron.tables._encoder import apart


def dump(model: Any, header: dict[str, Any]) -> bytes:
    """Pack a model and its header; return the content of the file."""
    skops = _import_skops()
    buffer = io.BytesIO()
    encoder, decider = apart(model)
    try:
        skops.dump(decider, buffer, compression=ZIP_DEFLATED)
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"the model cannot be written: {error}") from error
    entries = entries_of(buffer.getvalue())
    schema, names = _renumbered(_readable_keys(json.loads(entries[SCHEMA])))
    entries = {names[name]: entries[name] for name in names}
    entries[SCHEMA] = json.dumps(schema).encode()
    if encoder is not None:
        entries[TABLE] = json.dumps(record_of(encoder, model)).encode()
    content = pack(entries, header)
    try:
        _check(content)
        check_sound(decider)
    except ModelFileError as error:
        raise ModelFileError(f"the model {error} Use pickle, which runs code.") from error
    return content


def load(content: bytes) -> tuple[dict[str, Any], Any]:
    """Load header and model; all types in the file are checked before anything is built."""
    skops = _import_skops()
    header, types, record = _check(content)
    model = skops.loads(content, trusted=types)
    if not (isinstance(model, BaseEstimator) or hasattr(model, "n_features_in_")):
        raise ModelFileError(f"holds a {type(model).__name__}, not a model.")
    check_sound(model)
    return header, model if record is None else joined(record, model)


def _check(content: bytes) -> tuple[dict[str, Any], list[str], Any]:
    """Check the whole file; return its header, the types that it names, and its table encoder."""
    header, entries = unpack(content)
    for name, entry in entries.items():
        if name.endswith(".npy"):
            _check_array(entry)
    record = json.loads(entries[TABLE]) if TABLE in entries else None
    return header, check_types(json.loads(entries[SCHEMA])), record


def _readable_keys(schema: Any) -> Any:
    """Let the keys of each dict be found again, or refuse the model.

    JSON has text as keys, and skops reads a key by calling its type: ``bool("false")`` is true, but
    ``bool("")`` is not. Keys of different types that are written alike would overwrite each other.
    """
    for node in nodes_of(schema):
        if node["__loader__"] == "DictNode":
            types = [kind["__class__"] for kind in node["key_types"]["content"]]
            if len(types) != len(node["content"]):
                raise ModelFileError(
                    f"the model has a dict with keys that are written alike: {[*node['content']]}."
                )
            node["content"] = {
                "" if kind.startswith("bool") and key == "false" else key: value
                for kind, (key, value) in zip(types, node["content"].items(), strict=True)
            }
    return schema


def _renumbered(schema: Any) -> tuple[Any, dict[str, str]]:
    """Number the nodes in their order instead of by their places in memory.

    Also gives the new name of each file of an array, in the order in which they are used.
    """
    numbers: dict[int, int] = {}
    names: dict[str, str] = {}
    for node in nodes_of(schema):
        if "__id__" in node:
            node["__id__"] = numbers.setdefault(node["__id__"], len(numbers) + 1)
        if "file" in node:
            node["file"] = names.setdefault(node["file"], f"{len(names)}.npy")
    return schema, names


def _check_array(content: bytes) -> None:
    """Refuse an array whose header states a wrong size, or that is not of numbers or text."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[version]
    shape, _, dtype = read(file)
    rest = len(content) - file.tell()
    if dtype.kind not in "biufSU":
        raise ModelFileError(f"holds an array of {dtype}, which no model file may hold.")
    if not dtype.itemsize or math.prod(shape) * dtype.itemsize != rest:
        raise ModelFileError(f"is damaged: an array of {shape} {dtype} has {rest} bytes.")


def _import_skops() -> Any:
    import_extra("skops", "model files need skops: pip install 'bicneuron[safe]'")
    return import_module("skops.io")
