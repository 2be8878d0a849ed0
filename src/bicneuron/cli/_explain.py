"""``bicneuron explain``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_free, writing
from bicneuron.cli._reading import check_predicts, load_with_table

if TYPE_CHECKING:
    from bicneuron.tables import Table


@options.with_options
def explain(
    model: options.ModelFile,
    output: Annotated[Path, options.output("PAGE", "HTML file to write.")],
    reading: options.NextTableOptions,
    result: options.ResultOptions,
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="TABLE", help=f"Rows to explain: {options.TABLE_HELP}", show_default=False
        ),
    ] = None,
    rows: Annotated[
        str, typer.Option(metavar="A,B", help="Names of the rows to explain.", show_default=False)
    ] = "",
    strips: Annotated[
        list[str] | None,
        typer.Option(
            "--strip",
            metavar="A,B",
            help="Columns such as sex or batch, which the model does not use, to draw beside the "
            "heat map; may be given several times.",
        ),
    ] = None,
) -> None:
    """Write a page that explains a model.

    It shows the patterns of the model and, with the table of the fit, its cross-validated scores
    and why it decides as it does on chosen rows. The page is one HTML file that needs no network.

    \b
    Examples:
      bicneuron explain model.skops -o report.html
      bicneuron explain model.skops patients.csv --rows P007,P012 -o report.html
      bicneuron explain model.skops patients.csv --strip sex,batch -o report.html
    """
    with answering(result, "bicneuron.tables") as answer:
        if output.suffix.lower() not in (".html", ".htm"):
            raise CommandError(f"{output} must end in .html; name a page with -o.")
        check_free(output, force=result.force, inputs=(model, table))
        strip_columns = options.split_names(",".join(strips or ()))
        for option, kind, given in (("--strip", "columns", strips), ("--rows", "rows", rows)):
            if given and table is None:
                raise CommandError(f"{option} names {kind} of a TABLE; give one after the model.")
        estimator, about, read = load_with_table(
            answer,
            model,
            table,
            reading,
            loading=["bicneuron.report"],
            check=check_predicts,
            aside={name: name for name in strip_columns},
        )
        from bicneuron.report import write_report

        chosen = _row_names(read, options.split_names(rows)) if read and rows else None
        with answer.working("writing"), writing(output), refusing_bad_values():
            write_report(
                output,
                estimator,
                None if read is None else read.features,
                None if read is None else read.labels,
                about=about,
                rows=chosen,
                strips=None if read is None else read.aside,
                overwrite=result.force,
            )
        answer.add(f"wrote {output}", output=str(output))
        if table is not None:
            answer.suggest("genes", model, table, "-o", output.with_suffix(".csv"))


def _row_names(read: "Table", texts: list[str]) -> list[object]:
    """Names of rows as the table has them, by their text."""
    from bicneuron._writing._names import close_to

    names = {str(name): name for name in read.features.index.tolist()}
    for text in texts:
        if text not in names:
            raise CommandError(f"--rows: there is no row {text!r}.{close_to(text, names)}")
    return [names[text] for text in texts]
