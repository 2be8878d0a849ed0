"""Data files, and checks of their content against the registry."""

import csv
import gzip
import zlib
from collections.abc import Iterable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, is_zipfile

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._files import write_atomically
from reproduction.datasets._registry import DataFile, DatasetInfo
from reproduction.exceptions import DatasetCorruptError, DatasetOrderWarning


class LabelledValues(NamedTuple):
    """Values and labels as a file holds them."""

    feature_names: list[str]
    data: FloatArray
    target: AnyArray


def order_warning(info: DatasetInfo, path: Path) -> DatasetOrderWarning:
    """Make the warning that ``path`` has the right rows in another order."""
    loss = "folds differ" if info.subjects is None else "folds differ and the subjects are lost"
    return DatasetOrderWarning(
        f"{path} has the rows of {info.name} in another order than the registered file: {loss}."
    )


def read_verified(path: Path, info: DatasetInfo, file: DataFile) -> tuple[LabelledValues, bool]:
    """Read a file and check it against the registry."""
    raw = path.read_bytes()
    try:
        table = _parse_npz(raw) if path.suffix == ".npz" else parse_csv(raw)
        is_ordered = sha256(raw).hexdigest() == file.sha256 or check_content(table, file)
    except (OSError, EOFError, zlib.error, BadZipFile, KeyError, ValueError) as error:
        reason = f"{error}".partition("\n")[0].rstrip(".")
        raise DatasetCorruptError(
            f"{path} is not the registered {file.name}: {reason}. {info.how_to_get(path)}"
        ) from error
    return table, is_ordered


def check_content(table: LabelledValues, file: DataFile) -> bool:
    """Raise unless the table has the rows of the registered file; return whether in its order."""
    if table.data.shape != file.shape:
        rows, columns = table.data.shape
        raise ValueError(
            f"it has {rows} x {columns} values instead of {file.shape[0]} x {file.shape[1]}"
        )
    digests = _row_digests(table)
    if _digest(digests) == file.content:
        return True
    if _digest(sorted(digests)) == file.row_set:
        return False
    raise ValueError("its values or labels differ")


def write_table(table: LabelledValues, path: Path) -> None:
    """Write a table as gzipped CSV; an existing file is replaced atomically."""
    lines = [",".join([*map(_quoted, table.feature_names), "class"])]
    lines += [
        ",".join([*map(repr, row), label])
        for row, label in zip(table.data.tolist(), table.target, strict=True)
    ]
    content = gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name


def parse_csv(raw: bytes) -> LabelledValues:
    header, *lines = gzip.decompress(raw).decode().splitlines() or [""]
    feature_names = next(csv.reader([header]))[:-1]
    cells = [line.rpartition(",")[::2] for line in lines]
    if not any(values for values, _ in cells):
        raise ValueError("it has no values")
    values, labels = zip(*cells, strict=True)
    data = np.loadtxt(values, delimiter=",", comments=None, ndmin=2)
    if data.shape != (len(labels), len(feature_names)):
        raise ValueError(f"it has {len(feature_names)} feature names and {data.shape[1]} features")
    return LabelledValues(feature_names, data, np.array(labels))


def _parse_npz(raw: bytes) -> LabelledValues:
    if not is_zipfile(BytesIO(raw)):
        raise ValueError("it is not a complete archive")
    with np.load(BytesIO(raw)) as arrays:
        data, target = arrays["signals"].astype(np.float64), arrays["labels"].astype(str)
    if data.ndim != 2 or target.shape != data.shape[:1]:
        raise ValueError(f"it has signals of shape {data.shape} and labels of {target.shape}")
    return LabelledValues([f"t{i}" for i in range(data.shape[1])], data, target)


def _row_digests(table: LabelledValues) -> list[bytes]:
    """Digest each row, to nine significant digits: further digits depend on how a copy was printed.

    All sets but lsvt have at most nine digits, and public copies of lsvt agree in the first 13.
    """
    line = ",".join(["{:.9g}"] * table.data.shape[1] + ["{}"])
    values = (table.data + 0.0).tolist()  # no -0.0
    return [
        sha256(line.format(*row, label).encode()).digest()
        for row, label in zip(values, table.target.tolist(), strict=True)
    ]


def _digest(digests: Iterable[bytes]) -> str:
    return sha256(b"".join(digests)).hexdigest()
