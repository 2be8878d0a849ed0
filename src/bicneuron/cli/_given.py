"""Groups of other tools, as ``bicneuron find --given`` names them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli._messages import CommandError

if TYPE_CHECKING:
    from bicneuron.tables import Table

_ENDINGS = (".gmt", ".csv", ".tsv", ".txt", ".gz", ".zip", ".xlsx", ".parquet")


def given_groups(given: str | None) -> tuple[list[Path], str | None]:
    """The file that is named, or the column of the table."""
    if given is None:
        return [], None
    path = Path(given)
    if path.is_file():
        return [path], None
    if given.lower().endswith(_ENDINGS):
        raise CommandError(f"--given {given} does not exist.")
    return [], given


def read_given(given: str, column: str | None, read: "Table") -> Any:
    """The groups in a file, or those in a column that was set aside."""
    from bicneuron.tables import read_groups
    from bicneuron.tables._given import groups_of

    if column is None:
        return read_groups(given)
    return groups_of({column: read.aside["given"].tolist()}, read.features.index, Path(given))
