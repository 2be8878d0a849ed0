"""``bicneuron genes``."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import Answer, answering
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_free, writing
from bicneuron.cli._reading import (
    NO_GROUPS,
    check_has_patterns,
    check_roles,
    load_with_table,
    not_proven,
    set_aside,
    with_findings,
)

if TYPE_CHECKING:
    from bicneuron.tables import Table

# Columns that are printed, the most important first, and patterns.
MOST_COLUMNS, MOST_PATTERNS = 10, 5
# Files of the lists, in the order of their options, and endings of those that are no CSV.
FILES = ("genes.csv", "ranking.csv", "rows.csv", "patterns.gmt", "background.txt")
SUFFIXES = {"--gmt": ".gmt", "--rnk": ".rnk", "--background": ".txt"}


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
    running: options.RunOptions,
    result: options.TableResultOptions,
    ranking: Annotated[
        Path | None,
        _file("CSV file for one line for each column, the most important first."),
    ] = None,
    rows: Annotated[
        Path | None,
        _file("CSV file for the rows of each pattern, with their membership scores."),
    ] = None,
    gmt: Annotated[
        Path | None, _file("GMT file of the proven columns, for enrichment tools (.gmt).")
    ] = None,
    rnk: Annotated[
        Path | None,
        _file(
            "Ranked list of all columns of the table, for enrichment tools (.rnk); with several "
            "patterns one for each, numbered."
        ),
    ] = None,
    background: Annotated[
        Path | None, _file("Text file with the names of all columns of the table (.txt).")
    ] = None,
    strata: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column such as the batch: rows are compared within it only. Those of find.",
        ),
    ] = None,
    covariates: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column of numbers that find set aside."),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column such as the patient: its rows count as one.  [default: ids with a common "
            "stem; none: these are independent]",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[
        int,
        typer.Option(
            min=2,
            help="Parts of the rows without which groups are searched again to test their columns; "
            "10 prove more columns of weak groups than 5, in twice the time.",
        ),
    ] = 5,
    all_patterns: Annotated[
        bool,
        typer.Option("--all", help="List patterns that are not proven, too."),
    ] = False,
) -> None:
    """List the columns (genes, measurements) of a model's patterns.

    The table is that of the fit. A search chooses the columns in which its rows differ most, so
    that these rows cannot prove them. Groups are searched again without each fifth of the rows
    (--folds), and each column is tested in rows that did not choose it, judged by the other columns
    of the group. Patterns of whole classes are tested by the classes of all rows. P is corrected
    for all columns of the table; columns that are not proven are marked.

    Each column comes with whether the group is higher or lower in it and by how much, in the units
    of the table and standardised, with an interval of 95 %, and its mean in the group, in the rows
    that the group is contrasted with and in each class. Missing cells do not count. Of groups that
    were tested only findings are listed, unless --all is given.

    \b
    Examples:
      bicneuron genes groups.skops patients.csv -o genes.csv
      bicneuron genes groups.skops expression.gct -o genes.csv --gmt proven.gmt --rnk all.rnk
      bicneuron genes model.skops patients.csv -o genes.csv --ranking ranking.csv --rows rows.csv
    """
    with answering(result, "bicneuron.tables") as answer:
        lists_asked = {"-o": output, "--ranking": ranking, "--rows": rows, "--gmt": gmt}
        asked = {**lists_asked, "--background": background, "--rnk": rnk}
        outputs = {option: path for option, path in asked.items() if path is not None}
        _check(outputs, model, table, force=result.force)
        aside = set_aside(strata, groups)
        check_roles({**aside, "covariates": covariates or ()}, None, reading.id_column)
        load = partial(
            load_with_table,
            *(answer, model, table, reading),
            loading=["bicneuron.report"],
            check=partial(check_has_patterns, "genes"),
            only_labelled=True,  # as in the fit
            guess_groups=groups != NO_GROUPS,
        )
        given = {use: names for use, names in aside.items() if names}
        estimator, _, read = _with_known(load, model, given, tuple(covariates or ()))
        assert read is not None  # a table was given
        from bicneuron._shared._atomic import write_atomically
        from bicneuron.report import pattern_lists

        if not all_patterns:
            estimator = with_findings(answer, estimator)
        X = read.features if hasattr(estimator, "feature_names_in_") else read.features.to_numpy()
        evidence = _tested(answer, estimator, X, read, folds, running)
        with answer.working("listing"), refusing_bad_values():
            lists = pattern_lists(estimator, X, read.labels, evidence=evidence)
        files = lists.to_files(keep_formulas=result.keep_formulas)
        contents = {
            path: files[name]
            for name, path in zip(FILES, (*lists_asked.values(), background), strict=True)
            if path is not None
        }
        contents |= {} if rnk is None else _ranked(rnk, lists.rnk, result.force, (model, table))
        for path, text in contents.items():
            with writing(path):
                write_atomically(path, text, overwrite=result.force)
        are_open = not_proven(estimator.patterns_)
        said = {one.number: _proof(one, are_open[one.number - 1]) for one in evidence}
        answer.add(
            *_in_words(lists, evidence, said),
            *(f"wrote {path}" for path in contents),
            output=str(output),
            **{option[2:]: str(path) for option, path in outputs.items() if option != "-o"},
            n_patterns=len({line["pattern"] for line in lists.columns}),
            n_columns=len(lists.ranking),
            n_proven=sum(line.get("proven", False) for line in lists.ranking),
            evidence=said,
            columns=lists.ranking,
        )


def _with_known(
    load: Callable[..., Any], model: Path, aside: dict[str, Any], covariates: tuple[str, ...]
) -> Any:
    """Load the model and the table, with what the search set aside unless that is given."""
    from bicneuron.exceptions import TableError
    from bicneuron.persistence._archive import early_about

    about = early_about(model) if model.exists() else None
    of_fit = {name: tuple((about or {}).get(name) or ()) for name in ("strata", "covariates")}
    if any(of_fit.values()) and not covariates and "strata" not in aside:
        strata = {"strata": of_fit["strata"]} if of_fit["strata"] else {}
        try:
            return load(aside={**aside, **strata}, covariates=of_fit["covariates"])
        except TableError:
            pass  # these columns may be in another file, and the warning names the option
    return load(aside=aside, covariates=covariates)


def _tested(
    answer: Answer,
    estimator: Any,
    X: Any,
    read: "Table",
    n_folds: int,
    running: options.RunOptions,
) -> list[Any]:
    """Evidence of the columns of the patterns; none if known structure is not named again."""
    from bicneuron.significance import column_evidence

    strata, groups = read.aside.get("strata"), read.aside.get("groups")
    covariates = None if read.covariates is None else read.covariates.to_numpy()
    is_set_aside = getattr(estimator, "_set_aside", None) is not None
    if is_set_aside and strata is None and covariates is None:
        answer.warn(
            "columns are not tested: the search set strata or covariates aside; name them again "
            "with --strata or --covariates."
        )
        return []
    on = "testing columns: searching without each part of the rows"
    with answer.working(on, "parts") as advance, refusing_bad_values():
        return column_evidence(
            estimator,
            X,
            read.labels,
            n_folds=n_folds,
            strata=strata,
            covariates=covariates,
            groups=groups,
            n_jobs=running.n_jobs,
            random_state=running.seed,
            after_searches=advance,
        )


def _ranked(
    path: Path, ranked: dict[int, str], force: bool, inputs: tuple[Path, ...]
) -> dict[Path, str]:
    """The ranked lists by their files: one is named as asked, several are numbered."""
    if not ranked:
        raise CommandError(f"--rnk {path}: the columns of no pattern could be tested.")
    if len(ranked) == 1:
        return {path: next(iter(ranked.values()))}
    numbered = {path.with_stem(f"{path.stem}-{number}"): text for number, text in ranked.items()}
    for one in numbered:
        check_free(one, force=force, inputs=inputs)
    return numbered


def _check(outputs: dict[str, Path], model: Path, table: Path, *, force: bool) -> None:
    """Refuse files that cannot be written, before any work."""
    for option, path in outputs.items():
        suffix = SUFFIXES.get(option, ".csv")
        if path.suffix.lower() != suffix:
            others = {ending: other for other, ending in SUFFIXES.items()}
            way_out = f"name such a file with {option}"
            if option == "-o" and path.suffix.lower() in others:
                way_out = f"name {path.name} with {others[path.suffix.lower()]}"
            raise CommandError(f"{path} must end in {suffix}; {way_out}.")
        check_free(path, force=force, inputs=(model, table))
    names = [path.resolve() for path in outputs.values()]
    if len(set(names)) < len(names):
        raise CommandError("two lists have the same file; name another for one of them.")


def _in_words(lists: Any, evidence: list[Any], said: dict[int, str]) -> list[str]:
    """Name the most important columns, and say how many are proven."""
    from bicneuron._shared._formats import counted

    n_patterns = len({line["pattern"] for line in lists.columns})
    pattern = "pattern" if n_patterns == 1 else "patterns"
    shown = [_named(line) for line in lists.ranking[:MOST_COLUMNS]]
    more = ", ..." if len(lists.ranking) > len(shown) else ""
    lines = [
        f"{n_patterns} {pattern}, {len(lists.ranking)} columns; the most important: "
        f"{', '.join(shown)}{more}"
    ]
    tested = [one for one in evidence if not one.reason]
    lines += [f"pattern {one.number}: {said[one.number]}" for one in tested[:MOST_PATTERNS]]
    if len(tested) > MOST_PATTERNS:
        more = counted(len(tested) - MOST_PATTERNS, "more pattern")
        lines.append(f"and {more} with tested columns")
    others = [one for one in evidence if one.reason]
    if others:
        are = "pattern is" if len(others) == 1 else "patterns are"
        lines.append(
            f"the columns of {len(others)} {are} not tested, as of pattern {others[0].number}: "
            f"{others[0].reason}"
        )
    return lines


def _proof(evidence: Any, is_open: bool) -> str:
    """How many columns are proven; those of a pattern that is not are not called so."""
    if evidence.reason or not is_open:
        return str(evidence.words)
    columns = evidence.pattern.columns
    n_differing = int(evidence.is_proven[columns].sum())
    return f"not proven; its rows differ from others in {n_differing} of its {len(columns)} columns"


def _named(line: dict[str, Any]) -> str:
    return line["column"] if line.get("proven", True) else f"{line['column']} (not proven)"
