"""Tables that are drawn by a seed, many of each kind, and what runs on them share."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Generic, TypeVar

from joblib import parallel_config
from threadpoolctl import threadpool_limits

from bicneuron._core._arrays import FloatArray
from bicneuron.datasets import PlantedTable
from reproduction._choices import check_names
from reproduction.datasets import get_data_home


@dataclass(frozen=True, eq=False)
class TableKind:
    """A kind of table; a seed gives one of them.

    Parameters
    ----------
    section : str
        Part of the study.
    name : str
    make : callable
        Makes a table from ``random_state``.
    n_tables : int
        How many are made.
    size : int
        Number of values of a table.
    settings : dict
        Everything else that the tables depend on.
    """

    section: str
    name: str
    make: Callable[..., PlantedTable]
    n_tables: int
    size: int
    settings: dict[str, Any] = field(default_factory=dict)

    def indices(self, repeats: int | None) -> range:
        """Numbers of the tables that are made, at most this many."""
        return range(min(self.n_tables, repeats or self.n_tables))


AnyTableKind = TypeVar("AnyTableKind", bound=TableKind)


@dataclass(frozen=True, eq=False)
class TableRun(Generic[AnyTableKind]):
    """Work on one table.

    Parameters
    ----------
    table : TableKind
    index : int
        Number of the table, counted from 0.
    seed : int
        Seed of the whole study.
    """

    table: AnyTableKind
    index: int
    seed: int

    @property
    def data(self) -> AnyTableKind:
        """The kind of table, which many runs share."""
        return self.table

    @property
    def size(self) -> int:
        """Number of values of the table."""
        return self.table.size


def choose_kinds(sections: Mapping[str, Sequence[str]], names: Sequence[str]) -> list[str]:
    """Names of all kinds of table, or of those that are named, alone or by their section."""
    known = [(section, name) for section, own in sections.items() for name in own]
    check_names("data set", names, [*sections, *(name for _, name in known)])
    return [name for section, name in known if not names or {section, name} & {*names}]


def warn_of_missing(files: Sequence[str], data_home: Path | None) -> None:
    """Warn of files without which some tables cannot be made."""
    if files:
        warnings.warn(
            f"{get_data_home(data_home)} has no {', '.join(files)}; tables that need them are "
            "left out.",
            stacklevel=3,
        )


def derived_seed(*parts: object) -> int:
    """Seed of one table, from that of the study and the name and number of the table."""
    key = "/".join(map(str, parts))
    return int.from_bytes(blake2b(key.encode(), digest_size=4).digest(), "little") >> 1


def digest(values: FloatArray | None) -> str | None:
    """Fingerprint of data, for records."""
    return None if values is None else blake2b(values.tobytes(), digest_size=8).hexdigest()


@contextmanager
def one_quiet_thread() -> Iterator[None]:
    """Run in one thread, without warnings: an empty result is a result.

    Runs go side by side, and sums over threads may differ in their last bits.
    """
    with threadpool_limits(1), parallel_config(backend="sequential"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
