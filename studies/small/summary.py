"""Means over the folds of a data set, or over the tables of a kind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from studies.small.runs import REAL, SECTIONS, SizeRecord

MEASURES = {"acc": "ACC", "score_auc": "AUC", "brier": "Brier score", "overlap": "overlap"}


@dataclass(frozen=True)
class SizeRow:
    """One model on one data set, or on planted tables of one kind: means.

    Planted tables where the network finds a pattern are apart from those where it finds none.

    Parameters
    ----------
    section : str
        "real" or "planted".
    dataset, model : str
    n_folds, n_overlaps : int
        Folds or tables, and those with an overlap.
    n_all_columns : int
        Columns of the data set.
    n_patterns : float
        Patterns of the network.
    n_columns, n_numbers : float
        Distinct columns that the model uses, and its fitted numbers.
    acc, score_auc, brier, overlap, planted : float or None
        The last two are the Jaccard index of the columns in two halves of the rows and the share
        of planted ones among the columns. None if no fold has the measure.
    """

    section: str
    dataset: str
    model: str
    n_folds: int
    n_overlaps: int
    n_all_columns: int
    n_patterns: float
    n_columns: float
    n_numbers: float
    acc: float | None
    score_auc: float | None
    brier: float | None
    overlap: float | None
    planted: float | None


def summarise(records: Iterable[SizeRecord]) -> list[SizeRow]:
    """Average the records; rows are in the order of data sets, tables and models."""
    runs: dict[tuple[str, bool], list[SizeRecord]] = {}
    for record in records:
        is_apart = record.dataset not in SECTIONS[REAL] and not record.n_patterns
        runs.setdefault((record.dataset, is_apart), []).append(record)
    return [
        _row(section, model, own)
        for section, datasets in SECTIONS.items()
        for dataset in datasets
        for is_apart in (False, True)
        if (own := runs.get((dataset, is_apart)))
        for model in own[0].results
    ]


def _row(section: str, model: str, records: Sequence[SizeRecord]) -> SizeRow:
    def mean(name: str) -> float | None:
        values = [record.results[model].get(name) for record in records]
        known = [value for value in values if value is not None]
        return fmean(known) if known else None

    return SizeRow(
        section=section,
        dataset=records[0].dataset,
        model=model,
        n_folds=len(records),
        n_overlaps=sum(record.results[model].get("overlap") is not None for record in records),
        n_all_columns=records[0].n_all_columns,
        n_patterns=fmean(record.n_patterns for record in records),
        n_columns=fmean(record.results[model]["n_columns"] for record in records),
        n_numbers=fmean(record.results[model]["n_numbers"] for record in records),
        planted=mean("planted"),
        **{name: mean(name) for name in MEASURES},
    )
