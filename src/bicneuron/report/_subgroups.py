"""Write a page about the groups that were found."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bicneuron._files._atomic import write_atomically
from bicneuron._files._page import render_page
from bicneuron._version import __version__
from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.explanation._numbers import number, signed
from bicneuron.report._model import MOST_COLUMNS
from bicneuron.report._plots import subgroup_plot
from bicneuron.report._subgroup_records import subgroup_records


def write_subgroup_report(
    path: str | os.PathLike[str],
    miner: SubgroupBiclustering,
    X: Any,
    y: Any = None,
    *,
    about: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a self-contained HTML page about the groups of a table, without scripts.

    Parameters
    ----------
    path : path-like
        The file to write.
    miner : SubgroupBiclustering
        Fitted.
    X : frame or array-like of shape (n_rows, n_columns)
        The data it was fitted on. Column and row names of a frame are shown.
    y : array-like of shape (n_rows,), default=None
        The labels it was fitted on.
    about : mapping, default=None
        Where the data come from: ``table``, ``target``.
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
    path = Path(path)
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists; give another path or overwrite=True.")
    if not isinstance(miner, SubgroupBiclustering):
        raise TypeError(f"miner is a {type(miner).__name__}; give a fitted SubgroupBiclustering.")
    check_is_fitted(miner)
    about = dict(about or {})
    n_rows, n_columns = np.shape(X)
    values = {
        "settings": repr(miner),
        "table": about.get("table"),
        "target": about.get("target"),
        "n_rows": n_rows,
        "n_columns": n_columns,
        "patterns": subgroup_records(miner, X),
        "plots": [subgroup_plot(miner, X, y, place) for place in range(len(miner.found_))],
        "most_columns": MOST_COLUMNS,
        "version": __version__,
    }
    filters = {"number": number, "signed": signed}
    write_atomically(
        path, render_page("bicneuron.report", values, filters, template="subgroups.html")
    )
    return path
