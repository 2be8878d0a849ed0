"""A page about the groups of a fitted SubgroupBiclustering, and plots of them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bicneuron.patterns import (
    Evidence,
    Pattern,
    check_patterns,
    is_other_side,
    proven_patterns,
    significant_patterns,
)
from bicneuron.report._lists import PatternLists, lists_of
from bicneuron.report._page import Palette, check_path, write_page
from bicneuron.report._plots import scores_plot, subgroup_plot
from bicneuron.report._records import class_labels, pattern_records
from bicneuron.significance import ColumnEvidence, with_evidence

# Groups that are drawn on the page, and columns of each that are listed.
MOST_PLOTS, MOST_COLUMNS = 5, 30


def write_subgroup_report(
    path: str | os.PathLike[str],
    miner: Any,
    X: Any,
    y: Any = None,
    *,
    about: Mapping[str, Any] | None = None,
    columns: Sequence[ColumnEvidence] = (),
    overwrite: bool = False,
) -> Path:
    """Write a self-contained HTML page about the groups of a table.

    Its one script, to save lists, needs no network.

    Parameters
    ----------
    path : path-like
        The file to write.
    miner : SubgroupBiclustering
        Fitted. The page begins with its ``summary()``. If it comes from
        `bicneuron.significance.with_evidence` or `find_groups`, findings are shown first;
        leads and other groups are folded away.
    X : frame or array-like of shape (n_rows, n_columns)
        The data it was fitted on. Column and row names of a frame are shown.
    y : array-like of shape (n_rows,), default=None
        The labels it was fitted on; if it was fitted without labels, those that its groups were
        tested with.
    about : mapping, default=None
        Where the data come from: ``table``, ``target``, and ``set_aside``, the names of known
        structure that the search set aside.
    columns : sequence of ColumnEvidence, default=()
        Results of `bicneuron.significance.column_evidence` for some groups. Their columns come in
        this order, the clearest first, in sentences, tables and pictures.
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
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroup
    >>> from bicneuron.report import write_subgroup_report
    >>> X, y, _, _ = make_subgroup(60, 50, group_shape=(12, 8), shift=4, random_state=0)
    >>> miner = SubgroupBiclustering(n_patterns=2).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_subgroup_report(Path(folder) / "groups.html", miner, X, y)
    ...     "12 of 30 patient" in page.read_text()
    True
    """
    path = check_path(path, overwrite=overwrite)
    check_patterns(miner, "write_subgroup_report")
    if any(pattern.axis is None for pattern in miner.patterns_):
        raise TypeError(
            f"miner is a {type(miner).__name__}, whose patterns are not groups; give a fitted "
            "SubgroupBiclustering."
        )
    labels = class_labels(y)
    miner.check_table(X, labels)
    about = dict(about or {})
    miner = with_evidence(miner, columns=columns)
    lists = None
    if miner.patterns_ and not issparse(X):
        lists = lists_of(miner, X, labels, columns)
    classes = [] if labels is None else [str(label) for label in np.unique(labels).tolist()]
    palette = Palette.of(classes)
    patterns = _patterns(miner, X, labels, lists, columns)
    drawn = shown_places(miner.patterns_)[:MOST_PLOTS]
    for place in drawn:
        patterns[place]["plot"] = subgroup_plot(miner, X, labels, place, palette)
    for one in columns[:MOST_PLOTS]:
        if one.pattern.evidence is not None and one.pattern.evidence.separate_p is not None:
            patterns[one.number - 1]["of_scores"] = scores_plot(one)
    values = {
        "answer": [_numbered(line) for line in miner.summary().splitlines()],
        "patterns": patterns,
        "is_tested": any(pattern["is_tested"] for pattern in patterns),
        "table": about.get("table"),
        "target": about.get("target"),
        "set_aside": about.get("set_aside"),
        "n_rows": np.shape(X)[0],
        "n_columns": np.shape(X)[1],
        "share_missing": _share_missing(X),
        "classes": classes,
        "colours": palette.colours,
        "most_columns": MOST_COLUMNS,
        "settings": repr(miner),
    }
    downloads = {} if lists is None else lists.files
    return write_page(path, "subgroups.html", values, downloads, overwrite=overwrite)


def shown_places(patterns: Sequence[Pattern]) -> list[int]:
    """Positions of patterns in the order in which pictures are drawn: findings, leads, others."""
    sections = _sections(patterns)
    return sorted(range(len(patterns)), key=lambda place: sections[place])


def _sections(patterns: Sequence[Pattern]) -> list[str]:
    """The part of the page that each pattern is in; the names are in the order of the page."""
    findings, significant = proven_patterns(patterns), significant_patterns(patterns)
    return [
        "finding" if one in findings else "lead" if one in significant else "seen"
        for one in patterns
    ]


def _patterns(
    miner: Any,
    X: Any,
    labels: Any,
    lists: PatternLists | None,
    columns: Sequence[ColumnEvidence],
) -> list[dict[str, Any]]:
    """Each pattern as the page shows it."""
    sections = _sections(miner.patterns_)
    told = proven_patterns(miner.patterns_) or significant_patterns(miner.patterns_)
    means: dict[int, list[dict[str, Any]]] = {}
    for line in [] if lists is None else lists.columns:
        means.setdefault(line["pattern"], []).append(line)
    tested = {one.number: one for one in columns}
    shown = []
    for pattern, record, section in zip(
        miner.patterns_, pattern_records(miner, X, labels), sections, strict=True
    ):
        number, evidence = record["rank"], pattern.evidence or Evidence()
        of_columns = tested.get(number)
        records = [] if of_columns is None or of_columns.reason else of_columns.records
        by_name = {one["column"]: one for one in records}
        lines = [
            {
                "name": name,
                "direction": (
                    by_name[name]["direction"] if name in by_name else record["directions"][place]
                ),
                "weight": record["weights"][place],
                "means": means[number][place] if means else None,
                "tested": by_name.get(name),
            }
            for place, name in enumerate(record["columns"][:MOST_COLUMNS])
        ]
        shown.append(
            {
                **record,
                "section": section,
                "other_side_of": next(
                    (
                        1 + miner.patterns_.index(one)
                        for one in told
                        if pattern not in told and is_other_side(pattern, one)
                    ),
                    None,
                ),
                "is_tested": evidence.is_tested,
                "evidence": evidence.lines,
                "verdict": evidence.verdict,
                "lines": lines,
                "about_columns": None if of_columns is None else of_columns.words,
                "plot": None,
                "of_scores": None,
            }
        )
    return shown


def _numbered(line: str) -> tuple[str | None, str]:
    """The number of a finding at the beginning of a line of the answer, if it has one."""
    number, dot, text = line.partition(". ")
    return (number, text) if dot and number.isdigit() else (None, line)


def _share_missing(X: Any) -> float:
    values = X.data if issparse(X) else np.asarray(X, np.float64)
    return float(np.isnan(values).sum() / max(np.prod(np.shape(X)), 1))
