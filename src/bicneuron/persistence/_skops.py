"""The standard model file: a skops archive with a header, both under a checksum."""

import io
import json
import math
from dataclasses import asdict
from typing import Any
from zipfile import ZIP_DEFLATED

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from bicneuron._shared._version import import_extra
from bicneuron.exceptions import ModelFileError, TableError
from bicneuron.persistence._archive import SCHEMA, TABLE, entries_of, pack, unpack
from bicneuron.persistence._sound import check_sound
from bicneuron.persistence._trusted import check_types, nodes_of
from bicneuron.tables import TableEncoder
from bicneuron.tables._encoder import apart
from bicneuron.tables._encoding import Encoding

NEEDS_SKOPS = "model files need skops: pip install 'bicneuron[safe]'"


def dump(model: Any, header: dict[str, Any]) -> bytes:
    """Pack a model and its header; return the content of the file."""
    skops = import_extra("skops.io", NEEDS_SKOPS)
    buffer = io.BytesIO()
    encoder, decider = apart(model)
    try:
        skops.dump(decider, buffer, compression=ZIP_DEFLATED)
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"the model cannot be written: {error}") from error
    written = entries_of(buffer.getvalue())
    schema, entries = _settled(json.loads(written[SCHEMA]), written)
    entries[SCHEMA] = json.dumps(schema).encode()
    if encoder is not None:
        names, parameters = [name for name, _ in model.steps], encoder.get_params().items()
        plain = {n: v if isinstance(v, str | bool | None) else list(v) for n, v in parameters}
        record = {
            "names": names if len(names) == 2 else names[:1],
            "parameters": plain,
            "has_names": hasattr(encoder, "feature_names_in_"),
            "encoding": asdict(encoder.encoding_),
        }
        entries[TABLE] = json.dumps(record).encode()  # is read before the model
    content = pack(entries, header)
    try:
        _check(content)
        check_sound(decider)
    except ModelFileError as error:
        raise ModelFileError(f"the model {error} Use pickle, which runs code.") from error
    return content


def load(content: bytes) -> tuple[dict[str, Any], Any]:
    """Load header and model; all types in the file are checked before anything is built."""
    skops = import_extra("skops.io", NEEDS_SKOPS)
    header, types, record = _check(content)
    model = skops.loads(content, trusted=types)
    if not (isinstance(model, BaseEstimator) or hasattr(model, "n_features_in_")):
        raise ModelFileError(f"holds a {type(model).__name__}, not a model.")
    check_sound(model)
    return header, model if record is None else _joined(record, model)


def _check(content: bytes) -> tuple[dict[str, Any], list[str], Any]:
    """Check the whole file; return its header, the types that it names, and its table encoder."""
    header, entries = unpack(content)
    for name, entry in entries.items():
        if name.endswith(".npy"):
            _check_array(entry)
    record = json.loads(entries[TABLE]) if TABLE in entries else None
    return header, check_types(json.loads(entries[SCHEMA])), record


def _settled(schema: Any, written: dict[str, bytes]) -> tuple[Any, dict[str, bytes]]:
    """Number nodes in their order, write equal arrays once, shared or not, and mend keys of dicts.

    JSON has text as keys, and skops reads a key by calling its type: ``bool("false")`` is true, but
    ``bool("")`` is not. Keys of different types that are written alike would overwrite each other.
    """
    numbers: dict[int, int] = {}
    names: dict[bytes, str] = {}
    for place, node in enumerate(nodes_of(schema), 1):
        if "file" in node:
            node["file"] = names.setdefault(written[node["file"]], f"{len(names)}.npy")
            node["__id__"] = place
        elif "__id__" in node:
            node["__id__"] = numbers.setdefault(node["__id__"], place)
        if node["__loader__"] == "DictNode":
            keys, types = [*node["content"]], node["key_types"]["content"]
            if len(types) != len(keys):
                raise ModelFileError(
                    f"the model has a dict with keys that are written alike: {keys}."
                )
            if "false" in keys and types[keys.index("false")]["__class__"].startswith("bool"):
                keys[keys.index("false")] = ""
                node["content"] = dict(zip(keys, node["content"].values(), strict=True))
    return schema, {name: array for array, name in names.items()}


def _check_array(content: bytes) -> None:
    """Refuse an array whose header states a wrong size, or that is not of numbers or text."""
    file = io.BytesIO(content)
    major, _ = np.lib.format.read_magic(file)
    read = [np.lib.format.read_array_header_1_0, np.lib.format.read_array_header_2_0][major - 1]
    shape, _, dtype = read(file)
    rest = len(content) - file.tell()
    if dtype.kind not in "biufSU":
        raise ModelFileError(f"holds an array of {dtype}, which no model file may hold.")
    if not dtype.itemsize or math.prod(shape) * dtype.itemsize != rest:
        raise ModelFileError(f"is damaged: an array of {shape} {dtype} has {rest} bytes.")


def _joined(record: Any, model: Any) -> Pipeline:
    """The pipeline of an encoder and a model that were read; refuse what does not fit together."""
    try:
        encoding = Encoding.from_json(record["encoding"])
        encoder = TableEncoder.of(encoding, has_names=record["has_names"])
        for name, value in record["parameters"].items():
            encoder.set_params(**{name: tuple(value) if isinstance(value, list) else value})
        encoder._validate_params()
        name, *last = record["names"]
    except (AttributeError, KeyError, TypeError, ValueError, TableError) as error:
        raise ModelFileError(f"is damaged: its table encoder is none ({error}).") from error
    made = [*(encoding.features or ())]
    taken = getattr(model, "feature_names_in_", None)  # a model of arrays has no names
    if len(made) != model.n_features_in_ or (taken is not None and taken.tolist() != made):
        raise ModelFileError("is damaged: its table encoder makes other features than it takes.")
    return Pipeline([(name, encoder), *([(last[0], model)] if last else model.steps)])
