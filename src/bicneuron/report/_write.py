"""Write the page."""

import os
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from bicneuron._atomic import write_atomically
from bicneuron.explanation._words import number, signed
from bicneuron.metrics import CrossValidatedScores
from bicneuron.report._pictures import pattern_pictures
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
    """Write one HTML page about a fitted model that needs nothing else: no network, no script.

    Parameters
    ----------
    path : path-like
        The file.
    model : BicNeuronClassifier, BicNeuronClassifierCV or BicNeuronNetwork
        Fitted.
    X : frame or array-like of shape (n_rows, n_columns), default=None
        Rows to explain; the index of a frame has their names. If it is what the model was fitted
        on, the deciding pattern is drawn.
    y : array-like of shape (n_rows,), default=None
        Their classes. With them, copies of the model are scored by cross-validation, beside
        logistic regression on the same folds.
    about : mapping, default=None
        Where the model comes from: ``table``, ``n_rows``, ``target``, ``id``, ``dropped``,
        ``command``.
    rows : sequence, default=None
        Names or positions of the rows to explain. None is the most certain row of each class, the
        least certain one and some wrong ones.
    scores : CrossValidatedScores, default=None
        Scores of this model, where they are known already. None computes them.
    overwrite : bool, default=False
        Whether an older file is replaced.

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
    """Pictures of each part of a model, with a reason where there are none."""
    if X is None:
        return []
    parts = getattr(model, "estimators_", [model])
    return [pattern_pictures(part, X, f"part{number}") for number, part in enumerate(parts)]


def render(summary: Mapping[str, Any], pictures: Sequence[tuple[list[Any], str | None]]) -> str:
    """Turn what is to be told into a page."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise ImportError("the page needs jinja2; run pip install 'bicneuron[report]'.") from error

    source = resources.files("bicneuron.report") / "templates" / "report.html"
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(number=number, signed=signed)
    return environment.from_string(source.read_text(encoding="utf-8")).render(
        **summary, pictures=pictures
    )
