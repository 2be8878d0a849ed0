"""The format of a file, by its name and by its first bytes."""

import gzip
import io
import zipfile
import zlib
from pathlib import Path

from bicneuron.exceptions import TableError
from bicneuron.tables._matrix_market import is_matrix_market

SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".arff": "arff",
    ".h5ad": "h5ad",
    ".gct": "gct",
    ".dat": "keel",
    ".mtx": "mtx",
}
TEXT_KINDS = {"csv", "tsv", "arff", "gct", "keel", "mtx"}
_TITLES = {"parquet": "a Parquet file", "xlsx": "an Excel file", "h5ad": "an HDF5 file"}
_FIRST_BYTES = {b"PAR1": "parquet", b"PK\x03\x04": "xlsx", b"\x89HDF\r\n\x1a\n": "h5ad"}
_USUAL = {"parquet": ".parquet", "xlsx": ".xlsx", "h5ad": ".h5ad"}


def kind_of(path: Path) -> str:
    """The format that the name of a file indicates."""
    name = path.name.lower()
    plain = Path(name.removesuffix(".gz"))
    kind = SUFFIXES.get(plain.suffix)
    if kind is None or (name.endswith(".gz") and kind not in TEXT_KINDS):
        hint = " Save old Excel files as .xlsx." if plain.suffix == ".xls" else ""
        raise TableError(
            f"{path} is not a table that can be read or written: its name must end in "
            f"{', '.join(SUFFIXES)} (text also in .gz, one file also in .zip).{hint}"
        )
    return kind


def check_file(path: Path) -> str:
    """The format of a file, which must be there."""
    if path.is_dir():
        if is_matrix_market(path):
            return "mtx"
        raise TableError(f"{path} is a folder, not a table.")
    if path.suffix.lower() == ".zip" and path.exists():
        return kind_of(Path(_only_member(path, zipfile.ZipFile(io.BytesIO(_zip(path))))))
    kind = kind_of(path)
    if not path.exists():
        raise TableError(f"{path} does not exist.")
    return kind


def _zip(path: Path) -> bytes:
    content = path.read_bytes()
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise TableError(f"{path} is cut or damaged: it is no zip file. Copy it again.")
    return content


def _only_member(path: Path, archive: zipfile.ZipFile) -> str:
    """The one table in a zip file; what macOS adds is no table."""
    names = [
        name
        for name in archive.namelist()
        if not name.endswith("/") and not name.startswith("__MACOSX") and "/." not in f"/{name}"
    ]
    if len(names) != 1:
        raise TableError(f"{path} holds {len(names)} files; unpack it and name one of them.")
    return names[0]


def _unzipped(path: Path) -> bytes:
    with zipfile.ZipFile(io.BytesIO(_zip(path))) as archive:
        try:
            return archive.read(_only_member(path, archive))
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
            raise TableError(f"{path} cannot be unpacked: {error}. Unpack it first.") from error


def read_bytes(path: Path, kind: str) -> bytes:
    """Content of a file, unpacked; refused if it is of another format than its name says."""
    if path.is_dir():
        return b""
    content = _unzipped(path) if path.suffix.lower() == ".zip" else path.read_bytes()
    is_packed = content.startswith(b"\x1f\x8b")
    if path.suffix.lower() == ".gz":
        if content and not is_packed:
            raise TableError(f"{path} is not packed with gzip; rename it to {path.stem}.")
        content = _unpack(path, content)
    elif is_packed:
        raise TableError(f"{path} is packed with gzip; rename it to {path.name}.gz.")
    if not content.strip():
        raise TableError(f"{path} is empty.")
    _check_first_bytes(path, kind, content)
    return content


def _unpack(path: Path, content: bytes) -> bytes:
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise TableError(f"{path} is cut or damaged: {error}. Copy it again.") from error


def _check_first_bytes(path: Path, kind: str, content: bytes) -> None:
    found = next((k for first, k in _FIRST_BYTES.items() if content.startswith(first)), None)
    if found == (None if kind in TEXT_KINDS else kind):
        return
    if found is not None:
        raise TableError(
            f"{path} is {_TITLES[found]} despite its name; rename it to {path.stem}{_USUAL[found]}."
        )
    raise TableError(
        f"{path} is not {_TITLES[kind]} despite its name, or it is damaged. "
        "Text tables are called .csv or .tsv."
    )
