"""What ``bicneuron find`` writes, and what it prints of it."""

from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli._messages import CommandError
from bicneuron.cli._options import TableResultOptions
from bicneuron.cli._output import (
    check_distinct,
    check_folder,
    check_free,
    check_kind,
    write_records,
)
from bicneuron.cli._reading import reading_first
from bicneuron.cli._settings import Miner

if TYPE_CHECKING:
    from bicneuron.tables import Table

PAGES, MODELS, GENE_SETS, ANNDATA = (".html", ".htm"), (".skops",), (".gmt",), (".h5ad",)
# Of these, groups only can be written.
OF_GROUPS = (*PAGES, *GENE_SETS, *ANNDATA)
# Patterns that are printed one by one, and columns named of each.
MOST_PATTERNS, MOST_COLUMNS = 5, 4
# Files in the folder of the plots.
PLOTS = "pattern-*.svg"
# Columns of a table without any pattern.
NO_RECORDS = ("rank", "class", "kind", "carriers", "n_rows", "n_columns", "rows", "columns")


def check_outputs(
    outputs: Sequence[Path], table: Path, plots: Path | None, miner: Miner, *, force: bool
) -> None:
    """Refuse files that cannot be written, before any work."""
    for output in outputs:
        _check_output(output, table, plots, miner, force=force)
    check_distinct(outputs)


def _check_output(
    output: Path, table: Path, plots: Path | None, miner: Miner, *, force: bool
) -> None:
    check_kind(output, *OF_GROUPS, *MODELS, ".json")
    suffix = output.suffix.lower()
    check_free(output, force=force, inputs=(table,))
    if miner is not Miner.subgroups and (suffix in OF_GROUPS or plots is not None):
        what = "--plots" if plots is not None else suffix
        raise CommandError(f"--miner {miner} has no plots and gene sets; leave out {what}.")
    if suffix in ANNDATA and table.suffix.lower() not in ANNDATA:
        raise CommandError(
            f"{output} needs a TABLE in the same format, to which groups are added; name another "
            "kind of file with -o, as in groups.csv."
        )
    if suffix in PAGES or plots is not None:
        from bicneuron._shared._svg import check_matplotlib

        check_matplotlib()
    if suffix in PAGES:
        from bicneuron._shared._page import check_jinja2

        check_jinja2()
    if plots is not None:
        check_folder(plots, force=force, files=PLOTS)


def write_found(
    output: Path,
    table: Path,
    found: Any,
    read: "Table",
    content: dict[str, Any],
    about: dict[str, Any],
    evidence: list[Any],
    result: TableResultOptions,
) -> None:
    """Write what was found in the format that the name of the file asks for."""
    from bicneuron.persistence import save_model
    from bicneuron.report import pattern_lists, write_subgroup_report

    suffix = output.suffix.lower()
    if suffix in PAGES:
        write_subgroup_report(
            *(output, found, read.features, read.labels),
            about=content,
            columns=evidence,
            overwrite=result.force,
        )
    elif suffix in MODELS:
        save_model(reading_first(read, found), output, about=about, overwrite=result.force)
    elif suffix in GENE_SETS:
        from bicneuron._shared._atomic import write_atomically
        from bicneuron.patterns import proven_patterns

        listed = copy(found)
        if any(one.evidence and one.evidence.is_tested for one in found.patterns_):
            listed.patterns_ = proven_patterns(found.patterns_)  # these come first
        text = ""
        if listed.patterns_:
            lists = pattern_lists(listed, read.features, read.labels, evidence=evidence)
            text = lists.gmt
        write_atomically(output, text, overwrite=result.force)
    elif suffix in ANNDATA:
        from bicneuron.omics import write_patterns

        write_patterns(table, output, found, read.features, overwrite=result.force)
    else:
        write_records(
            output,
            content,
            keep_formulas=result.keep_formulas,
            force=result.force,
            columns=NO_RECORDS,
        )


def write_plots(folder: Path, found: Any, read: "Table", *, force: bool) -> None:
    """Write one picture of each group."""
    from bicneuron.report._subgroups import write_subgroup_plots

    write_subgroup_plots(
        folder, found, read.features, read.labels, replacing=PLOTS, overwrite=force
    )


def groups_in_words(found: Any) -> list[str]:
    """The first groups of a search that were not tested, one in each line."""
    from bicneuron._shared._formats import format_carriers
    from bicneuron.report import pattern_records

    records = pattern_records(found)
    n, more = len(records), len(records) - MOST_PATTERNS
    about = "the strongest first; noise seldom exceeds a strength of 10"
    lines = [f"{'group' if n == 1 else 'groups'} found: {n}, {about}"]
    for pattern, record in [*zip(found.patterns_, records, strict=True)][:MOST_PATTERNS]:
        counts = [(label, *count) for label, count in (pattern.carrier_counts or {}).items()]
        # Its own class first.
        rows = format_carriers(sorted(counts, key=lambda one: one[0] != pattern.anchor_class))
        ways = zip(record["columns"], record["directions"], pattern.column_order, strict=True)
        named = {*pattern.named_columns.tolist()}
        line = _line(record, rows, [f"{name} {way}" for name, way, k in ways if k in named])
        lines.append(f"{record['rank']}. {line}, strength {record['strength']:.1f}")
    if more > 0:
        lines.append(f"and {more} more")
    if found.strength_note_ is not None:
        lines.append(f"note: {found.strength_note_}")
    return lines


def biclusters_in_words(records: list[dict[str, Any]]) -> list[str]:
    """The first biclusters, one in each line."""
    lines = [f"biclusters: {len(records)}"]
    for record in records[:MOST_PATTERNS]:
        line = _line(record, f"{record['n_rows']} rows", record["columns"])
        lines.append(f"{record['rank']}. {line}, residue {record['residue']:.3g}")
    return lines


def _line(record: dict[str, Any], rows: str, names: list[Any]) -> str:
    from bicneuron._shared._formats import counted, shortened

    shown = [shortened(str(name)) for name in names[:MOST_COLUMNS]]
    more = ["..."] if record["n_columns"] > len(shown) else []
    columns = f"{counted(record['n_columns'], 'column')} ({', '.join([*shown, *more])})"
    return f"{rows}, {columns}"
