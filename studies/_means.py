"""Means over folds: the rows of the studies on networks, and their tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from bicneuron.reproduction._problems import is_eeg
from bicneuron.reproduction._records import FoldRecord

Measure = Literal["acc", "score_auc", "brier"]
# Data set to model to mean.
Scores = dict[str, dict[str, float]]


@dataclass(frozen=True)
class MeanRow:
    """One model on one data set under one protocol.

    Parameters
    ----------
    protocol, dataset, model : str
    n_folds : int
    acc, score_auc, brier, row_share, column_share : float or None
        Means over the folds that have the measure; None if no fold has it.
    """

    protocol: str
    dataset: str
    model: str
    n_folds: int
    acc: float | None
    score_auc: float | None
    brier: float | None
    row_share: float | None
    column_share: float | None


def mean_rows(records: Iterable[FoldRecord]) -> list[MeanRow]:
    """Average the folds; rows are sorted, EEG pairs after the other data sets."""
    folds: dict[tuple[str, str, str], list[FoldRecord]] = {}
    for record in records:
        folds.setdefault((record.protocol, record.dataset, record.model), []).append(record)
    return [
        MeanRow(
            *place,
            n_folds=len(own),
            acc=_mean(record.acc for record in own),
            score_auc=_mean(record.score_auc for record in own),
            brier=_mean(record.brier for record in own),
            row_share=_mean(record.row_share for record in own),
            column_share=_mean(record.column_share for record in own),
        )
        for place, own in sorted(folds.items(), key=lambda item: (is_eeg(item[0][1]), item[0]))
    ]


def scores_of(rows: Iterable[MeanRow], measure: Measure = "acc") -> Scores:
    """Values of one measure, without models that do not have it."""
    scores: Scores = {}
    for row in rows:
        value = getattr(row, measure)
        if value is not None:
            scores.setdefault(row.dataset, {})[row.model] = value
    return scores


def locality(rows: Iterable[MeanRow], model: str) -> str:
    """One sentence: which part of the data the single neuron of a model uses."""
    known = [row for row in rows if row.model == model and row.row_share is not None]
    if not known:
        return f"{model} was fitted without telling how local it is."
    rows_used, columns_used = (
        fmean(getattr(row, name) for row in known) for name in ("row_share", "column_share")
    )
    return (
        f"The neuron of {model} uses {rows_used:.0%} of the rows of its class and "
        f"{columns_used:.0%} of the columns."
    )


def mean_of(scores: Mapping[str, Mapping[str, float]], model: str) -> float:
    """Mean of a model over the data sets."""
    return fmean(own[model] for own in scores.values())


def scores_table(scores: Scores, models: Sequence[str]) -> list[str]:
    """Lines of a Markdown table: one per data set, and one of means."""
    return markdown_table(
        ("data set", *models),
        [
            *((dataset, *(f"{own[m]:.3f}" for m in models)) for dataset, own in scores.items()),
            ("**mean**", *(f"{mean_of(scores, model):.3f}" for model in models)),
        ],
    )


def markdown_table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *lines)]


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
