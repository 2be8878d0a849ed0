"""Projection of a pair to the direction in which its neuron separates the sides."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils import check_array

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._estimators import linear_weights
from bicneuron._shared._plots import ANCHOR, CONTRAST, MARK, legend_above, plain
from bicneuron.inspection._display import Display
from bicneuron.inspection._pair_display import size_labels
from bicneuron.inspection._pattern import pattern_in_table
from bicneuron.patterns import Pattern

# Points along each axis of the grid of scores.
GRID = 120
# Margin around the points, as a share of their extent.
MARGIN = 0.08


class ScoreGrid(NamedTuple):
    """Scores of a neuron in the plane of the plot: coordinates along both axes, and values."""

    x: FloatArray
    y: FloatArray
    scores: FloatArray


@dataclass(eq=False, repr=False)
class PairProjectionDisplay(Display):
    """The rows of a pair projected to two directions, with the decision boundary of the neuron.

    For a linear neuron the first direction is the normal of its hyperplane: a row is drawn at its
    signed distance, and the boundary is at 0. For other neurons it points from the mean of the
    contrast to that of the anchor, and contours show the scores in the plane through the mean of
    the pair; the rows are projected to that plane, so that a row may be drawn on the wrong side of
    the boundary. The second direction is the first principal direction orthogonal to the first.

    Parameters
    ----------
    anchor_points, contrast_points : float64 arrays of shape (n_rows, 2)
        Coordinates of the rows in the two directions.
    axis_labels : (str, str)
        Labels of the two directions.
    side_labels : (str, str)
        Labels of anchor and contrast.
    grid : ScoreGrid, default=None
        Scores minus the neuron's threshold; None draws the boundary at 0 on the first axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    points_ : tuple of two matplotlib PathCollection
        Anchor and contrast.
    line_ : matplotlib Line2D, QuadContourSet or None
        The decision boundary; None if it does not cross the plane.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.inspection import PairProjectionDisplay
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
    >>> display = PairProjectionDisplay.from_estimator(model, X)
    >>> display.line_.get_xdata()
    [0, 0]
    """

    anchor_points: FloatArray
    contrast_points: FloatArray
    _: KW_ONLY
    axis_labels: tuple[str, str]
    side_labels: tuple[str, str]
    grid: ScoreGrid | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        pattern: int = 0,
        side_labels: tuple[str, str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw a pair of a fitted model with its neuron.

        Parameters
        ----------
        estimator : BicNeuronClassifier or BicNeuronNetwork
            Fitted.
        X : array-like of shape (n_rows, n_columns)
            The data it was fitted on.
        pattern : int, default=0
            Position in ``patterns_``.
        side_labels : (str, str), default=None
            Labels of anchor and contrast; None gives their sizes.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        Z, pair, _ = pattern_in_table(estimator, X, pattern)
        if pair.neuron is None:
            raise ValueError(
                f"a pattern of {type(estimator).__name__} has no neuron, whose boundary is drawn; "
                "give a classifier or a network."
            )
        neuron, threshold = pair.neuron.estimator, pair.neuron.threshold
        return cls.from_pair(Z, pair, neuron, threshold=threshold, side_labels=side_labels, ax=ax)

    @classmethod
    def from_pair(
        cls,
        X: Any,
        pair: Pattern,
        neuron: Any,
        *,
        threshold: float = 0.0,
        side_labels: tuple[str, str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw a pair with a neuron that was trained on it.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Columns on a common scale.
        pair : Pattern
            Its rows and columns are those of ``X``.
        neuron : fitted classifier with ``decision_function``
            Fitted on the columns of the pair.
        threshold : float, default=0.0
            Score above which the neuron predicts its second class.
        side_labels : (str, str), default=None
            Labels of anchor and contrast; None gives their sizes.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        X = check_array(X, dtype=np.float64, input_name="X")
        block = X[np.ix_(*pair.block)]
        middle = len(pair.rows)
        scores = neuron.decision_function(block) - threshold
        linear = linear_weights(neuron, block)
        weights = linear.coef if linear is not None and np.any(linear.coef) else None
        centred = block - block.mean(axis=0)
        grid = None
        if weights is not None:
            length = float(np.linalg.norm(weights))
            first, x = weights / length, scores / length
            label = f"distance to the hyperplane (> 0: {plain(neuron.classes_[1])})"
        else:
            first = _unit(block[:middle].mean(axis=0) - block[middle:].mean(axis=0))
            x = centred @ first
            label = f"from contrast to anchor (darker: {plain(neuron.classes_[1])})"
        second = _principal(centred - np.outer(centred @ first, first))
        points = np.column_stack([x, centred @ second])
        if weights is None:
            axes = np.array([first, second])
            grid = _score_grid(neuron, threshold, points, block.mean(axis=0), axes)
        return cls(
            points[:middle],
            points[middle:],
            axis_labels=(label, "first orthogonal principal direction"),
            side_labels=side_labels or size_labels(pair),
            grid=grid,
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        n_points = len(self.anchor_points) + len(self.contrast_points)
        style = {
            "s": 40 if n_points <= 200 else 18,
            "alpha": 0.9 if n_points <= 200 else 0.7,
            "edgecolors": "white",
            "linewidths": 0.5,
            "zorder": 3,
        }
        sides = (self.anchor_points, ANCHOR, "o"), (self.contrast_points, CONTRAST, "^")
        self.points_ = tuple(
            ax.scatter(*points.T, color=colour, marker=marker, label=label, **style)
            for (points, colour, marker), label in zip(sides, self.side_labels, strict=True)
        )
        self.line_ = self._draw_boundary(ax)
        ax.set(xlabel=self.axis_labels[0], ylabel=self.axis_labels[1])
        legend_above(ax, markerscale=1 if n_points <= 200 else 1.5)

    def _draw_boundary(self, ax: Any) -> Any:
        if self.grid is None:
            return ax.axvline(0, color=ax.spines["left"].get_edgecolor(), linewidth=1.5)
        x, y, scores = self.grid
        largest = float(np.quantile(np.abs(scores), 0.9)) or 1.0
        ax.imshow(
            scores,
            extent=(x[0], x[-1], y[0], y[-1]),
            origin="lower",
            aspect="auto",
            interpolation="bilinear",
            cmap="Greys",
            vmin=-largest,
            vmax=2 * largest,
            zorder=0,
        )
        levels = np.linspace(-largest, largest, 9)
        levels = levels[(scores.min() < levels) & (levels < scores.max())]
        if len(levels):
            ax.contour(x, y, scores, levels=levels, colors="white", linewidths=0.6, linestyles="-")
        if not scores.min() < 0 < scores.max():
            return None
        return ax.contour(x, y, scores, levels=[0], colors=MARK, linewidths=1.5)


def _unit(direction: FloatArray) -> FloatArray:
    length = np.linalg.norm(direction)
    return direction / length if length > 0 else np.eye(len(direction))[0]


def _principal(centred: FloatArray) -> FloatArray:
    """First principal direction, with the sign that makes its largest component positive."""
    direction: FloatArray = np.linalg.svd(centred, full_matrices=False)[2][0]
    if np.ptp(centred @ direction) <= 1e-9 * max(1.0, float(np.abs(centred).max())):
        return np.zeros_like(direction)
    signed: FloatArray = direction * np.sign(direction[np.abs(direction).argmax()])
    return signed


def _score_grid(
    neuron: Any, threshold: float, points: FloatArray, centre: FloatArray, axes: FloatArray
) -> ScoreGrid:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = np.where(high > low, MARGIN * (high - low), 0.5)
    x, y = (np.linspace(a, b, GRID) for a, b in zip(low - margin, high + margin, strict=True))
    across, up = np.meshgrid(x, y)
    plane = centre + across.reshape(-1, 1) * axes[0] + up.reshape(-1, 1) * axes[1]
    scores = neuron.decision_function(plane) - threshold
    return ScoreGrid(x, y, scores.reshape(GRID, GRID))
