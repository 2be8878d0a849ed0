"""HTML pages about models, groups and second cohorts."""

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from bicneuron import metrics
from bicneuron._shared._files import write_atomically
from bicneuron._shared._formats import number, round_p, shortened, signed
from bicneuron._shared._html import render_page
from bicneuron._shared._version import __version__
from bicneuron.replication import Replication
from bicneuron.report._replication import replication_page
from bicneuron.report._subgroups import groups_page
from bicneuron.significance import ColumnEvidence

# What may be told of the data, apart from what only the page of a model has.
ABOUT = ("table", "training_table", "target", "set_aside", "strata", "groups", "time", "event")
FILTERS: Any = {"number": number, "signed": signed, "p": round_p, "short": shortened}


def write_report(  # noqa: PLR0913  # what only one kind of page takes is last
    path: str | os.PathLike[str],
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    about: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    rows: Sequence[Any] | None = None,
    scores: "metrics.CrossValidatedScores | None" = None,
    columns: Sequence[ColumnEvidence] = (),
) -> Path:
    """Write an HTML page about a model, groups or their replication, which needs no network.

    The same arguments give the same bytes; the path is returned.

    Parameters
    ----------
    path : path-like
        The file to write.
    model : BicNeuronClassifier, BicNeuronNetwork, SubgroupBiclustering or Replication
        Fitted, or what `bicneuron.replication.replicate` returned. Of groups that were tested
        (`find_groups`, `with_evidence`), findings come first, and all others are folded away.
    X : frame or array-like of shape (n_rows, n_columns), default=None
        Rows to explain; if they are the data that the model was fitted on, the pattern that decides
        is plotted. Groups need these data; of a replication it is the second cohort.
    y : array-like of shape (n_rows,), default=None
        Classes of the rows. If given, copies of a classifier or network are scored by
        cross-validation, beside logistic regression on the same folds. Of groups and replications
        also numbers or survival, as they were tested, of which a picture is drawn.
    about : mapping, default=None
        Where the data come from: ``table``, ``target``; of a model also ``n_rows``, ``id``,
        ``dropped`` and ``command``, of groups ``set_aside``, of a replication ``training_table``,
        ``strata``, ``groups``, ``time`` and ``event``, names of columns.
    overwrite : bool, default=False
        Whether to replace an existing file.
    rows : sequence, default=None
        Names or positions of rows to explain first. None is the most certain row of each class, the
        least certain row and some misclassified ones.
    scores : CrossValidatedScores, default=None
        Scores of this model, if they are already known. None computes them.
    columns : sequence of ColumnEvidence, default=()
        Results of `bicneuron.significance.column_evidence` for some groups: columns in this order.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import PatternClassifier
    >>> from bicneuron.report import write_report
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = PatternClassifier(random_state=0).fit(X[::4], y[::4])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(Path(folder) / "report.html", model, X[::4])
    ...     "Which columns matter" in page.read_text()
    True
    """
    path, about = Path(path), dict(about or {})
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists; give another path or overwrite=True.")
    data: dict[str, Any] = {"rows": []}
    if isinstance(model, Replication):
        template = "replication.html"
        values, lists = replication_page(model, X, y)
    elif hasattr(model, "explain"):
        from bicneuron.report._model import model_page  # which loads what no other page needs

        template = "report.html"
        values, lists, data = model_page(model, X, y, about, rows, scores)
    else:
        template = "subgroups.html"
        values, lists = groups_page(model, X, y, columns)
    script = (files("bicneuron.report") / "templates" / "page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    embedded = {**data, "lists": lists}
    page_data = json.dumps(embedded, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":  # no name in it can end a <script> element
        page_data = page_data.replace(sign, f"\\u{ord(sign):04x}")
    content = {
        **dict.fromkeys((*ABOUT, "reading")),
        **about,
        **values,
        "version": __version__,
        "downloads": [*lists],
        "script": script,
        # The page's security policy allows this script and no other.
        "script_hash": f"sha256-{digest}",
        "page_data": page_data,
    }
    page = render_page("bicneuron.report", content, template, **FILTERS)
    write_atomically(path, page, overwrite=overwrite)
    return path
