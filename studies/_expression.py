"""Real gene expression, in logarithms, as a background of made-up tables."""

from pathlib import Path

from bicneuron._core._arrays import FloatArray
from bicneuron.datasets import get_data_home, load_dataset
from bicneuron.exceptions import DatasetNotFoundError
from studies._subtypes import (
    SUBTYPE_SETS,
    load_subtypes,
    log_intensities,
    subtype_file,
)


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
