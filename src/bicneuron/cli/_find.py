"""``bicneuron find``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering, unless_first_run
from bicneuron.cli._cluster import on_cluster
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_folder, check_free, write_records, writing
from bicneuron.cli._questions import Questions
from bicneuron.cli._reading import about_fit, read_training_table, reading_first
from bicneuron.cli._settings import Miner, make_miner

PAGES, MODELS = (".html", ".htm"), (".skops",)
# Patterns that are printed one by one, and columns named of each.
MOST_PATTERNS, MOST_COLUMNS = 5, 4
# Files in the folder of the plots.
PLOTS = "pattern-*.svg"
NEEDS_CLASSES = {Miner.pairs, Miner.contrast, Miner.sdc, Miner.di_rapocc}
# Words for a small and a large p, by the field that holds it.
ANSWERS = (
    ("p_group", "a group", "not clearly a group"),
    ("p_corrected", "belongs to a class", "not tied to a class"),
)
NONE_FOUND = {
    "patterns": "no pattern was found, nothing was written; there may be none, or a class has "
    "fewer than 10 rows. Without --target groups of all rows are searched.",
    "pairs": "no contrastive pair was found, nothing was written; try another --set "
    "miner__cut_distance=... or a larger max_ratio.",
    "biclusters": "no bicluster was found, nothing was written; loosen the bounds of the miner by "
    "--set.",
}


@options.with_options
def find(
    context: typer.Context,
    table: options.TableFile,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="PATTERNS",
            help="File to write: JSON, a table as CSV, TSV (also .gz), Parquet or Excel, a page "
            "with plots (.html), or a model file (.skops) for bicneuron replicate.",
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
    miner: Annotated[
        Miner,
        typer.Option(
            help="Groups of rows that differ from all others in some columns, the contrastive "
            "pairs of the paper, or the biclusters of another miner."
        ),
    ] = Miner.subgroups,
    plots: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder for one picture (SVG) of each group.", show_default=False
        ),
    ] = None,
    group_test: Annotated[
        bool,
        typer.Option(
            "--group-test",
            help="Is it a group? Search 38 tables without groups, and test which groups are "
            "stronger than all that is found there.",
        ),
    ] = False,
    significance: Annotated[
        bool,
        typer.Option(
            "--significance",
            help="Does it belong to a class? Search without the classes, and test which groups "
            "have more members in one class than chance gives.",
        ),
    ] = False,
    stability: Annotated[
        bool,
        typer.Option(
            "--stability",
            help="Is it found again? Repeat the search in 100 parts of the rows, and count how "
            "often groups and columns are found.",
        ),
    ] = False,
    covariates: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of numbers such as the age, which the search sets aside. Not a feature; "
            "may be given several times.",
        ),
    ] = None,
    settings: options.Settings = None,
) -> None:
    """Find patterns in a table: groups of rows that share columns.

    A pattern is a group of rows of one class that differ in some columns from the rest of their
    class and from the other classes. The strongest pattern comes first, each with the names of its
    rows and columns. The strength is the evidence for the group; noise seldom exceeds 10. --set
    takes the parameters of SubgroupBiclustering.

    Three questions are answered on request, and the answers are apart. --group-test: is it a group,
    or the end of a continuum? p_group is how often a group as strong is found in tables without
    groups. --significance: does it belong to a class? The search does without the classes, which
    are exchanged between rows afterwards: p_corrected is how often any group would have so many
    members in one class. A group may be real and have nothing to do with the classes. --stability:
    is it found again? It says how often each group, and each of its columns, is found in random
    parts of 80 % of the rows. Several rows of a patient are one with --groups patient.

    --strata batch and --covariates age set known structure aside: the search is for what they do
    not explain, and classes are exchanged within the values of --strata only.

    With --miner pairs it writes the contrastive pairs of the paper, the best first. Residues are
    those of the columns scaled to 0..1. The score is the balanced accuracy, on all rows, of the
    neuron trained on the pair. --set takes the parameters of BicNeuronClassifier.

    The other miners write their biclusters, and --set takes the parameters of CoherentBiclustering,
    ContrastBiclustering, ChengChurchBiclustering, DifferenceBiclustering, SDCBiclustering,
    DiRAPOCCBiclustering, InformationCoclustering or AdaptedBiclustering (spectral). contrast, sdc
    and di-rapocc use the classes; for the others these are only counted.

    \b
    Examples:
      bicneuron find genes.csv --target class -o patterns.json
      bicneuron find genes.csv --target class --set anchor=case -o patterns.csv --plots pictures
      bicneuron find genes.csv --target class -o patterns.html
      bicneuron find genes.csv --target class -o groups.skops
      bicneuron find genes.csv --drop class -o patterns.xlsx
      bicneuron find genes.csv --target class --significance -o patterns.csv
      bicneuron find genes.csv --target class --strata batch --covariates age -o patterns.html
      bicneuron find genes.csv --target class --group-test --significance -o patterns.html
      bicneuron find genes.csv --target class --stability --groups patient -o patterns.json
      bicneuron find genes.csv --target class --miner pairs --set max_pairs=20 -o pairs.csv
      bicneuron find genes.csv --miner differences --set max_residue=0.05 -o biclusters.json
    """
    with answering(result, "bicneuron.tables") as answer:
        _check(output, table, target, plots, miner, force=result.force)
        questions = Questions(group_test, significance, stability)
        questions.check(target, miner, reading.groups)
        set_aside = [*(reading.strata or ()), *(covariates or ())]
        if miner is not Miner.subgroups and set_aside:
            option = "--strata" if reading.strata else "--covariates"
            raise CommandError(f"{option} is for groups; leave out --miner {miner}.")
        read = read_training_table(answer, table, target, reading, covariates or ())
        # Errors in options and tables are reported before all this is loaded.
        answer.load("bicneuron.classifier", "bicneuron.persistence", "bicneuron.report")
        from bicneuron._estimators._steps import listening
        from bicneuron._estimators._workers import fit_on_cluster
        from bicneuron.persistence import save_model
        from bicneuron.report import pair_records, pattern_records, write_subgroup_report
        from bicneuron.report._subgroups import write_subgroup_plots

        estimator = make_miner(miner, settings, seed=running.seed, n_jobs=running.n_jobs)
        if miner is Miner.subgroups and estimator.anchor is not None:
            if target is None:
                raise CommandError("--set anchor needs classes; name their column with --target.")
            if significance:
                raise CommandError("--significance searches all rows; leave out --set anchor.")
        known: dict[str, Any] = {}
        if reading.strata:
            known["strata"] = read.aside["strata"]
        if read.covariates is not None:
            known["covariates"] = read.covariates.to_numpy()
        summaries: dict[str, str] = {}
        with on_cluster(running.dask, running.jobs):
            unit = "steps" if miner is Miner.subgroups else ""
            with (
                answer.working(unless_first_run("searching"), unit) as advance,
                listening(advance),
                refusing_bad_values(),
            ):
                questions.check_exchange(read)
                labels = None if significance else read.labels
                estimator = fit_on_cluster(estimator, read.features, labels, **known)
            if any(questions) and estimator.patterns_:
                estimator, summaries = questions.answer(
                    answer, estimator, read, known, running.seed
                )
        if miner is Miner.pairs:
            kind, records = "pairs", pair_records(estimator, read.features)
        else:
            kind = "patterns" if miner is Miner.subgroups else "biclusters"
            records = pattern_records(estimator, read.features, read.labels)
        if not records:
            raise CommandError(NONE_FOUND[kind])
        about: dict[str, Any] = {"table": table.name, "target": target}
        if set_aside:
            about["set_aside"] = set_aside
        estimator.set_params(n_jobs=None)  # a property of the machine
        with answer.working("writing"), writing(output):
            if output.suffix.lower() in PAGES:
                write_subgroup_report(
                    output,
                    estimator,
                    read.features,
                    read.labels,
                    about=about,
                    overwrite=result.force,
                )
            elif output.suffix.lower() in MODELS:
                about |= about_fit(context.obj, table, read, reading)
                pipeline = reading_first(read, estimator)
                save_model(pipeline, output, about=about, overwrite=result.force)
            else:
                write_records(
                    output,
                    {**about, kind: records},
                    keep_formulas=result.keep_formulas,
                    force=result.force,
                )
        note = None if group_test else getattr(estimator, "strength_note_", None)
        if note is not None:
            note = f"note: {note} (--group-test)"
        if plots is not None:
            with answer.working("drawing"), writing(plots, "--plots"):
                write_subgroup_plots(
                    plots,
                    estimator,
                    read.features,
                    read.labels,
                    replacing=PLOTS,
                    overwrite=result.force,
                )
        answer.add(
            *summaries.values(),
            *([f"set aside before the search: {', '.join(set_aside)}"] if set_aside else []),
            *_in_words(kind, records),
            *([] if note is None else [note]),
            f"wrote {output}",
            *([] if plots is None else [f"wrote {len(records)} plots to {plots}"]),
            output=str(output),
            plots=None if plots is None else str(plots),
            **{f"n_{kind}": len(records)},
            **({"set_aside": set_aside} if set_aside else {}),
            **({} if note is None else {"note": note}),
            **summaries,
        )


def _check(
    output: Path,
    table: Path,
    target: str | None,
    plots: Path | None,
    miner: Miner,
    *,
    force: bool,
) -> None:
    """Refuse combinations of options that make no sense, before any work."""
    from bicneuron.tables import check_writable

    is_page = output.suffix.lower() in PAGES
    if output.suffix.lower() not in (*PAGES, *MODELS, ".json"):
        check_writable(output)
    check_free(output, force=force, inputs=(table,))
    if miner in NEEDS_CLASSES and target is None:
        raise CommandError(f"--miner {miner} needs classes; name their column with --target.")
    if miner is not Miner.subgroups and (is_page or plots is not None):
        raise CommandError(f"--miner {miner} has no plots; leave out --plots and .html.")
    if is_page or plots is not None:
        from bicneuron._writing._svg import check_matplotlib

        check_matplotlib()
    if is_page:
        from bicneuron._writing._page import check_jinja2

        check_jinja2()
    if plots is not None:
        check_folder(plots, force=force, files=PLOTS)


def _in_words(kind: str, found: list[dict[str, Any]]) -> list[str]:
    """Describe the first few records."""
    from bicneuron._writing._formats import LEVEL

    n = len(found)
    if kind == "pairs":
        return [f"contrastive pairs: {n}, MSR ratio {found[0]['msr_ratio']:.3g} and up"]
    if kind == "biclusters":
        return [f"biclusters: {n}", *map(_line, found[:MOST_PATTERNS])]
    # Groups that belong to a class first, and what is a group, if that was tested.
    first = sorted(
        found,
        key=lambda record: (
            record.get("p_corrected", 0.0) > LEVEL,
            record.get("p_group", 0.0) > LEVEL,
        ),
    )
    lines = [
        f"patterns: {n}, the strongest first; noise seldom exceeds a strength of 10",
        *map(_line, first[:MOST_PATTERNS]),
    ]
    if n > MOST_PATTERNS:
        weakest = min(record["strength"] for record in found)
        lines.append(f"and {n - MOST_PATTERNS} more, with strengths down to {weakest:.1f}")
    return lines


def _line(record: dict[str, Any]) -> str:
    """Describe a group or a bicluster in one line."""
    from bicneuron._writing._formats import LEVEL, round_p

    is_group = "strength" in record
    rows = f"{record['n_rows']} rows"
    names = [str(name) for name in record["columns"][:MOST_COLUMNS]]
    if is_group:
        rows = ", ".join(f"{share} {label}" for label, share in record["carriers"].items())
        names = [f"{name} {way}" for name, way in zip(names, record["directions"], strict=False)]
        if record.get("class_wide"):
            rows += f" (class-wide: nearly all of {record['class']} and few others)"
    if record["n_columns"] > MOST_COLUMNS:
        names.append("...")
    unit = "column" if record["n_columns"] == 1 else "columns"
    line = f"{record['rank']}. {rows}, {record['n_columns']} {unit} ({', '.join(names)})"
    if not is_group:
        return f"{line}, residue {record['residue']:.3g}"
    line += f", strength {record['strength']:.1f}"
    for key, yes, no in ANSWERS:
        if key in record:
            line += f", {yes if record[key] <= LEVEL else no} (p = {round_p(record[key])})"
    if "found" in record:
        line += f", found in {record['found']} subsamples"
    return line
