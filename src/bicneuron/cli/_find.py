"""``bicneuron find``."""

from collections.abc import Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bicneuron._shared._steps import showing_work
from bicneuron.cli import _options as options
from bicneuron.cli import _reading
from bicneuron.cli._answer import OTHER_TABLE, Answer, answering
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import PAGES, check_free, check_outputs, write_records, writing

if TYPE_CHECKING:
    from bicneuron.significance import Findings
    from bicneuron.tables import Table

MODELS, ANNDATA = ".skops", ".h5ad"
GENE_SETS, RANKS, COLUMNS = ".gmt", ".rnk", ".columns.csv"
GIVEN = (GENE_SETS, ".csv", ".tsv", ".txt", ".gz", ".zip", ".xlsx", ".parquet")
# Columns of a table without any pattern, and of a list of the columns of none.
NO_RECORDS = ("rank", "class", "kind", "carriers", "n_rows", "n_columns", "rows", "columns")
NO_COLUMNS = "column,pattern,rank\n"


def find(  # noqa: PLR0913  # an argument for each option
    context: typer.Context,
    table: options.TableFile,
    outputs: Annotated[
        list[Path],
        options.output(
            "FILE",
            "A page (.html), a table of the groups (CSV, TSV, Parquet, Excel), JSON, a list of "
            "their columns (NAME.columns.csv), gene sets (.gmt), ranked columns (.rnk), the .h5ad "
            "that was read with the groups added, or a file (.skops) for replicate and predict; "
            "may be given several times.",
        ),
    ],
    target: options.Target = None,
    time: options.Time = None,
    event: options.Event = None,
    id_column: options.Id = None,
    phenotype: options.Phenotype = None,
    drop: options.Drop = None,
    strata: options.Strata = None,
    covariates: Annotated[
        list[str] | None,
        options.column(
            "Column of numbers such as the age, which the search sets aside. Not a feature; may be "
            "given several times."
        ),
    ] = None,
    groups: options.Groups = None,
    given: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|COLUMN",
            help="Groups of another tool, which are tested instead of searched: a table of rows "
            "and groups, gene sets (.gmt), biclusters of UnPaSt, or a column of TABLE such as "
            "leiden.",
        ),
    ] = None,
    read: options.Read = None,
    show_reading: options.ShowReading = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = 0,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Which rows share which columns, and is it real?

    With --target, or --time and --event, groups are searched for without looking at classes,
    numbers or survival, and then tested: how often would chance put so many rows of a group into
    one class, or make them differ as much? p is corrected for all groups. The search is repeated
    without each fifth of the rows: which columns differ in rows that did not choose them, and is it
    a separate group or may it be the end of a gradient? Without these, a finding is a separate
    group. With --given, groups of another tool are tested in the same way.

    \b
    Examples:
      bicneuron find genes.csv --target class -o groups.html -o groups.skops
      bicneuron find genes.csv --target class -o genes.columns.csv -o sets.gmt -o ranks.rnk
      bicneuron find genes.csv --target class --strata batch --covariates age -o groups.html
      bicneuron find genes.csv --target hba1c -o groups.html
      bicneuron find genes.csv --time os_months --event died -o groups.html
      bicneuron find cells.h5ad --target donor --given leiden -o clusters.html
    """
    with answering(as_json=as_json, quiet=quiet) as answer:
        endings = (*PAGES, GENE_SETS, RANKS, ANNDATA, MODELS, ".json")
        column = _column_given(given)
        read_too = (Path(given),) if given is not None and column is None else ()
        check_outputs(outputs, (table, *read_too), endings, force=force, tables=True)
        for output in outputs:
            if output.suffix.lower() == ANNDATA != table.suffix.lower():
                raise CommandError(
                    f"{output} needs a TABLE in the same format, to which groups are added; name "
                    "another kind of file with -o, as in groups.csv."
                )
        reading = _reading.how_to_read(read, id_column, phenotype, drop)
        data = _reading.read_training_table(
            *(answer, table, target, reading),
            _reading.set_aside(
                *(strata, groups, covariates),
                survival=_reading.survival_columns(target, time, event),
                given=column,
            ),
            takes_numbers=True,
            show=show_reading,
        )
        # Errors in options and tables are reported before all this is loaded.
        answer.load("bicneuron.significance")
        from bicneuron.significance import Findings, find_groups

        known = None if given is None else _read_given(given, data)
        search = find_groups if known is None else partial(Findings.from_groups, given=known)
        with refusing_bad_values(given="--given"), showing_work(answer.working):
            y = _reading.labels_or_outcome(data)
            findings = search(
                data.features,
                y=y,
                strata=data.aside.get("strata"),
                covariates=data.covariates,
                groups=data.aside.get("groups"),
                random_state=seed,
                n_jobs=jobs or -1,
            )
        findings.miner.set_params(n_jobs=None)  # a property of the machine
        about = _reading.about_fit(context.obj, table, data, reading)
        about |= {"answer": findings.summary(), **({} if given is None else {"given": given})}
        if named := [*(strata or ()), *(covariates or ())]:
            about["set_aside"] = answer.facts["set_aside"] = named
        if time is not None:
            about |= {"time": time, "event": event}
        _write(answer, outputs, table, findings, data, y, about, force)
        is_enough = findings.patterns or len(data.features) >= 20  # fewer teach nothing else
        if any(one.evidence is not None and one.evidence.is_finding for one in findings.patterns):
            for path in [one for one in outputs if one.suffix.lower() == MODELS][:1]:
                page = path.with_name(f"{path.stem}_again.html")
                answer.suggest("replicate", path, OTHER_TABLE, output=page)
        elif data.labels is not None and given is None and is_enough:
            again = options.given(context, options.LEARNING)
            answer.suggest("fit", table, *again, output=outputs[0].with_name("model.skops"))


def _write(
    answer: Answer,
    outputs: Sequence[Path],
    table: Path,
    findings: "Findings",
    read: "Table",
    y: Any,
    about: dict[str, Any],
    force: bool,
) -> None:
    """Print what was found, and write it as the name of each file asks for."""
    from bicneuron._shared._files import write_atomically
    from bicneuron.persistence import save_model
    from bicneuron.report import pattern_records

    found, evidence = findings.miner, [*findings.columns]
    records = pattern_records(found, read.features, y, evidence=evidence)
    answer.add(
        *findings.summary().splitlines(),
        *(f"pattern {one.number}: {one.words}" for one in evidence),
        answer=findings.summary(),
        n_patterns=len(records),
    )
    told = ("table", "target", "time", "event", "given", "set_aside", "answer", "read", "reading")
    content = {**{one: about[one] for one in told if one in about}, "patterns": records}
    written: list[Path] = []
    for output in outputs:
        suffix, paths = output.suffix.lower(), [output]
        with answer.working("writing"), writing(output):
            if output.name.lower().endswith((GENE_SETS, RANKS, COLUMNS)):
                texts = _lists(output, found, read, evidence)
                paths = [*texts]
                for path, text in texts.items():
                    if path != output:
                        check_free(path, force=force, inputs=(table,))
                    write_atomically(path, text, overwrite=force)
            elif suffix in PAGES:
                from bicneuron.report import write_report

                given: dict[str, Any] = {"about": content, "columns": evidence}
                write_report(output, found, read.features, y, overwrite=force, **given)
            elif suffix == MODELS:
                whole = _reading.reading_first(read, findings)
                save_model(whole, output, about=about, overwrite=force)
            elif suffix == ANNDATA:
                from bicneuron.omics import write_patterns

                write_patterns(table, output, found, read.features, overwrite=force)
            else:
                write_records(output, content, force=force, columns=NO_RECORDS)
        if not paths:
            answer.warn(f"{output} is not written: no columns could be tested.")
        answer.add(*(f"wrote {path}" for path in paths))
        written += paths
    answer.facts |= {"output": str(outputs[0]), "outputs": [*map(str, written)]}


def _lists(output: Path, found: Any, read: "Table", evidence: list[Any]) -> dict[Path, str]:
    """Columns of the findings or, where nothing is proven, of all groups but as gene sets."""
    from bicneuron.patterns import proven_patterns
    from bicneuron.report import pattern_lists

    listed, suffix = copy(found), output.suffix.lower()
    proven = proven_patterns(found.patterns_)  # these come first
    if proven or suffix == GENE_SETS:
        listed.patterns_ = proven
    if not listed.patterns_:
        return {} if suffix == RANKS else {output: "" if suffix == GENE_SETS else NO_COLUMNS}
    evidence = [one for one in evidence if one.number <= len(listed.patterns_)]
    lists = pattern_lists(listed, read.features, read.labels, evidence=evidence)
    if suffix != RANKS:
        return {output: lists.gmt if suffix == GENE_SETS else lists.files["genes.csv"]}
    if len(lists.rnk) == 1:  # one is named as asked, several are numbered
        return {output: next(iter(lists.rnk.values()))}
    return {output.with_stem(f"{output.stem}-{k}"): text for k, text in lists.rnk.items()}


def _column_given(given: str | None) -> str | None:
    """The column of the table that --given names, if it is no file."""
    if given is None or Path(given).is_file():
        return None
    if given.lower().endswith(GIVEN):
        raise CommandError(f"--given {given} does not exist.")
    return given


def _read_given(given: str, read: "Table") -> Any:
    """The groups in a file, or those in a column that was set aside."""
    from bicneuron.tables import read_groups
    from bicneuron.tables._given import groups_of

    if (column := read.aside.get("given")) is None:
        return read_groups(given)
    return groups_of({given: column.tolist()}, read.features.index, Path(given))
