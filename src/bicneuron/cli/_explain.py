"""``bicneuron explain``."""

from pathlib import Path
from typing import Annotated

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import OTHER_TABLE, answering
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import PAGES, check_outputs, writing
from bicneuron.cli._reading import how_to_read, load_with_table


def explain(  # noqa: PLR0913  # an argument for each option
    model: options.ModelFile,
    output: Annotated[Path, options.output("PAGE", "HTML file to write.")],
    table: Annotated[
        Path | None, typer.Argument(metavar="TABLE", help=f"Rows to explain: {options.TABLE_HELP}")
    ] = None,
    rows: Annotated[
        str, typer.Option(metavar="A,B", help="Names of the rows to explain.", show_default=False)
    ] = "",
    id_column: options.Id = None,
    phenotype: options.Phenotype = None,
    read: options.Read = None,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a page that explains a model.

    It shows the patterns of the model and, with the table of the fit, its cross-validated scores
    and why it decides as it does on chosen rows. The page is one HTML file that needs no network.

    \b
    Examples:
      bicneuron explain model.skops -o report.html
      bicneuron explain model.skops patients.csv --rows P007,P012 -o report.html
    """
    with answering(as_json=as_json, quiet=quiet) as answer:
        check_outputs((output,), (model, table), PAGES, force=force)
        if rows and table is None:
            raise CommandError("--rows names rows of a TABLE; give one after the model.")
        reading = how_to_read(read, id_column, phenotype)
        estimator, about, data = load_with_table(answer, model, table, reading, takes="models")
        from bicneuron._shared._names import close_to
        from bicneuron.report import write_report

        names = {str(name): name for name in data.features.index.tolist()} if rows else {}
        wanted = options.split_names(rows)
        if unknown := [text for text in wanted if text not in names]:
            close = close_to(unknown[0], names)
            raise CommandError(f"--rows: there is no row {unknown[0]!r}.{close}")
        with answer.working("scoring", "folds"), writing(output), refusing_bad_values():
            write_report(
                *(output, estimator),
                *(() if data is None else (data.features, data.labels)),
                about=about,
                rows=[names[text] for text in wanted] if rows else None,
                overwrite=force,
            )
        answer.add(f"wrote {output}", output=str(output))
        answer.suggest("predict", model, OTHER_TABLE, output=output.with_suffix(".csv"))
