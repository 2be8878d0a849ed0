"""A page about the patterns of a model in a second cohort, and the same as plain data."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron._shared._formats import round_p
from bicneuron._shared._names import row_names
from bicneuron._shared._plots import plain
from bicneuron.inspection import ColumnEffectsDisplay, SeparateDisplay, SurvivalDisplay
from bicneuron.patterns import carrier_counts, class_masks
from bicneuron.replication import ReplicatedPattern, Replication
from bicneuron.report._lists import csv_text
from bicneuron.report._page import check_path, write_page
from bicneuron.report._plots import Plot, drawn_plot

# Patterns that have a line at the top and that have plots, those that are found again first, and
# columns and rows that are named.
MOST_LINES, MOST_DRAWN, MOST_COLUMNS, MOST_ROWS = 8, 20, 40, 200
# Where the data come from.
ABOUT = ("table", "training_table", "target", "strata", "groups", "time", "event", "outcome")
LIST = ("pattern", "column", "is_here", "effect_there", "effect_here")


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
    about = dict.fromkeys(ABOUT) | dict(about or {})
    records = replication_records(replication, X2, y2)
    survival = None
    if time is not None:
        survival = {"time": time, "event": event, "time_name": plain(about["time"] or "time")}
    first = sorted(replication.patterns, key=lambda one: not one.is_found)
    drawn = [one for one in first if one.found.members is not None][:MOST_DRAWN]
    names = [str(name) for name in row_names(X2, replication.n_rows)]
    lists = {"scores.csv": _score_lines(records, names), "columns.csv": _column_lines(records)}
    values = {
        **about,
        "replication": replication,
        "patterns": replication.patterns,
        "records": {record["number"]: record for record in records},
        "rows": names,
        "plots": {one.number: _plots(replication, one, survival) for one in drawn},
        "first": first,
        "most_lines": MOST_LINES,
        "smallest_p": round_p(1 / (1 + replication.n_draws)),
        "has_class": any(one.p_class is not None for one in replication.patterns),
        "has_outcome": any(one.p_outcome is not None for one in replication.patterns),
        "most_columns": MOST_COLUMNS,
        "most_rows": MOST_ROWS,
    }
    downloads = {name: csv_text(lines) for name, lines in lists.items() if lines}
    return write_page(path, "replication.html", values, downloads, overwrite=overwrite)


def _plots(
    replication: Replication, one: ReplicatedPattern, survival: Mapping[str, Any] | None
) -> dict[str, Plot]:
    """Plots of a pattern, by their names."""
    members, plots = one.found.members, {}

    def draw(name: str, from_result: Callable[..., Any], height: float, caption: str) -> None:
        plots[name] = drawn_plot(
            lambda ax: from_result(replication, one.number - 1, ax=ax),
            f"pattern-{one.number}-{name}",
            caption,
            (8, height),
            label=f"pattern {one.number}: {name}",
        )

    if one.levels is not None:
        caption = (
            "Sums of the columns, of members and of other rows. Of a separate group, two humps "
            "describe them, and no single one does"
        )
        draw("separate", SeparateDisplay.from_result, 4, caption)
    if members is not None and members.any() and not members.all():
        caption = (
            "Difference of members from other rows in each column. Members were chosen by these "
            "columns, so that some difference in the same direction is there in any cohort"
        )
        height = 1.6 + 0.26 * min(30, len(one.found.present))
        draw("effects", ColumnEffectsDisplay.from_result, height, caption)
    if survival is not None:
        caption = (
            "Share of members and of other rows without an event (Kaplan-Meier), with the numbers "
            "of rows at risk; a tick is a row that was last seen then"
        )
        draw("survival", partial(SurvivalDisplay.from_result, **survival), 4.6, caption)
    return plots


def _score_lines(records: list[dict[str, Any]], names: list[str]) -> list[dict[str, Any]]:
    """One line for each row, with its scores."""
    columns = {f"pattern {record['number']}": record["scores"] for record in records}
    return [
        {"row": name} | {pattern: _rounded(scores[row]) for pattern, scores in columns.items()}
        for row, name in enumerate(names)
    ]


def _rounded(score: float | None) -> float | str:
    return "" if score is None else round(score, 4)


def _column_lines(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One line for each column of each pattern, with its effects if it is here."""
    lines: list[tuple[Any, ...]] = []
    for record in records:
        effects = zip(
            record["columns_present"], record["effects_there"], record["effects_here"], strict=True
        )
        lines += [(record["number"], name, "yes", *both) for name, *both in effects]
        lines += [(record["number"], name, "no", "", "") for name in record["columns_absent"]]
    return [dict(zip(LIST, line, strict=True)) for line in lines]


def replication_records(
    replication: Replication, X2: Any = None, y2: Any = None
) -> list[dict[str, Any]]:
    """Return what became of patterns in a second cohort as plain data, for files and data frames.

    Parameters
    ----------
    replication : Replication
        What `bicneuron.replication.replicate` returned.
    X2 : frame or array of shape (n_rows, n_columns), default=None
        The cohort, for the names of its rows; None numbers them.
    y2 : array of shape (n_rows,), default=None
        Classes in which members are counted; None and NaN are unknown.

    Returns
    -------
    list of dict
        One for each pattern, in the order of the model, all with the same keys; what is not known
        is None. Members are ordered by their scores; ``scores`` are those of all rows, in the order
        of the table. ``p_class_labels_only`` and
        ``p_outcome_labels_only`` are not the answer to any question: most scores are tied to most
        labels.

    Examples
    --------
    >>> from bicneuron import Findings, SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.report import replication_records
    >>> from bicneuron.replication import replicate
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X[::2])
    >>> result = replicate(Findings.untested(miner, X[::2]), X[1::2], n_draws=99, random_state=0)
    >>> (record,) = replication_records(result, X[1::2])
    >>> record["verdict"], record["carriers_there"], record["n_members"]
    ('found again', '10 of 50', 5)
    """
    if X2 is not None and np.shape(X2)[0] != replication.n_rows:
        raise ValueError(
            f"X2 has {np.shape(X2)[0]} rows and the replication {replication.n_rows}; give the X2 "
            "that it was made with."
        )
    if y2 is not None and len(y2) != replication.n_rows:
        raise ValueError(f"y2 has {len(y2)} values for {replication.n_rows} rows.")
    names = row_names(X2, replication.n_rows)
    labels = None if y2 is None else np.asarray(y2, dtype=object)
    return [_record(one, names, labels) for one in replication.patterns]


def _record(one: ReplicatedPattern, names: list[Any], labels: AnyArray | None) -> dict[str, Any]:
    found = one.found
    rows, order = np.empty(0, np.intp), np.argsort(-np.abs(found.effects_there), kind="stable")
    members_of_classes = None
    if found.members is not None:
        rows = np.argsort(-found.scores, kind="stable")
        rows = rows[found.members[rows]]
        if labels is not None:
            counts = carrier_counts(found.members, class_masks(labels, len(labels)))
            members_of_classes = {str(k): f"{own} of {n}" for k, (own, n) in counts.items()}
    return {
        "number": one.number,
        "kind": found.pattern.kind,
        "verdict": one.verdict,
        "words": one.words,
        "reason": one.reason or None,
        "carriers_there": one.carried_there,
        "n_rows": len(found.scores),
        "n_members": None if found.members is None else len(rows),
        "members_of_classes": members_of_classes,
        "share_there": found.share_there,
        "share_here": found.share_here,
        "gap_there": found.gap_there,
        "gap_here": found.gap_here,
        "n_columns": len(found.pattern.columns),
        "n_columns_present": len(found.present),
        "weight_present": found.weight_present,
        "p_found": one.p_found,
        "p_together": one.p_together,
        "p_together_corrected": one.corrected.together,
        "p_tied": one.p_tied,
        "p_tied_corrected": one.corrected.tied,
        "p_separate": None if one.separate is None else one.separate.p_value,
        "p_separate_corrected": one.corrected.separate,
        "separate": one.separate_words or None,
        "p_class": one.p_class,
        "p_class_labels_only": one.p_class_labels_only,
        "p_outcome": one.p_outcome,
        "p_outcome_labels_only": one.p_outcome_labels_only,
        "columns_present": [found.present[j] for j in order.tolist()],
        "effects_there": found.effects_there[order].tolist(),
        "effects_here": found.effects_here[order].tolist(),
        "columns_absent": list(found.absent),
        "members": [names[row] for row in rows.tolist()],
        "member_scores": found.scores[rows].tolist(),
        "scores": [None if np.isnan(score) else score for score in found.scores.tolist()],
    }
