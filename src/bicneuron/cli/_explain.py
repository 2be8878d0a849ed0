"""``bicneuron explain``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_free, writing
from bicneuron.cli._predict import check_inputs, check_predicts, fitting, read_early, read_for


def explain(
    model: options.ModelFile,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="PAGE", help="HTML file to write.", show_default=False
        ),
    ],
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="TABLE", help=f"Rows to explain: {options.TABLE_HELP}", show_default=False
        ),
    ] = None,
    rows: Annotated[
        str, typer.Option(metavar="A,B", help="Names of the rows to explain.", show_default=False)
    ] = "",
    transpose: options.Transpose = None,
    strips: Annotated[
        list[str] | None,
        typer.Option(
            "--strip",
            metavar="A,B",
            help="Columns such as sex or batch, which the model does not use, to draw beside the "
            "heat map; may be given several times.",
        ),
    ] = None,
    phenotype: options.Phenotype = None,
    id_column: options.IdColumn = None,
    decimal: options.Decimal = None,
    dates: options.Dates = None,
    layer: options.Layer = None,
    max_memory: options.MaxMemory = None,
    force: options.Replace = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a page that explains a model.

    It shows the patterns of the model and, with the table of the fit, how well copies of it do by
    cross-validation and why it decides on chosen rows as it does. The page is one HTML file that
    needs no network.

    \b
    Examples:
      bicneuron explain model.skops -o report.html
      bicneuron explain model.skops patients.csv --rows P007,P012 -o report.html
      bicneuron explain model.skops patients.csv --strip sex,batch -o report.html
    """
    with answering(as_json, quiet, "bicneuron.tables") as answer:
        if output.suffix.lower() not in (".html", ".htm"):
            raise CommandError(f"{output} must end in .html; name a page with -o.")
        check_free(output, force=force, inputs=(model, table))
        check_inputs(model, table)
        beside = options.split_names(",".join(strips or ()))
        if beside and table is None:
            raise CommandError("--strip names columns of a TABLE; give one after the model.")
        given: dict[str, Any] = {
            "layer": layer,
            "decimal": decimal,
            "dates": dates,
            "phenotype": phenotype,
            "id_column": id_column,
            "transpose": transpose,
            "max_memory": max_memory,
            "aside": {name: name for name in beside},
        }
        with answer.working("reading"):
            read = None if table is None else read_early(model, table, **given)
        answer.load("bicneuron.persistence", "bicneuron.report")
        from bicneuron.persistence import load_about, load_model
        from bicneuron.report import write_report
        from bicneuron.tables import steps_from_json
        from bicneuron.tables._steps import told

        with answer.working("reading"):
            estimator = load_model(model)
            check_predicts(estimator, model)
            about = load_about(model)["about"]
            if table is not None:
                read = fitting(read, estimator) or read_for(estimator, model, table, **given)
        chosen = None
        if read is not None:
            answer.note(read.notes)
        if rows:
            if read is None:
                raise CommandError("--rows names rows of a TABLE; give one after the model.")
            chosen = _row_names(read.features.index.tolist(), options.split_names(rows))
        with answer.working("writing"), writing(output), refusing_bad_values():
            write_report(
                output,
                estimator,
                None if read is None else read.features,
                None if read is None else read.labels,
                about={**about, "changes": told(steps_from_json(about.get("steps", [])))},
                rows=chosen,
                strips=None if read is None else read.aside,
                overwrite=force,
            )
        answer.tell(f"wrote {output}", output=str(output))


def _row_names(known: list[object], asked_for: list[str]) -> list[object]:
    from bicneuron._writing._names import close_to

    by_text = {str(name): name for name in known}
    for name in asked_for:
        if name not in by_text:
            raise CommandError(f"--rows: there is no row {name!r}.{close_to(name, known)}")
    return [by_text[name] for name in asked_for]
