"""One fold, or one planted table: the network, and rivals that use as many columns as it does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn import config_context

from bicneuron._core._arrays import IndexArray
from reproduction._folds import measured
from reproduction._problems import TABLE_SETS, Problem, load_problem
from reproduction._protocols import FoldProtocol
from reproduction._records import Record, read_record, record_path, versions
from studies._classifiers import PATTERNS
from studies._drawn_tables import (
    TableKind,
    TableRun,
    choose_kinds,
    derived_seed,
    one_quiet_thread,
)
from studies.small.fits import column_overlaps, fit_models
from studies.small.methods import NETWORK, RIVALS, SELECTIVE_RIVALS, network
from studies.small.tables import PLANTED, PLANTED_TABLES

REAL = "real"
SECTIONS = {REAL: TABLE_SETS, PLANTED: tuple(kind.name for kind in PLANTED_TABLES)}


@dataclass(frozen=True, kw_only=True)
class SizeRecord(Record):
    """Results of the network and its rivals on one fold, or on one planted table.

    Parameters
    ----------
    n_all_columns : int
        Columns of the table.
    n_patterns : int
        Patterns of the network.
    results : dict of str to dict
        Columns and numbers of each model, and its measures: on test rows, or of planted columns.
    """

    n_all_columns: int
    n_patterns: int
    results: dict[str, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class SizeFold:
    """One fold of one data set.

    Parameters
    ----------
    protocol : FoldProtocol
    problem : Problem
        As returned by ``protocol.prepare``.
    index : int
        Number of the fold, counted from 0.
    seed : int
        Seed of the whole study.
    """

    protocol: FoldProtocol
    problem: Problem
    index: int
    seed: int

    @property
    def title(self) -> str:
        """Name in error messages."""
        return f"fold {self.index} of the network and its rivals on {self.problem.name}"

    @property
    def data(self) -> Problem:
        """The problem, which many folds share."""
        return self.problem

    @property
    def size(self) -> int:
        """Number of values in the data."""
        return self.problem.X.size

    @property
    def settings(self) -> dict[str, Any]:
        """Everything the result depends on, for the record."""
        return {
            "folds": self.protocol.n_folds,
            "data": self.problem.digest,
            **_model_settings(self.seed),
        }

    def read(self, out: Path) -> SizeRecord:
        """Read its record from the output folder."""
        place = record_path(self.protocol.name, self.problem.name, NETWORK, self.index)
        return read_record(out / place, self.settings, SizeRecord)

    def job(self) -> Callable[[Problem], SizeRecord]:
        """Return a function that runs the fold on the problem."""
        return partial(_run_fold_on, self.protocol, self.index, self.seed)


@dataclass(frozen=True, eq=False)
class PlantedRun(TableRun[TableKind]):
    """One planted table."""

    @property
    def title(self) -> str:
        """Name in error messages."""
        return f"the network and its rivals on table {self.index} of {self.table.name}"

    @property
    def settings(self) -> dict[str, Any]:
        """Everything the result depends on, for the record."""
        return {**self.table.settings, **_model_settings(self.seed)}

    def read(self, out: Path) -> SizeRecord:
        """Read its record from the output folder."""
        place = record_path(self.table.section, self.table.name, NETWORK, self.index)
        return read_record(out / place, self.settings, SizeRecord)

    def job(self) -> Callable[[TableKind], SizeRecord]:
        """Return a function that runs on a table of this kind."""
        return partial(_run_table_on, self.index, self.seed)


def _model_settings(seed: int) -> dict[str, Any]:
    with config_context(print_changed_only=False):
        estimator = repr(network(0))
    return {
        "seed": seed,
        "estimator": " ".join(estimator.split()),
        "rivals": [rival.name for rival in RIVALS if rival.is_installed],
    }


def run_fold(fold: SizeFold) -> SizeRecord:
    """Fit all models to the training rows, and those that choose columns to two halves of all."""
    problem = fold.problem
    train, test = fold.protocol.split(problem, fold.seed)[fold.index]
    seed = derived_seed(fold.seed, problem.name, fold.index)
    start = perf_counter()
    with one_quiet_thread():
        fits = fit_models(problem, train, seed)
        overlaps = column_overlaps(problem, seed)
        results = {
            name: {
                **fit.sizes,
                **measured(fit.model, problem.X[test], problem.y[test]),
                "overlap": overlaps.get(name),
            }
            for name, fit in fits.items()
        }
    return SizeRecord(
        protocol=fold.protocol.name,
        dataset=problem.name,
        model=NETWORK,
        fold=fold.index,
        n_all_columns=problem.X.shape[1],
        n_patterns=len(fits[NETWORK].model.patterns_),
        results=results,
        seconds=perf_counter() - start,
        settings=fold.settings,
        versions=versions(),
    )


def _run_fold_on(protocol: FoldProtocol, index: int, seed: int, problem: Problem) -> SizeRecord:
    return run_fold(SizeFold(protocol, problem, index, seed))


def run_table(run: PlantedRun) -> SizeRecord:
    """Draw the table, fit models to it and count planted columns among those they use."""
    seed = derived_seed(run.seed, run.table.name, run.index)
    start = perf_counter()
    with one_quiet_thread():
        X, y, (group,) = run.table.make(random_state=seed)
        problem = Problem.from_labels(run.table.name, X, np.asarray(y))
        fits = fit_models(problem, np.arange(len(X)), seed, SELECTIVE_RIVALS)
    results = {
        name: {**fit.sizes, "planted": _share(fit.used.columns, group.columns)}
        for name, fit in fits.items()
    }
    return SizeRecord(
        protocol=run.table.section,
        dataset=run.table.name,
        model=NETWORK,
        fold=run.index,
        n_all_columns=X.shape[1],
        n_patterns=len(fits[NETWORK].model.patterns_),
        results=results,
        seconds=perf_counter() - start,
        settings=run.settings,
        versions=versions(),
    )


def _share(columns: IndexArray, planted: IndexArray) -> float | None:
    """Share of planted ones among columns; None if there are no columns."""
    return float(np.isin(columns, planted).mean()) if len(columns) else None


def _run_table_on(index: int, seed: int, table: TableKind) -> SizeRecord:
    return run_table(PlantedRun(table, index, seed))


def plan(
    names: Sequence[str], seed: int, data_home: Path | None, repeats: int | None
) -> list[SizeFold | PlantedRun]:
    """All runs of the study, or some.

    Parameters
    ----------
    names : sequence of str
        Data sets, planted tables or sections; all if it is empty.
    seed : int
    data_home : Path or None
    repeats : int or None
        At most this many folds of each data set and tables of each kind, the first ones.

    Returns
    -------
    list of SizeFold or PlantedRun
    """
    chosen = choose_kinds(SECTIONS, names)
    runs: list[SizeFold | PlantedRun] = []
    for name in TABLE_SETS:
        if name in chosen:
            problem = PATTERNS.prepare(load_problem(name, PATTERNS.variant, data_home), seed)
            n_folds = len(PATTERNS.split(problem, seed))
            runs += [
                SizeFold(PATTERNS, problem, index, seed)
                for index in range(min(n_folds, repeats or n_folds))
            ]
    for table in PLANTED_TABLES:
        if table.name in chosen:
            runs += [PlantedRun(table, index, seed) for index in table.indices(repeats)]
    return runs
