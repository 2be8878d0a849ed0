"""All readings of the paper's miner that the library offers, beside the printed BicNeuron rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product, starmap
from typing import get_args

import numpy as np

from bicneuron.experiments._models import Model, Scale, bicneuron
from bicneuron.experiments._protocols import PAPER
from bicneuron.experiments._published import load_published, rounds_to
from bicneuron.experiments._records import FoldRecord
from bicneuron.perceptron import OnlinePerceptron

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
    """One reading on one data set by one measure, beside what the paper prints.

    Parameters
    ----------
    dataset, reading, measure : str
    mean : float
        Over the folds.
    printed : float
        The mean in the paper's table.
    exact : int
        Folds that round to the printed fold.
    fallbacks : int
        Folds without a surviving pair.
    """

    dataset: str
    reading: str
    measure: str
    mean: float
    printed: float
    exact: int
    fallbacks: int


def reading_rows(records: Iterable[FoldRecord]) -> list[ReadingRow]:
    """Hold the folds of each reading against the printed ones, in one order."""
    runs: dict[tuple[str, str], dict[int, FoldRecord]] = {}
    for record in records:
        runs.setdefault((record.dataset, record.model), {})[record.fold] = record
    published = load_published()
    rows = []
    for (dataset, reading), folds in sorted(runs.items()):
        for measure in MEASURES:
            printed = published[dataset, "BN", measure]
            values = {fold: getattr(record, measure) for fold, record in sorted(folds.items())}
            rows.append(
                ReadingRow(
                    dataset=dataset,
                    reading=reading,
                    measure=measure,
                    mean=float(np.mean([*values.values()])),
                    printed=printed.mean,
                    exact=sum(rounds_to(value, printed.folds[f]) for f, value in values.items()),
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
        "The range is that of their means; none was tuned to the printed values.",
    ]
    for measure, title in MEASURES.items():
        lines += [
            "",
            f"## {title}",
            "",
            "| data set | printed | range of ours | exact folds | most exact by | fell back |",
            "|---|---|---|---|---|---|",
            *_lines([row for row in rows if row.measure == measure]),
        ]
    return "\n".join(lines) + "\n"


def _lines(rows: Sequence[ReadingRow]) -> Iterator[str]:
    for dataset in dict.fromkeys(row.dataset for row in rows):
        here = [row for row in rows if row.dataset == dataset]
        means = [row.mean for row in here]
        exact = [row.exact for row in here]
        fallbacks = [row.fallbacks for row in here]
        nearest = max(here, key=lambda row: row.exact).reading
        yield (
            f"| {dataset} | {here[0].printed:.2f} | {min(means):.3f} to {max(means):.3f} "
            f"| {min(exact)} to {max(exact)} | {nearest} "
            f"| {min(fallbacks)} to {max(fallbacks)} |"
        )
