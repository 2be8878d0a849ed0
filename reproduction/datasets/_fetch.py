"""Download a data set of the paper."""

import json
import os
import time
import warnings
from collections import Counter
from hashlib import md5
from pathlib import Path
from textwrap import shorten
from urllib.parse import urlsplit

import numpy as np

from bicneuron._core._arrays import AnyArray
from reproduction.datasets._arff import parse_arff
from reproduction.datasets._download import download
from reproduction.datasets._files import (
    LabelledValues,
    check_content,
    order_warning,
    read_verified,
    write_table,
)
from reproduction.datasets._registry import DataFile, DatasetInfo, dataset_info, get_data_home
from reproduction.exceptions import DatasetCorruptError, DatasetDownloadError, DatasetNotFoundError

_OPENML = "https://www.openml.org"
# A description of OpenML has a few kilobytes, a file at most 20 bytes for each value.
_MOST_BYTES, _MOST_BYTES_OF_VALUE = 2**20, 40
_LONGEST_TEXT = 1000


def fetch_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    timeout: float = 300.0,
) -> Path:
    """Download a data set from OpenML, check it, and write its file for `load_dataset`.

    Nothing is downloaded if an intact file exists. A download is written only if its name, shape,
    class counts and values match the registry. Labels of OpenML are replaced by the registered
    labels of the classes with the same numbers of rows.

    Parameters
    ----------
    name : str
        One of `list_datasets`; ionosphere, lsvt, parkinsons, ringnorm, sonar, spambase and twonorm
        can be downloaded. For the others the error says where to get the data.
    data_home : str or path-like, default=None
        Folder to write to; None as in `get_data_home`.
    base_url : str, default=None
        Address of a mirror with the paths of OpenML, instead of ``https://www.openml.org``.
    timeout : float, default=300.0
        Seconds that the whole download may take, however slowly the server sends. Its length is
        bounded, too: 1 MB and 40 bytes for each registered value.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    DatasetDownloadError
        The server cannot be reached, does not send the whole file in time, or sends something else
        or too much.
    DatasetCorruptError
        The download is another data set.
    DatasetNotFoundError
        No public download is known.

    Warns
    -----
    DatasetOrderWarning
        The rows are the registered ones in another order.

    Examples
    --------
    >>> from reproduction.datasets import fetch_dataset
    >>> fetch_dataset("sonar").name  # doctest: +SKIP
    'sonar.csv.gz'
    """
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise ValueError(f"timeout={timeout!r} must be a number of seconds above 0.")
    info = dataset_info(name)
    if info.file is None:
        raise DatasetNotFoundError(info.unavailable)
    path = get_data_home(data_home) / info.file.name
    is_ordered = _existing_order(path, info, info.file)
    if is_ordered is None:
        table, is_ordered = _download(info, info.file, path, base_url, float(timeout))
        _write(table, path)
    if not is_ordered:
        warnings.warn(order_warning(info, path), stacklevel=2)
    return path


def _existing_order(path: Path, info: DatasetInfo, file: DataFile) -> bool | None:
    """Return True if the rows of an intact file are in order, None without an intact file."""
    if not path.is_file():
        return None
    try:
        return read_verified(path, info, file)[1]
    except DatasetCorruptError:
        return None


def _download(
    info: DatasetInfo, file: DataFile, path: Path, base_url: str | None, timeout: float
) -> tuple[LabelledValues, bool]:
    if info.openml_id is None:
        raise DatasetNotFoundError(
            f"No public download of {info.name} is known. {info.how_to_get(path)}"
        )
    deadline = time.monotonic() + timeout
    base = (base_url or _OPENML).rstrip("/")
    address = f"{base}/api/v1/json/data/{info.openml_id}"
    content = download(address, max_bytes=_MOST_BYTES, deadline=deadline)
    description = _description(content, address)
    if description["name"].lower() != info.name:
        found = shorten(description["name"], 60)
        raise DatasetCorruptError(f"{address} is {found!r} instead of {info.name!r}.")
    address = description["url"] if base_url is None else base + urlsplit(description["url"]).path
    n_values = file.shape[0] * (file.shape[1] + info.openml_skipped + 1)
    max_bytes = _MOST_BYTES + _MOST_BYTES_OF_VALUE * n_values
    content = download(address, max_bytes=max_bytes, deadline=deadline)
    if md5(content, usedforsecurity=False).hexdigest() != description["md5_checksum"]:
        raise DatasetDownloadError(f"{address} arrived incomplete or altered. Try again.")
    try:
        table = _table(content.decode(), description["default_target_attribute"], info)
        return table, check_content(table, file)
    except ValueError as error:
        raise DatasetCorruptError(
            f"{address} is not the registered {info.name}: {shorten(str(error), 200)}. Nothing was "
            f"written. Save the data (from {info.found_at}) as {path} instead."
        ) from error


def _description(content: bytes, address: str) -> dict[str, str]:
    """Return the needed fields of a page of OpenML; refuse anything else."""
    wanted = ("name", "url", "md5_checksum", "default_target_attribute")
    try:
        description = json.loads(content)["data_set_description"]
        found = {key: description[key] for key in wanted}
        urlsplit(found["url"])
        if all(isinstance(v, str) and len(v) <= _LONGEST_TEXT for v in found.values()):
            return found
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    raise DatasetDownloadError(f"{address} does not describe an OpenML data set.")


def _table(arff: str, target_name: str, info: DatasetInfo) -> LabelledValues:
    names, rows = parse_arff(arff)
    if target_name not in names:
        raise ValueError(f"it has no attribute {target_name!r}")
    at = names.index(target_name)
    labels = _registered_labels(np.array([row.pop(at) for row in rows]), info)
    names.pop(at)
    values = np.array(rows, dtype=np.float64)[:, info.openml_skipped :]
    return LabelledValues(names[info.openml_skipped :], values, labels)


def _registered_labels(labels: AnyArray, info: DatasetInfo) -> AnyArray:
    found = Counter(labels.tolist())
    by_count = {count: label for label, count in info.class_counts}
    if sorted(found.values()) != sorted(by_count):
        raise ValueError(f"it has classes of {sorted(found.values())} rows, not {sorted(by_count)}")
    return np.array([by_count[found[label]] for label in labels.tolist()])


def _write(table: LabelledValues, path: Path) -> None:
    try:
        write_table(table, path)
    except OSError as error:
        raise OSError(
            f"Cannot write {path}: {error.strerror}. Pass a writable folder as data_home."
        ) from error
