"""A group of rows over its columns, above the rows that it differs from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared import _plots as plots
from bicneuron._shared._formats import counted
from bicneuron._shared._scaling import filled, zscore_scaling
from bicneuron.inspection._display import Display, draw_cells, pattern_in_table
from bicneuron.patterns import Pattern

# Columns that are drawn at most, and characters of the name of a class.
MOST_COLUMNS, LONGEST_CLASS = 40, 20
# A small block of carriers, the rest of their class or other classes has this share of the height.
LEAST_SHARES = 0.4, 0.15, 0.15


class RowBlock(NamedTuple):
    """Rows that are drawn together, the top scores first, with their heading."""

    rows: IndexArray
    colour: str
    heading: str


@dataclass(eq=False, repr=False)
class SubgroupDisplay(Display):
    """Carriers of a pattern, the rest of their class and the other classes, as a heat map.

    The columns are those of the pattern, at most 40, by their evidence or weights, those of the
    first column's direction before the others. Rows are sorted by their membership scores, which
    the bars at the right show; those to the right of the cut are members. A small block of rows is
    drawn larger. Values outside the central 98 % have the colours of the ends of the scale.

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
    feature_names, row_names : sequences of shapes (n_columns,) and (n_rows,)
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
        {drawn}
        """
        if y is not None and np.ndim(y) != 1:
            raise ValueError(f"y has the shape {np.shape(y)}; give one class for each row.")
        labels = None if y is None else np.asarray(y)
        Z, found, names = pattern_in_table(estimator, X, pattern, labels)
        if not len(found.weights):
            raise ValueError(
                f"a pattern of {type(estimator).__name__} has no weights of columns, by which they "
                "are drawn; use BiclusterDisplay."
            )
        scores = estimator.pattern_scores(X)[:, pattern]
        standard = filled(zscore_scaling(Z).apply(Z))
        is_tested = any(one.evidence and one.evidence.is_tested for one in estimator.patterns_)
        display = cls(standard, found, scores, labels, **names, is_tested=is_tested)
        return display.plot(**options)

    @property
    def anchor_class(self) -> Any:
        """Class of the carriers; of a group found without labels, that with the largest share."""
        if self.y is None or self.subgroup.anchor_class is not None:
            return self.subgroup.anchor_class
        labels = np.unique(self.y)
        return labels[np.argmax([np.mean(self.scores[self.y == label] > 0) for label in labels])]

    @property
    def column_order(self) -> IndexArray:
        """Columns that are drawn, from left to right."""
        shown, words = self.subgroup.column_order[:MOST_COLUMNS], self.subgroup.direction_words
        if words:
            ways = [words[place] for place in shown.tolist()]
            shown = shown[np.argsort([ways.index(way) for way in ways], kind="stable")]
        return self.subgroup.columns[shown]

    @property
    def blocks(self) -> list[RowBlock]:
        """Carriers, the rest of the class and the other classes, those that have rows."""
        carriers = self.scores > 0
        if self.y is None:
            heading = f"carriers: {int(carriers.sum())} of {len(self.X)} rows"
            others = f"other rows: {int(np.sum(~carriers))}"
            parts = [(carriers, plots.ANCHOR, heading), (~carriers, plots.OTHERS, others)]
        else:
            parts = self._parts(carriers, self.y == self.anchor_class)
        by_score = np.argsort(-self.scores, kind="stable")
        return [
            RowBlock(by_score[chosen[by_score]], colour, heading)
            for chosen, colour, heading in parts
            if chosen.any()
        ]

    def _parts(self, carriers: BoolArray, is_own: BoolArray) -> list[tuple[BoolArray, str, str]]:
        """Carriers, the rest of their class and all other classes, with colours and headings."""
        label, other = self.anchor_class, "other classes"
        others = [one for one in np.unique(np.asarray(self.y)).tolist() if one != label]
        names = [f"class {one}" if str(one)[:1].isdigit() else one for one in (label, *others)]
        own, *rest = [plots.plain(name, LONGEST_CLASS) for name in names]
        if len(rest) == 1:
            (other,) = rest
        n_class, n_others = int(is_own.sum()), int(np.sum(~is_own))
        n_own, n_other = (int(np.sum(carriers & side)) for side in (is_own, ~is_own))
        heading = f"carriers: {n_own} of {n_class} rows of {own}, "
        heading += f"{n_other} of {n_others} of {other}"
        return [
            (carriers, plots.ANCHOR, heading),
            (is_own & ~carriers, plots.OTHERS, f"rest of {own}: {counted(n_class - n_own, 'row')}"),
            (~is_own & ~carriers, plots.CONTRAST, f"{other}: {counted(n_others - n_other, 'row')}"),
        ]

    def _draw(self, ax: Any, colorbar: bool = True) -> None:
        if ax.figure.get_layout_engine() is None:  # the others leave room at the right
            left, bottom, width, height = ax.get_position().bounds
            ax.set_position((left, bottom, 0.75 * width, height))
        side = self.scores_ax_ = ax.inset_axes((1.02, 0, 0.18, 1), sharey=ax)
        side.patch.set_visible(False)  # long headings go on behind it
        columns, blocks = self.column_order, self.blocks
        low, high, extend = plots.colour_limits(self.X[:, columns])
        left, right = -0.5, len(columns) - 0.5
        ax.set(xlim=(left, right), ylim=(1, 0))
        sizes = [len(block.rows) for block in blocks]
        heading_height = 1.1 * plots.line_share(ax.yaxis)
        shares = np.maximum(np.array(sizes) / sum(sizes), LEAST_SHARES[: len(sizes)])
        heights = shares / shares.sum() * (1 - heading_height * len(sizes))
        bottoms = np.cumsum(heights + heading_height)  # from 0 to 1, below the headings
        spans = [*zip((bottoms - heights).tolist(), bottoms.tolist(), strict=True)]
        self.ims_ = []
        for (rows, colour, heading), (top, bottom) in zip(blocks, spans, strict=True):
            where = {"extent": (left, right, bottom, top)}
            self.ims_.append(draw_cells(ax, self.X[np.ix_(rows, columns)], (low, high), **where))
            ax.text(left, top, heading, color=colour, fontsize="small", va="bottom")
            edges = np.linspace(top, bottom, len(rows) + 1)
            # One bar per row, from the cut, as one outline.
            outline = self.scores[np.append(rows, rows[-1])]
            side.fill_betweenx(edges, 0, outline, step="post", color=colour, linewidth=0)
        ax.set(xlim=(left, right), ylim=(1, 0))
        ax.spines[:].set_visible(False)
        self._label_axes(columns, blocks[0].rows, spans[0])
        self.colorbar_ = None
        if colorbar:
            scale = {"cax": ax.inset_axes((1.24, 0, 0.03, 1)), "extend": extend}
            self.colorbar_ = ax.figure.colorbar(self.ims_[0], label="standardised value", **scale)

    def _label_axes(
        self, columns: IndexArray, carriers: IndexArray, span: tuple[float, float]
    ) -> None:
        group, ax, side = self.subgroup, self.ax_, self.scores_ax_
        is_chance = group.evidence is not None and group.evidence.is_chance and group.neuron is None
        style = {"color": plots.OTHERS} if is_chance else {}
        size, n_all = counted(len(group.columns), "column"), len(group.columns)
        title = f"{group.kind}: {f'{len(columns)} of ' if len(columns) < n_all else ''}{size}"
        own_test = group.evidence is not None and group.evidence.is_tested
        if not (self.is_tested or own_test):  # where p is known, it counts
            title += f", strength {group.strength:.1f}"
        title = "\n".join([title, *(group.evidence.lines if group.evidence else ())])
        ax.set_title(title, loc="left", fontsize="medium", **style)
        word_of = dict(zip(group.columns.tolist(), group.direction_words, strict=False))
        words = Counter(word_of[column] for column in columns.tolist() if column in word_of)
        ways = [f"{n} {word}" for word, n in words.items()]  # in the order drawn
        ax.set_xlabel(f"columns: {', '.join(ways)} in the carriers" if ways else "columns")
        names = [self.feature_names[column] for column in columns]
        plots.name_ticks(ax.xaxis, np.arange(len(columns)), names)
        edges = np.linspace(*span, len(carriers) + 1)
        names = [self.row_names[row] for row in carriers]
        plots.name_ticks(ax.yaxis, (edges[:-1] + edges[1:]) / 2, names)
        side.axvline(0, color="black", linewidth=1)
        side.text(0, 0, "cut", fontsize="small", ha="center", va="bottom")
        side.spines[["left", "top", "right"]].set_visible(False)
        side.tick_params(left=False, labelleft=False)
        side.locator_params(axis="x", nbins=3, integer=True)
        side.set_xlabel("membership\nscore")
