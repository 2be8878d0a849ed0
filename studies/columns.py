"""Are the columns that are listed as proven true? Planted groups, also in rows of colon."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control, mannwhitneyu
from sklearn.utils import check_random_state

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._formats import LEVEL
from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.datasets import PlantedGroup, PlantedTable, make_subgroups
from bicneuron.significance import ColumnEvidence, column_evidence, significance_test
from reproduction._records import Record, read_record, record_path, versions
from reproduction.exceptions import DatasetNotFoundError
from studies._drawn_tables import (
    TableKind,
    TableRun,
    choose_kinds,
    derived_seed,
    digest,
    one_quiet_thread,
    warn_of_missing,
)
from studies._real_tables import expression_file, load_expression
from studies._report import markdown_table
from studies._study import Study

BACKGROUNDS = ("normal", "factors", "blocks", "t3", "lognormal")
SHIFTS, SHARES = (1.0, 1.5, 2.0), (0.3, 0.5)
N_COLUMNS, N_SIGNATURE = 400, 10
# Nearly all genes of colon are correlated with one of ten; fewer leave more that may be false.
FEW, FEW_SHIFT = 3, 3.0
SIZES = {"made": (50, 50), "colon": (31, 31)}
# Tables of each background, shift and share.
N_TABLES = {"made": 7, "colon": 7}
N_FACTORS, LOADING = 5, 0.35
BLOCK, WITHIN_BLOCK = 20, 0.5
# A column that is correlated more with a planted one is not false.
LEAST_TIED = 0.3
# Standard errors that the share of false columns may be above the level.
N_ERRORS = 3
COUNTS = ("listed", "planted", "false")


def make_table(
    *,
    kind: str,
    colon: FloatArray | None,
    random_state: int | np.random.RandomState,
    **settings: Any,
) -> PlantedTable:
    """Call `make_subgroups` on rows of this kind."""
    random = check_random_state(random_state)
    shape = (settings["n_cases"] + settings["n_controls"], settings["n_columns"])
    noise = random.standard_normal(shape)
    if kind == "colon":
        assert colon is not None  # tables without their file are left out
        noise = colon
    elif kind == "factors":
        loadings = LOADING * random.standard_normal((N_FACTORS, shape[1]))
        noise = noise + random.standard_normal((shape[0], N_FACTORS)) @ loadings
    elif kind == "blocks":
        blocks = random.standard_normal((shape[0], -(-shape[1] // BLOCK)))
        common = np.repeat(blocks, BLOCK, axis=1)[:, : shape[1]]
        noise = np.sqrt(1 - WITHIN_BLOCK) * noise + np.sqrt(WITHIN_BLOCK) * common
    elif kind == "t3":
        noise = random.standard_t(3, shape)
    elif kind == "lognormal":
        noise = np.exp(noise)
    return make_subgroups(background=noise, keep_rows=True, random_state=random, **settings)


@dataclass(frozen=True, kw_only=True)
class ColumnsRecord(Record):
    """Columns that are listed for the findings of one table.

    Parameters
    ----------
    n_findings : int
        Groups that belong to a class, by the exact test.
    listed, planted, false : int
        Columns with a corrected p of at most 0.05 for any of them; the planted ones; and those that
        are neither planted nor correlated above 0.3 with a planted column, within the group and
        within the others.
    naive_listed, naive_planted, naive_false : int
        The same if the rows that chose the columns test them.
    intervals, covered : int
        Planted columns that are listed, and those whose interval has the planted shift.
    """

    n_findings: int
    listed: int
    planted: int
    false: int
    naive_listed: int
    naive_planted: int
    naive_false: int
    intervals: int
    covered: int

    def flaw(self) -> str | None:
        """Say what is wrong with the numbers of a record that was read."""
        if not 0 <= self.planted + self.false <= self.listed:
            return "holds more columns than are listed"
        return None


@dataclass(frozen=True, eq=False)
class ColumnsRun(TableRun[TableKind]):
    """The columns of the findings of one table."""

    @property
    def title(self) -> str:
        """Name in error messages."""
        return f"the columns of table {self.index} of {self.table.name}"

    @property
    def settings(self) -> dict[str, Any]:
        """Everything the result depends on, for the record."""
        return {"seed": self.seed, **self.table.settings}

    def read(self, out: Path) -> ColumnsRecord:
        """Read its record from the output folder."""
        place = record_path(self.table.section, self.table.name, "folds", self.index)
        return read_record(out / place, self.settings, ColumnsRecord)

    def job(self) -> Callable[[TableKind], ColumnsRecord]:
        """Return a function that makes the table and tests its columns."""
        return partial(_run_on, self.index, self.seed)


def _run_on(index: int, seed: int, table: TableKind) -> ColumnsRecord:
    return run_table(ColumnsRun(table, index, seed))


def run_table(run: ColumnsRun) -> ColumnsRecord:
    """Search without classes, test the groups with them, and the columns of those that pass."""
    place = (run.seed, run.table.name, run.index)
    with one_quiet_thread():
        table = run.table.make(random_state=derived_seed(*place))
        (group,) = table.groups
        start = perf_counter()
        model = SubgroupBiclustering().fit(table.X)
        seed = derived_seed(*place, "tests")
        tested = significance_test(model, table.X, table.y, random_state=seed)
        findings = np.flatnonzero(tested.significant(LEVEL)).tolist()
        evidence = column_evidence(model, table.X, table.y, patterns=findings, random_state=seed)
        seconds = perf_counter() - start
        carriers = model.carriers(table.X)[:, findings].T
    listed = _any([one.is_proven for one in evidence], table.X.shape[1])
    naive = _any([_naive(table.X, own) for own in carriers], table.X.shape[1])
    counts = dict(zip(COUNTS, _counts(listed, table.X, group), strict=True))
    own = zip(COUNTS, _counts(naive, table.X, group), strict=True)
    intervals, covered = _intervals(evidence, group, run.table.settings["shift"])
    return ColumnsRecord(
        protocol=run.table.section,
        dataset=run.table.name,
        model="folds",
        fold=run.index,
        n_findings=len(findings),
        **counts,
        **{f"naive_{name}": count for name, count in own},
        intervals=intervals,
        covered=covered,
        seconds=seconds,
        settings=run.settings,
        versions=versions(),
    )


def _any(masks: Sequence[BoolArray], n_columns: int) -> BoolArray:
    return np.asarray(np.any([np.zeros(n_columns, dtype=bool), *masks], axis=0))


def _naive(X: FloatArray, inside: BoolArray) -> BoolArray:
    """Columns that the rows of a group prove if they may choose them."""
    p = mannwhitneyu(X[inside], X[~inside]).pvalue
    return np.asarray(false_discovery_control(p) <= LEVEL)


def _counts(listed: BoolArray, X: FloatArray, group: PlantedGroup) -> tuple[int, int, int]:
    is_planted = np.zeros(X.shape[1], dtype=bool)
    is_planted[group.columns] = True
    is_false = ~is_planted & ~tied_columns(X, group)
    return int(listed.sum()), int((listed & is_planted).sum()), int((listed & is_false).sum())


def tied_columns(X: FloatArray, group: PlantedGroup) -> BoolArray:
    """Columns that are correlated with a planted one, within the group and within the others."""
    inside = np.zeros(len(X), dtype=bool)
    inside[group.rows] = True
    left = np.where(inside[:, None], X - X[inside].mean(axis=0), X - X[~inside].mean(axis=0))
    left = left / np.maximum(np.linalg.norm(left, axis=0), np.finfo(float).tiny)
    correlations = np.abs(left.T @ left[:, group.columns])
    return np.asarray(correlations.max(axis=1) > LEAST_TIED)


def _intervals(
    evidence: Sequence[ColumnEvidence], group: PlantedGroup, shift: float
) -> tuple[int, int]:
    """Planted columns that are listed, and those whose interval has the planted shift."""
    n_intervals = n_covered = 0
    for one in evidence:
        columns: IndexArray = group.columns[one.is_proven[group.columns]]
        true = shift * np.sign(one.effect[columns])
        covers = (one.low[columns] <= true) & (true <= one.high[columns])
        n_intervals, n_covered = n_intervals + len(columns), n_covered + int(covers.sum())
    return n_intervals, n_covered


def table_names() -> dict[str, list[str]]:
    """Names of all tables by section, whether there are files or not."""
    return {
        "made": [name for kind in BACKGROUNDS for name in _settings(kind)],
        "colon": [*_settings("colon")],
    }


def _settings(kind: str) -> dict[str, dict[str, Any]]:
    """Arguments of `make_table` by the name of the table."""
    n_cases, n_controls = SIZES["colon" if kind == "colon" else "made"]
    size = {"n_cases": n_cases, "n_controls": n_controls, "n_columns": N_COLUMNS}
    points = [(f"{kind}-{shift:g}", N_SIGNATURE, shift) for shift in SHIFTS]
    if kind == "colon":
        points.append(("few", FEW, FEW_SHIFT))
    return {
        f"{name}-{share:g}": {**size, "n_signature": n_planted, "shift": shift, "share": share}
        for name, n_planted, shift in points
        for share in SHARES
    }


def plan(
    names: Sequence[str], seed: int, data_home: Path | None, repeats: int | None
) -> list[ColumnsRun]:
    """All runs of the study, or those on some tables or sections; a warning names missing files."""
    chosen = choose_kinds(table_names(), names)
    colon, missing = None, []
    if any(name in chosen for name in table_names()["colon"]):
        try:
            colon = load_expression("colon", data_home)
        except DatasetNotFoundError:
            missing.append(expression_file("colon"))
    warn_of_missing(missing, data_home)
    return [
        ColumnsRun(table, index, seed)
        for table in _tables(colon)
        if table.name in chosen
        for index in table.indices(repeats)
    ]


def _tables(colon: FloatArray | None) -> Iterator[TableKind]:
    for kind in (*BACKGROUNDS, *(() if colon is None else ("colon",))):
        section = "colon" if kind == "colon" else "made"
        for name, settings in _settings(kind).items():
            yield TableKind(
                section=section,
                name=name,
                make=partial(make_table, kind=kind, colon=colon, **settings),
                n_tables=N_TABLES[section],
                size=sum(SIZES[section]) * N_COLUMNS,
                settings={
                    **settings,
                    "background": digest(colon) if kind == "colon" else kind,
                },
            )


@dataclass(frozen=True)
class ColumnsRow:
    """Tables of one kind, of one section, or all.

    Parameters
    ----------
    tables : str
    n_tables : int
    findings : float
        Share of tables with a finding.
    false, false_error : float
        Mean share of false columns among those listed, 0 where none is; and its standard error.
    is_level : bool
        It is at most 0.05 and three standard errors.
    others : float
        Mean share of columns that are not planted, correlated with planted ones or not.
    power, power_error : float
        Mean share of planted columns that are listed.
    naive_false, naive_power : float
        The same if the rows that chose the columns test them.
    covered : float or None
        Share of the intervals of planted columns that are listed which have the planted shift.
    seconds : float
        Median.
    """

    tables: str
    n_tables: int
    findings: float
    false: float
    false_error: float
    is_level: bool
    others: float
    power: float
    power_error: float
    naive_false: float
    naive_power: float
    covered: float | None
    seconds: float


def summarise(records: Iterable[ColumnsRecord]) -> list[ColumnsRow]:
    """Summarise the tables of each background and shift, of each section, and all."""
    done = [*records]
    kinds = {
        f"{kind}, shift {shift:g}": f"{kind}-{shift:g}-"
        for kind in (*BACKGROUNDS, "colon")
        for shift in SHIFTS
    }
    kinds[f"colon, shift {FEW_SHIFT:g} in {FEW} columns"] = "few-"
    rows = [
        (title, [one for one in done if one.dataset.startswith(start)])
        for title, start in kinds.items()
    ]
    rows.append(("all made tables", [one for one in done if one.protocol == "made"]))
    rows.append(("all rows of colon", [one for one in done if one.protocol == "colon"]))
    return [_row(title, own) for title, own in rows if own]


def _row(title: str, records: Sequence[ColumnsRecord]) -> ColumnsRow:
    false, false_error = _mean([one.false / max(one.listed, 1) for one in records])
    power, power_error = _mean([one.planted / one.settings["n_signature"] for one in records])
    n_intervals = sum(one.intervals for one in records)
    return ColumnsRow(
        tables=title,
        n_tables=len(records),
        findings=float(np.mean([one.n_findings > 0 for one in records])),
        false=false,
        false_error=false_error,
        is_level=false <= LEVEL + N_ERRORS * false_error,
        others=_mean([(one.listed - one.planted) / max(one.listed, 1) for one in records])[0],
        power=power,
        power_error=power_error,
        naive_false=_mean([one.naive_false / max(one.naive_listed, 1) for one in records])[0],
        naive_power=_mean([one.naive_planted / one.settings["n_signature"] for one in records])[0],
        covered=sum(one.covered for one in records) / n_intervals if n_intervals else None,
        seconds=float(np.median([one.seconds for one in records])),
    )


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Mean and its standard error."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(np.mean(values)), float(error)


def describe(rows: Sequence[ColumnsRow]) -> str:
    """Write the share of false columns, and of planted ones that are listed, as Markdown."""
    header = (
        *("tables", "n", "findings", "false", "not planted", "power"),
        *("same rows: false", "same rows: power", "covered"),
    )
    lines = [
        (
            row.tables,
            str(row.n_tables),
            f"{row.findings:.2f}",
            f"{row.false:.3f} ± {row.false_error:.3f}{'' if row.is_level else ' (too many)'}",
            f"{row.others:.3f}",
            f"{row.power:.2f} ± {row.power_error:.2f}",
            f"{row.naive_false:.3f}",
            f"{row.naive_power:.2f}",
            "-" if row.covered is None else f"{row.covered:.2f}",
        )
        for row in rows
    ]
    return "\n".join(
        [
            "# Columns with their own evidence",
            "",
            f"A group is planted in tables of {N_COLUMNS} columns: 30 or 50 % of the cases",
            f"differ in {N_SIGNATURE} of them, or in {FEW}. The search does without classes; of",
            "the groups that belong to a class (exact test, corrected p at most 0.05)",
            "`column_evidence` lists the columns with a corrected p of at most 0.05. A false",
            f"column is neither planted nor correlated above {LEAST_TIED} with a planted one.",
            "*false*: mean share of them among those listed, with its standard error. *not",
            "planted*: the same of all columns that are not planted; of the genes of colon,",
            "nearly all are correlated with one of ten. *power*: mean share of the planted",
            "columns that are listed, 0 in tables without a finding. *same rows*: if the rows",
            "that chose the columns test them. *covered*: share of the intervals of 95 % that",
            "have the planted shift.",
            "",
            *markdown_table(header, lines),
            "",
        ]
    )


STUDY = Study("columns", plan, summarise, describe)
