"""Means over the folds of a data set."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from bicneuron.reproduction._problems import TABLE_SETS
from studies.small.methods import N_NEURONS
from studies.small.runs import SizeRecord

MEASURES = {"acc": "ACC", "label_auc": "balanced ACC", "score_auc": "AUC", "brier": "Brier score"}


@dataclass(frozen=True)
class SizeRow:
    """One model on one data set: means over the folds.

    Parameters
    ----------
    dataset : str
    patterns : str
        Largest number of patterns of the network, or "auto".
    model : str
    n_folds : int
    n_all_columns : int
        Columns of the data set.
    n_columns, n_numbers : float
        Distinct columns that the model uses, and its fitted numbers.
    acc : float
    label_auc, score_auc, brier : float or None
        None if no fold has the measure.
    """

    dataset: str
    patterns: str
    model: str
    n_folds: int
    n_all_columns: int
    n_columns: float
    n_numbers: float
    acc: float
    label_auc: float | None
    score_auc: float | None
    brier: float | None


def summarise(records: Iterable[SizeRecord]) -> list[SizeRow]:
    """Average the folds; rows are in the order of data sets, patterns and models."""
    folds: dict[tuple[str, str], list[SizeRecord]] = {}
    for record in records:
        folds.setdefault((record.dataset, record.model), []).append(record)
    return [
        _row(dataset, str(n_neurons), model, own)
        for dataset in TABLE_SETS
        for n_neurons in N_NEURONS
        if (own := folds.get((dataset, f"patterns-{n_neurons}")))
        for model in own[0].results
    ]


def _row(dataset: str, patterns: str, model: str, records: Sequence[SizeRecord]) -> SizeRow:
    def mean(name: str) -> float | None:
        values = [record.results[model][name] for record in records]
        known = [value for value in values if value is not None]
        return fmean(known) if known else None

    means: dict[str, Any] = {name: mean(name) for name in ("n_columns", "n_numbers", *MEASURES)}
    return SizeRow(
        dataset=dataset,
        patterns=patterns,
        model=model,
        n_folds=len(records),
        n_all_columns=records[0].n_all_columns,
        **means,
    )
