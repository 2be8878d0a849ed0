"""Write a page about a fitted model."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bicneuron._shared._formats import shortened
from bicneuron.metrics import CrossValidatedScores
from bicneuron.report._page import check_path, write_page
from bicneuron.report._patterns import MOST_TERMS, table_values
from bicneuron.report._plots import Palette, heat_map, pattern_plots, score_plots
from bicneuron.report._summary import summarise


def write_report(
    path: str | os.PathLike[str],
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    about: Mapping[str, Any] | None = None,
    rows: Sequence[Any] | None = None,
    scores: CrossValidatedScores | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a self-contained HTML report about a fitted model.

    Its one script, to look up rows and to save lists, needs no network.

    Parameters
    ----------
    path : path-like
        The file to write.
    model : BicNeuronClassifier or BicNeuronNetwork
        Fitted.
    X : frame or array-like of shape (n_rows, n_columns), default=None
        Rows to explain; the index of a frame has their names. If they are the data that the model
        was fitted on, the pattern that decides is plotted.
    y : array-like of shape (n_rows,), default=None
        Classes of the rows. If given, copies of the model are scored by cross-validation, beside
        logistic regression on the same folds.
    about : mapping, default=None
        How the model was fitted: ``table``, ``n_rows``, ``target``, ``id``, ``dropped``,
        ``command``.
    rows : sequence, default=None
        Names or positions of the rows to explain. None is the most certain row of each class, the
        least certain row and some misclassified ones.
    scores : CrossValidatedScores, default=None
        Scores of this model, if they are already known. None computes them.
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
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronNetwork, PatternClassifier
    >>> from bicneuron.report import write_report
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = PatternClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(Path(folder) / "report.html", model, X)
    ...     "Which columns matter" in page.read_text()
    True
    """
    path = check_path(path, overwrite=overwrite)
    summary = summarise(model, X, y, about=about, rows=rows, scores=scores)
    values = {
        **summary,
        "plots": _draw(model, X, y, summary),
        "most_terms": MOST_TERMS,
    }
    return write_page(path, "report.html", values, _script_data(summary), overwrite=overwrite)


def _draw(model: Any, X: Any, y: Any, summary: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the plots of a page: of the scores, of the whole table and of the patterns.

    Of each binary estimator or of a network, with the reason if there are none.
    """
    palette = Palette(summary["classes"], summary["colours"])
    scores, ranking = summary["scores"], summary["ranking"]
    left_out = None if scores is None else scores["left_out"]
    drawn: dict[str, Any] = {
        "scores": [] if left_out is None else score_plots(left_out, palette),
        "heat_map": None,
        "patterns": [],
    }
    if ranking:
        values, names = table_values(model, X)
        places = [names.index(line["column"]) for line in ranking]
        labels = None if np.ndim(y) != 1 else np.asarray(y)
        shown = [line["column"] for line in ranking]
        drawn["heat_map"] = heat_map(values[:, places], labels, shown, palette)
    if X is not None:
        # Of a network the strongest only.
        shown = summary["patterns"] if summary["problems"] else summary["patterns"][:1]
        drawn["patterns"] = [pattern_plots(model, X, one, palette) for one in shown]
    return drawn


def _script_data(summary: Mapping[str, Any]) -> dict[str, Any]:
    rows = summary["rows"]
    return {
        "classes": [*map(shortened, summary["classes"])],
        "meanClasses": summary["mean_classes"],
        "rows": [] if rows is None else rows["all"],
        "patterns": {} if rows is None else rows["patterns"],
        "columns": {} if rows is None else rows["columns"],
        "lists": summary["downloads"],
    }
