"""``bicneuron genes``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_free, writing
from bicneuron.cli._predict import check_inputs, fitting, read_early, read_for

# Columns that are told, the most important first.
MOST_COLUMNS = 10


def genes(
    model: options.ModelFile,
    table: options.TableFile,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="GENES",
            help="CSV file to write: one line for each column of each pattern.",
            show_default=False,
        ),
    ],
    ranking: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV file for one line for each column, the most important first.",
            show_default=False,
        ),
    ] = None,
    rows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV file for the rows of each pattern, with their membership scores.",
            show_default=False,
        ),
    ] = None,
    gmt: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="GMT file for enrichment tools (.gmt).", show_default=False
        ),
    ] = None,
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
    """List the columns (genes, measurements) of a model's patterns.

    The table is that of the fit. For each column of each pattern there is its rank, whether the
    group is higher or lower in it, by how much, and its mean in the rows of the group, in those
    that they are contrasted with and in each class, in the units of the table. Missing cells do not
    count.

    \b
    Examples:
      bicneuron genes model.skops patients.csv -o genes.csv
      bicneuron genes model.skops patients.csv -o genes.csv --ranking ranking.csv --rows rows.csv
      bicneuron genes model.skops expression.gct -o genes.csv --gmt patterns.gmt
    """
    with answering(as_json, quiet, "bicneuron.tables") as answer:
        asked = {"-o": output, "--ranking": ranking, "--rows": rows, "--gmt": gmt}
        outputs = {option: path for option, path in asked.items() if path is not None}
        _check(outputs, model, table, force=force)
        check_inputs(model, table)
        given: dict[str, Any] = {
            "layer": layer,
            "decimal": decimal,
            "dates": dates,
            "phenotype": phenotype,
            "id_column": id_column,
            "transpose": transpose,
            "max_memory": max_memory,
            "only_labelled": True,  # as fit did
        }
        with answer.working("reading"):
            early = read_early(model, table, **given)
        answer.load("bicneuron.persistence", "bicneuron.report")
        from bicneuron._writing._atomic import write_atomically
        from bicneuron.persistence import load_model
        from bicneuron.report import pattern_lists
        from bicneuron.report._patterns import check_has_patterns

        with answer.working("reading"):
            estimator = load_model(model)
            with refusing_bad_values():
                check_has_patterns(estimator)
            read = fitting(early, estimator) or read_for(estimator, model, table, **given)
        answer.note(read.notes)
        X = read.features if hasattr(estimator, "feature_names_in_") else read.features.to_numpy()
        with answer.working("listing"), refusing_bad_values():
            lists = pattern_lists(estimator, X, read.labels)
        files = lists.to_files(keep_formulas=keep_formulas)
        contents = dict(zip(asked, files.values(), strict=True))
        for option, path in outputs.items():
            with writing(path, option):
                write_atomically(path, contents[option])
        answer.tell(
            *_told(lists),
            *(f"wrote {path}" for path in outputs.values()),
            output=str(output),
            **{option[2:]: str(path) for option, path in outputs.items() if option != "-o"},
            n_patterns=len({line["pattern"] for line in lists.columns}),
            n_columns=len(lists.ranking),
            columns=lists.ranking,
        )


def _check(outputs: dict[str, Path], model: Path, table: Path, *, force: bool) -> None:
    """Refuse files that cannot be written, before any work."""
    for option, path in outputs.items():
        suffix = ".gmt" if option == "--gmt" else ".csv"
        if path.suffix.lower() != suffix:
            raise CommandError(f"{path} must end in {suffix}; name such a file with {option}.")
        check_free(path, force=force, inputs=(model, table))
    names = [path.resolve() for path in outputs.values()]
    if len(set(names)) < len(names):
        raise CommandError("two lists have the same file; name another for one of them.")


def _told(lists: Any) -> list[str]:
    """The most important columns in words."""
    n_patterns = len({line["pattern"] for line in lists.columns})
    pattern = "pattern" if n_patterns == 1 else "patterns"
    shown = [line["column"] for line in lists.ranking[:MOST_COLUMNS]]
    more = ", ..." if len(lists.ranking) > len(shown) else ""
    return [
        f"{n_patterns} {pattern}, {len(lists.ranking)} columns; the most important: "
        f"{', '.join(shown)}{more}"
    ]
