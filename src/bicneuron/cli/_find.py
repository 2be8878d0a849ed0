"""``bicneuron find``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bicneuron.cli import _next
from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering
from bicneuron.cli._cluster import on_cluster
from bicneuron.cli._found import (
    MODELS,
    biclusters_in_words,
    check_outputs,
    groups_in_words,
    write_found,
    write_plots,
)
from bicneuron.cli._messages import CommandError
from bicneuron.cli._output import writing
from bicneuron.cli._questions import Search
from bicneuron.cli._reading import NO_GROUPS, about_fit, read_training_table
from bicneuron.cli._settings import Miner, make_miner

NEEDS_CLASSES = {Miner.pairs, Miner.contrast, Miner.sdc, Miner.di_rapocc}
# Rows below which no other search would find more.
FEW_ROWS = 20
NONE_FOUND = {
    "pairs": "no contrastive pair was found, nothing was written; try another --set "
    "miner__cut_distance=... or a larger max_ratio.",
    "biclusters": "no bicluster was found, nothing was written; loosen the bounds of the miner by "
    "--set.",
}


@options.with_options
def find(
    context: typer.Context,
    table: options.TableFile,
    outputs: Annotated[
        list[Path],
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="A page (.html), a table (CSV, TSV, Parquet, Excel), JSON, gene sets (.gmt), the "
            ".h5ad that was read with the groups added, or a model file (.skops) for replicate, "
            "genes and predict; may be given several times.",
            show_default=False,
        ),
    ],
    reading: options.TrainingOptions,
    running: options.ClusterOptions,
    result: options.TableResultOptions,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column with the classes; without it, all rows are searched for groups.",
        ),
    ] = None,
    stability: Annotated[
        bool,
        typer.Option(
            "--stability",
            help="How often is each column found again? Search 100 parts of the table as well.",
        ),
    ] = False,
    no_test: Annotated[
        bool, typer.Option("--no-test", help="Search only; the strongest groups come first.")
    ] = False,
    covariates: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of numbers such as the age, which the search sets aside. Not a feature; "
            "may be given several times.",
        ),
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder for one picture (SVG) of each group.", show_default=False
        ),
    ] = None,
    miner: Annotated[
        Miner,
        options.rare(
            help="Groups of rows that differ from all others in some columns, the contrastive "
            "pairs of the paper, or the biclusters of another miner."
        ),
    ] = Miner.subgroups,
    settings: options.Settings = None,
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
      bicneuron find genes.csv --drop class -o groups.csv
      bicneuron find genes.csv --target class --strata batch --covariates age -o groups.html
      bicneuron find genes.csv --target class --stability --groups patient -o groups.json
    """
    with answering(result, "bicneuron.tables") as answer:
        check_outputs(outputs, table, plots, miner, force=result.force)
        set_aside = [*(reading.strata or ()), *(covariates or ())]
        of_groups = {
            "--stability": stability,
            "--strata": reading.strata,
            "--covariates": covariates,
        }
        if miner is Miner.subgroups:
            if no_test and not stability and reading.groups not in (None, NO_GROUPS):
                raise CommandError(
                    "--groups is for tests; leave out --no-test, or add --stability."
                )
        elif option := next((name for name, given in of_groups.items() if given), None):
            raise CommandError(f"{option} is for groups; leave out --miner {miner}.")
        if miner in NEEDS_CLASSES and target is None:
            raise CommandError(f"--miner {miner} needs classes; name their column with --target.")
        read = read_training_table(answer, table, target, reading, covariates or ())
        # Errors in options and tables are reported before all this is loaded.
        answer.load("bicneuron.classifier", "bicneuron.persistence", "bicneuron.report")
        estimator = make_miner(miner, settings, seed=running.seed, n_jobs=running.n_jobs)
        is_anchored = miner is Miner.subgroups and estimator.anchor is not None
        if is_anchored and target is None:
            raise CommandError("--set anchor needs classes; name their column with --target.")
        if is_anchored and not no_test:
            raise CommandError(
                "--set anchor is for a search with the classes, which cannot be tested; add "
                "--no-test, or leave it out."
            )
        search = Search(answer, estimator, read, running.seed)
        evidence: list[Any] = []
        with on_cluster(running.dask, running.jobs):
            if miner is Miner.subgroups:
                found, evidence = search.run(is_tested=not no_test, again=stability)
                answer.add(*_answered(found), answer=found.summary())
                answer.add(*(f"pattern {one.number}: {one.words}" for one in evidence))
            else:
                found = search.fit(read.labels)
        found.set_params(n_jobs=None)  # a property of the machine
        kind, records, lines = _described(miner, found, read, evidence)
        about: dict[str, Any] = {"table": table.name, "target": target}
        if set_aside:
            about["set_aside"] = answer.facts["set_aside"] = set_aside
        if miner is Miner.subgroups:
            about["answer"] = found.summary()
        header = about | about_fit(context.obj, table, read, reading)
        answer.add(*lines, **{f"n_{kind}": len(records)})
        content = {**about, kind: records}
        for output in outputs:
            with answer.working("writing"), writing(output):
                write_found(output, table, found, read, content, header, evidence, result)
            answer.add(f"wrote {output}")
        answer.facts |= {"output": str(outputs[0]), "outputs": [*map(str, outputs)]}
        if plots is not None:
            with answer.working("drawing"), writing(plots, "--plots"):
                write_plots(plots, found, read, force=result.force)
            answer.add(f"wrote {len(records)} plots to {plots}", plots=str(plots))
        if miner is Miner.subgroups and (found.patterns_ or len(read.features) >= FEW_ROWS):
            following = _next_words(context, table, outputs, found)
            if following:
                answer.suggest(*following)


def _answered(found: Any) -> list[str]:
    """The answer about groups, and what was seen where nothing was tested."""
    is_tested = any(one.evidence and one.evidence.is_tested for one in found.patterns_)
    seen = [] if is_tested or not found.patterns_ else groups_in_words(found)
    return [*found.summary().splitlines(), *seen]


def _described(
    miner: Miner, found: Any, read: Any, evidence: list[Any]
) -> tuple[str, list[dict[str, Any]], list[str]]:
    """What was found: its name, the records, and lines for people."""
    from bicneuron.report import pair_records, pattern_records

    if miner is Miner.pairs:
        kind, records = "pairs", pair_records(found, read.features)
    else:
        kind = "patterns" if miner is Miner.subgroups else "biclusters"
        records = pattern_records(found, read.features, read.labels, evidence=evidence)
    if miner is Miner.subgroups:
        return kind, records, []  # the answer was printed
    if not records:
        raise CommandError(NONE_FOUND[kind])
    if miner is Miner.pairs:
        ratio = records[0]["msr_ratio"]
        return kind, records, [f"contrastive pairs: {len(records)}, MSR ratio {ratio:.3g} and up"]
    return kind, records, biclusters_in_words(records)


def _next_words(
    context: typer.Context, table: Path, outputs: list[Path], found: Any
) -> list[object]:
    """The command that follows: what becomes of a finding, a test, or another question.

    Nothing follows where the same search would be made again.
    """
    model = next((path for path in outputs if path.suffix.lower() in MODELS), None)
    evidence = [one.evidence for one in found.patterns_ if one.evidence is not None]
    is_proven = any(one.is_finding for one in evidence)
    if is_proven and model is not None:
        page = _next.unused(model.with_name(f"{model.stem}_again.html"))
        return ["replicate", model, _next.OTHER_TABLE, "-o", page]
    if is_proven:
        return []
    asked = []
    if context.params["target"] is not None and not context.params["no_test"]:
        given = _next.reading_given(context, "target")
        return ["fit", table, *given, "-o", _next.unused(outputs[0].with_name("model.skops"))]
    if not context.params["no_test"]:
        # What was asked for already is not asked for again.
        asked = ["--set", "kinds=coexpressed"]
        if "kinds=coexpressed" in (context.params["settings"] or ()):
            return []
    given = _next.reading_given(context, "target", "covariates", "settings", "stability")
    files = [word for path in outputs for word in ("-o", _next.unused(path))]
    return ["find", table, *given, *asked, *files]
