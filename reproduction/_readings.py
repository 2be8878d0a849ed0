"""All readings of the paper's miner that the library offers, compared with the printed rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product, starmap
from pathlib import Path
from statistics import fmean
from typing import get_args

from bicneuron.neurons import OnlinePerceptron
from reproduction._choices import choose_problems
from reproduction._models import Model, Scale, bicneuron
from reproduction._problems import TABLE_SETS, load_problem
from reproduction._protocols import PAPER
from reproduction._published import load_published, rounds_to
from reproduction._records import FoldRecord
from reproduction._reproduce import Track, plan_folds, run, write_rows

MEASURES = {"acc": "ACC", "label_auc": "label AUC"}


def _reading(search: str, scale: Scale, minimum: int, merge: bool) -> Model:
    build = partial(
        bicneuron,
        neuron=OnlinePerceptron(),
        scale=scale,
        search=search,
        min_rows=minimum,
        min_columns=minimum,
        merge=merge,
    )
    merged = "merged" if merge else "apart"
    return Model(f"BN-{search}-{scale}-{minimum}-{merged}", build, protocols=(PAPER.name,))


READINGS = tuple(
    starmap(_reading, product(("grow", "prune"), get_args(Scale), (3, 2), (True, False)))
)


@dataclass(frozen=True)
class ReadingRow:
    """One reading on one data set by one measure, and the printed value."""

    dataset: str
    reading: str
    measure: str
    mean: float
    printed: float
    exact: int
    fallbacks: int


def reproduce_readings(
    out: Path,
    *,
    datasets: Sequence[str] = (),
    seed: int = 0,
    n_jobs: int = 1,
    force: bool = False,
    data_home: Path | None = None,
    track: Track = lambda records, n_finished, n_folds: records,
) -> list[Path]:
    """Run BN under the paper protocol with each reading of its miner.

    Parameters
    ----------
    out : Path
        Output folder: ``readings.md``, ``readings.csv`` and one file per fold under ``records``.
    datasets : sequence of str, default=()
        Only these; by default those of Table 2.
    seed, n_jobs, force, data_home, track
        As in `reproduce`.

    Returns
    -------
    list of Path
        The written files.
    """
    load = partial(load_problem, data_home=data_home)
    folds = [
        fold
        for name in choose_problems(TABLE_SETS, datasets)
        for fold in plan_folds(PAPER, name, READINGS, load, seed)
    ]
    return write_readings(run(folds, out, n_jobs=n_jobs, force=force, track=track), out)


def write_readings(records: Iterable[FoldRecord], out: Path) -> list[Path]:
    """Write the rows of all readings as Markdown and CSV; they depend on the records only."""
    rows = reading_rows(records)
    return write_rows("readings", rows, describe_readings(rows), out)


def reading_rows(records: Iterable[FoldRecord]) -> list[ReadingRow]:
    """Compare the folds of each reading with the printed ones; rows are sorted."""
    runs: dict[tuple[str, str], dict[int, FoldRecord]] = {}
    for record in records:
        runs.setdefault((record.dataset, record.model), {})[record.fold] = record
    published = load_published()
    rows = []
    for (dataset, reading), folds in sorted(runs.items()):
        for measure in MEASURES:
            printed = published[dataset, "BN", measure]
            rows.append(
                ReadingRow(
                    dataset=dataset,
                    reading=reading,
                    measure=measure,
                    mean=fmean(getattr(record, measure) for record in folds.values()),
                    printed=printed.mean,
                    exact=sum(
                        rounds_to(getattr(record, measure), printed.folds[fold])
                        for fold, record in folds.items()
                        if not record.fallback
                    ),
                    fallbacks=sum(bool(record.fallback) for record in folds.values()),
                )
            )
    return rows


def describe_readings(rows: Sequence[ReadingRow]) -> str:
    """Write the range of the readings as Markdown."""
    lines = [
        "# Readings of the miner",
        "",
        "The paper does not say exactly how its biclusters are mined. Each of the",
        f"{len({row.reading for row in rows})} readings that the library offers was run once under "
        "the paper protocol.",
        "The range is that of their means, over all readings and over those that fell back in no",
        "fold; none was tuned to the printed values. A fold that fell back is never exact.",
    ]
    for measure, title in MEASURES.items():
        here = [row for row in rows if row.measure == measure]
        lines += [
            "",
            f"## {title}",
            "",
            "| data set | printed | range of ours | without fallback | exact folds "
            "| most exact by | folds that fell back |",
            "|---|---|---|---|---|---|---|",
            *_lines(here, ".2f"),
            *_lines(all_together(here), ".3f"),
        ]
    return "\n".join(lines) + "\n"


def all_together(rows: Sequence[ReadingRow]) -> list[ReadingRow]:
    """Each reading's mean and counts over the data sets, where there are several."""
    datasets = {row.dataset for row in rows}
    readings: dict[str, list[ReadingRow]] = {}
    for row in rows:
        readings.setdefault(row.reading, []).append(row)
    return [
        replace(
            some[0],
            dataset=f"all {len(datasets)}",
            mean=fmean(row.mean for row in some),
            printed=fmean(row.printed for row in some),
            exact=sum(row.exact for row in some),
            fallbacks=sum(row.fallbacks for row in some),
        )
        for some in readings.values()
        if len(datasets) > 1
    ]


def _lines(rows: Sequence[ReadingRow], spec: str) -> Iterator[str]:
    for dataset in dict.fromkeys(row.dataset for row in rows):
        here = [row for row in rows if row.dataset == dataset]
        nearest = max(here, key=lambda row: row.exact)
        cells = (
            dataset,
            f"{here[0].printed:{spec}}",
            _range([row.mean for row in here], ".3f"),
            _range([row.mean for row in here if not row.fallbacks], ".3f"),
            _range([row.exact for row in here]),
            nearest.reading if nearest.exact else "-",
            _range([row.fallbacks for row in here]),
        )
        yield f"| {' | '.join(cells)} |"


def _range(values: Sequence[float], spec: str = "") -> str:
    return f"{min(values):{spec}} to {max(values):{spec}}" if values else "-"
