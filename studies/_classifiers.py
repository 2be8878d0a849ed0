"""Classifiers over folds: protocols, the plan, means, and tables of means."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import train_test_split

from bicneuron._core._arrays import IndexArray
from reproduction._choices import choose_problems
from reproduction._folds import Fold
from reproduction._models import Model
from reproduction._problems import TABLE_SETS, Problem, is_eeg, load_problem
from reproduction._protocols import CLEAN, GROUPED, FoldProtocol
from reproduction._records import FoldRecord
from reproduction._reproduce import plan_folds
from reproduction.exceptions import ExperimentError
from studies._report import markdown_table
from studies._study import Study

Measure = Literal["acc", "score_auc", "brier"]
# Data set to model to mean.
Scores = dict[str, dict[str, float]]


@dataclass(frozen=True)
class SampledProtocol(FoldProtocol):
    """A protocol with fewer rows, and with damaged data.

    Parameters
    ----------
    max_rows : int, default=2000
        All models get the same stratified sample of a larger data set. Tuned rivals on all rows
        would take days.
    label_noise : float, default=0.0
        Probability with which a training label is flipped.
    missing_cells : float, default=0.0
        Probability with which a cell, of training and test rows, is missing.
    """

    max_rows: int = 2000
    label_noise: float = 0.0
    missing_cells: float = 0.0

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that results depend on and that may be chosen, for the record."""
        damage = {"label_noise": self.label_noise, "missing_cells": self.missing_cells}
        return {**super().settings, **damage}

    def prepare(self, problem: Problem, seed: int) -> Problem:
        """Sample the rows, and make cells missing."""
        if self.max_rows < len(problem.y):
            rows, _ = train_test_split(
                np.arange(len(problem.y)),
                train_size=self.max_rows,
                stratify=problem.y,
                random_state=seed,
            )
            problem = problem.take(np.sort(rows))
        problem = super().prepare(problem, seed)
        if self.missing_cells:
            random = np.random.default_rng([seed, *problem.name.encode()])
            missing = random.random(problem.X.shape) < self.missing_cells
            problem = replace(problem, X=np.where(missing, np.nan, problem.X))
        return problem

    def labels(self, problem: Problem, fold: int, seed: int) -> IndexArray:
        """Flip training labels; more noise flips the same labels and more."""
        random = np.random.default_rng([seed, fold, *problem.name.encode()])
        flipped = random.random(len(problem.y)) < self.label_noise
        return np.where(flipped, -problem.y, problem.y)


NETWORK = SampledProtocol(**{**vars(CLEAN), "name": "network"})
# All rows of a person are on one side of a fold.
PATTERNS = SampledProtocol(**{**vars(GROUPED), "name": "patterns"})


def classifier_study(
    name: str,
    protocols: Sequence[FoldProtocol],
    models: Sequence[Model],
    describe: Callable[[Sequence["MeanRow"]], str],
    plot: Callable[[Sequence["MeanRow"]], dict[str, str]] | None = None,
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
            "--repeats is for the studies small, discovery, calibration and replication; leave it "
            "out."
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
