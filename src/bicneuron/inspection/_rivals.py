"""Scores and curves of a model and its rivals, on the same rows of two classes."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron.inspection._colours import MODELS
from bicneuron.inspection._names import plain


def positive_rows(y: Any) -> tuple[BoolArray, Any]:
    """Which rows are of the class that sorts last, and that class."""
    labels, encoded = np.unique(np.asarray(y), return_inverse=True)
    if len(labels) != 2:
        raise ValueError(
            f"y has {len(labels)} class(es), two are needed; with more, draw one against the rest: "
            "fit on y == label."
        )
    return encoded == 1, labels[1]


def named_models(
    estimator: Any, rivals: Mapping[str, Any] | None, name: str | None
) -> dict[str, Any]:
    """All models by name, the model itself first."""
    own = type(estimator).__name__ if name is None else name
    models = {own: estimator, **(rivals or {})}
    if len(models) == len(rivals or {}):
        raise ValueError(f"{own!r} is the name of the model and of a rival; give another name.")
    return models


def decision_scores(estimator: Any, X: Any) -> AnyArray:
    """Scores for the class that sorts last."""
    _check_two_classes(estimator)
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X))
    return positive_probabilities(estimator, X)


def positive_probabilities(estimator: Any, X: Any) -> AnyArray:
    """Probabilities of the class that sorts last."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{type(estimator).__name__} has no predict_proba; use BicNeuronNetwork, or scikit-"
            "learn's CalibratedClassifierCV around it."
        )
    _check_two_classes(estimator)
    probabilities = np.asarray(estimator.predict_proba(X))
    return probabilities[:, 1]


def _check_two_classes(estimator: Any) -> None:
    n_classes = len(estimator.classes_)
    if n_classes != 2:
        raise ValueError(
            f"{type(estimator).__name__} was fitted on {n_classes} classes, two are needed; fit it "
            "on y == label."
        )


def draw_curves(
    ax: Any,
    names: Sequence[str],
    across: Sequence[FloatArray],
    up: Sequence[FloatArray],
    values: Sequence[float],
    markers: Sequence[str] = ("",),
) -> tuple[list[Any], Any]:
    """Draw one line per model, the first boldest, and the diagonal of the unit square.

    ``values`` are shown in the legend. Returns the lines and the diagonal.
    """
    lines = []
    styles = zip(cycle(MODELS), cycle(markers), strict=False)
    curves = zip(names, across, up, values, strict=True)
    for position, ((name, x, y, value), ((colour, line_style), marker)) in enumerate(
        zip(curves, styles, strict=False)
    ):
        lines += ax.plot(
            x,
            y,
            color=colour,
            linestyle=line_style,
            linewidth=1.5 if position else 2.5,
            marker=marker,
            label=f"{value:.3f}  {plain(name, 40)}",
            zorder=2.5 - position / 100,
        )
    (diagonal,) = ax.plot([0, 1], [0, 1], color="0.7", linewidth=1, zorder=1)
    ax.set_aspect("equal")
    return lines, diagonal
