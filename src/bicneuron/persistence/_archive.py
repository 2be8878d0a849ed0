"""The archive of a .skops file and its header, both under a checksum; importing this is fast."""

import io
import json
import platform
import re
from hashlib import sha256
from importlib.metadata import version
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from bicneuron._shared._files import is_whole, sealed
from bicneuron._shared._version import __version__
from bicneuron.exceptions import ModelFileError

FORMAT = 13
HEADER, SCHEMA, TABLE = "bicneuron.json", "schema.json", "table.json"
_ENTRY = re.compile(r"bicneuron\.json|schema\.json|table\.json|[0-9]+\.npy")
# An archive may unpack to at most this many times its size, plus this many bytes.
MOST_EXPANSION, FREE_EXPANSION = 100, 2**26


def make_header(model: Any, about: dict[str, Any] | None) -> dict[str, Any]:
    """The header of a new file: versions, class and what the user says about the model."""
    try:
        about = json.loads(json.dumps(dict(about or {}), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"about cannot be written as JSON: {error}.") from error
    packages = {name: version(name) for name in ("scikit-learn", "numpy")}
    return {
        "format": FORMAT,
        "versions": {"bicneuron": __version__, **packages, "python": platform.python_version()},
        "class": type(model).__name__,
        "about": about,
    }


def pack(entries: dict[str, bytes], header: dict[str, Any]) -> bytes:
    """Pack entries and a header with their checksums, without time stamps."""
    written = sealed({**header, "content": _checksum(entries)})
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, entry in {**entries, HEADER: json.dumps(written).encode()}.items():
            archive.writestr(ZipInfo(name), entry, compress_type=ZIP_DEFLATED)
    return buffer.getvalue()


def unpack(content: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Unpack a file and check its checksums; return the header and all entries."""
    header, entries = load_header(content), entries_of(content)
    if json.loads(entries[HEADER]).get("content") != _checksum(entries):
        raise ModelFileError("is damaged: its checksum differs.")
    return header, entries


def load_header(content: bytes) -> dict[str, Any]:
    """Read the header of a file; refuse another format, and one that was altered."""
    entries = entries_of(content, only=HEADER)
    if HEADER not in entries:
        raise ModelFileError("is not a model file of bicneuron; try skops.io.load.")
    header = json.loads(entries[HEADER])
    if not isinstance(header, dict) or type(header.get("format")) is not int:
        raise ModelFileError("is not a model file of bicneuron.")
    written = f"has file format {header['format']}"
    if header["format"] > FORMAT:
        raise ModelFileError(
            f"{written}, and bicneuron {__version__} reads {FORMAT}; update bicneuron."
        )
    if header["format"] < FORMAT:
        raise ModelFileError(
            f"{written}: a development version wrote it. Make a new one with bicneuron fit or find."
        )
    if not is_whole(header):
        raise ModelFileError("is damaged: its checksum differs.")
    return {
        "format": header["format"],
        "versions": {name: str(one) for name, one in header["versions"].items()},
        "class": str(header["class"]),
        "about": dict(header["about"]),
    }


def entries_of(content: bytes, only: str = "") -> dict[str, bytes]:
    """Unpack all entries or one; refuse unknown entries and archives that would fill the memory."""
    with ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        if len(set(names)) < len(names) or not all(map(_ENTRY.fullmatch, names)):
            raise ModelFileError("is not a model file of bicneuron.")
        unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > MOST_EXPANSION * len(content) + FREE_EXPANSION:
            raise ModelFileError(
                f"would unpack from {len(content)} to {unpacked} bytes; it is not loaded."
            )
        return {name: archive.read(name) for name in names if only in ("", name)}


def _checksum(entries: dict[str, bytes]) -> str:
    names = sorted({*entries} - {HEADER})
    lines = [f"{name} {sha256(entries[name]).hexdigest()}\n" for name in names]
    return sha256("".join(lines).encode()).hexdigest()
