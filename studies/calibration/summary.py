"""Figures of each kind of table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Any

import numpy as np
from scipy.stats import kstest

from bicneuron._shared._formats import LEVEL
from studies.calibration.runs import CalibrationRecord
from studies.calibration.tables import is_null, table_names

# A pattern is the planted group if this Jaccard index of the rows is reached.
FOUND = 0.5
# Standard errors that the rate of rejections may be above its level.
N_ERRORS = 3
# Least p of the Kolmogorov-Smirnov test.
LEAST_KS_P = 0.01


@dataclass(frozen=True)
class CalibrationRow:
    """The tables of one kind; None where a section has no such figure.

    Parameters
    ----------
    section, table : str
    outcome : str
        What was tested; empty for classes.
    n_tables, n_rows, n_columns : int
    rejected_01, rejected_05, rejected_10 : float
        Share of tables whose smallest corrected p is at most 0.01, 0.05 and 0.1.
    bound_05 : float or None
        Largest ``rejected_05`` that chance explains: 0.05 and three standard errors.
    ks_p : float or None
        Kolmogorov-Smirnov test of the p-values against uniform ones; small if there are too many
        small ones.
    calibrated : bool or None
        ``rejected_05`` is at most ``bound_05``, and ``ks_p`` at least 0.01.
    found : float or None
        Share of tables where a pattern has a corrected p of at most 0.05 and a Jaccard index of at
        least 0.5 with the rows of the planted group.
    seen : float or None
        The same whatever the p.
    false_named : float or None
        Share of columns that differ in nothing among those named of the planted group.
    planted_columns : float or None
        Share of the columns of the planted group that have evidence of their own, where it is a
        finding.
    separate, first_separate : float or None
        Share of tables in which a group is called separate, and in which the first is.
    found_separate : float or None
        Share of tables in which one with the planted rows is.
    tells_classes : float or None
        Share of tables whose answer says that the classes differ.
    n_patterns : float
        Mean.
    seconds : float
        Median: the first run of a process may have to compile kernels.
    """

    section: str
    table: str
    outcome: str
    n_tables: int
    n_rows: int
    n_columns: int
    rejected_01: float
    rejected_05: float
    rejected_10: float
    bound_05: float | None
    ks_p: float | None
    calibrated: bool | None
    found: float | None
    seen: float | None
    false_named: float | None
    planted_columns: float | None
    separate: float | None
    first_separate: float | None
    found_separate: float | None
    tells_classes: float | None
    n_patterns: float
    seconds: float


def summarise(records: Iterable[CalibrationRecord]) -> list[CalibrationRow]:
    """Summarise the tables of each kind; rows are in the order of sections and tables."""
    runs: dict[tuple[str, str], dict[str, list[CalibrationRecord]]] = {}
    for record in records:
        by_outcome = runs.setdefault((record.protocol, record.dataset), {})
        tested: Mapping[str, tuple[float, float | None]] = record.of_outcomes
        whole = {"": (record.smallest_p, record.significant_jaccard)}
        for outcome, (p, jaccard) in (tested or whole).items():
            own = replace(record, smallest_p=p, significant_jaccard=jaccard)
            by_outcome.setdefault(outcome, []).append(own)
    return [
        _row(section, table, outcome, own)
        for section, tables in table_names().items()
        for table in tables
        for outcome, own in runs.get((section, table), {}).items()
    ]


def null_figures(p_values: Iterable[float]) -> dict[str, Any]:
    """Test whether p-values of tables without a group are too small.

    Returns
    -------
    dict
        ``bound_05``, ``ks_p`` and ``calibrated`` as in `CalibrationRow`.
    """
    p = np.fromiter(p_values, dtype=np.float64)
    bound = LEVEL + N_ERRORS * float(np.sqrt(LEVEL * (1 - LEVEL) / len(p)))
    # Their distribution function above that of uniform ones, nowhere below it: p-values of
    # permutations are discrete, and too large ones are no mistake.
    ks_p = float(kstest(p, "uniform", alternative="greater").pvalue)
    calibrated = rejected(p, LEVEL) <= bound and ks_p >= LEAST_KS_P
    return {"bound_05": bound, "ks_p": ks_p, "calibrated": calibrated}


def rejected(p_values: Iterable[float], level: float) -> float:
    """Share of p-values up to a level."""
    return fmean(p <= level for p in p_values)


def _row(
    section: str, table: str, outcome: str, records: list[CalibrationRecord]
) -> CalibrationRow:
    p_values = [record.smallest_p for record in records]
    settings = records[0].settings
    of_columns = _of_columns(records)
    is_whole = section == "finding"
    of_separate = [record.separate_p for record in records]
    # Classes that differ are a finding; a separate group inside one would be false.
    of_null = of_separate if table.startswith("find-wide-") else p_values
    figures: dict[str, Any] = {"bound_05": None, "ks_p": None, "calibrated": None}
    return CalibrationRow(
        section=section,
        table=table,
        outcome=outcome,
        n_tables=len(records),
        n_rows=settings.get("n_rows") or settings["n_cases"] + settings["n_controls"],
        n_columns=settings["n_columns"],
        rejected_01=rejected(p_values, 0.01),
        rejected_05=rejected(p_values, LEVEL),
        rejected_10=rejected(p_values, 0.1),
        **(null_figures(of_null) if is_null(table) else figures),
        found=_share_found([record.significant_jaccard for record in records]),
        seen=_share_found([record.jaccard for record in records]),
        false_named=of_columns[0],
        planted_columns=of_columns[1],
        separate=rejected(of_separate, LEVEL) if is_whole else None,
        first_separate=rejected([one.first_p for one in records], LEVEL) if is_whole else None,
        found_separate=_share_found([record.separate_jaccard for record in records]),
        tells_classes=fmean(record.tells_classes for record in records) if is_whole else None,
        n_patterns=fmean(record.n_patterns for record in records),
        seconds=median(record.seconds for record in records),
    )


def _of_columns(records: list[CalibrationRecord]) -> tuple[float | None, float | None]:
    """Shares of named columns that are false, and of planted columns with evidence."""
    named = sum(record.n_named for record in records)
    of_findings = [record for record in records if record.n_named]
    if not named or "group" not in records[0].settings:
        return None, None
    n_columns = sum(record.settings["group"][1] for record in of_findings)
    return (
        sum(record.n_false for record in records) / named,
        sum(record.n_planted for record in of_findings) / n_columns,
    )


def _share_found(indices: list[float | None]) -> float | None:
    planted = [index for index in indices if index is not None]
    return fmean(index >= FOUND for index in planted) if planted else None
