"""Real gene expression: tumours with known subtypes, and backgrounds of made-up tables."""

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.datasets import PlantedGroup, PlantedTable
from reproduction.datasets import get_data_home, load_dataset
from reproduction.datasets._files import LabelledValues, parse_csv
from reproduction.exceptions import DatasetCorruptError, DatasetNotFoundError


@dataclass(frozen=True)
class SubtypeSet:
    """The classes of a file that are cases with subtypes; all others are controls.

    Parameters
    ----------
    subtypes : tuple of str
        Classes that are cases; all others are controls.
    is_raw : bool, default=False
        The values are intensities; their logarithm is taken.
    """

    subtypes: tuple[str, ...]
    is_raw: bool = False


SUBTYPE_SETS = {
    "bhattacharjee": SubtypeSet(("AD", "SQ", "COID", "SCLC"), is_raw=True),
    "khan": SubtypeSet(("EWS", "BL", "RMS")),
    "lapointe": SubtypeSet(("PT1", "PT2", "PT3")),
    "su": SubtypeSet(("PR", "BR", "LU", "OV", "BL"), is_raw=True),
    "tomlins": SubtypeSet(("MET", "PCA", "PIN")),
}


def subtype_file(folder: Path, name: str) -> Path:
    """Where the file of a set is in the data folder."""
    return folder / "subtypes" / f"{name}.csv.gz"


def log_intensities(values: FloatArray) -> FloatArray:
    """Logarithms to base 2; what is below 1 is noise and counts as 1."""
    logarithms: FloatArray = np.log2(np.maximum(values, 1))
    return logarithms


def read_csv(path: Path) -> LabelledValues:
    """Read a file that is not registered: gzipped CSV with the class in the last column."""
    try:
        return parse_csv(path.read_bytes())
    except (EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        reason = f"{error}".partition("\n")[0].rstrip(".")
        raise DatasetCorruptError(f"{path} cannot be read: {reason}.") from error


def load_subtypes(path: Path, name: str) -> tuple[PlantedTable, tuple[str, ...]]:
    """Load a set; its groups are the subtypes, without columns. Their names are given, too."""
    chosen = SUBTYPE_SETS[name]
    table = read_csv(path)
    for subtype in chosen.subtypes:
        if subtype not in table.target:
            raise DatasetCorruptError(f"{path} has no row of class {subtype!r}.")
    X = log_intensities(table.data) if chosen.is_raw else table.data
    y = np.where(np.isin(table.target, chosen.subtypes), "case", "control")
    no_columns = np.array([], dtype=np.intp)
    groups = tuple(
        PlantedGroup(np.flatnonzero(table.target == subtype), no_columns)
        for subtype in chosen.subtypes
    )
    return PlantedTable(X, y, groups), chosen.subtypes


def load_expression(name: str, data_home: Path | None) -> FloatArray:
    """Load a set with intensities, or one with subtypes, without its labels.

    Parameters
    ----------
    name : str
        "colon" or "singh", which have intensities, or one of the sets with subtypes.
    data_home : Path or None
        As in `load_dataset`.

    Returns
    -------
    array of shape (n_rows, n_columns)

    Raises
    ------
    DatasetNotFoundError
        If there is no file of it.
    """
    if name not in SUBTYPE_SETS:
        return log_intensities(load_dataset(name, data_home=data_home, return_X_y=True)[0])
    path = subtype_file(get_data_home(data_home), name)
    if not path.is_file():
        raise DatasetNotFoundError(f"there is no {path}.")
    return load_subtypes(path, name)[0].X


def expression_file(name: str) -> str:
    """Where the file of a set is in the data folder."""
    return str(subtype_file(Path(), name)) if name in SUBTYPE_SETS else f"{name}.csv.gz"
