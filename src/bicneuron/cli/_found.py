"""What ``bicneuron find`` writes."""

from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli._messages import CommandError
from bicneuron.cli._output import (
    PAGES,
    check_distinct,
    check_free,
    check_kind,
    check_page_libraries,
    write_records,
)
from bicneuron.cli._reading import reading_first

if TYPE_CHECKING:
    from bicneuron.significance import Findings
    from bicneuron.tables import Table

MODELS, ANNDATA = (".skops",), (".h5ad",)
GENE_SETS, RANKS, COLUMNS = ".gmt", ".rnk", ".columns.csv"
# Columns of a table without any pattern, and of a list of the columns of none.
NO_RECORDS = ("rank", "class", "kind", "carriers", "n_rows", "n_columns", "rows", "columns")
NO_COLUMNS = "column,pattern,rank\n"


def check_outputs(outputs: Sequence[Path], table: Path, *, force: bool) -> None:
    """Refuse files that cannot be written, before any work."""
    for output in outputs:
        check_kind(output, *PAGES, GENE_SETS, RANKS, *ANNDATA, *MODELS, ".json")
        check_free(output, force=force, inputs=(table,))
        if output.suffix.lower() in ANNDATA and table.suffix.lower() not in ANNDATA:
            raise CommandError(
                f"{output} needs a TABLE in the same format, to which groups are added; name "
                "another kind of file with -o, as in groups.csv."
            )
    check_page_libraries(outputs)
    check_distinct(outputs)


def write_found(
    output: Path,
    table: Path,
    findings: "Findings",
    read: "Table",
    content: dict[str, Any],
    about: dict[str, Any],
    *,
    force: bool,
) -> list[Path]:
    """Write what was found as the name of the file asks for, and return what was written."""
    from bicneuron.persistence import save_model
    from bicneuron.report import write_subgroup_report

    found, evidence = findings.miner, [*findings.columns]
    suffix = output.suffix.lower()
    if is_list(output):
        return _write_lists(output, found, read, evidence, table, force=force)
    if suffix in PAGES:
        write_subgroup_report(
            *(output, found, read.features, read.labels),
            about=content,
            columns=evidence,
            overwrite=force,
        )
    elif suffix in MODELS:
        save_model(reading_first(read, findings), output, about=about, overwrite=force)
    elif suffix in ANNDATA:
        from bicneuron.omics import write_patterns

        write_patterns(table, output, found, read.features, overwrite=force)
    else:
        write_records(output, content, force=force, columns=NO_RECORDS)
    return [output]


def is_list(output: Path) -> bool:
    """True for the files that list columns."""
    return output.name.lower().endswith((GENE_SETS, RANKS, COLUMNS))


def _write_lists(
    output: Path, found: Any, read: "Table", evidence: list[Any], table: Path, *, force: bool
) -> list[Path]:
    """Write columns of the findings or, where nothing is proven, of all groups but as gene sets."""
    from bicneuron._shared._files import write_atomically
    from bicneuron.patterns import proven_patterns
    from bicneuron.report import pattern_lists

    listed, suffix = copy(found), output.suffix.lower()
    proven = proven_patterns(found.patterns_)  # these come first
    if proven or suffix == GENE_SETS:
        listed.patterns_ = proven
    texts = {output: "" if suffix == GENE_SETS else NO_COLUMNS}
    if suffix == RANKS:
        texts = {}
    if listed.patterns_:
        evidence = [one for one in evidence if one.number <= len(listed.patterns_)]
        lists = pattern_lists(listed, read.features, read.labels, evidence=evidence)
        if suffix == RANKS:
            texts = _numbered(output, lists.rnk, table, force=force)
        else:
            texts = {output: lists.gmt if suffix == GENE_SETS else lists.files["genes.csv"]}
    for path, text in texts.items():
        write_atomically(path, text, overwrite=force)
    return [*texts]


def _numbered(path: Path, ranked: dict[int, str], table: Path, *, force: bool) -> dict[Path, str]:
    """The ranked lists by their files: one is named as asked, several are numbered."""
    if len(ranked) == 1:
        return {path: next(iter(ranked.values()))}
    numbered = {path.with_stem(f"{path.stem}-{number}"): text for number, text in ranked.items()}
    for one in numbered:
        check_free(one, force=force, inputs=(table,))
    return numbered
