"""Download a data set of the paper."""

import json
import os
import warnings
from collections import Counter
from hashlib import md5
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron._files._arff import parse_arff
from bicneuron.datasets._files import (
    Table,
    check_content,
    get_data_home,
    order_warning,
    read_verified,
    way_out,
    write_table,
)
from bicneuron.datasets._registry import DataFile, DatasetInfo, dataset_info
from bicneuron.exceptions import DatasetCorruptError, DatasetDownloadError, DatasetNotFoundError

_OPENML = "https://www.openml.org"
_TIMEOUT = 60.0  # seconds without an answer


def fetch_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
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

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    DatasetDownloadError
        The server cannot be reached or does not send the whole file.
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
    >>> from bicneuron.datasets import fetch_dataset
    >>> fetch_dataset("sonar").name  # doctest: +SKIP
    'sonar.csv.gz'
    """
    info = dataset_info(name)
    if info.file is None:
        raise DatasetNotFoundError(info.unavailable)
    path = get_data_home(data_home) / info.file.name
    is_ordered = _existing_order(path, info, info.file)
    if is_ordered is None:
        table, is_ordered = _download(info, info.file, path, base_url)
        _write(table, path)
    if not is_ordered:
        warnings.warn(order_warning(info, path), stacklevel=2)
    return path


def _existing_order(path: Path, info: DatasetInfo, file: DataFile) -> bool | None:
    """Whether the rows of an intact file are in order; None without an intact file."""
    if not path.is_file():
        return None
    try:
        return read_verified(path, info, file)[1]
    except DatasetCorruptError:
        return None


def _download(
    info: DatasetInfo, file: DataFile, path: Path, base_url: str | None
) -> tuple[Table, bool]:
    if info.openml_id is None:
        raise DatasetNotFoundError(
            f"No public download of {info.name} is known. {way_out(info, path)}"
        )
    base = (base_url or _OPENML).rstrip("/")
    address = f"{base}/api/v1/json/data/{info.openml_id}"
    description = _description(_get(address), address)
    if description["name"].lower() != info.name:
        raise DatasetCorruptError(f"{address} is {description['name']!r} instead of {info.name!r}.")
    address = description["url"] if base_url is None else base + urlsplit(description["url"]).path
    content = _get(address)
    if md5(content, usedforsecurity=False).hexdigest() != description["md5_checksum"]:
        raise DatasetDownloadError(f"{address} arrived incomplete or altered. Try again.")
    try:
        table = _table(content.decode(), description["default_target_attribute"], info)
        return table, check_content(table, file)
    except ValueError as error:
        raise DatasetCorruptError(
            f"{address} is not the registered {info.name}: {error}. Nothing was written. Save the "
            f"data (from {info.found_at}) as {path} instead."
        ) from error


def _description(content: bytes, address: str) -> dict[str, Any]:
    try:
        description: dict[str, Any] = json.loads(content)["data_set_description"]
        wanted = ("name", "url", "md5_checksum", "default_target_attribute")
        return {key: description[key] for key in wanted}
    except (ValueError, KeyError, TypeError) as error:
        raise DatasetDownloadError(f"{address} does not describe an OpenML data set.") from error


def _get(address: str) -> bytes:
    try:
        from pooch import HTTPDownloader
    except ImportError as error:
        raise ImportError(
            "fetch_dataset needs pooch: pip install 'bicneuron[datasets]'."
        ) from error
    buffer = BytesIO()
    try:
        # A streamed response stays open after an error.
        HTTPDownloader(timeout=_TIMEOUT, stream=False)(address, buffer, None)
    except OSError as error:  # base class of all exceptions of requests
        response = getattr(error, "response", None)
        reason = type(error).__name__ if response is None else f"HTTP {response.status_code}"
        raise DatasetDownloadError(
            f"Cannot download {address}: {reason}. Check the connection or pass base_url."
        ) from error
    return buffer.getvalue()


def _table(arff: str, target_name: str, info: DatasetInfo) -> Table:
    names, rows = parse_arff(arff)
    if target_name not in names:
        raise ValueError(f"it has no attribute {target_name!r}")
    at = names.index(target_name)
    labels = np.array([row.pop(at) for row in rows])
    names.pop(at)
    return Table(
        names[info.openml_skipped :],
        np.array(rows, dtype=np.float64)[:, info.openml_skipped :],
        _registered_labels(labels, info),
    )


def _registered_labels(labels: AnyArray, info: DatasetInfo) -> AnyArray:
    found = Counter(labels.tolist())
    by_count = {count: label for label, count in info.class_counts}
    if sorted(found.values()) != sorted(by_count):
        raise ValueError(f"it has classes of {sorted(found.values())} rows, not {sorted(by_count)}")
    return np.array([by_count[found[label]] for label in labels.tolist()])


def _write(table: Table, path: Path) -> None:
    try:
        write_table(table, path)
    except OSError as error:
        raise OSError(
            f"Cannot write {path}: {error.strerror}. Pass a writable folder as data_home."
        ) from error
