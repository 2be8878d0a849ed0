"""Write a report."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bicneuron._files._atomic import write_atomically
from bicneuron._files._page import render_page
from bicneuron.explanation._numbers import number, signed
from bicneuron.metrics import CrossValidatedScores
from bicneuron.report._explanation_html import explanation_html
from bicneuron.report._plots import pattern_plots
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
    """Write a self-contained HTML report about a fitted model, without scripts.

    Parameters
    ----------
    path : path-like
        The file to write.
    model : BicNeuronClassifier, BicNeuronClassifierCV or BicNeuronNetwork
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
    >>> from bicneuron import BicNeuronNetwork
    >>> from bicneuron.report import write_report
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = BicNeuronNetwork(design="readable", n_neurons=3, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(Path(folder) / "report.html", model, X)
    ...     "Rows explained" in page.read_text()
    True
    """
    path = Path(path)
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists; give another path or overwrite=True.")
    summary = summarise(model, X, y, about=about, rows=rows, scores=scores)
    write_atomically(path, render(summary, draw(model, X)))
    return path


def draw(model: Any, X: Any) -> list[tuple[list[Any], str | None]]:
    """Plots of each binary estimator or of a network, with the reason if there are none."""
    if X is None:
        return []
    models = getattr(model, "estimators_", [model])
    return [pattern_plots(each, X, f"pattern{number}") for number, each in enumerate(models)]


def render(summary: Mapping[str, Any], plots: Sequence[tuple[list[Any], str | None]]) -> str:
    """Render the content as HTML."""
    values = {**summary, "plots": plots}
    filters: dict[str, Callable[..., str]] = {
        "explanation_html": explanation_html,
        "number": number,
        "signed": signed,
    }
    return render_page("bicneuron.report", values, filters)
