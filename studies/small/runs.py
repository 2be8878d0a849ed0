"""One fold: a network, and rivals that use as many columns as it does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from sklearn import config_context

from bicneuron.reproduction._choices import choose_problems
from bicneuron.reproduction._folds import measured
from bicneuron.reproduction._problems import TABLE_SETS, Problem, load_problem
from bicneuron.reproduction._protocols import FoldProtocol
from bicneuron.reproduction._records import Record, read_record, record_path, versions
from studies._classifiers import PATTERNS
from studies._drawn_tables import derived_seed, one_quiet_thread
from studies.small.methods import (
    N_NEURONS,
    NETWORK,
    RIVALS,
    NeuronCount,
    Size,
    network_size,
    small_network,
)


@dataclass(frozen=True, kw_only=True)
class SizeRecord(Record):
    """Results of a network and its rivals on one fold; ``model`` names the network.

    Parameters
    ----------
    n_all_columns : int
        Columns of the data set.
    results : dict of str to dict
        Size and measures of each model.
    """

    n_all_columns: int
    results: dict[str, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class SizeFold:
    """One fold of one data set, with one number of patterns.

    Parameters
    ----------
    protocol : FoldProtocol
    problem : Problem
        As returned by ``protocol.prepare``.
    n_neurons : int or "auto"
    index : int
        Number of the fold, counted from 0.
    seed : int
        Seed of the whole study.
    """

    protocol: FoldProtocol
    problem: Problem
    n_neurons: NeuronCount
    index: int
    seed: int

    @property
    def name(self) -> str:
        """Name of the network in the record."""
        return f"patterns-{self.n_neurons}"

    @property
    def title(self) -> str:
        """Name in error messages."""
        return f"fold {self.index} of {self.name} and its rivals on {self.problem.name}"

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
        with config_context(print_changed_only=False):
            estimator = repr(small_network(self.n_neurons, 0))
        return {
            "seed": self.seed,
            "folds": self.protocol.n_folds,
            "data": self.problem.digest,
            "estimator": " ".join(estimator.split()),
            "rivals": [rival.name for rival in RIVALS if rival.is_installed],
        }

    def read(self, out: Path) -> SizeRecord:
        """Read its record from the output folder."""
        place = record_path(self.protocol.name, self.problem.name, self.name, self.index)
        return read_record(out / place, self.settings, SizeRecord)

    def job(self) -> Callable[[Problem], SizeRecord]:
        """Return a function that runs the fold on the problem."""
        return partial(_run_on, self.protocol, self.n_neurons, self.index, self.seed)


def run_size_fold(fold: SizeFold) -> SizeRecord:
    """Fit the network, count its columns and fit each rival with as many."""
    problem = fold.problem
    train, test = fold.protocol.split(problem, fold.seed)[fold.index]
    seed = derived_seed(fold.seed, problem.name, fold.index)

    def result(model: Any, size: Callable[[Any], Size]) -> dict[str, Any]:
        model.fit(problem.X[train], problem.y[train])
        found = measured(model, problem.X[test], problem.y[test])
        return {**size(model)._asdict(), **found}

    start = perf_counter()
    with one_quiet_thread():
        results = {NETWORK: result(small_network(fold.n_neurons, seed), network_size)}
        n_columns = results[NETWORK]["n_columns"]
        for rival in RIVALS:
            if rival.is_installed:
                results[rival.name] = result(rival.build(n_columns, seed), rival.size)
    return SizeRecord(
        protocol=fold.protocol.name,
        dataset=problem.name,
        model=fold.name,
        fold=fold.index,
        n_all_columns=problem.X.shape[1],
        results=results,
        seconds=perf_counter() - start,
        settings=fold.settings,
        versions=versions(),
    )


def _run_on(
    protocol: FoldProtocol, n_neurons: NeuronCount, index: int, seed: int, problem: Problem
) -> SizeRecord:
    return run_size_fold(SizeFold(protocol, problem, n_neurons, index, seed))


def plan(
    names: Sequence[str], seed: int, data_home: Path | None, repeats: int | None
) -> list[SizeFold]:
    """All folds of the study, or some.

    Parameters
    ----------
    names : sequence of str
        Data sets; all if it is empty.
    seed : int
    data_home : Path or None
    repeats : int or None
        At most this many folds of each data set, the first ones.

    Returns
    -------
    list of SizeFold
    """
    folds = []
    for name in choose_problems(TABLE_SETS, names):
        problem = PATTERNS.prepare(load_problem(name, PATTERNS.variant, data_home), seed)
        n_folds = len(PATTERNS.split(problem, seed))
        folds += [
            SizeFold(PATTERNS, problem, n_neurons, index, seed)
            for index in range(min(n_folds, repeats or n_folds))
            for n_neurons in N_NEURONS
        ]
    return folds
