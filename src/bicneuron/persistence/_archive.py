"""The archive of a .skops file, its entries and their checksum; importing this is fast."""

import io
import json
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from bicneuron._shared._files import sealed
from bicneuron.exceptions import ModelFileError
from bicneuron.persistence._header import check_header
from bicneuron.tables._encoding import Encoding

HEADER, SCHEMA, TABLE = "bicneuron.json", "schema.json", "table.json"
_ENTRY = re.compile(r"bicneuron\.json|schema\.json|table\.json|[0-9]+\.npy")
# An archive may unpack to at most this many times its size, plus this many bytes.
MOST_EXPANSION, FREE_EXPANSION = 100, 2**26
# The longest header, and the longest encoding of tables, that is read before the model.
MOST_EARLY, MOST_EARLY_TABLE = 2**20, 2**23


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
    entries = entries_of(content)
    read = _header(entries)
    header = check_header(read)
    if read.get("content") != _checksum(entries):
        raise ModelFileError("is damaged: its checksum differs.")
    return header, entries


def load_header(content: bytes) -> dict[str, Any]:
    """Read the header of a file."""
    return check_header(_header(entries_of(content, only=HEADER)))


def early_about(path: Path) -> dict[str, Any] | None:
    """``about`` of a .skops file, without reading the rest; None if it is long or damaged."""
    header = _early(path, HEADER, MOST_EARLY)
    with suppress(Exception):
        about: dict[str, Any] = check_header(header)["about"]
        return about
    return None


def early_encoding(path: Path) -> Encoding | None:
    """How a .skops file reads tables, without the rest; None if that is long, damaged or absent."""
    record = _early(path, TABLE, MOST_EARLY_TABLE)
    with suppress(Exception):
        return Encoding.from_json(record["encoding"])
    return None


def _early(path: Path, entry: str, most: int) -> Any:
    """Read a short entry of an archive; None for anything else, as loading the model says why."""
    if path.suffix.lower() == ".skops" and path.is_file():  # no pipe, which may never end
        with suppress(Exception), ZipFile(path) as archive:
            if archive.getinfo(entry).file_size <= most:
                return json.loads(archive.read(entry))
    return None


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
