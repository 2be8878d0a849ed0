"""Groups of other tools, as ``bicneuron find --given`` names them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli._messages import CommandError

if TYPE_CHECKING:
    from bicneuron.tables import Table

_ENDINGS = (".gmt", ".csv", ".tsv", ".txt", ".gz", ".zip", ".xlsx", ".parquet")


def column_given(given: str | None) -> str | None:
    """The column of the table that is named, if it is no file."""
    if given is None or Path(given).is_file():
        return None
    if given.lower().endswith(_ENDINGS):
        raise CommandError(f"--given {given} does not exist.")
    return given


def read_given(given: str, read: "Table") -> Any:
    """The groups in a file, or those in a column that was set aside."""
    from bicneuron.tables import read_groups
    from bicneuron.tables._given import groups_of

    if (column := read.aside.get("given")) is None:
        return read_groups(given)
    return groups_of({given: column.tolist()}, read.features.index, Path(given))
