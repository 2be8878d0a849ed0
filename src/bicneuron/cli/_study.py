"""``bicneuron study``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._cluster import on_cluster
from bicneuron.cli._messages import in_one_line, say
from bicneuron.cli._progress import track


class Study(StrEnum):
    """What study takes."""

    readings = "readings"
    network = "network"
    ablation = "ablation"
    noise = "noise"
    missing = "missing"
    small = "small"
    discovery = "discovery"
    calibration = "calibration"


def study(
    name: Annotated[Study, typer.Argument(help="Which one.", show_default=False)],
    datasets: options.Datasets = "",
    seed: options.Seed = 0,
    jobs: options.Jobs = 0,
    dask: options.Cluster = "",
    out: options.ResultFolder = None,
    force: options.RunAnew = False,
    data: options.DataFolder = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            help="At most this many tables of each kind (discovery, calibration) or folds (small)  "
            "[default: 5 to 200]",
            min=1,
        ),
    ] = None,
) -> None:
    """Ask what the paper leaves open.

    Each study runs many settings and holds them against each other.

    readings: each reading of the paper's miner beside the printed rows.

    network: many neurons against strong rivals, EEG pairs included.

    ablation: mined against random pairs of the same sizes.

    noise: up to 30 % wrong labels in the training rows.

    missing: up to half of the cells missing, in training and test rows.

    small: a few patterns beside rivals that use as many columns.

    discovery: groups hidden in made-up and real tables, beside other ways to find them.

    calibration: what the significance test says of noise, and of planted groups.
    """
    with in_one_line(), on_cluster(dask, jobs):
        from bicneuron.experiments import run_study

        written = run_study(
            name,
            out or Path("results"),
            datasets=options.split_names(datasets),
            seed=seed,
            n_jobs=jobs or -1,
            force=force,
            data_home=data,
            repeats=repeats,
            track=track,
        )
        for path in written:
            say(f"wrote {path}")
