"""The test of one table: the unit of work of the study."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bicneuron._core._arrays import BoolArray
from bicneuron._shared._formats import LEVEL
from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.datasets import PlantedGroup, PlantedTable
from bicneuron.significance import Significance, significance_test
from reproduction._records import Record, read_record, record_path, versions
from studies._drawn_tables import (
    TableKind,
    TableRun,
    choose_kinds,
    derived_seed,
    one_quiet_thread,
    warn_of_missing,
)
from studies._ranked import row_column_jaccard
from studies.calibration.findings import judge
from studies.calibration.outcomes import tested_outcomes
from studies.calibration.tables import calibration_tables, table_names

N_PERMUTATIONS = 999


@dataclass(frozen=True, kw_only=True)
class CalibrationRecord(Record):
    """The result of the test of one table; section, table and method are its first three names.

    Parameters
    ----------
    n_patterns : int
        How many were tested.
    smallest_p : float
        The smallest corrected p of them; 1 if there are none.
    jaccard : float or None
        Of the rows of the planted group with those of the pattern that fits best; None if nothing
        is planted.
    significant_jaccard : float or None
        The same among the patterns with a corrected p of at most 0.05, or among the findings.
    n_named, n_false, n_planted : int, default=0
        Columns that are named of the finding that fits best, those of them that differ in nothing,
        and columns of the planted group with evidence of their own.
    first_p, separate_p, separate_jaccard, tells_classes
        See `Judged`.
    of_outcomes : dict, default={}
        ``smallest_p`` and ``significant_jaccard`` by outcome; see `tested_outcomes`.
    """

    n_patterns: int
    smallest_p: float
    jaccard: float | None
    significant_jaccard: float | None
    n_named: int = 0
    n_false: int = 0
    n_planted: int = 0
    first_p: float = 1.0
    separate_p: float = 1.0
    separate_jaccard: float | None = None
    tells_classes: bool = False
    of_outcomes: dict[str, tuple[float, float]] = field(default_factory=dict)

    def flaw(self) -> str | None:
        """Say what is wrong with the numbers of a record that was read."""
        of_outcomes = [p for p, _ in self.of_outcomes.values()]
        all_p = (self.smallest_p, self.first_p, self.separate_p, *of_outcomes)
        if not all(0 < p <= 1 for p in all_p):
            return "holds a p that is not in (0, 1]"
        return None


@dataclass(frozen=True, eq=False)
class CalibrationRun(TableRun[TableKind]):
    """The test of one table."""

    @property
    def title(self) -> str:
        """Name in error messages."""
        return f"the test of table {self.index} of {self.table.name}"

    @property
    def method(self) -> str:
        """What is tested: the tie to a class, the whole protocol, or ties to outcomes."""
        section = self.table.section
        return section if section in {"finding", "outcome"} else "blind"

    @property
    def settings(self) -> dict[str, Any]:
        """Everything the result depends on, for the record."""
        return {"seed": self.seed, "n_permutations": N_PERMUTATIONS, **self.table.settings}

    def read(self, out: Path) -> CalibrationRecord:
        """Read its record from the output folder."""
        place = record_path(self.table.section, self.table.name, self.method, self.index)
        return read_record(out / place, self.settings, CalibrationRecord)

    def job(self) -> Callable[[TableKind], CalibrationRecord]:
        """Return a function that tests the table."""
        return partial(_run_on, self.index, self.seed)


def run_test(run: CalibrationRun) -> CalibrationRecord:
    """Make the table, test it, and compare what is significant with what was planted."""
    place = (run.seed, run.table.name, run.index)
    with one_quiet_thread():
        table = run.table.make(random_state=derived_seed(*place))
        start = perf_counter()
        if run.method == "finding":
            return _finding_record(run, table, start)
        if run.method == "outcome":
            return _outcome_record(run, table, start)
        result = significance_test(
            SubgroupBiclustering(),
            table.X,
            table.y,
            n_permutations=N_PERMUTATIONS,
            # Orders of the labels that do not depend on how the table was drawn.
            random_state=derived_seed(*place, "orders"),
        )
        seconds = perf_counter() - start
    group = table.groups[0] if table.groups else None
    every = np.ones(len(result.patterns), dtype=bool)
    return CalibrationRecord(
        protocol=run.table.section,
        dataset=run.table.name,
        model=run.method,
        fold=run.index,
        n_patterns=len(result.patterns),
        smallest_p=float(result.family_p_values.min(initial=1.0)),
        jaccard=best_overlap(result, every, group),
        significant_jaccard=best_overlap(result, result.significant(LEVEL), group),
        seconds=seconds,
        settings=run.settings,
        versions=versions(),
    )


def _finding_record(run: CalibrationRun, table: PlantedTable, start: float) -> CalibrationRecord:
    seed = derived_seed(run.seed, run.table.name, run.index, "orders")
    judged = judge(table, run.table.settings, seed)
    return CalibrationRecord(
        protocol=run.table.section,
        dataset=run.table.name,
        model=run.method,
        fold=run.index,
        n_patterns=judged.n_findings,
        smallest_p=LEVEL if judged.n_findings else 1.0,
        jaccard=judged.jaccard,
        significant_jaccard=judged.jaccard,
        n_named=judged.n_named,
        n_false=judged.n_false,
        n_planted=judged.n_planted,
        first_p=judged.first_p,
        separate_p=judged.separate_p,
        separate_jaccard=judged.separate_jaccard,
        tells_classes=judged.tells_classes,
        seconds=perf_counter() - start,
        settings=run.settings,
        versions=versions(),
    )


def _outcome_record(run: CalibrationRun, table: PlantedTable, start: float) -> CalibrationRecord:
    seed = derived_seed(run.seed, run.table.name, run.index, "outcomes")
    tested = tested_outcomes(table, run.table.settings, N_PERMUTATIONS, seed)
    return CalibrationRecord(
        protocol=run.table.section,
        dataset=run.table.name,
        model=run.method,
        fold=run.index,
        n_patterns=0,
        smallest_p=min(p for p, _ in tested.values()),
        jaccard=None,
        significant_jaccard=None,
        of_outcomes=tested,
        seconds=perf_counter() - start,
        settings=run.settings,
        versions=versions(),
    )


def _run_on(index: int, seed: int, table: TableKind) -> CalibrationRecord:
    return run_test(CalibrationRun(table, index, seed))


def best_overlap(
    result: Significance, counts: BoolArray, group: PlantedGroup | None
) -> float | None:
    """Largest Jaccard index of the rows of a group with those of the patterns that count."""
    if group is None:
        return None
    patterns = [pattern for pattern, own in zip(result.patterns, counts, strict=True) if own]
    return max((row_column_jaccard([pattern], group)[0] for pattern in patterns), default=0.0)


def plan(
    names: Sequence[str], seed: int, data_home: Path | None, repeats: int | None
) -> list[CalibrationRun]:
    """All runs of the study, or those on some tables or sections; a warning names missing files.

    Parameters
    ----------
    names : sequence of str
        Tables or sections; all if it is empty.
    seed : int
    data_home : Path or None
        Folder with ``colon.csv.gz``, ``singh.csv.gz`` and ``subtypes``.
    repeats : int or None
        At most this many tables of each kind.

    Returns
    -------
    list of CalibrationRun
    """
    tables, missing = calibration_tables(choose_kinds(table_names(), names), data_home)
    warn_of_missing(missing, data_home)
    return [
        CalibrationRun(table, index, seed) for table in tables for index in table.indices(repeats)
    ]
