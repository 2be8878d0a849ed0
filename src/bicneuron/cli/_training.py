"""The table that a model learns from."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bicneuron.cli._answer import Answer
from bicneuron.cli._options import split_names

if TYPE_CHECKING:
    from bicneuron.tables import Table


def read_training_table(
    answer: Answer,
    table: Path,
    *,
    target: str | None,
    id_column: str | None,
    drop: Sequence[str] | None,
    layer: str | None,
) -> "Table":
    """Read it as the options say, and print what was guessed."""
    from bicneuron.tables import read_table

    with answer.working("reading"):
        dropped = split_names(",".join(drop or ()))
        read = read_table(table, target=target, id_column=id_column, drop=dropped, layer=layer)
    answer.note(read.notes)
    return read
