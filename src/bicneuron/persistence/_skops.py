"""The standard model file: a skops archive with a header and a checksum of everything else."""

import io
import json
import re
from hashlib import sha256
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from sklearn.base import BaseEstimator

from bicneuron.exceptions import ModelFileError
from bicneuron.persistence._header import check_header
from bicneuron.persistence._trusted import check_types

HEADER, SCHEMA = "bicneuron.json", "schema.json"
ENTRY = re.compile(r"bicneuron\.json|schema\.json|[0-9]+\.npy")
# What an archive may unpack to: so many times its own size, and this much whatever its size.
MOST_EXPANSION, FREE_EXPANSION = 100, 2**26


def dump(model: Any, header: dict[str, Any]) -> bytes:
    """Content of a file."""
    skops = _skops()
    buffer = io.BytesIO()
    skops.dump(model, buffer, compression=ZIP_DEFLATED)
    with ZipFile(buffer, "a") as archive:
        sealed = {**header, "sha256": _checksum(archive)}
        archive.writestr(HEADER, json.dumps(sealed))
    content = buffer.getvalue()
    try:
        _check(content)
    except ModelFileError as error:
        raise ModelFileError(f"the model {error} Use pickle, which runs code.") from error
    return content


def load_header(content: bytes) -> dict[str, Any]:
    """What the file says of itself."""
    with ZipFile(io.BytesIO(content)) as archive:
        _check_entries(archive, len(content))
        return check_header(_sealed_header(archive))


def load(content: bytes) -> tuple[dict[str, Any], Any]:
    """Header and model; all that the file names is checked before anything is built."""
    skops = _skops()
    header, types = _check(content)
    model = skops.loads(content, trusted=types)
    if not isinstance(model, BaseEstimator):
        raise ModelFileError(f"holds a {type(model).__name__}, not a model.")
    return header, model


def _check(content: bytes) -> tuple[dict[str, Any], list[str]]:
    with ZipFile(io.BytesIO(content)) as archive:
        _check_entries(archive, len(content))
        sealed = _sealed_header(archive)
        header = check_header(sealed)
        if sealed.get("sha256") != _checksum(archive):
            raise ModelFileError("is damaged: its checksum differs.")
        for name in archive.namelist():
            if name.endswith(".npy"):
                _check_array(archive.read(name))
        return header, check_types(json.loads(archive.read(SCHEMA)))


def _check_entries(archive: ZipFile, size: int) -> None:
    """Refuse foreign entries, and archives that would fill the memory."""
    names = archive.namelist()
    if len(set(names)) < len(names) or not all(map(ENTRY.fullmatch, names)):
        raise ModelFileError("is not a model file of bicneuron.")
    unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > MOST_EXPANSION * size + FREE_EXPANSION:
        raise ModelFileError(f"would unpack from {size} to {unpacked} bytes; it is not loaded.")


def _sealed_header(archive: ZipFile) -> Any:
    if HEADER not in archive.namelist():
        raise ModelFileError("is not a model file of bicneuron; try skops.io.load.")
    return json.loads(archive.read(HEADER))


def _checksum(archive: ZipFile) -> str:
    digest = sha256()
    for name in sorted(archive.namelist()):
        if name != HEADER:
            digest.update(f"{name} {sha256(archive.read(name)).hexdigest()}\n".encode())
    return digest.hexdigest()


def _check_array(content: bytes) -> None:
    """Refuse an array that claims another size than it has, or is not of numbers or text."""
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
    if dtype.kind not in "biufU" or not dtype.itemsize or size != rest:
        raise ModelFileError(f"is damaged: an array of {shape} {dtype} has {rest} bytes.")


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError("model files need skops: pip install 'bicneuron[safe]'") from error
    return skops.io
