"""The table that a model learns from."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bicneuron.cli._answer import Answer
from bicneuron.cli._messages import CommandError
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
    strata: str | None = None,
    groups: str | None = None,
    decimal: str | None = None,
    dates: str | None = None,
    strict: bool = False,
    max_memory: float | None = None,
    keep_missing: bool = False,
    transpose: bool | None = None,
    phenotype: Path | None = None,
    genes: str | None = None,
    probes: str | None = None,
    log: bool = False,
) -> "Table":
    """Read it as the options say, and print what was guessed and changed."""
    from bicneuron.tables import read_table

    with answer.working("reading"):
        read = read_table(
            table,
            target=target,
            id_column=id_column,
            drop=split_names(",".join(drop or ())),
            layer=layer,
            aside=_checked_aside({"strata": strata, "groups": groups}, target, id_column),
            decimal=decimal,
            dates=dates,
            strict=strict,
            max_memory=max_memory,
            keep_missing=keep_missing,
            transpose=transpose,
            phenotype=phenotype,
            genes=genes,
            probes=probes,
            log=log,
        )
    answer.note(read.notes)
    return read


def _checked_aside(
    aside: Mapping[str, str | None], target: str | None, id_column: str | None
) -> dict[str, str]:
    """Columns that were named; refuse one that is something else already."""
    named = {option: column for option, column in aside.items() if column is not None}
    for option, column in named.items():
        for other, taken in (("target", target), ("id", id_column)):
            if column == taken:
                raise CommandError(
                    f"--{option} is {column!r}, which --{other} is too; name another column."
                )
    return named
