"""The overview of a protocol as text: means over data sets, and all models compared."""

from bicneuron.metrics._comparison import Comparison
from bicneuron.reproduction._grids import (
    MEASURE_WORDS,
    Block,
    Cell,
    Grid,
    Line,
    decimals,
    p_text,
    share,
)
from bicneuron.reproduction._sections import Section, SummaryRow

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
        blocks=(Block("", tuple(lines)),),
        notes=notes,
    )


def smallest_p(comparison: Comparison) -> float:
    """The smallest two-sided p of an exact signed-rank test over these data sets."""
    return 2.0 ** (1 - len(comparison.datasets))


def can_be_significant(comparison: Comparison) -> bool:
    """Whether there are enough data sets for any difference to be significant."""
    return smallest_p(comparison) <= LEVEL


def comparison_grid(section: Section, measure: str, comparison: Comparison) -> Grid:
    """Every model against every other, over data sets."""
    tells = can_be_significant(comparison)
    against = {
        (first, second): Cell(
            f"{wins}-{pair.ties}-{losses}" + (f", p {p_text(pair.p_holm)}" if tells else "")
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
            Block(
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
            if tells
            else f"No p-values: with {len(comparison.datasets)} data sets the smallest p of a "
            f"signed-rank test is {smallest_p(comparison):.2g}, whatever the models do.",
            *(
                ()
                if friedman is None or not tells
                else (f"Friedman's test: p {p_text(friedman)}.",)
            ),
            *(
                (f"Left out, because a fold is missing: {', '.join(section.not_compared)}.",)
                if section.not_compared
                else ()
            ),
        ),
    )
