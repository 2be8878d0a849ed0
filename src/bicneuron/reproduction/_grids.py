"""The tables of a report as grids of text, for any renderer."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bicneuron.reproduction._comparison import Comparison
from bicneuron.reproduction._sections import Section, SummaryRow
from bicneuron.reproduction._tables import DatasetRows, ModelRow, Numbers, PaperTable

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
    """Rounded number, independent of the order of summation.

    Examples
    --------
    >>> from bicneuron.reproduction._grids import decimals
    >>> decimals(0.625), decimals(0.1 + 0.2 + 0.325), decimals(2 / 3, 3), decimals(None)
    ('0.62', '0.62', '0.667', '–')
    """
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


def p_text(p_value: float) -> str:
    """P-value of three decimals."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


# A difference is significant at this p.
LEVEL = 0.05


def summary_grids(section: Section) -> list[Grid]:
    """Means of every model over the data sets of Tables 2 to 4, and over the pairs of Table 5."""
    note = "The paper's means are over the same data sets."
    eeg_note = "The pairs share their signals, so no test is made over them."
    return [
        _summary_grid(section, *parts)
        for parts in (
            ("sets", "Means", "the data sets of Tables 2 to 4", section.sets, (note,)),
            ("eeg", "EEG means", "the EEG pairs of Table 5", section.eeg, (note, eeg_note)),
        )
        if parts[3]
    ]


def _summary_grid(
    section: Section,
    key: str,
    title: str,
    what: str,
    rows: tuple[SummaryRow, ...],
    notes: tuple[str, ...],
) -> Grid:
    has_exact = any(row.n_exact is not None for row in rows)
    lines = []
    for row in rows:
        means = (row.acc, row.paper_acc, row.label_auc, row.paper_label_auc, row.score_auc)
        counts = ([row.n_exact] if has_exact else []) + [row.fallbacks]
        cells = (
            str(row.n_datasets),
            *(decimals(mean, 3) for mean in means),
            *(share(count, row.n_folds) for count in counts),
            *(decimals(part, 2) for part in (row.row_share, row.column_share)),
        )
        lines.append(Line(row.model, "", tuple(map(Cell, cells))))
    return Grid(
        key=f"{section.protocol}-{key}",
        title=title,
        caption=f"Means over {what}, {section.protocol} protocol",
        columns=(
            *("Data sets", "ACC", "Paper's ACC", "Label AUC", "Paper's label AUC", "Score AUC"),
            *(["Exact ACC folds"] if has_exact else []),
            *("Fell back", "Rows used", "Columns used"),
        ),
        blocks=(LineGroup("", tuple(lines)),),
        notes=notes,
    )


def smallest_p(comparison: Comparison) -> float:
    """The smallest two-sided p of an exact signed-rank test over these data sets."""
    return 2.0 ** (1 - len(comparison.datasets))


def can_be_significant(comparison: Comparison) -> bool:
    """Return True if there are enough data sets for a difference to be significant."""
    return smallest_p(comparison) <= LEVEL


def comparison_grid(section: Section, measure: str, comparison: Comparison) -> Grid:
    """Every model against every other, over data sets."""
    has_p_values = can_be_significant(comparison)
    against = {
        (first, second): Cell(
            f"{wins}-{pair.ties}-{losses}" + (f", p {p_text(pair.p_holm)}" if has_p_values else "")
        )
        for pair in comparison.pairs
        for first, second, wins, losses in (
            (pair.first, pair.second, pair.wins, pair.losses),
            (pair.second, pair.first, pair.losses, pair.wins),
        )
    }
    friedman = comparison.friedman_p_value
    return Grid(
        key=f"{section.protocol}-{measure}-ranks",
        title=f"Ranks by {MEASURE_WORDS[measure]}",
        caption=(
            f"{MEASURE_WORDS[measure]} over {len(comparison.datasets)} data sets, "
            f"{section.protocol} protocol: mean ranks, and wins-draws-losses of the row against "
            "the column"
        ),
        columns=("Mean rank", *comparison.models),
        blocks=(
            LineGroup(
                "",
                tuple(
                    Line(
                        model,
                        "",
                        (
                            Cell(decimals(rank)),
                            *(against.get((model, other), Cell("")) for other in comparison.models),
                        ),
                    )
                    for model, rank in zip(comparison.models, comparison.mean_ranks, strict=True)
                ),
            ),
        ),
        notes=(
            "p: exact Wilcoxon signed-rank test on the means of the data sets, with Holm's "
            "correction for all pairs. In the diagram on the page, a bar joins models that these "
            "tests do not tell apart (p > 0.05)."
            if has_p_values
            else f"No p-values: with {len(comparison.datasets)} data sets the smallest p of a "
            f"signed-rank test is {smallest_p(comparison):.2g}, whatever the models do.",
            *(
                ()
                if friedman is None or not has_p_values
                else (f"Friedman's test: p {p_text(friedman)}.",)
            ),
            *(
                (f"Left out, because a fold is missing: {', '.join(section.not_compared)}.",)
                if section.not_compared
                else ()
            ),
        ),
    )


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
