"""Projection of a pair to the direction in which its neuron separates the sides."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._estimators import linear_weights
from bicneuron._shared._plots import ANCHOR, CONTRAST, MARK, legend_above, plain
from bicneuron.inspection._display import PairDisplay
from bicneuron.patterns import Pattern

# Points along each axis of the grid of scores, and its margin, as a share of their extent.
GRID, MARGIN = 120, 0.08


class ScoreGrid(NamedTuple):
    """Scores of a neuron in the plane of the plot: coordinates along both axes, and values."""

    x: FloatArray
    y: FloatArray
    scores: FloatArray


@dataclass(eq=False, repr=False, kw_only=True)
class PairProjectionDisplay(PairDisplay):
    """The rows of a pair projected to two directions, with the decision boundary of the neuron.

    For a linear neuron the first direction is the normal of its hyperplane: a row is drawn at its
    signed distance, and the boundary is at 0. For other neurons it points from the mean of the
    contrast to that of the anchor, and contours show the scores in the plane through the mean of
    the pair; the rows are projected to that plane, so that a row may be drawn on the wrong side of
    the boundary. The second direction is the first principal direction orthogonal to the first.

    Parameters
    ----------
    {pair}
    neuron : fitted classifier with ``decision_function``, default=None
        Fitted on the columns of the pair; None takes the neuron of the pattern.
    threshold : float, default=0.0
        Score above which ``neuron`` predicts its second class.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    points_ : tuple of two matplotlib PathCollection
        Anchor and contrast.
    grid_ : ScoreGrid or None
        Scores minus the threshold in the plane; None for a linear neuron.
    line_ : matplotlib Line2D, QuadContourSet or None
        The decision boundary; None if it does not cross the plane.

    Examples
    --------
    {fitted}
    >>> from bicneuron.inspection import PairProjectionDisplay
    >>> display = PairProjectionDisplay.from_estimator(model, X)
    >>> display.line_.get_xdata()
    [0, 0]
    """

    neuron: Any = None
    threshold: float = 0.0

    @classmethod
    def _check(cls, pattern: Pattern, side_labels: tuple[str, str] | None) -> None:
        if pattern.neuron is None:
            raise ValueError("the pattern has no neuron; give a classifier or a network.")

    def _draw(self, ax: Any) -> None:
        points, label = self._project()
        n_points, middle = len(points), len(self.pair.rows)
        few = n_points <= 200
        style: Any = {"s": 40 if few else 18, "alpha": 0.9 if few else 0.7, "zorder": 3}
        style |= {"edgecolors": "white", "linewidths": 0.5}
        sides = (points[:middle], ANCHOR, "o"), (points[middle:], CONTRAST, "^")
        self.points_ = tuple(
            ax.scatter(*own.T, color=colour, marker=marker, label=name, **style)
            for (own, colour, marker), name in zip(sides, self._side_labels(), strict=True)
        )
        self.line_ = self._draw_boundary(ax)
        ax.set(xlabel=label, ylabel="first orthogonal principal direction")
        legend_above(ax, markerscale=1 if few else 1.5)

    def _project(self) -> tuple[FloatArray, str]:
        """Coordinates of the rows, anchor first, and the label of the first direction."""
        neuron, threshold = self.neuron, self.threshold
        if neuron is None and self.pair.neuron is not None:
            neuron, threshold = self.pair.neuron.estimator, self.pair.neuron.threshold
        block = np.vstack(self._blocks())
        middle, centre = len(self.pair.rows), block.mean(axis=0)
        scores = neuron.decision_function(block) - threshold
        linear = linear_weights(neuron, block)
        centred = block - centre
        self.grid_ = None
        if linear is not None and np.any(linear.coef):
            length = float(np.linalg.norm(linear.coef))
            first, x = linear.coef / length, scores / length
            label = f"distance to the hyperplane (> 0: {plain(neuron.classes_[1])})"
        else:
            apart = block[:middle].mean(axis=0) - block[middle:].mean(axis=0)
            length = float(np.linalg.norm(apart))
            first = apart / length if length > 0 else np.eye(len(apart))[0]
            x = centred @ first
            label = f"from contrast to anchor (darker: {plain(neuron.classes_[1])})"
        second = _principal(centred - np.outer(centred @ first, first))
        points = np.column_stack([x, centred @ second])
        if linear is None or not np.any(linear.coef):
            low, high = points.min(axis=0), points.max(axis=0)
            margin = np.where(high > low, MARGIN * (high - low), 0.5)
            ends = zip(low - margin, high + margin, strict=True)
            across, up = (np.linspace(*end, GRID) for end in ends)
            plane = centre + np.tile(across, GRID)[:, None] * first
            plane += np.repeat(up, GRID)[:, None] * second
            seen = neuron.decision_function(plane) - threshold
            self.grid_ = ScoreGrid(across, up, seen.reshape(GRID, GRID))
        return points, label

    def _draw_boundary(self, ax: Any) -> Any:
        if self.grid_ is None:
            return ax.axvline(0, color=ax.spines["left"].get_edgecolor(), linewidth=1.5)
        x, y, scores = self.grid_
        largest = float(np.quantile(np.abs(scores), 0.9)) or 1.0
        style = {"origin": "lower", "aspect": "auto", "interpolation": "bilinear", "zorder": 0}
        style |= {"extent": (x[0], x[-1], y[0], y[-1]), "cmap": "Greys"}
        ax.imshow(scores, vmin=-largest, vmax=2 * largest, **style)
        levels = np.linspace(-largest, largest, 9)
        levels = levels[(scores.min() < levels) & (levels < scores.max())]
        if len(levels):
            ax.contour(x, y, scores, levels=levels, colors="white", linewidths=0.6, linestyles="-")
        if not scores.min() < 0 < scores.max():
            return None
        return ax.contour(x, y, scores, levels=[0], colors=MARK, linewidths=1.5)


def _principal(centred: FloatArray) -> FloatArray:
    """First principal direction, with the sign that makes its largest component positive."""
    direction: FloatArray = np.linalg.svd(centred, full_matrices=False)[2][0]
    if np.ptp(centred @ direction) <= 1e-9 * max(1.0, float(np.abs(centred).max())):
        return np.zeros_like(direction)
    return np.asarray(direction * np.sign(direction[np.abs(direction).argmax()]))
