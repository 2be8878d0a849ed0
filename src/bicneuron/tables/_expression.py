"""Files of expression data, with genes in rows: GCT and the series matrix of GEO."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bicneuron.exceptions import TableError
from bicneuron.tables._budget import Budget
from bicneuron.tables._lines import rows_of_lines
from bicneuron.tables._sheet import Sheet
from bicneuron.tables._text import decode

_BEGIN, _END = "!series_matrix_table_begin", "!series_matrix_table_end"


def read_gct(path: Path, content: bytes, budget: Budget) -> Sheet:
    """Read samples as rows and genes as columns; annotations of samples (#1.3) are set aside."""
    text, notes = decode(path, content)
    budget.spend_on_words(content.count(b"\t") + content.count(b"\n"), len(content))
    lines = text.splitlines()
    version = lines[0].strip()
    if version not in ("#1.2", "#1.3"):
        raise TableError(f"{path} is not a GCT file: its first line is not #1.2 or #1.3.")
    rows = _rows(path, enumerate(lines[1:], start=2))
    try:
        sizes = [int(cell) for cell in rows[0] if cell.strip()]
        n_genes, n_samples = sizes[:2]
        n_notes, n_annotations = sizes[2:] if version == "#1.3" else (1, 0)
    except (IndexError, ValueError) as error:
        raise TableError(f"{path} is not a GCT file: line 2 does not state its size.") from error
    body = rows[2:]
    skipped = 1 + n_notes
    is_whole = len(body) == n_annotations + n_genes and n_genes > 0
    if not is_whole or any(len(row) != skipped + n_samples for row in rows[1:]):
        raise TableError(
            f"{path} is cut or damaged: line 2 says {n_genes} genes and {n_samples} samples, and "
            f"there are {max(len(body) - n_annotations, 0)} lines of genes or lines of another "
            "length. Copy it again."
        )
    genes = body[n_annotations:]
    return Sheet(
        [row[0].strip() for row in genes],
        [row[skipped:] for row in genes],
        aside={row[0].strip(): row[skipped:] for row in body[:n_annotations]},
        row_names=[name.strip() for name in rows[1][skipped:]],
        row_source="the samples of the file",
        notes=[*notes, "genes in rows: transposed, so that samples are rows"],
        other_names={
            source.strip(): [row[j].strip() for row in genes]
            for j, source in enumerate(rows[1][1:skipped], start=1)
        },
    )


def is_series_matrix(content: bytes) -> bool:
    """True if a text file is a series matrix of GEO."""
    return content.lstrip().startswith(b"!Series_")


def read_series_matrix(path: Path, content: bytes, budget: Budget) -> Sheet:
    """Read samples as rows and probes as columns; annotations of samples are set aside."""
    text, notes = decode(path, content)
    budget.spend_on_words(content.count(b"\t") + content.count(b"\n"), len(content))
    head, begin, rest = text.partition(_BEGIN)
    table, end, _ = rest.partition(_END)
    if not begin or not end:
        raise TableError(f"{path} is cut: it has no {_END if begin else _BEGIN}. Copy it again.")
    n_above = len(head.splitlines())
    rows = _rows(path, enumerate(table.splitlines(), start=n_above + 1))
    if len(rows) < 2:
        raise TableError(
            f"{path} has no data, only a description; get the supplementary files of the series."
        )
    samples, *probes = rows
    if any(len(row) != len(samples) for row in probes):
        raise TableError(f"{path} is cut or damaged: its lines differ in length. Copy it again.")
    aside: dict[str, Any] = {}
    for name, *cells in _rows(path, enumerate(head.splitlines(), start=1)):
        if name.startswith("!Sample_") and len(cells) == len(samples) - 1:
            _add_annotation(aside, name.removeprefix("!Sample_"), cells)
    return Sheet(
        [row[0].strip() for row in probes],
        [row[1:] for row in probes],
        aside=aside,
        row_names=[name.strip() for name in samples[1:]],
        row_source="the samples of the file",
        notes=[*notes, "GEO series matrix: samples are rows, probes are columns"],
    )


def _rows(path: Path, lines: Iterable[tuple[int, str]]) -> list[list[str]]:
    try:
        return list(rows_of_lines(lines, delimiter="\t"))
    except ValueError as error:
        raise TableError(f"{path}: {error}; close it or leave it out.") from error


def _add_annotation(aside: dict[str, Any], name: str, cells: list[str]) -> None:
    """Add an annotation; characteristics such as ``tissue: liver`` are named by their key."""
    if name.startswith("characteristics"):
        for place, cell in enumerate(cells):
            key, sign, value = cell.partition(":")
            if sign:
                aside.setdefault(key.strip(), [None] * len(cells))[place] = value.strip()
    else:
        aside.setdefault(name, list(cells))
