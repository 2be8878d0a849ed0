"""The header of a model file, read without loading the model."""

import json
import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

# As bicneuron.persistence writes it, which checks it when the model is loaded.
HEADER = "bicneuron.json"
_MOST_BYTES = 2**20


def read_about(path: Path) -> dict[str, Any] | None:
    """``about`` of a .skops file; None if it has none, whatever is wrong with it."""
    try:
        with ZipFile(path) as archive:
            if archive.getinfo(HEADER).file_size > _MOST_BYTES:
                return None
            about = json.loads(archive.read(HEADER))["about"]
    except (BadZipFile, zlib.error, OSError, RuntimeError, KeyError, TypeError, ValueError):
        return None
    return about if isinstance(about, dict) else None
