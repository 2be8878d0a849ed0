"""``bicneuron find``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bicneuron._shared._steps import showing_work
from bicneuron.cli import _next
from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering, unless_first_run
from bicneuron.cli._found import MODELS, check_outputs, write_found
from bicneuron.cli._messages import refusing_bad_values
from bicneuron.cli._output import writing
from bicneuron.cli._reading import about_fit, how_to_read, read_training_table

# Rows below which no other search would find more.
FEW_ROWS = 20


def find(  # noqa: PLR0913
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
    target: Annotated[
        str | None,
        options.column("Column with the classes; without it, all rows are searched for groups."),
    ] = None,
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
    read: options.Read = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 0,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Which rows share which columns, and is it real?

    With --target, groups are searched without a look at the classes, and tested: how often would
    chance put so many rows of a group into one class? p is corrected for all groups. The search is
    then repeated without each fifth of the rows: which columns differ in rows that did not choose
    them, is the group found again, and is it a separate group or may it be the end of a gradient?
    Without --target, a finding is a separate group.

    --strata batch and --covariates age set known structure aside, and classes are exchanged within
    the batch only. Several rows of a patient are one with --groups patient.

    \b
    Examples:
      bicneuron find genes.csv --target class -o groups.html
      bicneuron find genes.csv --target class -o groups.html -o groups.skops
      bicneuron find genes.csv --target class -o genes.columns.csv -o sets.gmt -o ranks.rnk
      bicneuron find genes.csv --drop class -o groups.csv
      bicneuron find genes.csv --target class --strata batch --covariates age -o groups.html
    """
    with answering("bicneuron.tables", as_json=as_json, quiet=quiet) as answer:
        check_outputs(outputs, table, force=force)
        reading = how_to_read(read, id_column, phenotype, drop)
        data = read_training_table(
            answer,
            table,
            target,
            reading=reading,
            strata=strata,
            groups=groups,
            covariates=covariates or (),
        )
        # Errors in options and tables are reported before all this is loaded.
        answer.load("bicneuron.classifier", "bicneuron.persistence", "bicneuron.report")
        from bicneuron.report import pattern_records
        from bicneuron.significance import find_groups

        def show(on: str, unit: str) -> Any:
            return answer.working(unless_first_run(on), unit)

        with refusing_bad_values(), showing_work(show):
            findings = find_groups(
                *(data.features, data.labels),
                strata=data.aside.get("strata"),
                covariates=data.covariates,
                groups=data.aside.get("groups"),
                random_state=seed,
                n_jobs=jobs or -1,
            )
        found, evidence = findings.miner, [*findings.columns]
        found.set_params(n_jobs=None)  # a property of the machine
        records = pattern_records(found, data.features, data.labels, evidence=evidence)
        answer.add(
            *found.summary().splitlines(),
            *(f"pattern {one.number}: {one.words}" for one in evidence),
            answer=found.summary(),
            n_patterns=len(records),
        )
        about: dict[str, Any] = {"table": table.name, "target": target}
        if set_aside := [*(strata or ()), *(covariates or ())]:
            about["set_aside"] = answer.facts["set_aside"] = set_aside
        about["answer"] = found.summary()
        header = about | about_fit(context.obj, table, data, reading)
        content = {**about, "patterns": records}
        written: list[Path] = []
        for output in outputs:
            with answer.working("writing"), writing(output):
                paths = write_found(*(output, table, findings, data, content, header), force=force)
            if not paths:
                answer.warn(f"{output} is not written: no columns could be tested.")
            answer.add(*(f"wrote {path}" for path in paths))
            written += paths
        answer.facts |= {"output": str(outputs[0]), "outputs": [*map(str, written)]}
        if found.patterns_ or len(data.features) >= FEW_ROWS:
            following = _next_words(context, table, outputs, found)
            if following:
                answer.suggest(*following)


def _next_words(
    context: typer.Context, table: Path, outputs: list[Path], found: Any
) -> list[object]:
    """The command that follows: what becomes of a finding, or another question."""
    model = next((path for path in outputs if path.suffix.lower() in MODELS), None)
    if any(one.evidence is not None and one.evidence.is_finding for one in found.patterns_):
        if model is None:
            return []
        page = _next.unused(model.with_name(f"{model.stem}_again.html"))
        return ["replicate", model, _next.OTHER_TABLE, "-o", page]
    if context.params["target"] is None:
        return []
    given, page = _next.reading_given(context), outputs[0].with_name("model.skops")
    return ["fit", table, *given, "-o", _next.unused(page)]
