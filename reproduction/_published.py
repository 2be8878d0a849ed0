"""The numbers printed in Tables 2 to 5 of the paper, transcribed in ``published.csv``."""

import csv
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from types import MappingProxyType

N_FOLDS = 10


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """The printed numbers of one model on one data set and one measure."""

    table: int
    dataset: str
    model: str
    measure: str
    columns: tuple[float, ...]
    mean: float
    std: float
    best: float | None
    p_value: float | None
    marks: frozenset[str]

    @property
    def folds(self) -> tuple[float, ...]:
        """The printed folds by fold index, as the records of the paper protocol count them."""
        by_index = {fold_index(column): x for column, x in enumerate(self.columns, start=1)}
        return tuple(by_index[index] for index in sorted(by_index))


PublishedTables = Mapping[tuple[str, str, str], PublishedRow]


@cache
def load_published() -> PublishedTables:
    """Read all printed numbers."""
    cells: dict[tuple[str, str, str, str], dict[str, dict[str, str]]] = defaultdict(dict)
    source = resources.files("reproduction") / "published.csv"
    for line in csv.DictReader(source.read_text(encoding="utf-8").splitlines()):
        row = cells[line["table"], line["dataset"], line["model"], line["measure"]]
        row[line["fold"]] = line
    published: dict[tuple[str, str, str], PublishedRow] = {}
    for (table, dataset, model, measure), row in cells.items():
        numbers = {name: float(line["value"]) for name, line in row.items()}
        published[dataset, model, measure] = PublishedRow(
            table=int(table),
            dataset=dataset,
            model=model,
            measure=measure,
            columns=tuple(x for name, x in numbers.items() if name.isdigit()),
            mean=numbers["mean"],
            std=numbers["std"],
            best=numbers.get("best"),
            p_value=numbers.get("p"),
            marks=frozenset(row["mean"]["mark"].split()),
        )
    for (dataset, model, _), printed in list(published.items()):
        if printed.table == 5:
            published[dataset, model, "label_auc"] = replace(printed, measure="label_auc")
    return MappingProxyType(published)


def fold_index(column: int) -> int:
    """Fold behind a printed column (1 to 10): the first and the last are swapped."""
    return {1: N_FOLDS - 1, N_FOLDS: 0}.get(column, column - 1)


def rounds_to(value: float, printed: float) -> bool:
    """Return True if a value rounds to the printed two decimals; a half may go either way."""
    return abs(value - printed) <= 0.005 + 1e-9
