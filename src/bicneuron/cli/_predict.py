"""``bicneuron predict``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import OTHER_TABLE, Answer, answering, class_counts
from bicneuron.cli._messages import refusing_bad_values
from bicneuron.cli._output import check_outputs, writing
from bicneuron.cli._reading import how_to_read, load_with_table, not_proven, with_findings

if TYPE_CHECKING:
    import pandas as pd

    from bicneuron.significance import Findings
    from bicneuron.tables import Table

MOST_PATTERNS = 5  # whose carriers are printed


def predict(  # noqa: PLR0913  # an argument for each option
    context: typer.Context,
    model: options.ModelFile,
    table: options.TableFile,
    output: Annotated[
        Path,
        options.output("PREDICTIONS", "Table to write: CSV, TSV (also .gz), Parquet or Excel."),
    ],
    id_column: options.Id = None,
    phenotype: options.Phenotype = None,
    read: options.Read = None,
    show_reading: options.ShowReading = False,
    all_patterns: options.All = False,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Predict the class of each row, or who carries a group.

    For each row the output has the class, the score (of two classes, a positive one favours the
    second), probabilities if the model has them, and the pattern that decided. For a file of groups
    it has those that the row carries, and a score for each. If any are proven, only these are used.

    \b
    Examples:
      bicneuron predict model.skops new_patients.csv -o predictions.csv
      bicneuron predict groups.skops new_patients.csv -o carriers.csv
    """
    with answering(as_json=as_json, quiet=quiet) as answer:
        from bicneuron.tables import write_table

        check_outputs((output,), (model, table), force=force, tables=True)
        reading = how_to_read(read, id_column, phenotype)
        estimator, _, data = load_with_table(
            answer, model, table, reading, takes="both", show=show_reading
        )
        X = data.features if hasattr(estimator, "feature_names_in_") else data.features.to_numpy()
        is_of_groups = not hasattr(estimator, "predict")
        if is_of_groups and not all_patterns:
            estimator = with_findings(answer, estimator)
        with answer.working("predicting"), refusing_bad_values():
            frame = _carriers(estimator, X) if is_of_groups else _predictions(estimator, X)
        frame.index = data.features.index
        if frame.index.name in frame.columns:
            frame.index.name = f"{frame.index.name} (row)"
        with writing(output):
            write_table(frame, output, overwrite=force)
        again: list[object] = [model, table, *options.given(context, options.READING)]
        page = output.with_suffix(".html")
        if not is_of_groups:
            _print(answer, frame, data, output)
            if hasattr(estimator, "patterns_"):  # of a pipeline there is no page
                answer.suggest("explain", *again, output=page)
            return
        from bicneuron.replication import transfer

        _print_carriers(answer, estimator, frame, data, output)
        if n_known := transfer(estimator, X).n_training_rows:  # nothing new about other people
            answer.note([f"{n_known} of {len(X)} rows are rows of the table that was searched"])
            again = [model, OTHER_TABLE]
        answer.suggest("replicate", *again, output=page)


def _carriers(findings: "Findings", X: Any) -> "pd.DataFrame":
    """The groups that each row carries, and its scores."""
    import pandas as pd

    from bicneuron.replication import pattern_scores

    scores = pattern_scores(findings, X)
    carried = [" ".join(str(k + 1) for k in row.nonzero()[0]) for row in scores > 0]
    of_patterns = {f"score of pattern {k + 1}": own for k, own in enumerate(scores.T)}
    return pd.DataFrame({"patterns": carried, **of_patterns})


def _print_carriers(
    answer: Answer, findings: "Findings", frame: "pd.DataFrame", read: "Table", output: Path
) -> None:
    from bicneuron._shared._formats import counted, format_carriers
    from bicneuron.patterns import carrier_counts, class_masks

    in_class = class_masks(read.labels, len(frame))
    lines, facts = [], []
    for number, is_open in enumerate(not_proven(findings.patterns), start=1):
        counts = carrier_counts(frame.iloc[:, number].to_numpy() > 0, in_class)
        told = format_carriers([(label, *count) for label, count in counts.items()], read.target)
        lines.append(f"{number}. {told}{' (not proven)' if is_open else ''}")
        facts.append({"rank": number, "carriers": told})
    more = len(lines) - MOST_PATTERNS
    answer.add(
        f"{counted(len(frame), 'row')}; who carries which pattern:",
        *lines[:MOST_PATTERNS],
        *([f"and {counted(more, 'more pattern')}"] if more > 0 else []),
        f"wrote {output}",
        output=str(output),
        n_rows=len(frame),
        patterns=facts,
    )


def _predictions(estimator: Any, X: Any) -> "pd.DataFrame":
    import pandas as pd

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
    return frame


def _print(answer: Answer, predictions: "pd.DataFrame", read: "Table", output: Path) -> None:
    counts, in_words = class_counts(predictions["class"].to_numpy())
    lines = [f"{len(predictions)} rows; {in_words}"]
    facts: dict[str, Any] = {"n_rows": len(predictions), "classes": counts}
    if read.labels is not None:
        is_right = predictions["class"].to_numpy().astype(str) == read.labels.astype(str)
        facts["n_right"] = int(is_right.sum())
        lines.append(f"{facts['n_right']} of them agree with column {read.target!r}")
    answer.add(*lines, f"wrote {output}", output=str(output), **facts)
