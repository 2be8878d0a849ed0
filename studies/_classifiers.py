"""Classifiers over folds: protocols, the plan, means, and tables of means."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Literal

from bicneuron.reproduction._choices import choose_problems
from bicneuron.reproduction._folds import Fold
from bicneuron.reproduction._models import Model
from bicneuron.reproduction._problems import TABLE_SETS, is_eeg, load_problem
from bicneuron.reproduction._protocols import CLEAN, GROUPED, FoldProtocol
from bicneuron.reproduction._records import ExperimentError, FoldRecord
from bicneuron.reproduction._reproduce import plan_folds
from studies._report import markdown_table
from studies._study import Study

Measure = Literal["acc", "score_auc", "brier"]
# Data set to model to mean.
Scores = dict[str, dict[str, float]]

# Tuned rivals on all rows would take days.
NETWORK = replace(CLEAN, name="network", max_rows=2000)
# All rows of a person are on one side of a fold.
PATTERNS = replace(GROUPED, name="patterns", max_rows=NETWORK.max_rows)


def classifier_study(
    name: str,
    protocols: Sequence[FoldProtocol],
    models: Sequence[Model],
    describe: Callable[[Sequence["MeanRow"]], str],
    plot: Callable[[Sequence["MeanRow"]], dict[str, str]],
    datasets: Sequence[str] = TABLE_SETS,
) -> Study:
    """Make a study of classifiers over folds.

    Parameters
    ----------
    name : str
    protocols : sequence of FoldProtocol
        Each model is run under all of them.
    models : sequence of Model
    describe, plot : callable
        As in `Study`.
    datasets : sequence of str
        By default the sets of Table 2.

    Returns
    -------
    Study
    """
    plan = partial(plan_models, protocols, models, datasets)
    return Study(name, plan, summarise, describe, plot)


def plan_models(
    protocols: Sequence[FoldProtocol],
    models: Sequence[Model],
    datasets: Sequence[str],
    names: Sequence[str],
    seed: int,
    data_home: Path | None,
    repeats: int | None,
) -> list[Fold]:
    """Plan all folds of each model on each data set, or on those of some names."""
    if repeats is not None:
        raise ExperimentError(
            "--repeats is for the studies small, discovery and calibration; leave it out."
        )
    load = partial(load_problem, data_home=data_home)
    return [
        fold
        for protocol in protocols
        for dataset in choose_problems(datasets, names)
        for fold in plan_folds(protocol, dataset, models, load, seed)
    ]


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


def summarise(records: Iterable[FoldRecord]) -> list[MeanRow]:
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


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def cost_curves(
    rows: Sequence[MeanRow],
    protocols: Sequence[FoldProtocol],
    models: Sequence[str],
    measure: Measure = "acc",
) -> dict[str, list[float]]:
    """Mean of each model that has the measure, under each protocol."""
    levels = [
        scores_of((row for row in rows if row.protocol == each.name), measure) for each in protocols
    ]
    measured = {model for level in levels for values in level.values() for model in values}
    return {
        model: [mean_of(scores, model) for scores in levels]
        for model in models
        if model in measured
    }


def cost_lines(
    rows: Sequence[MeanRow],
    protocols: Sequence[FoldProtocol],
    models: Sequence[str],
    measure: Measure = "acc",
) -> list[tuple[str, ...]]:
    """Lines of a table: the first mean, and the others with their difference to it."""
    return [
        (model, f"{first:.3f}", *(f"{value:.3f} ({value - first:+.3f})" for value in others))
        for model, (first, *others) in cost_curves(rows, protocols, models, measure).items()
    ]
