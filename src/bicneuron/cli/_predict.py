"""``bicneuron predict``."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from bicneuron.cli import _options as options
from bicneuron.cli._answer import Answer, answering
from bicneuron.cli._messages import refusing_bad_values
from bicneuron.cli._output import check_free, writing
from bicneuron.cli._reading import check_predicts, load_with_table

if TYPE_CHECKING:
    import pandas as pd

    from bicneuron.tables import Table


@options.with_options
def predict(
    model: options.ModelFile,
    table: options.TableFile,
    output: Annotated[
        Path,
        options.output("PREDICTIONS", "Table to write: CSV, TSV (also .gz), Parquet or Excel."),
    ],
    reading: options.NextTableOptions,
    result: options.TableResultOptions,
) -> None:
    """Predict the class of each row of a table.

    Columns are found by their names and converted to numbers as in the fit. For each row the output
    has the class, the score (of two classes a positive score speaks for the second), the
    probability of each class if the model has probabilities, and the pattern that decided, with its
    columns.

    \b
    Examples:
      bicneuron predict model.skops new_patients.csv -o predictions.csv
      bicneuron predict model.skops new_patients.xlsx -o predictions.xlsx --force
    """
    with answering(result, "bicneuron.tables") as answer:
        from bicneuron.tables import check_writable, write_table

        check_writable(output)
        check_free(output, force=result.force, inputs=(model, table))
        estimator, _, read = load_with_table(
            answer, model, table, reading, loading=["bicneuron.network"], check=check_predicts
        )
        assert read is not None  # a table was given
        with answer.working("predicting"), refusing_bad_values():
            predictions = _predictions(estimator, read.features)
        with writing(output):
            write_table(
                predictions,
                output,
                keep_formulas=result.keep_formulas,
                overwrite=result.force,
            )
        _print(answer, predictions, read, output)


def _predictions(estimator: Any, features: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd

    X = features if hasattr(estimator, "feature_names_in_") else features.to_numpy()
    explained = estimator.explain(X).to_frame() if hasattr(estimator, "explain") else None
    if explained is not None:
        frame = explained[["predicted", "score"]].rename(columns={"predicted": "class"})
    else:  # a pipeline
        frame = pd.DataFrame({"class": estimator.predict(X)})
        scores = estimator.decision_function(X)
        frame["score"] = scores if scores.ndim == 1 else scores.max(axis=1)
    if hasattr(estimator, "predict_proba"):
        for label, column in zip(estimator.classes_, estimator.predict_proba(X).T, strict=True):
            frame[f"probability of {label}"] = column
    if explained is not None:
        frame[["pattern", "columns"]] = explained[["pattern", "columns"]]
    frame.index = features.index
    if frame.index.name in frame.columns:
        frame.index.name = f"{frame.index.name} (row)"
    return frame


def _print(answer: Answer, predictions: "pd.DataFrame", read: "Table", output: Path) -> None:
    counts = dict(sorted(Counter(predictions["class"].tolist()).items()))
    classes = ", ".join(f"{label}: {n}" for label, n in counts.items())
    lines = [f"{len(predictions)} rows; {classes}"]
    facts: dict[str, Any] = {"n_rows": len(predictions), "classes": counts}
    if read.labels is not None:
        n_right = int(
            (predictions["class"].to_numpy().astype(str) == read.labels.astype(str)).sum()
        )
        lines.append(f"{n_right} of them agree with column {read.target!r}")
        facts["n_right"] = n_right
    answer.add(*lines, f"wrote {output}", output=str(output), **facts)
