"""A report as files: Markdown, HTML, and one tidy CSV table of folds."""

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from bicneuron._shared._files import write_atomically
from bicneuron._shared._html import check_jinja2, render_page
from reproduction._grids import (
    Cell,
    Grid,
    summary_grids,
    table_grid,
)
from reproduction._sections import Section, build_report
from reproduction._tables import Record, group_records

# Characters that Markdown takes for markup.
_MARKUP = re.compile(r"([\\`*~\[\]<>|&]|(?<!\w)_|_(?!\w))")
TITLE = "BicNeuron: the tables of the paper, run again"
INTRODUCTION = (
    "Tables 2 to 5 of Coelho and de França (arXiv 1603.06859) beside our own runs. Nothing is "
    "claimed on the paper protocol; what is claimed rests on the clean one. Label AUC is the AUC "
    "of the paper, the mean accuracy of the two classes; score AUC is that of the scores. Fell "
    "back: folds in which no contrastive pair survived, so that one neuron on all rows and "
    "columns decided."
)
PROTOCOL_WORDS = {
    "paper": (
        "As the printed tables were made, leaks included, and for comparing with them only. "
        "The perceptrons see their rows in a fixed order, which weakens SP and KP: part of the "
        "printed advantage over them comes from that order."
    ),
    "clean": (
        "Shuffled stratified folds, everything fitted inside the fold, no row index and no "
        "patient id. The same folds for all models."
    ),
    "grouped": (
        "As the clean protocol, and all rows of one person on the same side of a fold where the "
        "persons are known."
    ),
    "quick": (
        "Three clean folds of wdbc and of small generated samples of ringnorm and twonorm: a "
        "demonstration that cannot be compared with the paper."
    ),
}
CSV_COLUMNS = (
    *("dataset", "model", "protocol", "fold"),
    *("acc", "acc_minority", "acc_majority", "label_auc", "score_auc", "brier"),
    *("fallback", "row_share", "column_share", "inner_score"),
    *("n_train", "n_test", "params"),
)


def write_report(
    records: Iterable[Record],
    folder: str | os.PathLike[str],
    numbers: Sequence[int] = (2, 3, 4, 5),
) -> list[Path]:
    """Write ``report.md``, ``report.html`` and ``folds.csv``, each of them atomically.

    Parameters
    ----------
    records : iterable of mapping
        One per fold, as in `build_report`.
    folder : path-like
        Output folder; it must exist.
    numbers : sequence of int, default=(2, 3, 4, 5)
        Which of the paper's tables.

    Returns
    -------
    list of Path
        The files. They depend on the records only, not on their order, and hold nothing that
        differs between two runs.
    """
    records = list(records)
    report = build_report(records, numbers)
    contents = {
        "report.md": render_markdown(report),
        "report.html": render_html(report),
        "folds.csv": render_csv(records),
    }
    paths = [Path(folder) / name for name in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        write_atomically(path, content)
    return paths


def check_can_render() -> None:
    """Raise an `ImportError` before a long run if its report could not be written."""
    check_jinja2()


def render_csv(records: Iterable[Record]) -> str:
    """Tidy table of folds, one line each; times and versions stay in the records.

    Numbers have all their digits; what is missing or None is left empty.
    """
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, CSV_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for sets in group_records(records).values():
        for models in sets.values():
            for folds in models.values():
                for record in folds.values():
                    params = json.dumps(record.get("params") or {}, sort_keys=True)
                    writer.writerow({**record, "params": params})
    return buffer.getvalue()


def render_markdown(report: Sequence[Section]) -> str:
    """Report as Markdown; underlined numbers are inserted text, which GitHub underlines."""
    parts = [f"# {TITLE}", _escaped(INTRODUCTION)]
    for section in report:
        parts += [
            f"## {_escaped(section.protocol.capitalize())} protocol",
            _escaped(PROTOCOL_WORDS.get(section.protocol, "")),
            "Leaks on every data set:" if section.leaks else "",
            _bullets(section.leaks),
        ]
        for grid in _grids_of(section):
            parts += [f"### {_escaped(grid.caption)}", _markdown_table(grid), _bullets(grid.notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def render_html(report: Sequence[Section]) -> str:
    """Report as one self-contained HTML page, without scripts."""
    sections = [(section, _grids_of(section)) for section in report]
    values = {
        "title": TITLE,
        "introduction": INTRODUCTION,
        "words": PROTOCOL_WORDS,
        "sections": sections,
    }
    return render_page("reproduction", values)


def _grids_of(section: Section) -> list[Grid]:
    """All tables of a section, in order."""
    return [
        *summary_grids(section),
        *(table_grid(section, table) for table in section.tables),
    ]


def _markdown_table(grid: Grid) -> str:
    has_titles = any(block.title for block in grid.blocks)
    names = ["Data set", "Model"] if has_titles else ["Model"]
    rows = [
        [*names, *map(_escaped, grid.columns)],
        [*["---"] * len(names), *["--:"] * len(grid.columns)],
    ]
    for block in grid.blocks:
        for line in block.lines:
            heads = [block.title] if has_titles else []
            heads += [f"{line.name} ({line.whose})" if line.whose else line.name]
            rows.append([*map(_escaped, heads), *map(_markdown_cell, line.cells)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _markdown_cell(cell: Cell) -> str:
    text = _escaped(cell.text)
    for mark, left, right in (
        ("underline", "<ins>", "</ins>"),
        ("italic", "*", "*"),
        ("bold", "**", "**"),
    ):
        text = f"{left}{text}{right}" if mark in cell.marks else text
    return text


def _bullets(texts: Sequence[str]) -> str:
    return "\n".join(f"- {_escaped(text)}" for text in texts)


def _escaped(text: str) -> str:
    """Escape text for Markdown; an underscore inside a word needs no escape."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
