"""Questions that the paper leaves open: one protocol, many settings, one table."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bicneuron.experiments._atomic import write_atomically
from bicneuron.experiments._choices import check_names, choose_problems
from bicneuron.experiments._models import Model
from bicneuron.experiments._preset_choices import SETTINGS, choice_rows, describe_choices
from bicneuron.experiments._problems import load_problem
from bicneuron.experiments._protocols import CHOICES, PAPER, Protocol
from bicneuron.experiments._readings import READINGS, describe_readings, reading_rows
from bicneuron.experiments._records import FoldRecord
from bicneuron.experiments._reproduce import Track, plan_folds, run


@dataclass(frozen=True)
class Study:
    """Settings that are held against each other.

    Parameters
    ----------
    protocol : Protocol
    models : tuple of Model
        The settings.
    rows : callable
        Sums up the records of all folds, in any order, as rows: dataclasses of one kind.
    describe : callable
        Writes the rows as Markdown.
    """

    protocol: Protocol
    models: tuple[Model, ...]
    rows: Callable[[Iterable[FoldRecord]], Sequence[Any]]
    describe: Callable[[Sequence[Any]], str]


STUDIES = {
    "readings": Study(PAPER, READINGS, reading_rows, describe_readings),
    "choices": Study(CHOICES, SETTINGS, choice_rows, describe_choices),
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
    track: Track = lambda records, n_finished, n_folds: records,
) -> list[Path]:
    """Run a study on the sets of Table 2 and write what it shows.

    Parameters
    ----------
    name : {"readings", "choices"}
        "readings" runs BN under the paper protocol with each reading of its miner, "choices" the
        preset "best" of `BicNeuronClassifierCV` and others that differ from it in one thing.
    out : Path
        Output folder: ``<name>.md``, ``<name>.csv`` and one file per fold under ``records``.
    datasets : sequence of str, default=()
        Only these; by default the sets of Table 2.
    seed, n_jobs, force, data_home, track
        As in `reproduce`.

    Returns
    -------
    list of Path
        The written files.
    """
    check_names("study", [name], STUDIES)
    study = STUDIES[name]
    load = partial(load_problem, data_home=data_home)
    folds = [
        fold
        for dataset in choose_problems((2,), datasets)
        for fold in plan_folds(study.protocol, dataset, study.models, load, seed)
    ]
    return write_study(name, run(folds, out, n_jobs=n_jobs, force=force, track=track), out)


def write_study(name: str, records: Iterable[FoldRecord], out: Path) -> list[Path]:
    """Write the rows of a study as Markdown and as CSV; they depend on the records only."""
    study = STUDIES[name]
    rows = study.rows(records)
    contents = {f"{name}.md": study.describe(rows), f"{name}.csv": _csv(rows)}
    for file, content in contents.items():
        write_atomically(out / file, content)
    return [out / file for file in contents]


def _csv(rows: Sequence[Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(vars(rows[0]))
    writer.writerows(vars(row).values() for row in rows)
    return text.getvalue()
