"""A page about the groups of a fitted SubgroupBiclustering, and plots of them."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bicneuron._writing._atomic import write_folder
from bicneuron._writing._svg import svg_file
from bicneuron._writing._version import __version__
from bicneuron.patterns import Evidence, check_patterns
from bicneuron.report._colours import class_colours
from bicneuron.report._lists import PatternLists, lists_of
from bicneuron.report._model import MOST_COLUMNS
from bicneuron.report._page import check_path, write_page
from bicneuron.report._patterns import class_labels
from bicneuron.report._plots import Palette, subgroup_plot
from bicneuron.report._records import pattern_records
from bicneuron.report._summary import summary_of_groups, summary_of_tests


def write_subgroup_report(
    path: str | os.PathLike[str],
    miner: Any,
    X: Any,
    y: Any = None,
    *,
    about: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a self-contained HTML page about the groups of a table.

    Its one script, to save lists, needs no network.

    Parameters
    ----------
    path : path-like
        The file to write.
    miner : SubgroupBiclustering
        Fitted. If it comes from `bicneuron.significance.with_evidence`, the page says how sure its
        groups are, and shows those that pass none of the tests against chance in grey.
    X : frame or array-like of shape (n_rows, n_columns)
        The data it was fitted on. Column and row names of a frame are shown.
    y : array-like of shape (n_rows,), default=None
        The labels it was fitted on; if it was fitted without labels, those that its groups were
        tested with.
    about : mapping, default=None
        Where the data come from: ``table``, ``target``, and ``set_aside``, the names of known
        structure that the search set aside.
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
            f"miner is a {type(miner).__name__}, whose patterns are no groups; give a fitted "
            "SubgroupBiclustering."
        )
    labels = class_labels(y)
    miner.check_table(X, labels)
    about = dict(about or {})
    n_rows, n_columns = np.shape(X)
    evidence = [group.evidence or Evidence() for group in miner.patterns_]
    tests = summary_of_tests(evidence)
    lists = lists_of(miner, X, labels) if miner.patterns_ and not issparse(X) else None
    classes = [] if labels is None else [str(label) for label in np.unique(labels).tolist()]
    palette = Palette(classes, class_colours(len(classes)))
    values = {
        "settings": repr(miner),
        "table": about.get("table"),
        "target": about.get("target"),
        "n_rows": n_rows,
        "n_columns": n_columns,
        "is_blind": not hasattr(miner, "classes_"),
        "tested": None if tests is None else tests["summary"],
        "tested_as_groups": summary_of_groups(evidence),
        "set_aside": about.get("set_aside"),
        "evidence": [str(one) for one in evidence],
        "verdicts": [one.verdict for one in evidence],
        "is_chance": [one.is_chance for one in evidence],
        "was_repeated": any(one.n_subsamples is not None for one in evidence),
        "patterns": pattern_records(miner, X, labels),
        "means": _means(lists),
        "classes": classes,
        "colours": palette.colours,
        "downloads": [] if lists is None else [*lists.files],
        "plots": [
            subgroup_plot(miner, X, labels, place, palette) for place in range(len(miner.patterns_))
        ],
        "most_columns": MOST_COLUMNS,
        "version": __version__,
    }
    script_data = {"rows": [], "lists": {} if lists is None else lists.files}
    return write_page(path, "subgroups.html", values, script_data, overwrite=overwrite)


def _means(lists: PatternLists | None) -> dict[int, list[dict[str, Any]]]:
    """For each group, the means of its columns, in the order of their weights."""
    means: dict[int, list[dict[str, Any]]] = {}
    for line in [] if lists is None else lists.columns:
        means.setdefault(line["pattern"], []).append(line)
    return means


def write_subgroup_plots(
    folder: Path, miner: Any, X: Any, y: Any = None, *, replacing: str, overwrite: bool = True
) -> None:
    """Write one SVG file for each group, numbered by rank, and delete older ones.

    Parameters
    ----------
    folder : Path
    miner : SubgroupBiclustering
        Fitted.
    X, y : frame or array, and labels or None
        The data it was fitted on.
    replacing : str
        Pattern of names of older files.
    overwrite : bool, default=True
        Replace older files.
    """
    digits = len(str(len(miner.patterns_)))
    plots = {
        f"pattern-{place + 1:0{digits}}.svg": svg_file(subgroup_plot(miner, X, y, place).svg)
        for place in range(len(miner.patterns_))
    }
    write_folder(folder, plots, replacing=replacing, overwrite=overwrite)
