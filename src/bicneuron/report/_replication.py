"""A page about the patterns of a model in a second cohort."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._formats import round_p
from bicneuron._shared._names import row_names
from bicneuron._shared._plots import draw_svg, plain
from bicneuron._shared._version import __version__
from bicneuron.inspection import (
    ColumnEffectsDisplay,
    SeparateDisplay,
    SurvivalDisplay,
)
from bicneuron.replication import ReplicatedPattern, Replication
from bicneuron.report._lists import csv_text
from bicneuron.report._page import check_path, write_page
from bicneuron.report._plots import Plot
from bicneuron.report._replication_records import replication_records

# Patterns that have a line at the top and that have plots, those that are found again first, and
# columns and rows that are named.
MOST_LINES, MOST_DRAWN, MOST_COLUMNS, MOST_ROWS = 8, 20, 40, 200


def write_replication_report(
    path: str | os.PathLike[str],
    replication: Replication,
    X2: Any = None,
    y2: Any = None,
    *,
    time: Any = None,
    event: Any = None,
    about: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a self-contained HTML page about the patterns of a model in a second cohort.

    Its one script, to save lists, needs no network.

    Parameters
    ----------
    path : path-like
        The file to write.
    replication : Replication
        What `bicneuron.replication.replicate` returned.
    X2 : frame or array-like of shape (n_rows, n_columns), default=None
        The cohort, for the names of its rows; None numbers them.
    y2 : array-like of shape (n_rows,), default=None
        Classes in which members are counted.
    time, event : array-like of shape (n_rows,), default=None
        Survival, as it was given to `replicate`, for Kaplan-Meier curves.
    about : mapping, default=None
        Where the data come from: ``table``, ``training_table``, and the names of columns
        ``target``, ``strata``, ``groups``, ``time``, ``event`` and ``outcome``.
    overwrite : bool, default=False
        Whether to replace an existing file.

    Returns
    -------
    Path
        The file. The same arguments give the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bicneuron import Findings, SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.report import write_replication_report
    >>> from bicneuron.replication import replicate
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X[::2])
    >>> result = replicate(Findings.untested(miner, X[::2]), X[1::2], n_draws=99, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_replication_report(Path(folder) / "page.html", result)
    ...     "1 of 1 group is found again" in page.read_text()
    True
    """
    path = check_path(path, overwrite=overwrite)
    if (time is None) != (event is None):
        raise ValueError("time and event belong together; give both.")
    about = dict(about or {})
    records = replication_records(replication, X2, y2)
    survival = None
    if time is not None:
        survival = np.asarray(time, np.float64), np.asarray(event, np.float64)
    drawn = _drawn(replication)
    by_page = {one.number: _plots(replication, one, survival, about) for one in drawn}
    names = [str(name) for name in row_names(X2, replication.n_rows)]
    lists = {"scores.csv": _score_lines(records, names), "columns.csv": _column_lines(records)}
    downloads = {name: csv_text(lines) for name, lines in lists.items() if lines}
    values = {
        "replication": replication,
        "patterns": replication.patterns,
        "records": {record["number"]: record for record in records},
        "rows": names,
        "plots": by_page,
        "first": sorted(replication.patterns, key=lambda one: not one.is_found),
        "most_lines": MOST_LINES,
        "smallest_p": round_p(1 / (1 + replication.n_draws)),
        "downloads": [*downloads],
        "has_class": any(one.p_class is not None for one in replication.patterns),
        "has_outcome": any(one.p_outcome is not None for one in replication.patterns),
        "most_columns": MOST_COLUMNS,
        "most_rows": MOST_ROWS,
        "version": __version__,
        **{
            key: about.get(key)
            for key in (
                "table", "training_table", "target", "strata", "groups", "time", "event", "outcome"
            )
        },
    }  # fmt: skip
    return write_page(
        path, "replication.html", values, {"rows": [], "lists": downloads}, overwrite=overwrite
    )


def _drawn(replication: Replication) -> list[ReplicatedPattern]:
    """Patterns that have plots: those that are found again, then others that have scores."""
    scored = [one for one in replication.patterns if one.found.members is not None]
    return sorted(scored, key=lambda one: not one.is_found)[:MOST_DRAWN]


def _plots(
    replication: Replication,
    one: ReplicatedPattern,
    survival: tuple[FloatArray, FloatArray] | None,
    about: Mapping[str, Any],
) -> dict[str, Plot]:
    """Plots of a pattern, by their names."""
    k, members = one.number - 1, one.found.members
    plots: dict[str, Plot] = {}
    if one.levels is not None:
        plots["separate"] = Plot(
            _svg(SeparateDisplay.from_result, replication, k, "separate", (8, 4)),
            "Sums of the columns, of members and of other rows. Of a separate group, two humps "
            "describe them, and no single one does",
        )
    if members is not None and members.any() and not members.all():
        height = 1.6 + 0.26 * min(30, len(one.found.present))
        plots["effects"] = Plot(
            _svg(ColumnEffectsDisplay.from_result, replication, k, "effects", (8, height)),
            "Difference of members from other rows in each column. Members were chosen by these "
            "columns, so that some difference in the same direction is there in any cohort",
        )
    if survival is not None:
        draw_curves = partial(
            SurvivalDisplay.from_result,
            time=survival[0],
            event=survival[1],
            time_name=plain(about.get("time") or "time"),
        )
        plots["survival"] = Plot(
            _svg(draw_curves, replication, k, "survival", (8, 4.6)),
            "Share of members and of other rows without an event (Kaplan-Meier), with the numbers "
            "of rows at risk; a tick is a row that was last seen then",
        )
    return plots


def _svg(
    draw: Callable[..., Any], replication: Any, k: int, name: str, size: tuple[float, float]
) -> str:
    def draw_figure(figure: Any) -> None:
        figure.set(size_inches=size, layout_engine="constrained")
        draw(replication, k, ax=figure.subplots())

    return draw_svg(draw_figure, f"pattern-{k + 1}-{name}", label=f"pattern {k + 1}: {name}")


def _score_lines(records: list[dict[str, Any]], names: list[str]) -> list[dict[str, Any]]:
    """One line for each row, with its scores."""
    columns = {f"pattern {record['number']}": record["scores"] for record in records}
    return [
        {"row": name, **{pattern: _rounded(scores[row]) for pattern, scores in columns.items()}}
        for row, name in enumerate(names)
    ]


def _rounded(score: float | None) -> float | str:
    return "" if score is None else round(score, 4)


def _column_lines(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines = []
    for record in records:
        effects = zip(
            record["columns_present"], record["effects_there"], record["effects_here"], strict=True
        )
        lines += [
            {"pattern": record["number"], "column": name, "is_here": "yes",
             "effect_there": there, "effect_here": here}
            for name, there, here in effects
        ]  # fmt: skip
        lines += [
            {"pattern": record["number"], "column": name, "is_here": "no",
             "effect_there": "", "effect_here": ""}
            for name in record["columns_absent"]
        ]  # fmt: skip
    return lines
