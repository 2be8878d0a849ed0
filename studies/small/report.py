"""The report of the study: accuracy beside columns and fitted numbers."""

from collections.abc import Sequence
from itertools import cycle
from statistics import fmean
from typing import Any

import numpy as np

from bicneuron._writing._svg import draw_svg, svg_file
from studies._classifiers import PATTERNS
from studies._comparison import signed_rank_p_value
from studies._report import MARKERS, markdown_table
from studies.small.methods import FOREST, NETWORK, RIVALS
from studies.small.summary import MEASURES, SizeRow

# The design was chosen on these sets.
DESIGN_SETS = ("chen", "ionosphere", "lsvt", "parkinsons", "sonar")


def describe(rows: Sequence[SizeRow]) -> str:
    """Write accuracy at equal numbers of columns as Markdown."""
    datasets = list(dict.fromkeys(row.dataset for row in rows))
    models = list(dict.fromkeys(row.model for row in rows))
    n_folds = max(row.n_folds for row in rows)
    missing = [rival.name for rival in RIVALS if rival.name not in models]
    lines = [
        "# Accuracy at equal numbers of columns",
        "",
        f"Means over {len(datasets)} data sets and at most {n_folds} clean folds with at most",
        f"{PATTERNS.max_rows} rows of a data set; all rows of a person are on one side of a fold.",
        "In each fold the readable network is fitted first, and each rival may use as many",
        "distinct columns as its patterns use together. The best columns are those of largest F",
        "statistic (SelectKBest); where the network uses every column, so do the rivals.",
        "Penalties of logistic regression are chosen in inner folds, columns anew in each. Fitted",
        "numbers are weights, means, variances, thresholds and values of leaves or curves, without",
        "the scaling of columns.",
        *(["", f"Not installed, and left out: {'; '.join(missing)}."] if missing else []),
        "",
        "![Mean accuracy against columns and fitted numbers](small.svg)",
    ]
    for patterns in dict.fromkeys(row.patterns for row in rows):
        own = [row for row in rows if row.patterns == patterns]
        lines += ["", f"## {_title(patterns)}", "", *_summary(own, models)]
        unseen = [row for row in own if row.dataset not in DESIGN_SETS]
        if 0 < len(unseen) < len(own):
            n_sets = len({row.dataset for row in unseen})
            lines += [
                "",
                f"The {n_sets} data sets on which the design was not chosen:",
                "",
                *_summary(unseen, models),
            ]
        lines += ["", *_accuracies(own, models)]
    return "\n".join(lines) + "\n"


def _title(patterns: str) -> str:
    return 'n_neurons="auto"' if patterns == "auto" else f"{patterns} patterns"


def _summary(rows: Sequence[SizeRow], models: Sequence[str]) -> list[str]:
    """One line per model; the network is compared with each rival over the data sets."""
    network = [row for row in rows if row.model == NETWORK]
    head = ("model", "columns", "numbers", *MEASURES.values(), "network ahead", "sets", "p")
    lines = []
    for model in models:
        own = [row for row in rows if row.model == model]
        means = [
            f"{fmean(known):.3f}"
            if (known := [v for row in own if (v := getattr(row, name)) is not None])
            else "-"
            for name in MEASURES
        ]
        gains = np.round([a.acc - b.acc for a, b in zip(network, own, strict=True)], 12)
        compared = (
            f"{gains.mean():+.3f}",
            f"{np.sum(gains > 0)} / {np.sum(gains < 0)}",
            f"{signed_rank_p_value(gains):.3f}",
        )
        lines.append(
            (
                model,
                f"{fmean(row.n_columns for row in own):.0f}",
                f"{fmean(row.n_numbers for row in own):.0f}",
                *means,
                *(("", "", "") if model == NETWORK else compared),
            )
        )
    return markdown_table(head, lines)


def _accuracies(rows: Sequence[SizeRow], models: Sequence[str]) -> list[str]:
    """ACC on each data set, beside the columns that the network uses."""
    acc = {(row.dataset, row.model): row.acc for row in rows}
    return markdown_table(
        ("data set", "columns", *models),
        [
            (
                row.dataset,
                f"{row.n_columns:.0f} of {row.n_all_columns}",
                *(f"{acc[row.dataset, model]:.3f}" for model in models),
            )
            for row in rows
            if row.model == NETWORK
        ],
    )


def plot(rows: Sequence[SizeRow]) -> dict[str, str]:
    """Draw mean accuracy against mean columns and mean fitted numbers, one line per model."""
    models = [m for m in dict.fromkeys(row.model for row in rows) if m != FOREST.name]
    settings = list(dict.fromkeys(row.patterns for row in rows))

    def points(model: str, axis: str) -> list[tuple[float, float]]:
        chosen = [
            [row for row in rows if (row.model, row.patterns) == (model, patterns)]
            for patterns in settings
        ]
        return sorted(
            (fmean(getattr(row, axis) for row in own), fmean(row.acc for row in own))
            for own in chosen
        )

    def draw(figure: Any) -> None:
        figure.set_size_inches(11.0, 4.0)
        figure.set_layout_engine("constrained")
        panels = figure.subplots(ncols=2, sharey=True)
        axes_of = zip(
            panels, ("n_columns", "n_numbers"), ("columns", "fitted numbers"), strict=True
        )
        for axes, axis, title in axes_of:
            for place, (marker, model) in enumerate(zip(cycle(MARKERS), models, strict=False)):
                x, y = zip(*points(model, axis), strict=True)
                axes.plot(x, y, marker=marker, markersize=4, color=f"C{place}", label=model)
            axes.set(xlabel=title, xscale="log")
            axes.grid(alpha=0.3)
        panels[0].set(ylabel="mean ACC")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")

    label = f"Mean accuracy against columns and fitted numbers: {', '.join(models)}"
    return {"small.svg": svg_file(draw_svg(draw, "small", label=label))}
