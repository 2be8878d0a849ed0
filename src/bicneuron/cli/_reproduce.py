"""``bicneuron reproduce``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import track
from bicneuron.cli._cluster import on_cluster
from bicneuron.cli._messages import CommandError, in_one_line, say


class ProtocolName(StrEnum):
    """Values of --protocol."""

    paper = "paper"
    clean = "clean"
    both = "both"


class TableNumber(StrEnum):
    """Values of --table."""

    two = "2"
    three = "3"
    four = "4"
    five = "5"
    all = "all"


def reproduce(
    protocol: Annotated[
        ProtocolName | None, typer.Option(help="The paper's way, a clean one  [default: both]")
    ] = None,
    table: Annotated[TableNumber, typer.Option(help="Table of the paper.")] = TableNumber.all,
    datasets: Annotated[str, typer.Option(help="Only these data sets, as in wdbc,sonar,eeg.")] = "",
    models: Annotated[str, typer.Option(help="Only these models, as in SP,BN.")] = "",
    rivals: Annotated[
        bool, typer.Option("--rivals", help="Add scikit-learn's classifiers (clean protocol).")
    ] = False,
    grouped: Annotated[
        bool, typer.Option("--grouped", help="Keep a person's rows together (clean protocol).")
    ] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="A minute, on data that need no file: clean protocol, into results-quick.",
        ),
    ] = False,
    readings: Annotated[
        bool,
        typer.Option(
            "--readings",
            help="Not the tables: each reading of the paper's miner beside the printed rows.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Output folder; an interrupted run continues there  [default: results]"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Run folds of other settings again.")
    ] = False,
    data: options.DataFolder = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 0,
    dask: Annotated[str, typer.Option(metavar="ADDRESS", help="Run on a Dask cluster.")] = "",
) -> None:
    """Run the paper's Tables 2 to 5.

    They are written beside the printed numbers, as Markdown and as a page.

    \b
    Examples:
      bicneuron reproduce --quick
      bicneuron reproduce --table 3 --protocol paper --datasets wdbc,sonar
      bicneuron reproduce --readings
    """
    with in_one_line(), on_cluster(dask, jobs, error_of=_failed_fold):
        from bicneuron import reproduction

        folder = out or Path("results-quick" if quick else "results")
        common: dict[str, Any] = {
            "datasets": options.split_names(datasets),
            "seed": seed,
            "n_jobs": jobs or -1,
            "force": force,
            "data_home": data,
            "track": track,
        }
        if readings:
            given = (protocol, models, rivals, grouped, quick, table is not TableNumber.all)
            if any(given):
                raise CommandError(
                    "--readings runs BN under the paper protocol; leave out --protocol, --table, "
                    "--models, --rivals, --grouped and --quick."
                )
            written = reproduction.reproduce_readings(folder, **common)
        else:
            written = reproduction.reproduce(
                folder,
                protocol=protocol or ("clean" if quick else "both"),
                tables=(2, 3, 4, 5) if table is TableNumber.all else (int(table),),
                models=options.split_names(models),
                rivals=rivals,
                grouped=grouped,
                quick=quick,
                **common,
            )
        for path in written:
            say(f"wrote {path}")


def _failed_fold(reason: str) -> Exception:
    from bicneuron.reproduction import FailedFoldError

    return FailedFoldError(f"{reason} The finished folds are kept.")
