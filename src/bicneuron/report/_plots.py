"""Plots of a page, in the colours of the classes."""

from collections.abc import Callable, Mapping, Sequence
from colorsys import hls_to_rgb
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.optimize import brentq

from bicneuron import inspection, metrics
from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._formats import class_name, shortened
from bicneuron._shared._plots import colour_limits, draw_svg, name_ticks, plain
from bicneuron.inspection._display import draw_cells, pattern_in_table
from bicneuron.outcomes import Outcome, Survival
from bicneuron.report._records import mean_of
from bicneuron.significance import ColumnEvidence

# Hues of the first classes, as shares of the circle, and the step between further ones.
_HUES, _GOLDEN = (0.57, 0.07, 0.44, 0.8, 0.95, 0.16, 0.65, 0.3), 0.618034
# Of all colours. Text in them has a contrast of 4.5 to white and to the light paper of the plots,
# and bars in them one of 3 to the dark page.
LUMINANCE = 0.142
OTHERS = "#6b6b6b"  # for several classes together
LONGEST_CLASS = 18  # characters of a class on a small plot
# Rows of a heat map that are drawn at most; an optimal order of more than so many takes long.
MOST_ROWS, MOST_OPTIMAL = 1000, 200


class Palette(NamedTuple):
    """Names of the classes of a page, and their colours, the same on light and dark pages."""

    classes: Sequence[str]
    colours: Sequence[str]

    @classmethod
    def of(cls, classes: Sequence[str]) -> Self:
        """One colour for each class, as light as each other."""
        hues = [*_HUES, *((place * _GOLDEN) % 1.0 for place in range(len(_HUES), len(classes)))]
        return cls(classes, [_colour(hue) for hue in hues[: len(classes)]])

    def colour(self, label: Any) -> str:
        """Colour of a class; grey for several classes together."""
        known = str(label) in self.classes
        return self.colours[self.classes.index(str(label))] if known else OTHERS


def _colour(hue: float) -> str:
    """The colour of a hue that is as light as all others."""
    light = brentq(lambda at: _luminance(hls_to_rgb(hue, at, 0.95)) - LUMINANCE, 0.0, 1.0)
    return "#" + "".join(f"{round(255 * part):02x}" for part in hls_to_rgb(hue, light, 0.95))


def _luminance(colour: tuple[float, float, float]) -> float:
    """Relative luminance, as WCAG defines it."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class Plot(NamedTuple):
    """An ``<svg>`` element, its caption, and the colours of its two sides."""

    svg: str
    caption: str
    anchor: str | None = None
    contrast: str | None = None


def drawn_plot(
    draw: Callable[[Any], Any],
    name: str,
    caption: str,
    size: tuple[float, float],
    colours: Sequence[str] = (),
    *,
    n_axes: int = 1,
    label: str = "",
) -> Plot:
    """Draw on axes of a new figure."""

    def draw_figure(figure: Any) -> None:
        figure.set(size_inches=size, layout_engine="constrained")
        draw(figure.subplots(n_axes))

    return Plot(draw_svg(draw_figure, name, label=label or caption), caption, *colours)


def pattern_plots(
    model: Any, X: Any, shown: Mapping[str, Any], palette: Palette
) -> tuple[list[Plot], str | None]:
    """Draw a pattern of a model."""
    if not shown["is_pair"]:
        return [], None
    try:
        Z, pattern, names = pattern_in_table(model, X, shown["number"] - 1)
    except ValueError as error:  # not the table of the fit
        return [], f"No plots: {error}"
    classes = pattern.anchor_class, pattern.contrast_class
    group, contrast = (plain(class_name(label)) for label in classes)
    sides = (
        f"{shown['n_rows']} rows of {group}, which make the pattern",
        f"the {shown['n_contrast']} rows of {contrast} that they are compared with",
    )
    names |= {"side_labels": sides}

    def projection(ax: Any) -> None:
        display = inspection.PairProjectionDisplay(Z, pattern, **names).plot(ax)
        # The neuron knows its sides by numbers, or as True and False.
        to_boundary = "distance to the boundary of the decision"
        to_pattern = "from the rows that are compared to those of the pattern"
        ax.set_xlabel(to_boundary if display.grid_ is None else to_pattern)
        ax.set_ylabel("direction in which the rows vary most")

    drawn: dict[str, tuple[Any, tuple[float, float], int]] = {
        "The rows of the pattern above those that they are compared with, on one scale": (
            partial(inspection.ContrastDisplay(Z, pattern, **names).plot, residues=False), (8, 6), 2
        ),
        "The same rows, column by column, with the mean of either side": (
            inspection.ParallelCoordinatesDisplay(Z, pattern, **names).plot, (8, 4.5), 1
        ),
        "The same rows in two directions, with the boundary of the decision": (
            projection, (8, 5.5), 1
        ),
    }  # fmt: skip
    colours = palette.colour(shown["group_class"]), palette.colour(shown["contrast_class"])
    return [
        drawn_plot(draw, f"{shown['number']}-{k}", caption, size, colours, n_axes=n_axes)
        for k, (caption, (draw, size, n_axes)) in enumerate(drawn.items())
    ], None


def subgroup_plot(miner: Any, X: Any, y: Any, place: int, palette: Palette) -> Plot:
    """Draw a group of a fitted miner, by its position in ``patterns_``."""
    own = None

    def draw(ax: Any) -> None:
        nonlocal own
        display = inspection.SubgroupDisplay.from_estimator(miner, X, y, pattern=place, ax=ax)
        own = display.anchor_class

    caption = f"Carriers of pattern {place + 1}, above the rows that they differ from"
    plot = drawn_plot(draw, f"pattern-{place + 1}", caption, (8, 7))
    if not palette.classes:
        return plot
    others = [name for name in palette.classes if name != str(own)]
    contrast = palette.colour(others[0]) if len(others) == 1 else OTHERS
    return plot._replace(anchor=palette.colour(own), contrast=contrast)


def scores_plot(evidence: ColumnEvidence) -> Plot:
    """Draw the scores on which a group was tested as a separate one."""
    p = None if evidence.pattern.evidence is None else evidence.pattern.evidence.separate_p
    return drawn_plot(
        lambda ax: inspection.SeparateDisplay.from_evidence(evidence, p=p, ax=ax),
        f"pattern-{evidence.number}-scores",
        f"Scores of rows for pattern {evidence.number}, each by a search without the row. Of a "
        "separate group, two humps describe them, and no single one does",
        (8, 4),
    )


def outcome_plot(members: BoolArray, outcome: Outcome, number: int) -> Plot:
    """Draw numbers or survival of the members of a pattern, and of other rows."""
    what = outcome.name
    display: Any = inspection.NumbersDisplay
    caption = f"{what} of members and of other rows: a dot is a row"
    height = 2.8
    if isinstance(outcome, Survival):
        display, height = inspection.SurvivalDisplay, 4.6
        caption = (
            "Share of members and of other rows without an event (Kaplan-Meier), with the numbers "
            "of rows at risk; a tick is a row that was last seen then"
        )
    return drawn_plot(
        display(outcome, members).plot,
        f"pattern-{number}-{outcome.kind}",
        caption,
        (8, height),
        label=f"pattern {number}: {what}",
    )


def heat_map(
    values: FloatArray, labels: AnyArray | None, names: Sequence[str], palette: Palette
) -> Plot:
    """Draw the most important columns of the whole table."""
    numbers = np.zeros(len(values), np.intp)
    if labels is not None:
        numbers = np.array([palette.classes.index(str(label)) for label in labels.tolist()])
    what = "The column" if len(names) == 1 else f"The {len(names)} most important columns"
    by = "" if labels is None else " The bars at the left are the classes."
    alike = "Similar rows and similar columns are side by side (average linkage)"
    draw = partial(draw_heat_map, values=values, numbers=numbers, names=names, palette=palette)
    return drawn_plot(draw, "heat-map", f"{what} of all rows.{by} {alike}", (8, 6))


def draw_heat_map(
    ax: Any, values: FloatArray, numbers: AnyArray, names: Sequence[str], palette: Palette
) -> None:
    """Draw rows by class and, within a class, similar rows side by side; likewise the columns."""
    by_class = np.argsort(numbers, kind="stable")
    if len(values) > MOST_ROWS:  # evenly from each class
        by_class = by_class[np.linspace(0, len(by_class) - 1, MOST_ROWS).astype(np.intp)]
    values, numbers = values[by_class], numbers[by_class]
    centred = values - mean_of(values)
    deviations = np.sqrt(mean_of(centred**2))
    Z = centred / np.where(deviations > 0, deviations, 1.0)
    filled = np.nan_to_num(Z)
    columns = leaf_order(filled.T)
    found, first = np.unique(numbers, return_index=True)
    blocks = [rows[leaf_order(filled[rows])] for rows in np.split(np.arange(len(Z)), first[1:])]
    low, high, extend = colour_limits(filled)
    image = draw_cells(ax, Z[np.ix_(np.concatenate(blocks), columns)], (low, high))
    ax.set_yticks([])
    if len(blocks) > 1:
        _draw_bars(ax, found, np.append(first, len(Z)), palette)
    ax.spines[:].set_visible(False)
    name_ticks(ax.xaxis, np.arange(len(columns)), [names[column] for column in columns])
    ax.figure.colorbar(image, ax=ax, extend=extend, label="standardised value", fraction=0.05)


def leaf_order(Z: FloatArray) -> IndexArray:
    """Order of rows in a dendrogram (average linkage), similar ones side by side."""
    if len(Z) < 3:
        return np.arange(len(Z))
    tree = linkage(Z, "average", optimal_ordering=len(Z) <= MOST_OPTIMAL)
    return np.asarray(leaves_list(tree))


def _draw_bars(ax: Any, found: AnyArray, edges: AnyArray, palette: Palette) -> None:
    """Draw a bar in the colour of each class, with its name, at the left of its rows."""
    limits, sizes = {"xlim": ax.get_xlim(), "ylim": ax.get_ylim()}, np.diff(edges)
    middles = edges[:-1] + (sizes - 1) / 2
    style = {"transform": ax.get_yaxis_transform(), "linewidth": 0, "clip_on": False}
    colours = [palette.colours[number] for number in found]
    ax.barh(middles, 0.02, sizes, left=-0.035, color=colours, **style)
    ax.hlines(edges[1:-1] - 0.5, *limits["xlim"], color="white", linewidth=1.5)
    names = [plain(palette.classes[number]) for number in found]
    ax.set_yticks(middles, names, rotation=90, va="center")
    ax.tick_params(axis="y", length=0, pad=20)
    ax.set(**limits)


def roc_plot(rows: "metrics.RowsLeftOut", palette: Palette) -> Plot:
    """Draw the ROC curve of the rows left out."""
    draw = partial(draw_roc, rows=rows, colour=palette.colour(rows.of_interest))
    caption = f"ROC curve for {shortened(str(rows.of_interest))}: each point is a threshold"
    return drawn_plot(draw, "roc", caption, (4.2, 3.6))


def draw_roc(ax: Any, rows: "metrics.RowsLeftOut", colour: str) -> None:
    """Draw the ROC curve of the class of interest."""
    from sklearn.metrics import RocCurveDisplay, roc_curve  # which no other plot needs

    interest = rows.of_interest
    (other,) = (label for label in rows.classes if label != interest)
    sign = 1.0 if interest == rows.classes[1] else -1.0
    assert rows.scores is not None
    false, true, _ = roc_curve(rows.y == interest, sign * rows.scores)
    guessing = {"color": OTHERS, "linewidth": 1, "label": "guessing"}
    display = RocCurveDisplay(fpr=false, tpr=true)
    display.plot(ax, plot_chance_level=True, chance_level_kw=guessing)
    display.line_.set(color=colour, linewidth=2)
    name, other_name = plain(interest, LONGEST_CLASS), plain(other, LONGEST_CLASS)
    ax.set(xlabel=f"{other_name} taken for {name}", ylabel=f"{name} recognised (sensitivity)")
