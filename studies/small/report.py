"""The report of the study: accuracy beside columns and fitted numbers, and planted columns."""

from collections.abc import Sequence
from itertools import cycle
from statistics import fmean
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._plots import draw_svg
from studies._classifiers import PATTERNS
from studies._comparison import signed_rank_p_value
from studies._report import MARKERS, markdown_table, svg_file
from studies.small.methods import NETWORK, RIVALS
from studies.small.runs import REAL
from studies.small.summary import MEASURES, SizeRow
from studies.small.tables import PLANTED


def describe(rows: Sequence[SizeRow]) -> str:
    """Write both sections as Markdown."""
    real, planted = ([row for row in rows if row.section == each] for each in (REAL, PLANTED))
    models = _models(rows)
    missing = [rival.name for rival in RIVALS if rival.package and rival.name not in models]
    lines = [
        "# Accuracy at equal numbers of columns",
        "",
        "`PatternClassifier` is fitted first, and each rival may use as many distinct columns as",
        "its patterns use together, or one if there is no pattern. The best columns are those of",
        "largest F statistic (SelectKBest); where the network uses every column, so do the rivals.",
        "Penalties of logistic regression are chosen in inner folds, columns anew in each.",
        *(["", f"Not installed, and left out: {'; '.join(missing)}."] if missing else []),
        *(_real(real) if real else []),
        *(_planted(planted) if planted else []),
    ]
    return "\n".join(lines) + "\n"


def _models(rows: Sequence[SizeRow]) -> list[str]:
    return list(dict.fromkeys(row.model for row in rows))


def _real(rows: Sequence[SizeRow]) -> list[str]:
    n_sets = len({row.dataset for row in rows})
    network = [row for row in rows if row.model == NETWORK]
    n_folds = max(row.n_folds for row in rows)
    return [
        "",
        "## Real data",
        "",
        f"Means over {n_sets} data sets and at most {n_folds} clean folds with at most",
        f"{PATTERNS.max_rows} rows of a data set; all rows of a person are on one side of a fold,",
        "inner folds included. Fitted numbers are weights, means, variances, thresholds, support",
        "vectors and values of leaves or curves, without the scaling of columns. Overlap is the",
        "Jaccard index of the columns that are chosen in two halves of the rows: those of the",
        "network's first pattern, and as many for the rivals. Both halves have a pattern in",
        f"{sum(row.n_overlaps for row in network)} of {sum(row.n_folds for row in network)} "
        "splits, and the overlap is that in these.",
        "",
        *_summary(rows),
        "",
        "![Mean accuracy against columns and fitted numbers](small.svg)",
        "",
        "ACC on each data set:",
        "",
        *_accuracies(rows),
    ]


def _summary(rows: Sequence[SizeRow]) -> list[str]:
    """One line per model; the network is compared with each rival over the data sets."""
    network = [row for row in rows if row.model == NETWORK]
    head = ("model", "patterns", "columns", "numbers", *MEASURES.values())
    lines = []
    for model in _models(rows):
        own = [row for row in rows if row.model == model]
        gains = np.round(_accuracy(network) - _accuracy(own), 12)
        compared = (
            f"{gains.mean():+.3f}",
            f"{np.sum(gains > 0)} / {np.sum(gains < 0)}",
            f"{signed_rank_p_value(gains):.3f}",
        )
        lines.append(
            (
                model,
                f"{fmean(row.n_patterns for row in own):.1f}" if model == NETWORK else "",
                f"{fmean(row.n_columns for row in own):.0f}",
                f"{fmean(row.n_numbers for row in own):.0f}",
                *(_mean(own, name) for name in MEASURES),
                *(("", "", "") if model == NETWORK else compared),
            )
        )
    return markdown_table((*head, "network ahead", "sets", "p"), lines)


def _accuracy(rows: Sequence[SizeRow]) -> FloatArray:
    return np.array([row.acc for row in rows], np.float64)


def _mean(rows: Sequence[SizeRow], name: str) -> str:
    known = [value for row in rows if (value := getattr(row, name)) is not None]
    return f"{fmean(known):.3f}" if known else "-"


def _accuracies(rows: Sequence[SizeRow]) -> list[str]:
    """ACC on each data set, beside the patterns and columns of the network."""
    models = _models(rows)
    acc = {(row.dataset, row.model): row.acc for row in rows}
    return markdown_table(
        ("data set", "patterns", "columns", *models),
        [
            (
                row.dataset,
                f"{row.n_patterns:.1f}",
                f"{row.n_columns:.0f} of {row.n_all_columns}",
                *(f"{acc[row.dataset, model]:.3f}" for model in models),
            )
            for row in rows
            if row.model == NETWORK
        ],
    )


def _planted(rows: Sequence[SizeRow]) -> list[str]:
    models = _models(rows)
    own = {(row.dataset, row.n_patterns > 0, row.model): [row] for row in rows}
    return [
        "",
        "## Planted tables",
        "",
        "Share of the chosen columns in which the cases were in fact shifted. demo is the table of",
        "the first examples; in shift-2-30, 30 % of 50 cases are shifted by two standard",
        "deviations in 10 of 2,000 columns. Tables in which the network finds no pattern are",
        "apart; rivals choose one column there.",
        "",
        *markdown_table(
            ("table", "tables", "patterns", "columns", *models),
            [
                (
                    row.dataset,
                    str(row.n_folds),
                    f"{row.n_patterns:.1f}",
                    f"{row.n_columns:.0f}",
                    *(_mean(own[row.dataset, row.n_patterns > 0, m], "planted") for m in models),
                )
                for row in rows
                if row.model == NETWORK
            ],
        ),
    ]


def plot(rows: Sequence[SizeRow]) -> dict[str, str]:
    """Draw mean accuracy against mean columns and mean fitted numbers, one mark per model."""
    rows = [row for row in rows if row.section == REAL]
    if not rows:
        return {}
    models = _models(rows)

    def draw(figure: Any) -> None:
        figure.set_size_inches(11.0, 4.0)
        figure.set_layout_engine("constrained")
        panels = figure.subplots(ncols=2, sharey=True)
        titles = {"n_columns": "columns", "n_numbers": "fitted numbers"}
        for axes, (axis, title) in zip(panels, titles.items(), strict=True):
            for place, (marker, model) in enumerate(zip(cycle(MARKERS), models, strict=False)):
                own = [row for row in rows if row.model == model]
                x, y = (fmean(getattr(row, name) for row in own) for name in (axis, "acc"))
                axes.plot([x], [y], marker, color=f"C{place}", label=model)
            axes.set(xlabel=title, xscale="log")
            axes.grid(alpha=0.3)
        panels[0].set(ylabel="mean ACC")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")

    label = f"Mean accuracy against columns and fitted numbers: {', '.join(models)}"
    return {"small.svg": svg_file(draw_svg(draw, "small", label=label))}
