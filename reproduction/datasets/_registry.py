"""The registry of the paper's fourteen data sets, read from ``registry.toml``."""

import os
import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file and what it must hold."""

    name: str
    shape: tuple[int, int]
    sha256: str
    content: str
    row_set: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetInfo:
    """Facts about one data set of the paper's Table 1.

    ``paper_percentages`` and ``class_counts`` begin with the smallest class. ``paper_file`` is what
    ``variant="paper"`` reads instead of ``file``, ``paper_row_index`` whether it appends the row
    index, and ``paper_leak`` how the paper's features reveal the class. ``openml_id`` is a public
    copy, without whose leading ``openml_skipped`` columns it is our file. ``subjects`` has the
    person of each row, where people have several. ``unavailable`` says why there is no file, and
    ``stand_in`` where `load_dataset` takes the data from without one.
    """

    name: str
    title: str
    paper_shape: tuple[int, int]
    paper_percentages: tuple[float, ...]
    source: str
    found_at: str
    licence: str
    class_counts: tuple[tuple[str, int], ...] = ()
    file: DataFile | None = None
    paper_file: DataFile | None = None
    paper_row_index: bool = False
    paper_leak: str | None = None
    openml_id: int | None = None
    openml_skipped: int = 0
    subjects: tuple[str, ...] | None = field(default=None, repr=False)
    unavailable: str | None = None
    stand_in: str | None = None

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows and features of our file; None if there is none."""
        return None if self.file is None else self.file.shape

    def location(self, data_home: str | os.PathLike[str] | None = None) -> str:
        """Return the path of the file, what replaces it, or how to get it."""
        if self.file is None:
            return str(self.unavailable)
        path = get_data_home(data_home) / self.file.name
        return str(path) if path.is_file() else self.stand_in or self.how_to_get(path)

    def how_to_get(self, path: Path) -> str:
        """Return advice on how to get an intact file to ``path``."""
        if self.openml_id is not None:
            get = f"Download it with fetch_dataset({self.name!r})"
        else:
            get = f"Save the data (from {self.found_at}) as {path}"
        return f"{get}, or set data_home or BICNEURON_DATA to a folder that has the file."


def get_data_home(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder where data sets are looked for and downloaded to; it need not exist.

    None: the one that the environment variable ``BICNEURON_DATA`` names, else ``bicneuron`` in the
    user's cache directory (``XDG_CACHE_HOME``, else ``~/.cache``).
    """
    chosen = data_home or os.environ.get("BICNEURON_DATA")
    if chosen:
        return Path(chosen).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "bicneuron"


def list_datasets() -> list[str]:
    """Name the fourteen data sets of the paper, in the order of its Table 1."""
    return list(_registry())


def dataset_info(name: str) -> DatasetInfo:
    """Describe a data set: shapes, classes, source, terms, checksums, subjects.

    Examples
    --------
    >>> from reproduction.datasets import dataset_info
    >>> info = dataset_info("sonar")
    >>> info.shape, info.paper_shape, info.class_counts
    ((208, 60), (208, 61), (('R', 97), ('M', 111)))
    >>> info.paper_leak
    'feature 61 is the row index, and the rows are sorted by class'
    """
    known = _registry()
    if name in known:
        return known[name]
    close = get_close_matches(str(name), known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"name={name!r} is not a data set.{hint} Known: {', '.join(known)}.")


@cache
def _registry() -> dict[str, DatasetInfo]:
    content = files("reproduction.datasets").joinpath("registry.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(content)["dataset"]
    return {entry["name"]: _info(entry) for entry in entries}


def _info(entry: dict[str, Any]) -> DatasetInfo:
    values = {key: _tuples(value) for key, value in entry.items()}
    for key in ("file", "paper_file"):
        if key in entry:
            values[key] = DataFile(**{k: _tuples(v) for k, v in entry[key].items()})
    if "subjects" in values:
        values["subjects"] = tuple(
            person for person, n_rows in values["subjects"] for _ in range(n_rows)
        )
    return DatasetInfo(**values)


def _tuples(value: Any) -> Any:
    """Lists as tuples, so that entries can be hashed."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
