"""Bytes of a file, unpacked within a budget."""

import gzip
import zipfile
import zlib
from lzma import LZMAError
from pathlib import Path

from bicneuron.exceptions import TableError
from bicneuron.tables._budget import Budget

_GZIP = b"\x1f\x8b"
_DAMAGE = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, OSError, RuntimeError, ValueError)


def read_plain(path: Path, budget: Budget) -> bytes:
    """Content of a file as it is."""
    with path.open("rb") as file:
        return budget.read(file)


def is_gzip(path: Path) -> bool:
    """Whether a file begins as gzip does."""
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def read_gzip(path: Path, budget: Budget) -> bytes:
    """Content of a file that is packed with gzip."""
    try:
        with gzip.open(path) as file:
            return budget.read(file)
    except TableError:
        raise
    except _DAMAGE as error:
        raise TableError(f"{path} is cut or damaged: {error}. Copy it again.") from error


def read_zip(path: Path, budget: Budget) -> bytes:
    """Content of the one table in a zip file."""
    with _opened(path) as archive:
        try:
            with archive.open(_only_member(path, archive)) as member:
                return budget.read(member)
        except TableError:
            raise
        except _DAMAGE as error:
            raise TableError(f"{path} cannot be unpacked: {error}. Unpack it first.") from error


def name_in_zip(path: Path) -> str:
    """Name of the one table in a zip file."""
    with _opened(path) as archive:
        return _only_member(path, archive)


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except _DAMAGE as error:
        raise TableError(f"{path} is cut or damaged: it is no zip file. Copy it again.") from error


def _only_member(path: Path, archive: zipfile.ZipFile) -> str:
    """The one table; what macOS adds is no table."""
    names = [
        name
        for name in archive.namelist()
        if not name.endswith("/") and not name.startswith("__MACOSX") and "/." not in f"/{name}"
    ]
    if len(names) != 1:
        raise TableError(f"{path} holds {len(names)} files; unpack it and name one of them.")
    return names[0]
