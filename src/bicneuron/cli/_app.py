"""Commands: they parse, make one call and tell what was written.

Everything heavy is imported inside the commands, so that ``--help`` answers at once.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bicneuron.cli._messages import in_one_line
from bicneuron.cli._progress import track

app = typer.Typer(
    help="Classification with contrastive biclusters.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Protocol(StrEnum):
    """What --protocol takes."""

    paper = "paper"
    clean = "clean"
    both = "both"


class Table(StrEnum):
    """What --table takes."""

    two = "2"
    three = "3"
    four = "4"
    five = "5"
    all = "all"


class Study(StrEnum):
    """What study takes."""

    readings = "readings"
    choices = "choices"
    network = "network"
    eeg = "eeg"
    ablation = "ablation"
    noise = "noise"
    designs = "designs"
    small = "small"


Datasets = Annotated[str, typer.Option(help="Only these data sets, as in wdbc,sonar,eeg.")]
Seed = Annotated[int, typer.Option(help="Seed of folds and models.", min=0)]
Jobs = Annotated[int, typer.Option(help="Processes; 0 takes all cores.", min=0)]
Out = Annotated[
    Path | None,
    typer.Option(help="Output folder; a run that was cut short goes on there  [default: results]"),
]
Force = Annotated[bool, typer.Option("--force", help="Run folds of other settings anew.")]
Data = Annotated[
    Path | None, typer.Option(help="Folder with the data files  [default: $BICNEURON_DATA]")
]


@app.callback()
def root() -> None:
    """Classification with contrastive biclusters."""


@app.command("reproduce")
def reproduce_command(
    protocol: Annotated[
        Protocol | None, typer.Option(help="The paper's way, a clean one  [default: both]")
    ] = None,
    table: Annotated[Table, typer.Option(help="Table of the paper.")] = Table.all,
    datasets: Datasets = "",
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
    seed: Seed = 0,
    jobs: Jobs = 0,
    out: Out = None,
    force: Force = False,
    data: Data = None,
) -> None:
    """Run the paper's Tables 2 to 5 and write them beside the printed numbers."""
    with in_one_line():
        from bicneuron.experiments import reproduce

        written = reproduce(
            out or Path("results-quick" if quick else "results"),
            protocol=protocol or ("clean" if quick else "both"),
            tables=(2, 3, 4, 5) if table is Table.all else (int(table),),
            datasets=_names(datasets),
            models=_names(models),
            rivals=rivals,
            grouped=grouped,
            quick=quick,
            seed=seed,
            n_jobs=jobs or -1,
            force=force,
            data_home=data,
            track=track,
        )
        _tell(written)


@app.command("study")
def study_command(
    name: Annotated[Study, typer.Argument(help="Which one.", show_default=False)],
    datasets: Datasets = "",
    seed: Seed = 0,
    jobs: Jobs = 0,
    out: Out = None,
    force: Force = False,
    data: Data = None,
) -> None:
    """Run many settings and hold them against each other: questions the paper leaves open.

    readings: each reading of the paper's miner beside the printed rows.

    choices: what each choice behind our best setting is worth.

    network: many neurons against strong rivals, EEG pairs included.

    eeg: many neurons against a forest, five EEG classes at once.

    ablation: mined against random pairs of the same sizes.

    noise: up to 30 % wrong labels in the training rows.

    designs: what else was tried for a network of ten patterns.

    small: accuracy against the number of patterns, beside rivals as small.
    """
    with in_one_line():
        from bicneuron.experiments import run_study

        written = run_study(
            name,
            out or Path("results"),
            datasets=_names(datasets),
            seed=seed,
            n_jobs=jobs or -1,
            force=force,
            data_home=data,
            track=track,
        )
        _tell(written)


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]


def _tell(written: list[Path]) -> None:
    for path in written:
        typer.echo(f"wrote {path}")
