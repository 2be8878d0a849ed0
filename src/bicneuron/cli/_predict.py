"""``bicneuron predict``."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import Answer, answering
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_free, writing
from bicneuron.exceptions import ModelFileError
from bicneuron.persistence import load_about

if TYPE_CHECKING:
    import pandas as pd

    from bicneuron.tables import Table


def predict(
    model: options.ModelFile,
    table: options.TableFile,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="PREDICTIONS",
            help="Table to write: CSV, TSV (also .gz), Parquet or Excel.",
            show_default=False,
        ),
    ],
    transpose: options.Transpose = None,
    phenotype: options.Phenotype = None,
    id_column: options.IdColumn = None,
    decimal: options.Decimal = None,
    dates: options.Dates = None,
    layer: options.Layer = None,
    max_memory: options.MaxMemory = None,
    keep_formulas: options.KeepFormulas = False,
    force: options.Replace = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Predict the class of each row of a table.

    Columns are found by their names, and numbers are made of them as in the fit. For each row there
    is the class, the score (of two classes a positive one speaks for the second), the probability
    of each class where the model has one, and the pattern that decided, with its columns.

    \b
    Examples:
      bicneuron predict model.skops new_patients.csv -o predictions.csv
      bicneuron predict model.skops new_patients.xlsx -o predictions.xlsx --force
    """
    with answering(as_json, quiet, "bicneuron.tables") as answer:
        from bicneuron.tables import check_writable, write_table

        check_writable(output)
        check_free(output, force=force, inputs=(model, table))
        check_inputs(model, table)
        given: dict[str, Any] = {
            "layer": layer,
            "decimal": decimal,
            "dates": dates,
            "phenotype": phenotype,
            "id_column": id_column,
            "transpose": transpose,
            "max_memory": max_memory,
        }
        with answer.working("reading"):
            read = read_early(model, table, **given)
        answer.load("bicneuron.persistence", "bicneuron.network")
        from bicneuron.persistence import load_model

        with answer.working("reading"):
            estimator = load_model(model)
            check_predicts(estimator, model)
            read = fitting(read, estimator) or read_for(estimator, model, table, **given)
        answer.note(read.notes)
        with answer.working("predicting"), refusing_bad_values():
            predictions = _predictions(estimator, read.features)
        with writing(output):
            write_table(predictions, output, keep_formulas=keep_formulas)
        _tell(answer, predictions, read, output)


def check_inputs(model: Path, table: Path | None) -> None:
    """Refuse files that are not there or never end, before what takes long to load."""
    from bicneuron.tables._budget import check_regular
    from bicneuron.tables._kinds import check_file

    model.stat()
    check_regular(model)
    if table is not None:
        check_file(table)


def check_predicts(estimator: Any, model: Path) -> None:
    """Refuse a miner, or a pipeline that ends in one: model files may hold them too."""
    if not hasattr(estimator, "predict"):
        last = estimator[-1] if hasattr(estimator, "steps") else estimator
        raise CommandError(
            f"{model} holds a {type(last).__name__}, which does not predict; name the file of a "
            "classifier, or use bicneuron find to write the patterns of a table."
        )


def read_for(
    estimator: Any,
    model: Path,
    table: Path,
    *,
    layer: str | None,
    decimal: str | None,
    dates: str | None,
    phenotype: Path | None,
    id_column: str | None,
    transpose: bool | None = None,
    max_memory: float | None = None,
    aside: Mapping[str, str] | None = None,
    only_labelled: bool = False,
) -> "Table":
    """Read the columns that a model needs from a table, and the labels if they are there."""
    from bicneuron._estimators._checks import takes_missing

    columns = getattr(estimator, "feature_names_in_", None)
    return _read(
        table,
        load_about(model)["about"],
        None if columns is None else columns.tolist(),
        keep_missing=takes_missing(estimator),
        layer=layer,
        decimal=decimal,
        dates=dates,
        phenotype=phenotype,
        id_column=id_column,
        transpose=transpose,
        max_memory=max_memory,
        aside=aside,
        only_labelled=only_labelled,
    )


def read_early(model: Path, table: Path, **given: Any) -> "Table | None":
    """Read a table before the model is loaded, so that a bad one is refused at once.

    That needs a model file of ``bicneuron fit`` that names its features; None if it is another one.
    """
    try:
        about = load_about(model)["about"]
    except (ModelFileError, ImportError):
        return None  # loading the model says why
    if not isinstance(about.get("features"), list):
        return None
    return _read(table, about, about["features"], keep_missing=True, **given)


def fitting(read: "Table | None", estimator: Any) -> "Table | None":
    """The table, if it was read for the columns of this model."""
    names = getattr(estimator, "feature_names_in_", None)
    if read is None or names is None or read.features.columns.tolist() != names.tolist():
        return None
    return read


def _read(
    table: Path,
    about: Mapping[str, Any],
    columns: Sequence[str] | None,
    *,
    keep_missing: bool,
    layer: str | None,
    decimal: str | None,
    dates: str | None,
    phenotype: Path | None,
    id_column: str | None,
    transpose: bool | None,
    max_memory: float | None,
    aside: Mapping[str, str] | None = None,
    only_labelled: bool = False,
) -> "Table":
    from bicneuron.tables import read_table, steps_from_json

    if transpose is None and about.get("transpose") is False:
        transpose = False  # a guess that was wrong in the fit is wrong again
    return read_table(
        table,
        target=about.get("target"),
        id_column=id_column or about.get("id"),
        phenotype=phenotype,
        genes=about.get("genes"),
        transpose=transpose,
        columns=columns,
        layer=layer or about.get("layer"),
        max_memory=max_memory,
        aside=aside,
        steps=steps_from_json(about.get("steps", [])),
        decimal=decimal,
        dates=dates,
        keep_missing=keep_missing,
        only_labelled=only_labelled,
    )


def _predictions(estimator: Any, features: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd

    X = features if hasattr(estimator, "feature_names_in_") else features.to_numpy()
    told = estimator.explain(X).to_frame() if hasattr(estimator, "explain") else None
    if told is not None:
        frame = told[["predicted", "score"]].rename(columns={"predicted": "class"})
    else:  # a pipeline
        frame = pd.DataFrame({"class": estimator.predict(X)})
        scores = estimator.decision_function(X)
        frame["score"] = scores if scores.ndim == 1 else scores.max(axis=1)
    if hasattr(estimator, "predict_proba"):
        for label, chances in zip(estimator.classes_, estimator.predict_proba(X).T, strict=True):
            frame[f"probability of {label}"] = chances
    if told is not None:
        frame[["pattern", "columns"]] = told[["pattern", "columns"]]
    frame.index = features.index
    if frame.index.name in frame.columns:
        frame.index.name = f"{frame.index.name} (row)"
    return frame


def _tell(answer: Answer, predictions: "pd.DataFrame", read: "Table", output: Path) -> None:
    counts = Counter(predictions["class"].tolist())
    lines = [
        f"{len(predictions)} rows; "
        f"{', '.join(f'{label}: {n}' for label, n in sorted(counts.items()))}"
    ]
    facts: dict[str, Any] = {"n_rows": len(predictions), "classes": dict(sorted(counts.items()))}
    if read.labels is not None:
        n_right = int(
            (predictions["class"].to_numpy().astype(str) == read.labels.astype(str)).sum()
        )
        lines.append(f"{n_right} of them as column {read.target!r} says")
        facts["n_right"] = n_right
    answer.tell(*lines, f"wrote {output}", output=str(output), **facts)
