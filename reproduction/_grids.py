"""The tables of a report as grids of text, for any renderer."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reproduction._sections import Section, SummaryRow
from reproduction._tables import DatasetRows, ModelRow, Numbers, PaperTable

NOTHING = "\N{EN DASH}"
MEASURE_WORDS = {
    "acc": "ACC",
    "label_auc": "Label AUC",
    "acc_minority": "ACCm, accuracy on the minority class",
    "acc_majority": "ACCM, accuracy on the majority class",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """Text with the paper's marks; ``is_exact`` where it repeats the printed fold."""

    text: str
    marks: frozenset[str] = frozenset()
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A row: its name, the source of its numbers if there are two, and its cells."""

    name: str
    whose: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class LineGroup:
    """Lines under one title, such as a data set; an empty title for a plain table."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of text, with a caption above and notes below; ``title`` is for a list of them."""

    key: str
    title: str
    caption: str
    columns: tuple[str, ...]
    blocks: tuple[LineGroup, ...]
    notes: tuple[str, ...] = ()


def decimals(value: float | None, digits: int = 2) -> str:
    """Rounded number, independent of the order of summation."""
    return NOTHING if value is None else f"{round(value, 9):.{digits}f}"


def signed(value: float | None) -> str:
    """Difference with its sign, unless it rounds to zero."""
    if value is None:
        return NOTHING
    text = f"{round(value, 9):+.2f}"
    return "0.00" if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def share(count: int | None, total: int) -> str:
    """Count out of a total."""
    return NOTHING if count is None else f"{count}/{total}"


def summary_grids(section: Section) -> list[Grid]:
    """Means of every model over the data sets of Tables 2 to 4, and over the pairs of Table 5."""
    note = "The paper's means are over the same data sets."
    eeg_note = "The pairs share their signals, so no test is made over them."
    grids = []
    for key, title, what, rows, notes in (
        ("sets", "Means", "the data sets of Tables 2 to 4", section.sets, (note,)),
        ("eeg", "EEG means", "the EEG pairs of Table 5", section.eeg, (note, eeg_note)),
    ):
        if not rows:
            continue
        has_exact = any(row.n_exact is not None for row in rows)
        grid = Grid(
            key=f"{section.protocol}-{key}",
            title=title,
            caption=f"Means over {what}, {section.protocol} protocol",
            columns=(
                *("Data sets", "ACC", "Paper's ACC", "Label AUC", "Paper's label AUC", "Score AUC"),
                *(["Exact ACC folds"] if has_exact else []),
                *("Fell back", "Rows used", "Columns used"),
            ),
            blocks=(LineGroup("", tuple(_summary_line(row, has_exact) for row in rows)),),
            notes=notes,
        )
        grids.append(grid)
    return grids


def _summary_line(row: SummaryRow, has_exact: bool) -> Line:
    means = (row.acc, row.paper_acc, row.label_auc, row.paper_label_auc, row.score_auc)
    counts = ([row.n_exact] if has_exact else []) + [row.fallbacks]
    cells = (
        str(row.n_datasets),
        *(decimals(mean, 3) for mean in means),
        *(share(count, row.n_folds) for count in counts),
        *(decimals(part, 2) for part in (row.row_share, row.column_share)),
    )
    return Line(row.model, "", tuple(map(Cell, cells)))


def table_grid(section: Section, table: PaperTable) -> Grid:
    """One of the paper's tables, our results beside the printed ones.

    Where the folds are the paper's own, the paper has a line above ours; elsewhere its average
    is a column.
    """
    layout = _Layout(
        folds=table.columns if table.number in (2, 3) else (),
        has_best=table.number != 5,
        is_beside=table.number in (2, 3) and section.protocol == "paper",
    )
    spread = "Mean ± sd (p)" if table.number == 5 else "Mean ± sd"
    return Grid(
        key=f"{section.protocol}-{table.number}-{table.measure}",
        title=f"Table {table.number}, {MEASURE_WORDS[table.measure].partition(',')[0]}",
        caption=(
            f"Table {table.number}: {MEASURE_WORDS[table.measure]}, {section.protocol} protocol"
        ),
        columns=layout.columns(spread),
        blocks=tuple(
            LineGroup(
                f"{block.dataset} †" if block.leaks else block.dataset,
                tuple(
                    line
                    for row in block.rows
                    for line in layout.lines(
                        row, absent="not run" if block.is_available else "data not available"
                    )
                ),
            )
            for block in table.datasets
        ),
        notes=(*_legend(table, layout.is_beside), *_leak_notes(table.datasets)),
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    folds: tuple[int, ...]
    has_best: bool
    is_beside: bool

    def columns(self, spread: str) -> tuple[str, ...]:
        best = ["best"] if self.has_best else []
        columns = [*map(str, self.folds), spread, *map(str.capitalize, best)]
        if self.is_beside:
            return (*columns, "Difference", "Exact folds", "Fell back")
        paper = [f"Paper's {name}" for name in [spread.lower(), *best]]
        return (*columns, *paper, "Difference", "Fell back")

    def lines(self, row: ModelRow, absent: str) -> list[Line]:
        ours = self._cells(row.ours, row.is_exact or (), absent)
        difference = Cell(signed(row.difference))
        fallbacks = Cell(share(row.fallbacks, row.n_folds))
        if not self.is_beside:
            paper = replace(self, folds=())._cells(row.paper, (), NOTHING)
            return [Line(row.model, "", (*ours, *paper, difference, fallbacks))]
        exact = Cell(share(sum(row.is_exact) if row.is_exact else None, row.n_folds))
        lines = [Line(row.model, "ours", (*ours, difference, exact, fallbacks))]
        if row.paper:
            printed = (*self._cells(row.paper, (), ""), *[Cell("")] * 3)
            lines.insert(0, Line(row.model, "paper", printed))
        return lines

    def _cells(self, numbers: Numbers | None, is_exact: Sequence[bool], absent: str) -> list[Cell]:
        if numbers is None:
            nothing = [Cell(NOTHING)]
            return [*nothing * len(self.folds), Cell(absent), *nothing * self.has_best]
        folds = numbers.folds if self.folds else ()
        return [
            *(
                Cell(decimals(fold), is_exact=same)
                for fold, same in zip(folds, is_exact or [False] * len(folds), strict=True)
            ),
            _average(numbers),
            *([Cell(decimals(numbers.best))] if self.has_best else []),
        ]


def _average(numbers: Numbers) -> Cell:
    text = decimals(numbers.mean)
    if not math.isnan(numbers.std):
        text += f" ± {decimals(numbers.std)}"
    if numbers.p_value is not None:
        text += f" ({decimals(numbers.p_value)})"
    return Cell(text, numbers.marks)


def _legend(table: PaperTable, is_beside: bool) -> list[str]:
    legend = []
    if table.number in (2, 3):
        legend.append(
            f"Bold: {table.reference} is significantly better than this model; italics: worse "
            "(Wilcoxon rank-sum test of the folds, p ≤ 0.01: the rule that gives the paper's "
            "marks from its folds). Underlined: the best average."
            + ("" if table.reference == "BN" else " The paper's own marks refer to BN.")
        )
    if table.number == 5:
        legend.append(
            "ACC and label AUC are one number where the classes are equal in size. p: Wilcoxon "
            "rank-sum test of the folds against the best average, which is underlined."
        )
    if is_beside:
        legend.append("Exact folds round to the printed two decimals; they are shaded on the page.")
    return legend


def _leak_notes(blocks: Iterable[DatasetRows]) -> list[str]:
    """One note per leak, with the data sets that have it."""
    datasets: dict[str, list[str]] = {}
    for block in blocks:
        for leak in block.leaks:
            datasets.setdefault(leak, []).append(block.dataset)
    return [f"† {', '.join(names)}: {leak}." for leak, names in datasets.items()]
