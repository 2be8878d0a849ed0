"""Bytes of a file, read and unpacked within a budget of memory."""

import gzip
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from io import BufferedIOBase
from lzma import LZMAError
from pathlib import Path
from typing import IO

from bicneuron.exceptions import TableError

_GB = 10**9
# In GB: what any table may take, and what a small file may take whatever its size.
_MOST, _ALWAYS = 8, 1
# Few tables shrink to less than a hundredth when they are packed, and those that do are mostly made
# to fill the memory.
_MOST_RATIO = 100
_CHUNK = 2**20
# Bytes, as measured: two numbers of each cell and where its text begins; names of rows, numbered
# places and words of a column; what pyarrow keeps for a column.
_OF_CELL, _OF_ROW, _OF_COLUMN = 20, 200, 8000
_OF_NUMBER, _OF_COLUMN_OF_NUMBERS = 24, 1000
# A number made of a word: in its column, and in the table.
_OF_MADE_NUMBER = 16
# A short text of Python, and places for it in two lists.
_OF_WORD = 70
_GZIP = b"\x1f\x8b"
_DAMAGE = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, OSError, RuntimeError, ValueError)


class Budget:
    """Memory that reading one file may take, or the files of a folder, in bytes.

    ``max_memory`` is the limit in GB. None: 8, and no more than 100 times the size of the file, or
    1 if that is more.
    """

    def __init__(self, path: Path, max_memory: float | None) -> None:
        self._path = path
        self._spent = 0
        if max_memory is None:
            allowed = max(_MOST_RATIO * _size(path), _ALWAYS * _GB)
            self._most = min(allowed, _MOST * _GB)
        elif (
            isinstance(max_memory, bool)
            or not isinstance(max_memory, int | float)
            or not max_memory > 0
        ):
            raise ValueError(f"max_memory={max_memory!r} must be a number of GB above 0.")
        else:
            self._most = int(min(max_memory * _GB, 2**63))

    @property
    def left(self) -> int:
        """Bytes that may still be spent."""
        return self._most - self._spent

    def spend(self, n_bytes: int) -> None:
        """Count what is about to be allocated; refuse the table if it is too much."""
        self._spent += n_bytes
        if self._spent > self._most:
            raise TableError(
                f"{self._path} would take more than {self._most / _GB:.3g} GB of memory, which is "
                f"much for a file of {_size(self._path) / 1e6:.3g} MB. If it is meant to, allow it "
                "with --read max_memory=GB."
            )

    def spend_on_cells(self, n_cells: int, n_rows: int, n_columns: int) -> None:
        """Count cells that are about to be held as text, and then as numbers."""
        self.spend(_OF_CELL * n_cells + _OF_ROW * n_rows + _OF_COLUMN * n_columns)

    def spend_on_numbers(self, n_cells: int, n_columns: int) -> None:
        """Count numeric columns that are about to be created, and their copies."""
        self.spend(_OF_NUMBER * n_cells + _OF_COLUMN_OF_NUMBERS * n_columns)

    def spend_on_made_columns(self, n_rows: int, n_columns: int) -> None:
        """Count numeric columns that are about to be created from words."""
        self.spend(n_columns * (_OF_MADE_NUMBER * n_rows + _OF_COLUMN_OF_NUMBERS))

    def spend_on_words(self, n_cells: int, n_bytes: int) -> None:
        """Count cells that are about to be held as Python text."""
        self.spend(_OF_WORD * n_cells + n_bytes)

    def read(self, file: IO[bytes] | BufferedIOBase) -> bytes:
        """Read a stream to its end, counting its bytes."""
        return b"".join(self._chunks(file))

    def count(self, file: IO[bytes] | BufferedIOBase) -> None:
        """Count the bytes of a stream without keeping them."""
        for _ in self._chunks(file):
            pass

    def _chunks(self, file: IO[bytes] | BufferedIOBase) -> Iterator[bytes]:
        while chunk := file.read(_CHUNK):
            self.spend(len(chunk))
            yield chunk


def check_regular(path: Path) -> None:
    """Refuse pipes and devices, which may never end; a missing file is not refused here."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise TableError(f"{path} is a pipe or a device, not a file; save its content in a file.")


def _size(path: Path) -> int:
    """Bytes of a file, or of the files in a folder."""
    files = [path] if path.is_file() else [file for file in path.iterdir() if file.is_file()]
    return sum(file.stat().st_size for file in files)


def read_plain(path: Path, budget: Budget) -> bytes:
    """Read a file that is not packed."""
    with path.open("rb") as file:
        return budget.read(file)


def is_gzip(path: Path) -> bool:
    """True if a file begins with the signature of gzip."""
    with path.open("rb") as file:
        return file.read(len(_GZIP)) == _GZIP


def read_gzip(path: Path, budget: Budget) -> bytes:
    """Read and unpack a gzip file."""
    try:
        with gzip.open(path) as file:
            return budget.read(file)
    except TableError:
        raise
    except _DAMAGE as error:
        raise TableError(f"{path} is cut or damaged: {error}. Copy it again.") from error


def read_zip(path: Path, budget: Budget) -> bytes:
    """Read and unpack the only table in a zip file."""
    with _opened(path) as archive:
        try:
            with archive.open(_only_member(path, archive)) as member:
                return budget.read(member)
        except TableError:
            raise
        except _DAMAGE as error:
            raise TableError(f"{path} cannot be unpacked: {error}. Unpack it first.") from error


def name_in_zip(path: Path) -> str:
    """Name of the only table in a zip file."""
    with _opened(path) as archive:
        return _only_member(path, archive)


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except _DAMAGE as error:
        raise TableError(f"{path} is cut or damaged, not a zip file. Copy it again.") from error


def _only_member(path: Path, archive: zipfile.ZipFile) -> str:
    """Name of the only table in the archive, without the files that macOS adds."""
    names = [
        name
        for name in archive.namelist()
        if not name.endswith("/") and not name.startswith("__MACOSX") and "/." not in f"/{name}"
    ]
    if len(names) != 1:
        raise TableError(f"{path} contains {len(names)} files; unpack it and name one of them.")
    return names[0]
