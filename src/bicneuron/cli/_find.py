"""``bicneuron find``."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from bicneuron.cli import _options as options
from bicneuron.cli._answer import answering, plain
from bicneuron.cli._found import (
    PLOTS,
    bicluster_lines,
    check_exchange,
    pair_lines,
    subgroup_lines,
    with_tests,
    write_page,
    write_plots,
)
from bicneuron.cli._messages import CommandError, refusing_bad_values
from bicneuron.cli._output import check_folder, check_free, writing
from bicneuron.cli._progress import unless_first_run
from bicneuron.cli._reading import read_training_table
from bicneuron.cli._settings import Miner, make_miner

PAGES = (".html", ".htm")


@dataclass(frozen=True)
class Found:
    """What is found: its name in files, what to do if there is none, and lines about it."""

    name: str
    none_found: str
    in_words: Callable[[list[dict[str, Any]]], list[str]]


SUBGROUPS = Found(
    "patterns",
    "no pattern was found, nothing was written; there may be none, or a class has fewer than 10 "
    "rows. Without --target groups of all rows are searched.",
    subgroup_lines,
)
PAIRS = Found(
    "pairs",
    "no contrastive pair was found, nothing was written; try another --set "
    "miner__cut_distance=... or a larger max_ratio.",
    pair_lines,
)
BICLUSTERS = Found(
    "biclusters",
    "no bicluster was found, nothing was written; loosen the bounds of the miner by --set.",
    bicluster_lines,
)
NEEDS_CLASSES = {Miner.pairs, Miner.contrast, Miner.sdc, Miner.di_rapocc}


@options.with_options
def find(
    table: options.TableFile,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="PATTERNS",
            help="File to write: JSON, a table as CSV, TSV (also .gz), Parquet or Excel, or a page "
            "with plots (.html).",
            show_default=False,
        ),
    ],
    reading: options.TrainingOptions,
    running: options.RunOptions,
    result: options.TableResultOptions,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column with the classes; without it, groups of all rows are looked for.",
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
    significance: Annotated[
        bool,
        typer.Option(
            "--significance",
            help="Search without the classes, and test which groups belong to a class.",
        ),
    ] = False,
    stability: Annotated[
        bool,
        typer.Option(
            "--stability",
            help="Repeat the search in 100 parts of the rows, and tell how often groups and "
            "columns are found again.",
        ),
    ] = False,
    settings: options.Settings = None,
) -> None:
    """Find patterns in a table: groups of rows that share columns.

    A pattern is a group of rows of one class that differ in some columns from the rest of their
    class and from the other classes. It comes with the names of its rows and columns, the strongest
    pattern first. The strength is the evidence for the group; noise seldom exceeds 10. --set takes
    the parameters of SubgroupBiclustering.

    With --significance the classes are not used by the search. Afterwards they are exchanged
    between rows: p_corrected is how often any group would have so many members in one class. Groups
    that only follow the batch are not significant with --strata batch. Several rows of a patient
    are exchanged together with --groups patient. --stability says how often each group, and each of
    its columns, is found in random parts of 80 % of the rows; --groups applies here, too.

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
      bicneuron find genes.csv --drop class -o patterns.xlsx
      bicneuron find genes.csv --target class --significance -o patterns.csv
      bicneuron find genes.csv --target class --significance --strata batch -o patterns.html
      bicneuron find genes.csv --target class --stability --groups patient -o patterns.json
      bicneuron find genes.csv --target class --miner pairs --set max_pairs=20 -o pairs.csv
      bicneuron find genes.csv --miner differences --set max_residue=0.05 -o biclusters.json
    """
    with answering(result, "bicneuron.tables") as answer:
        _check(output, table, target, plots, miner, force=result.force)
        _check_tests(target, miner, significance, stability, reading)
        read = read_training_table(answer, table, target, reading)
        # Errors in options and tables are reported before all this is loaded.
        answer.load("bicneuron.classifier", "bicneuron.report")
        from bicneuron.report import pair_records, pattern_records

        estimator = make_miner(miner, settings, seed=running.seed, n_jobs=running.n_jobs)
        if miner is Miner.subgroups:
            _check_anchor(estimator, target, significance)
        with answer.working(unless_first_run("searching")), refusing_bad_values():
            if significance:
                check_exchange(read)
            estimator.fit(read.features, None if significance else read.labels)
        summary: list[str] = []
        if (significance or stability) and estimator.found_:
            estimator, summary = with_tests(
                answer,
                estimator,
                read,
                running.seed,
                significance=significance,
                stability=stability,
            )
        if miner is Miner.pairs:
            kind, records = PAIRS, pair_records(estimator, read.features)
        else:
            kind = SUBGROUPS if miner is Miner.subgroups else BICLUSTERS
            records = pattern_records(estimator, read.features, read.labels)
        if not records:
            raise CommandError(kind.none_found)
        about = {"table": table.name, "target": target}
        with answer.working("writing"), writing(output):
            if output.suffix.lower() in PAGES:
                write_page(output, estimator, read, about)
            else:
                _write(output, records, about, kind.name, result.keep_formulas)
        if plots is not None:
            with answer.working("drawing"), writing(plots, "--plots"):
                write_plots(plots, estimator, read)
        answer.tell(
            *summary,
            *kind.in_words(records),
            f"wrote {output}",
            *([] if plots is None else [f"wrote {len(records)} plots to {plots}"]),
            output=str(output),
            plots=None if plots is None else str(plots),
            **{f"n_{kind.name}": len(records)},
            **({"significance": summary[0]} if summary else {}),
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
    if not is_page and output.suffix.lower() != ".json":
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


def _check_tests(
    target: str | None,
    miner: Miner,
    significance: bool,
    stability: bool,
    reading: options.TrainingOptions,
) -> None:
    """Refuse tests that cannot be made, before any work."""
    if reading.strata is not None and not significance:
        raise CommandError("--strata is for --significance; add it or leave out --strata.")
    if reading.groups is not None and not (significance or stability):
        raise CommandError("--groups is for --significance and --stability; add one of them.")
    if miner is not Miner.subgroups and (significance or stability):
        option = "--significance" if significance else "--stability"
        raise CommandError(f"{option} tests groups; leave out --miner {miner}.")
    if significance and target is None:
        raise CommandError("--significance needs classes; name their column with --target.")


def _check_anchor(estimator: Any, target: str | None, significance: bool) -> None:
    if target is None and estimator.anchor is not None:
        raise CommandError("--set anchor needs classes; name their column with --target.")
    if significance and estimator.anchor is not None:
        raise CommandError("--significance searches all rows; leave out --set anchor.")


def _write(
    output: Path,
    records: list[dict[str, Any]],
    about: dict[str, Any],
    name: str,
    keep_formulas: bool,
) -> None:
    """Write the records as JSON, or as a table with one line for each."""
    if output.suffix.lower() == ".json":
        from bicneuron._writing._atomic import write_atomically

        content = {**about, name: plain(records)}
        write_atomically(output, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        return
    import pandas as pd

    from bicneuron.tables import write_table

    # As objects: a column of whole numbers and None stays one.
    lines = [{key: _cell(value) for key, value in record.items()} for record in records]
    write_table(pd.DataFrame(lines, dtype=object), output, keep_formulas=keep_formulas)


def _cell(value: Any) -> Any:
    """Join lists and dicts to one cell."""
    if isinstance(value, dict):
        return "; ".join(f"{key}: {inner}" for key, inner in value.items())
    if isinstance(value, list):
        return "; ".join(f"{v:.4g}" if isinstance(v, float) else str(v) for v in value)
    return value
