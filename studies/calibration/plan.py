"""Which tables are tested."""

from collections.abc import Sequence
from pathlib import Path

from studies._drawn_tables import choose_kinds, tell_missing
from studies.calibration.runs import CalibrationRun
from studies.calibration.tables import calibration_tables, table_names


def plan_calibration(
    names: Sequence[str], seed: int, data_home: Path | None, repeats: int | None
) -> list[CalibrationRun]:
    """All runs of the study, or those on some tables or sections; missing files are told.

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
    tell_missing(missing, data_home)
    return [
        CalibrationRun(table, index, seed) for table in tables for index in table.indices(repeats)
    ]
