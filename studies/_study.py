"""The skeleton that all studies share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bicneuron._shared._plots import check_matplotlib
from reproduction._records import Record
from reproduction._reproduce import Track, run, write_rows
from reproduction._runner import Task

# From names of data sets, tables or sections (all if there are none), the seed, the folder with the
# data files or None, and the largest number of repetitions or None, to all runs.
Plan = Callable[[Sequence[str], int, Path | None, int | None], Sequence[Task[Record]]]


@dataclass(frozen=True)
class Study:
    """Runs of methods on tables, a summary of their records, and a report of the summary.

    Parameters
    ----------
    name : str
        Name of the module or package, and of the written files.
    plan : callable
        Lists all runs, or those on some tables; see `Plan`.
    summarise : callable
        Summarises the records of all runs, in any order, as rows: dataclasses of one kind.
    describe : callable
        Writes the rows as Markdown.
    plot : callable, default=None
        Draws the rows; returns contents of files by name.
    check : callable, default=check_matplotlib
        Raises an error before a long run if its plots could not be drawn.
    """

    name: str
    plan: Plan
    summarise: Callable[[Iterable[Any]], Sequence[Any]]
    describe: Callable[[Sequence[Any]], str]
    plot: Callable[[Sequence[Any]], dict[str, str]] | None = None
    check: Callable[[], None] = check_matplotlib


def run_study(  # noqa: PLR0913  # an argument for each option
    study: Study,
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
    """Run a study and write its report.

    Parameters
    ----------
    study : Study
    out : Path
        Output folder: ``<name>.md``, ``<name>.csv``, plots and one file per run under ``records``.
    datasets : sequence of str, default=()
        Only these; by default all of the study. In "discovery", tables such as "shift-2-normal" or
        sections: "planted", "null", "unpast", "blocks", "subtypes", "shares", "noise",
        "distributions", "known-structure". In "calibration", tables such as "null-colon" or
        sections: "null", "power", "finding", "outcome". In "columns", tables such as
        "t3-1.5-0.3" or sections: "made", "colon". In "replication", kinds such as "panel-60" or
        sections: "level", "panels", "labels", "power", "cohorts". In "small", data sets, tables
        such as "shift-2-30" or sections: "real", "planted".
    repeats : int, default=None
        In "discovery", at most this many tables of each kind; by default 10, and 50 with nothing
        planted, 100 of each kind of noise, and 5 of each scenario of UnPaSt. In "calibration", 200
        without a group, and 20 with one. In "small", at most this many of the ten folds of a data
        set and of the ten tables of a kind.
    seed, n_jobs, force, data_home, track
        As in `reproduction.reproduce`.

    Returns
    -------
    list of Path
        The written files.
    """
    if study.plot:
        study.check()
    tasks = study.plan(datasets, seed, data_home, repeats)
    return write_study(study, run(tasks, out, n_jobs=n_jobs, force=force, track=track), out)


def write_study(study: Study, records: Iterable[Record], out: Path) -> list[Path]:
    """Write the rows of a study as Markdown, CSV and plots; they depend on the records only."""
    rows = study.summarise(records)
    plots = study.plot(rows) if study.plot else {}
    return write_rows(study.name, rows, study.describe(rows), out, plots)
