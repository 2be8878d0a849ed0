"""Questions that the paper leaves open: one protocol, many settings, one table."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bicneuron.reproduction._choices import check_names, choose_problems
from bicneuron.reproduction._diagram import check_can_draw
from bicneuron.reproduction._models import Model
from bicneuron.reproduction._problems import PROBLEMS, TABLE_SETS, load_problem
from bicneuron.reproduction._protocols import MISSING, NETWORK, NOISE, PATTERNS, Protocol
from bicneuron.reproduction._records import ExperimentError, Record
from bicneuron.reproduction._reproduce import Track, plan_folds, run, write_rows
from bicneuron.reproduction._runner import Task
from studies._means import mean_rows
from studies.ablation import ABLATION_MODELS, describe_ablation, plot_ablation
from studies.calibration.plan import plan_calibration
from studies.calibration.power import plot_power
from studies.calibration.report import describe_calibration
from studies.calibration.summary import calibration_rows
from studies.discovery.plan import plan_discovery
from studies.discovery.report import describe_discovery
from studies.discovery.summary import discovery_rows
from studies.missing import MISSING_MODELS, describe_missing, plot_missing
from studies.network import NETWORK_MODELS, describe_network, plot_network
from studies.noise import NOISE_MODELS, describe_noise, plot_noise
from studies.small.plan import plan_small
from studies.small.report import describe_small, plot_small, size_rows


@dataclass(frozen=True)
class Study:
    """Classifiers to be compared.

    Parameters
    ----------
    protocols : tuple of Protocol
        Each model is run under all of them.
    models : tuple of Model
    rows : callable
        Summarises the records of all folds, in any order, as rows: dataclasses of one kind.
    describe : callable
        Writes the rows as Markdown.
    plot : callable, default=None
        Draws the rows; returns contents of files by name.
    datasets : tuple of str
        By default the sets of Table 2.
    """

    protocols: tuple[Protocol, ...]
    models: tuple[Model, ...]
    rows: Callable[[Iterable[Any]], Sequence[Any]]
    describe: Callable[[Sequence[Any]], str]
    plot: Callable[[Sequence[Any]], dict[str, str]] | None = None
    datasets: tuple[str, ...] = TABLE_SETS

    def plan(
        self, names: Sequence[str], seed: int, data_home: Path | None, repeats: int | None
    ) -> list[Task[Record]]:
        """All folds, or those of some data sets."""
        if repeats is not None:
            raise ExperimentError(
                "--repeats is for the studies small, discovery and calibration; leave it out."
            )
        load = partial(load_problem, data_home=data_home)
        return [
            fold
            for protocol in self.protocols
            for dataset in choose_problems(self.datasets, names)
            for fold in plan_folds(protocol, dataset, self.models, load, seed)
        ]


@dataclass(frozen=True)
class RepeatedStudy:
    """Runs that are repeated, on drawn tables or on folds, as often as is asked for.

    Parameters
    ----------
    plan : callable
        Lists all runs, or those on some tables; arguments as of `Study.plan`.
    rows, describe, plot
        As in `Study`.
    """

    plan: Callable[[Sequence[str], int, Path | None, int | None], Sequence[Task[Record]]]
    rows: Callable[[Iterable[Any]], Sequence[Any]]
    describe: Callable[[Sequence[Any]], str]
    plot: Callable[[Sequence[Any]], dict[str, str]] | None = None


STUDIES: dict[str, Study | RepeatedStudy] = {
    "network": Study(
        *((NETWORK,), NETWORK_MODELS, mean_rows, describe_network, plot_network), datasets=PROBLEMS
    ),
    "ablation": Study((PATTERNS,), ABLATION_MODELS, mean_rows, describe_ablation, plot_ablation),
    "noise": Study(NOISE, NOISE_MODELS, mean_rows, describe_noise, plot_noise),
    "missing": Study(MISSING, MISSING_MODELS, mean_rows, describe_missing, plot_missing),
    "small": RepeatedStudy(plan_small, size_rows, describe_small, plot_small),
    "discovery": RepeatedStudy(plan_discovery, discovery_rows, describe_discovery),
    "calibration": RepeatedStudy(
        plan_calibration, calibration_rows, describe_calibration, plot_power
    ),
}


def run_study(
    name: str,
    out: Path,
    *,
    datasets: Sequence[str] = (),
    seed: int = 0,
    n_jobs: int = 1,
    force: bool = False,
    data_home: Path | None = None,
    repeats: int | None = None,
    track: Track = lambda records, n_finished, n_folds: records,
) -> list[Path]:
    """Run a study and write what it shows.

    Parameters
    ----------
    name : str
        One of `STUDIES`.
        "network" compares `BicNeuronNetwork` with strong rivals, "ablation" with itself on random
        pairs.
        "noise" trains on wrong labels, "missing" on tables with missing cells. "small" compares
        networks of a few patterns with rivals that use as many columns. "discovery" compares
        methods that find hidden groups.
        "calibration" asks how often `significance_test` finds something in noise, and what it
        finds otherwise.
    out : Path
        Output folder: ``<name>.md``, ``<name>.csv``, plots and one file per fold under ``records``.
    datasets : sequence of str, default=()
        Only these; by default all of the study. In "discovery", tables such as "shift-2-normal" or
        sections: "planted", "null", "unpast", "blocks", "subtypes". In "calibration", tables such
        as "null-colon" or sections: "null", "power".
    repeats : int, default=None
        In "discovery", at most this many tables of each kind; by default 10, and 50 with nothing
        planted, and 5 of each scenario of UnPaSt. In "calibration", 200 without a group, and 20
        with one. In "small", at most this many of the ten folds.
    seed, n_jobs, force, data_home, track
        As in `reproduce`.

    Returns
    -------
    list of Path
        The written files.
    """
    check_names("study", [name], STUDIES)
    study = STUDIES[name]
    if study.plot:
        check_can_draw()
    folds = study.plan(datasets, seed, data_home, repeats)
    return write_study(name, run(folds, out, n_jobs=n_jobs, force=force, track=track), out)


def write_study(name: str, records: Iterable[Record], out: Path) -> list[Path]:
    """Write the rows of a study as Markdown, CSV and plots; they depend on the records only."""
    study = STUDIES[name]
    rows = study.rows(records)
    plots = study.plot(rows) if study.plot else {}
    return write_rows(name, rows, study.describe(rows), out, plots)
