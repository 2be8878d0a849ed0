"""A group of rows over its columns, above the rows that it differs from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._names import feature_names, row_names
from bicneuron._shared._plots import (
    ANCHOR,
    COLOUR_MAP,
    CONTRAST,
    OTHERS,
    axes_beside,
    colour_limits,
    leave_room,
    line_share,
    name_ticks,
    plain,
)
from bicneuron._shared._scaling import filled, zscore_scaling
from bicneuron.inspection._display import HeatMapDisplay
from bicneuron.inspection._pair_display import count
from bicneuron.inspection._pattern import pattern_in_table
from bicneuron.patterns import Pattern

# Columns that are drawn at most, and characters of the name of a class.
MOST_COLUMNS, LONGEST_CLASS = 40, 20
# Carriers, the rest of their class and the other classes have shares of the height as they have of
# the rows, but a small block is drawn as if it had this share.
LEAST_SHARES = 0.4, 0.15, 0.15


class RowBlock(NamedTuple):
    """Rows that are drawn together, with their heading."""

    rows: IndexArray
    colour: str
    heading: str


@dataclass(eq=False, repr=False)
class SubgroupDisplay(HeatMapDisplay):
    """Carriers of a pattern, the rest of their class and the other classes, as a heat map.

    The columns are those of the pattern, at most 40: in the order of their evidence or weights,
    those of the first column's direction before the others. Rows are sorted by their membership
    scores, which the bars at the right show; those to the right of the cut are members. A small
    block of rows is drawn larger. Of a pattern that was found without labels, the class with the
    largest share of carriers is taken as theirs. The title also gives the results of tests. Values
    outside the central 98 % have the colours of the ends of the scale.

    Parameters
    ----------
    X : float64 array of shape (n_rows, n_columns)
        Standardised columns.
    subgroup : Pattern
        Its rows and columns are those of ``X``.
    scores : array of shape (n_rows,)
        Membership scores.
    y : array of shape (n_rows,) or None
        Labels; None draws all rows that are not carriers as one block.
    feature_names : sequence of shape (n_columns,)
        Names of the columns.
    row_names : sequence of shape (n_rows,)
        Names of the rows.
    is_tested : bool, default=False
        Whether any pattern of the model was tested: then no strength is shown.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    ims_ : list of matplotlib images
        One for each of `blocks`.
    scores_ax_ : matplotlib Axes
        With the membership scores.
    colorbar_ : matplotlib Colorbar or None

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroup
    >>> from bicneuron.inspection import SubgroupDisplay
    >>> X, y, _, _ = make_subgroup(100, 200, group_shape=(15, 10), shift=3, random_state=0)
    >>> miner = SubgroupBiclustering(anchor="patient").fit(X, y)
    >>> display = SubgroupDisplay.from_estimator(miner, X, y)
    >>> display.blocks[0].heading
    'carriers: 15 of 50 rows of patient, 0 of 50 of control'
    """

    X: FloatArray
    subgroup: Pattern
    scores: FloatArray
    y: AnyArray | None
    feature_names: Sequence[Any]
    row_names: Sequence[Any]
    is_tested: bool = False
    _size = (8, 7)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, pattern: int = 0, **options: Any
    ) -> Self:
        """Draw a pattern of a fitted model.

        Parameters
        ----------
        estimator : SubgroupBiclustering, BicNeuronNetwork or classifier
            Fitted.
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            The data it was fitted on. Column and row names of a frame are shown.
        y : array-like of shape (n_rows,), default=None
            The labels it was fitted on or, if it was fitted without labels, those that rows are
            sorted by. None draws all rows that are not carriers as one block.
        pattern : int, default=0
            Position in ``patterns_``.
        **options
            Arguments of `plot`.

        Returns
        -------
        display : object
        """
        if y is not None and np.ndim(y) != 1:
            raise ValueError(f"y has the shape {np.shape(y)}; give one class for each row.")
        labels = None if y is None else np.asarray(y)
        Z, found, _ = pattern_in_table(estimator, X, pattern, labels)
        if not len(found.weights):
            raise ValueError(
                f"a pattern of {type(estimator).__name__} has no weights of columns, by which they "
                "are drawn; use BiclusterDisplay."
            )
        names = feature_names(estimator), row_names(X, len(Z))
        scores = estimator.pattern_scores(X)[:, pattern]
        standard = filled(zscore_scaling(Z).apply(Z))
        is_tested = any(one.evidence and one.evidence.is_tested for one in estimator.patterns_)
        return cls(standard, found, scores, labels, *names, is_tested).plot(**options)

    @property
    def anchor_class(self) -> Any:
        """Class of the carriers; of a group found without labels, that with the largest share.

        None if there are no labels.
        """
        if self.y is None or self.subgroup.anchor_class is not None:
            return self.subgroup.anchor_class
        labels = np.unique(self.y)
        carriers = self.scores > 0
        shares = [np.mean(carriers[self.y == label]) for label in labels]
        return labels[int(np.argmax(shares))]

    @property
    def column_order(self) -> IndexArray:
        """Columns that are drawn, from left to right."""
        shown = self.subgroup.column_order[:MOST_COLUMNS]
        words = self.subgroup.direction_words
        ways = [words[place] for place in shown.tolist()] if words else ["" for _ in shown]
        first = {word: place for place, word in enumerate(dict.fromkeys(ways))}
        order = np.argsort([first[way] for way in ways], kind="stable")
        return self.subgroup.columns[shown[order]]

    @property
    def blocks(self) -> list[RowBlock]:
        """Carriers, the rest of the class and the other classes, those with the top scores first.

        A block without rows is left out.
        """
        n, label = len(self.X), self.anchor_class
        carriers = self.scores > 0
        if self.y is None:
            heading = f"carriers: {int(carriers.sum())} of {n} rows"
        else:
            heading = self._carriers_of_classes(carriers, label)
        blocks = [(carriers, ANCHOR, heading)]
        if self.y is None:
            blocks.append((~carriers, OTHERS, f"other rows: {int(np.sum(~carriers))}"))
        else:
            in_class = self.y == label
            rest, others = in_class & ~carriers, ~in_class & ~carriers
            blocks += [
                (rest, OTHERS, f"rest of {_short(label)}: {count(np.flatnonzero(rest), 'row')}"),
                (
                    others,
                    CONTRAST,
                    f"{self._name_of_others(label)}: {count(np.flatnonzero(others), 'row')}",
                ),
            ]
        by_score = np.argsort(-self.scores, kind="stable")
        return [
            RowBlock(by_score[chosen[by_score]], colour, heading)
            for chosen, colour, heading in blocks
            if chosen.any()
        ]

    def _draw(self, ax: Any, cmap: Any = COLOUR_MAP, colorbar: bool = True) -> None:
        leave_room(ax, 1.4 if colorbar else 1.0)
        self.scores_ax_ = axes_beside(ax, 0.1, 0.9, sharey=ax)
        self.scores_ax_.patch.set_visible(False)  # long headings go on behind it
        columns, blocks = self.column_order, self.blocks
        low, high, extend = colour_limits(self.X[:, columns])
        self.ims_ = []
        ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(1, 0))
        heading_height = 1.1 * line_share(ax.yaxis)
        spans = _spans([len(block.rows) for block in blocks], heading_height)
        for (rows, colour, heading), (top, bottom) in zip(blocks, spans, strict=True):
            self.ims_.append(
                ax.imshow(
                    self.X[np.ix_(rows, columns)],
                    extent=(-0.5, len(columns) - 0.5, bottom, top),
                    aspect="auto",
                    interpolation="nearest",
                    cmap=cmap,
                    vmin=low,
                    vmax=high,
                )
            )
            ax.text(-0.5, top, heading, color=colour, fontsize="small", va="bottom")
            self._draw_scores(rows, colour, np.linspace(top, bottom, len(rows) + 1))
        ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(1, 0))
        ax.spines[:].set_visible(False)
        self._label_axes(columns, blocks[0].rows, spans[0])
        self.colorbar_ = None
        if colorbar:
            self.colorbar_ = ax.figure.colorbar(
                self.ims_[0],
                cax=axes_beside(ax, 1.2, 0.15),
                extend=extend,
                label="standardised value",
            )

    def _draw_scores(self, rows: IndexArray, colour: str, edges: FloatArray) -> None:
        """One bar per row, from the cut, as one outline."""
        scores = self.scores[rows]
        self.scores_ax_.fill_betweenx(
            edges, 0, np.append(scores, scores[-1]), step="post", color=colour, linewidth=0
        )

    def _label_axes(
        self, columns: IndexArray, carriers: IndexArray, span: tuple[float, float]
    ) -> None:
        group, ax, side = self.subgroup, self.ax_, self.scores_ax_
        shown, size = len(columns), len(group.columns)
        size_words = f"{shown} of {size} columns" if shown < size else count(columns, "column")
        title = f"{group.kind}: {size_words}"
        own_test = group.evidence is not None and group.evidence.is_tested
        if not (self.is_tested or own_test):  # where p is known, it counts
            title += f", strength {group.strength:.1f}"
        style = {"loc": "left", "fontsize": "medium"}
        if group.evidence is not None:
            title = "\n".join([title, *group.evidence.lines])
            if group.evidence.is_chance and group.neuron is None:
                style["color"] = OTHERS
        ax.set_title(title, **style)
        word_of = dict(zip(group.columns.tolist(), group.direction_words, strict=False))
        words = Counter(word_of[column] for column in columns.tolist() if column in word_of)
        ways = [f"{n} {word}" for word, n in words.items()]  # in the order drawn
        ax.set_xlabel(f"columns: {', '.join(ways)} in the carriers" if ways else "columns")
        name_ticks(ax.xaxis, np.arange(shown), [self.feature_names[j] for j in columns])
        edges = np.linspace(*span, len(carriers) + 1)
        names = [self.row_names[row] for row in carriers]
        name_ticks(ax.yaxis, (edges[:-1] + edges[1:]) / 2, names)
        side.axvline(0, color="black", linewidth=1)
        side.text(0, 0, "cut", fontsize="small", ha="center", va="bottom")
        side.spines[["left", "top", "right"]].set_visible(False)
        side.tick_params(left=False, labelleft=False)
        side.locator_params(axis="x", nbins=3, integer=True)
        side.set_xlabel("membership\nscore")

    def _carriers_of_classes(self, carriers: BoolArray, label: Any) -> str:
        """Heading of the carriers, as "3 of 10 rows of a, 0 of 9 of b".

        The classes beyond the second are counted together.
        """
        in_class = self.y == label
        counts = [int(np.sum(x)) for x in (carriers & in_class, in_class)]
        others = [int(np.sum(x)) for x in (carriers & ~in_class, ~in_class)]
        own = f"carriers: {counts[0]} of {counts[1]} rows of {_short(label)}"
        return f"{own}, {others[0]} of {others[1]} of {self._name_of_others(label)}"

    def _name_of_others(self, label: Any) -> str:
        others = [other for other in np.unique(np.asarray(self.y)).tolist() if other != label]
        return _short(others[0]) if len(others) == 1 else "other classes"


def _short(label: Any) -> str:
    """A class in a heading, which may name two of them."""
    return plain(label, LONGEST_CLASS)


def _spans(sizes: Sequence[int], heading_height: float) -> list[tuple[float, float]]:
    """Top and bottom of each block, from 0 to 1, below its heading."""
    least = LEAST_SHARES[: len(sizes)]
    shares = np.maximum(np.array(sizes) / sum(sizes), least)
    heights = shares / shares.sum() * (1 - heading_height * len(sizes))
    bottoms = np.cumsum(heights + heading_height)
    return [(float(end - height), float(end)) for end, height in zip(bottoms, heights, strict=True)]
