"""Recognise the format of a file by its name and by its first bytes."""

from pathlib import Path

from bicneuron.exceptions import TableError
from bicneuron.tables._budget import (
    Budget,
    check_regular,
    is_gzip,
    name_in_zip,
    read_gzip,
    read_plain,
    read_zip,
)
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
_LONGEST_BEGIN = max(map(len, _FIRST_BYTES))


def kind_of(path: Path) -> str:
    """Format of a file by its name."""
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
    """Format of an existing file."""
    check_regular(path)
    if path.is_dir():
        if is_matrix_market(path):
            return "mtx"
        raise TableError(f"{path} is a folder, not a table.")
    if path.suffix.lower() == ".zip" and path.exists():
        return kind_of(Path(name_in_zip(path)))
    kind = kind_of(path)
    if not path.exists():
        raise TableError(f"{path} does not exist.")
    return kind


def read_bytes(path: Path, kind: str, budget: Budget) -> bytes:
    """Read and unpack a file; refuse it if its content is of another format than its name says."""
    suffix = path.suffix.lower()
    if path.is_dir():
        return b""
    if suffix == ".zip":
        content = read_zip(path, budget)
    elif suffix == ".gz" and path.stat().st_size:
        if not is_gzip(path):
            raise TableError(f"{path} is not packed with gzip; rename it to {path.stem}.")
        content = read_gzip(path, budget)
    elif is_gzip(path):
        raise TableError(f"{path} is packed with gzip; rename it to {path.name}.gz.")
    else:
        content = read_plain(path, budget)
    if not content or content.isspace():
        raise TableError(f"{path} is empty.")
    _check_first_bytes(path, kind, content)
    return content


def check_begin(path: Path, kind: str) -> None:
    """Refuse a file that begins as another format, without reading all of it."""
    if path.suffix.lower() != ".zip":
        with path.open("rb") as file:
            begin = file.read(_LONGEST_BEGIN)
        if not begin:
            raise TableError(f"{path} is empty.")
        _check_first_bytes(path, kind, begin)


def _check_first_bytes(path: Path, kind: str, content: bytes) -> None:
    found = next((k for first, k in _FIRST_BYTES.items() if content.startswith(first)), None)
    if found == (None if kind in TEXT_KINDS else kind):
        return
    if found is not None:
        raise TableError(
            f"{path} is {_TITLES[found]} despite its name; rename it to {path.stem}.{found}."
        )
    raise TableError(
        f"{path} is not {_TITLES[kind]} despite its name, or it is damaged. "
        "Text tables are called .csv or .tsv."
    )
