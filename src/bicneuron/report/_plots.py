"""Plots of a page, in the colours of the classes."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.calibration import CalibrationDisplay
from sklearn.metrics import RocCurveDisplay, roc_curve

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._formats import shortened
from bicneuron._shared._plots import draw_svg, plain
from bicneuron.inspection import (
    ContrastDisplay,
    PairProjectionDisplay,
    ParallelCoordinatesDisplay,
    SeparateDisplay,
    SubgroupDisplay,
)
from bicneuron.inspection._display import pattern_in_table
from bicneuron.metrics import RowsLeftOut
from bicneuron.patterns import Pattern
from bicneuron.report._colours import OTHERS
from bicneuron.report._heat_map import draw_heat_map
from bicneuron.significance import ColumnEvidence

# A table as scaled by a model, a pattern in it, and names of rows and columns.
Found: TypeAlias = tuple[FloatArray, Pattern, dict[str, AnyArray | None]]
# Characters of a class on a small plot.
LONGEST_CLASS = 18


class Plot(NamedTuple):
    """An ``<svg>`` element, its caption, and the colours of its two sides."""

    svg: str
    caption: str
    anchor: str | None = None
    contrast: str | None = None


class Palette(NamedTuple):
    """Names and colours of the classes of a page."""

    classes: Sequence[str]
    colours: Sequence[str]

    def colour(self, label: Any) -> str:
        """Colour of a class; grey for several classes together."""
        known = str(label) in self.classes
        return self.colours[self.classes.index(str(label))] if known else OTHERS


def pattern_plots(
    model: Any, X: Any, shown: Mapping[str, Any], palette: Palette
) -> tuple[list[Plot], str | None]:
    """Draw a pattern of a model."""
    if not shown["is_pair"]:
        return [], None
    try:
        found = pattern_in_table(model, X, shown["number"] - 1)
    except ValueError as error:  # not the table of the fit
        return [], f"No plots: {error}"
    sides = (
        f"{shown['n_rows']} rows of {plain(shown['group'])}, which make the pattern",
        f"the {shown['n_contrast']} rows of {plain(shown['contrast'])} that they are compared with",
    )
    colours = palette.colour(shown["group_class"]), palette.colour(shown["contrast_class"])
    plots = []
    for draw, caption in _PLOTS.items():
        svg = draw_svg(
            partial(draw, found, sides), f"pattern{shown['number']}-{draw.__name__}", label=caption
        )
        plots.append(Plot(svg, caption, *colours))
    return plots, None


def subgroup_plot(miner: Any, X: Any, y: Any, place: int, palette: Palette) -> Plot:
    """Draw a group of a fitted miner, by its position in ``patterns_``."""
    drawn = []

    def draw(figure: Any) -> None:
        figure.set(size_inches=(8, 7), layout_engine="constrained")
        ax = figure.subplots()
        drawn.append(SubgroupDisplay.from_estimator(miner, X, y, pattern=place, ax=ax))

    caption = f"Carriers of pattern {place + 1}, above the rows that they differ from"
    svg = draw_svg(draw, f"pattern-{place + 1}", label=caption)
    if not palette.classes:
        return Plot(svg, caption)
    own = drawn[0].anchor_class
    others = [name for name in palette.classes if name != str(own)]
    contrast = palette.colour(others[0]) if len(others) == 1 else OTHERS
    return Plot(svg, caption, palette.colour(own), contrast)


def scores_plot(evidence: ColumnEvidence) -> Plot:
    """Draw the scores on which a group was tested as a separate one."""
    p = None if evidence.pattern.evidence is None else evidence.pattern.evidence.separate_p

    def draw(figure: Any) -> None:
        figure.set(size_inches=(8, 4), layout_engine="constrained")
        SeparateDisplay.from_evidence(evidence, p=p, ax=figure.subplots())

    caption = (
        f"Scores of rows for pattern {evidence.number}, each by a search without the row. Of a "
        "separate group, two humps describe them, and no single one does"
    )
    return Plot(draw_svg(draw, f"pattern-{evidence.number}-scores", label=caption), caption)


def heat_map(
    values: FloatArray,
    labels: AnyArray | None,
    names: Sequence[str],
    palette: Palette,
) -> Plot:
    """Draw the most important columns of the whole table."""
    numbers = None
    if labels is not None:
        numbers = np.array([palette.classes.index(str(label)) for label in labels.tolist()])

    def draw(figure: Any) -> None:
        draw_heat_map(figure, values, numbers, names, palette.classes, palette.colours)

    what = "The column" if len(names) == 1 else f"The {len(names)} most important columns"
    by = "" if labels is None else "The bars at the left are the classes. "
    caption = (
        f"{what} of all rows. {by}Similar rows and similar columns are side by side (average "
        "linkage)"
    )
    return Plot(draw_svg(draw, "heat-map", label=caption), caption)


def score_plots(rows: RowsLeftOut, palette: Palette) -> list[Plot]:
    """Draw the ROC and the calibration curve of the rows left out, if there are scores."""
    interest = rows.of_interest
    colour, name = palette.colour(interest), shortened(str(interest))
    plots = {}
    if rows.scores is not None:
        plots["roc"] = draw_roc, f"ROC curve for {name}: each point is a threshold"
    if rows.calibration(interest):
        caption = f"Stated probabilities of {name} and what was observed, with 95 % intervals"
        plots["calibration"] = draw_calibration, caption
    return [
        Plot(draw_svg(partial(draw, rows=rows, colour=colour), kind, label=caption), caption)
        for kind, (draw, caption) in plots.items()
    ]


def draw_roc(figure: Any, rows: RowsLeftOut, colour: str) -> None:
    """Draw the ROC curve of the class of interest."""
    figure.set(size_inches=(4.2, 3.6), layout_engine="constrained")
    interest = rows.of_interest
    (other,) = (label for label in rows.classes if label != interest)
    sign = 1.0 if interest == rows.classes[1] else -1.0
    assert rows.scores is not None
    false, true, _ = roc_curve(rows.y == interest, sign * rows.scores)
    ax = figure.subplots()
    display = RocCurveDisplay(fpr=false, tpr=true).plot(
        ax,
        plot_chance_level=True,
        chance_level_kw={"color": OTHERS, "linewidth": 1, "label": "guessing"},
    )
    display.line_.set(color=colour, linewidth=2)
    ax.set_xlabel(f"{plain(other, LONGEST_CLASS)} taken for {plain(interest, LONGEST_CLASS)}")
    ax.set_ylabel(f"{plain(interest, LONGEST_CLASS)} recognised (sensitivity)")


def draw_calibration(figure: Any, rows: RowsLeftOut, colour: str) -> None:
    """Draw stated probabilities against observed shares, with their intervals."""
    figure.set(size_inches=(4.2, 3.6), layout_engine="constrained")
    interest = rows.of_interest
    bins = rows.calibration(interest)
    stated = [one.stated for one in bins]
    observed = np.array([one.observed.value for one in bins])
    limits = np.array([[one.observed.low, one.observed.high] for one in bins])
    spread = np.abs(limits.T - observed)
    ax = figure.subplots()
    CalibrationDisplay(observed, stated, stated).plot(ax=ax, color=colour, marker="o")
    ax.errorbar(stated, observed, yerr=spread, color=colour, linestyle="none", capsize=3)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.set_xlabel(f"stated probability of {plain(interest)}")
    ax.set_ylabel(f"share of {plain(interest)}")


def _contrast(found: Found, sides: tuple[str, str], figure: Any) -> None:
    figure.set(size_inches=(8, 6), layout_engine="constrained")
    Z, pattern, names = found
    display = ContrastDisplay(Z, pattern, **names, side_labels=sides)
    display.plot(figure.subplots(2), residues=False)


def _coordinates(found: Found, sides: tuple[str, str], figure: Any) -> None:
    figure.set(size_inches=(8, 4.5), layout_engine="constrained")
    Z, pattern, names = found
    display = ParallelCoordinatesDisplay(Z, pattern, **names, side_labels=sides)
    display.plot(figure.subplots())


def _projection(found: Found, sides: tuple[str, str], figure: Any) -> None:
    figure.set(size_inches=(8, 5.5), layout_engine="constrained")
    ax = figure.subplots()
    Z, pattern, names = found
    display = PairProjectionDisplay(Z, pattern, **names, side_labels=sides).plot(ax)
    # The neuron knows its sides by numbers, or as True and False.
    if display.grid_ is None:
        ax.set_xlabel("distance to the boundary of the decision")
    else:
        ax.set_xlabel("from the rows that are compared to those of the pattern")
    ax.set_ylabel("direction in which the rows vary most")


_PLOTS: dict[Callable[[Found, tuple[str, str], Any], None], str] = {
    _contrast: "The rows of the pattern above those that they are compared with, on one scale",
    _coordinates: "The same rows, column by column, with the mean of either side",
    _projection: "The same rows in two directions, with the boundary of the decision",
}
