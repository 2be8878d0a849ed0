"""Run the paper's experiments again and compare the results with its tables."""

import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from bicneuron._shared._files import write_atomically
from reproduction._choices import (
    choose_models,
    choose_problems,
    choose_protocols,
    problems_of_tables,
)
from reproduction._folds import Fold
from reproduction._models import Model
from reproduction._problems import Problem, Variant, load_problem, quick_problem
from reproduction._protocols import FoldProtocol
from reproduction._records import AnyRecord
from reproduction._render import check_can_render, write_report
from reproduction._runner import Task, read_finished, run_folds
from reproduction.exceptions import ExperimentError

# Reports progress: gets the records as folds finish, the number of folds that were finished before
# and the number of all folds, and passes the records on.
Track = Callable[[Iterator[Any], int, int], Iterable[Any]]


def reproduce(  # noqa: PLR0913  # an argument for each option
    out: Path,
    *,
    protocol: str = "both",
    tables: Sequence[int] = (2, 3, 4, 5),
    datasets: Sequence[str] = (),
    models: Sequence[str] = (),
    rivals: bool = False,
    grouped: bool = False,
    quick: bool = False,
    seed: int = 0,
    n_jobs: int = 1,
    force: bool = False,
    data_home: Path | None = None,
    track: Track = lambda records, n_finished, n_folds: records,
) -> list[Path]:
    """Run the experiments behind Tables 2 to 5 and write a report.

    Folds that an earlier call with the same ``out`` finished are not run again.

    Parameters
    ----------
    out : Path
        Output folder: ``report.md``, ``report.html``, ``folds.csv`` and one file per fold under
        ``records``.
    protocol : {"both", "paper", "clean"}, default="both"
    tables : sequence of int, default=(2, 3, 4, 5)
        Tables of the paper; they choose the data sets.
    datasets, models : sequence of str, default=()
        Only these; by default those of the tables, and under the clean protocol BN_CV and
        BN_LOCAL.
    rivals : bool, default=False
        Add baselines of scikit-learn, under the clean protocol.
    grouped : bool, default=False
        In the clean protocol, keep the rows of a person together where persons are known.
    quick : bool, default=False
        Clean protocol on data that need no file, with fewer rows and folds: a minute.
    seed : int, default=0
    n_jobs : int, default=1
        Processes. The result does not depend on it.
    force : bool, default=False
        Run folds again whose records were made with other settings or versions.
    data_home : Path, default=None
        Folder with the data files, as in `reproduction.datasets.load_dataset`.
    track : callable
        Reports progress; by default nothing is shown.

    Returns
    -------
    list of Path
        The written files.

    Raises
    ------
    ExperimentError
        If the experiments cannot be run as asked.
    """
    load = quick_problem if quick else partial(load_problem, data_home=data_home)
    folds = [
        fold
        for each in choose_protocols(protocol, grouped=grouped, quick=quick)
        for name in choose_problems(problems_of_tables(tables, quick=quick), datasets)
        for fold in plan_folds(each, name, choose_models(each, name, models, rivals), load, seed)
    ]
    check_can_render()
    records = run(folds, out, n_jobs=n_jobs, force=force, track=track)
    return write_report(map(asdict, records), out, tables)


def run(
    folds: Sequence[Task[AnyRecord]], out: Path, *, n_jobs: int, force: bool, track: Track
) -> list[AnyRecord]:
    """Run the missing folds and return the records of all folds."""
    if not folds:
        raise ExperimentError(
            "nothing to run: the chosen tables, data sets, models and protocols do not go together."
        )
    check_writable(out)
    records, missing = read_finished(folds, out, force=force)
    new = run_folds(missing, out, n_jobs=n_jobs)
    return [*records, *track(new, len(records), len(folds))]


def plan_folds(
    protocol: FoldProtocol,
    name: str,
    models: Sequence[Model],
    load: Callable[[str, Variant], Problem],
    seed: int,
) -> list[Fold]:
    """All folds of some models on one data set under one protocol."""
    if not models:
        return []
    problem = protocol.prepare(load(name, protocol.variant), seed)
    return [
        Fold(protocol, problem, model, index, seed)
        for model in models
        for index in range(len(protocol.split(problem, seed)))
    ]


def write_rows(
    name: str,
    rows: Sequence[Any],
    description: str,
    out: Path,
    plots: Mapping[str, str] | None = None,
) -> list[Path]:
    """Write a table as Markdown and as CSV, and its plots."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(vars(rows[0]))
    writer.writerows(vars(row).values() for row in rows)
    contents = {f"{name}.md": description, f"{name}.csv": text.getvalue(), **(plots or {})}
    for file, content in contents.items():
        write_atomically(out / file, content)
    return [out / file for file in contents]


def check_writable(out: Path) -> None:
    """Refuse an output folder that cannot be written, before the run starts."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise ExperimentError(
            f"cannot write to {out} ({error.strerror}); choose another --out."
        ) from error
