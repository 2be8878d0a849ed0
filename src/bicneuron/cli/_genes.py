"""``bicneuron genes``."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_free, writing
from bicneuron.cli._reading import check_has_patterns, load_with_table

# Columns that are printed, the most important first.
MOST_COLUMNS = 10


def _file(text: str) -> Any:
    return typer.Option(metavar="FILE", help=text, show_default=False)


@options.with_options
def genes(
    model: options.ModelFile,
    table: options.TableFile,
    output: Annotated[
        Path,
        options.output("GENES", "CSV file to write: one line for each column of each pattern."),
    ],
    reading: options.NextTableOptions,
    result: options.TableResultOptions,
    ranking: Annotated[
        Path | None,
        _file("CSV file for one line for each column, the most important first."),
    ] = None,
    rows: Annotated[
        Path | None,
        _file("CSV file for the rows of each pattern, with their membership scores."),
    ] = None,
    gmt: Annotated[Path | None, _file("GMT file for enrichment tools (.gmt).")] = None,
    all_patterns: Annotated[
        bool,
        typer.Option("--all", help="List patterns that help to predict but are not proven, too."),
    ] = False,
) -> None:
    """List the columns (genes, measurements) of a model's patterns.

    The table is that of the fit. Each column of each pattern comes with its rank, whether the group
    is higher or lower in it and by how much, and its mean in the group, in the rows that the group
    is contrasted with and in each class, in the units of the table. Missing cells do not count. Of
    a readable network that was tested, only findings are listed, unless --all is given.

    \b
    Examples:
      bicneuron genes model.skops patients.csv -o genes.csv
      bicneuron genes model.skops patients.csv -o genes.csv --ranking ranking.csv --rows rows.csv
      bicneuron genes model.skops expression.gct -o genes.csv --gmt patterns.gmt
    """
    with answering(result, "bicneuron.tables") as answer:
        asked = {"-o": output, "--ranking": ranking, "--rows": rows, "--gmt": gmt}
        outputs = {option: path for option, path in asked.items() if path is not None}
        _check(outputs, model, table, force=result.force)
        estimator, _, read = load_with_table(
            answer,
            model,
            table,
            reading,
            loading=["bicneuron.report"],
            check=partial(check_has_patterns, "genes"),
            only_labelled=True,  # as in the fit
        )
        assert read is not None  # a table was given
        from bicneuron._writing._atomic import write_atomically
        from bicneuron.report import pattern_lists

        X = read.features if hasattr(estimator, "feature_names_in_") else read.features.to_numpy()
        with answer.working("listing"), refusing_bad_values():
            helpers = [one.evidence and one.evidence.is_helper for one in estimator.patterns_]
            if helpers and all(helpers) and not all_patterns:
                raise CommandError(
                    "no pattern of this model is a finding; --all lists those that help to predict."
                )
            lists = pattern_lists(estimator, X, read.labels, only_findings=not all_patterns)
        files = lists.to_files(keep_formulas=result.keep_formulas)
        contents = dict(zip(asked, files.values(), strict=True))
        for option, path in outputs.items():
            with writing(path, option):
                write_atomically(path, contents[option], overwrite=result.force)
        answer.add(
            _in_words(lists),
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


def _in_words(lists: Any) -> str:
    """Name the most important columns."""
    n_patterns = len({line["pattern"] for line in lists.columns})
    pattern = "pattern" if n_patterns == 1 else "patterns"
    shown = [line["column"] for line in lists.ranking[:MOST_COLUMNS]]
    more = ", ..." if len(lists.ranking) > len(shown) else ""
    return (
        f"{n_patterns} {pattern}, {len(lists.ranking)} columns; the most important: "
        f"{', '.join(shown)}{more}"
    )
