"""The standard model file: a skops archive with a header, both under a checksum."""

import io
import json
import re
from hashlib import sha256
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from sklearn.base import BaseEstimator

from bicneuron._writing._seal import sealed
from bicneuron.exceptions import ModelFileError
from bicneuron.persistence._header import check_header, check_whole
from bicneuron.persistence._nodes import readable_keys, renumbered
from bicneuron.persistence._sound import check_sound
from bicneuron.persistence._trusted import check_types

HEADER, SCHEMA = "bicneuron.json", "schema.json"
ENTRY = re.compile(r"bicneuron\.json|schema\.json|[0-9]+\.npy")
# An archive may unpack to at most this many times its size, plus this many bytes.
MOST_EXPANSION, FREE_EXPANSION = 100, 2**26


def dump(model: Any, header: dict[str, Any]) -> bytes:
    """Content of a file."""
    skops = _import_skops()
    buffer = io.BytesIO()
    try:
        skops.dump(model, buffer, compression=ZIP_DEFLATED)
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"the model cannot be written: {error}") from error
    entries = _entries(buffer.getvalue())
    schema, names = renumbered(readable_keys(json.loads(entries.pop(SCHEMA))))
    entries = {names[name]: entries[name] for name in names}
    entries[SCHEMA] = json.dumps(schema, indent=1).encode()
    entries[HEADER] = json.dumps(sealed({**header, "content": _checksum(entries)})).encode()
    content = _archive(entries)
    try:
        _check(content)
        check_sound(model)
    except ModelFileError as error:
        raise ModelFileError(f"the model {error} Use pickle, which runs code.") from error
    return content


def load_header(content: bytes) -> dict[str, Any]:
    """Read the header of a file."""
    read = _header(_entries(content, only=HEADER))
    header = check_header(read)
    check_whole(read)
    return header


def load(content: bytes) -> tuple[dict[str, Any], Any]:
    """Header and model; all types in the file are checked before anything is built."""
    skops = _import_skops()
    header, types = _check(content)
    model = skops.loads(content, trusted=types)
    if not isinstance(model, BaseEstimator):
        raise ModelFileError(f"holds a {type(model).__name__}, not a model.")
    check_sound(model)
    return header, model


def _check(content: bytes) -> tuple[dict[str, Any], list[str]]:
    """Check the whole file and return its header and the types that it names."""
    entries = _entries(content)
    read = _header(entries)
    header = check_header(read)
    check_whole(read)
    if read.get("content") != _checksum(entries):
        raise ModelFileError("is damaged: its checksum differs.")
    for name, entry in entries.items():
        if name.endswith(".npy"):
            _check_array(entry)
    return header, check_types(json.loads(entries[SCHEMA]))


def _archive(entries: dict[str, bytes]) -> bytes:
    """Pack entries, without the time."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, entry in entries.items():
            archive.writestr(ZipInfo(name), entry, compress_type=ZIP_DEFLATED)
    return buffer.getvalue()


def _entries(content: bytes, only: str = "") -> dict[str, bytes]:
    """Unpack all entries or one; refuse unknown entries and archives that would fill the memory."""
    with ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        if len(set(names)) < len(names) or not all(map(ENTRY.fullmatch, names)):
            raise ModelFileError("is not a model file of bicneuron.")
        unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > MOST_EXPANSION * len(content) + FREE_EXPANSION:
            raise ModelFileError(
                f"would unpack from {len(content)} to {unpacked} bytes; it is not loaded."
            )
        return {name: archive.read(name) for name in names if only in ("", name)}


def _header(entries: dict[str, bytes]) -> Any:
    if HEADER not in entries:
        raise ModelFileError("is not a model file of bicneuron; try skops.io.load.")
    return json.loads(entries[HEADER])


def _checksum(entries: dict[str, bytes]) -> str:
    digest = sha256()
    for name in sorted(entries):
        if name != HEADER:
            digest.update(f"{name} {sha256(entries[name]).hexdigest()}\n".encode())
    return digest.hexdigest()


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
    size = dtype.itemsize
    for length in shape:
        size *= length
    if dtype.kind not in "biufSU":
        raise ModelFileError(f"holds an array of {dtype}, which no model file may hold.")
    if not dtype.itemsize or size != rest:
        raise ModelFileError(f"is damaged: an array of {shape} {dtype} has {rest} bytes.")


def _import_skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError("model files need skops: pip install 'bicneuron[safe]'") from error
    return skops.io
