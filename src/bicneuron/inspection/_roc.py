"""ROC curves of a model and its rivals."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from sklearn.metrics import auc, roc_curve

from bicneuron._core._arrays import FloatArray
from bicneuron.inspection._figure import open_axes
from bicneuron.inspection._names import plain
from bicneuron.inspection._rivals import (
    decision_scores,
    draw_curves,
    named_models,
    positive_rows,
)


class RocDisplay:
    """ROC curves of a model and its rivals, with the areas under them.

    Parameters
    ----------
    names : sequence of str
        Names of the models; the first is drawn boldest.
    fpr, tpr : sequences of float64 arrays
        False and true positive rates of each.
    areas : sequence of float
        Area under each curve (score AUC).
    positive : label, default=None
        The class that counts as positive.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : list of matplotlib Line2D
    chance_ : matplotlib Line2D

    Examples
    --------
    >>> from bicneuron.inspection import RocDisplay
    >>> y, scores = [0, 0, 1, 1], {"one": [0.1, 0.4, 0.35, 0.8], "two": [1, 2, 3, 4]}
    >>> RocDisplay.from_predictions(y, scores).areas
    [0.75, 1.0]
    """

    def __init__(
        self,
        names: Sequence[str],
        fpr: Sequence[FloatArray],
        tpr: Sequence[FloatArray],
        areas: Sequence[float],
        *,
        positive: Any = None,
    ) -> None:
        self.names = names
        self.fpr = fpr
        self.tpr = tpr
        self.areas = areas
        self.positive = positive

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        rivals: Mapping[str, Any] | None = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the curves of fitted classifiers on test rows.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``decision_function`` or ``predict_proba``.
        X : array-like of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            Two classes; the one that sorts last is positive.
        rivals : mapping of str to classifier, default=None
            Fitted classifiers by name.
        name : str, default=None
            Name of the model; None is the name of its class.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        models = named_models(estimator, rivals, name)
        positive_rows(y)
        scores = {key: decision_scores(model, X) for key, model in models.items()}
        return cls.from_predictions(y, scores, ax=ax)

    @classmethod
    def from_predictions(cls, y: Any, scores: Mapping[str, Any], *, ax: Any = None) -> Self:
        """Draw the curves of scores.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Two classes; the one that sorts last is positive.
        scores : mapping of str to array-like of shape (n_rows,)
            Scores by model; the first is drawn boldest.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        is_positive, positive = positive_rows(y)
        curves = [roc_curve(is_positive, values)[:2] for values in scores.values()]
        fpr, tpr = [curve[0] for curve in curves], [curve[1] for curve in curves]
        areas = [float(auc(*curve)) for curve in curves]
        return cls(list(scores), fpr, tpr, areas, positive=positive).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self : object
        """
        ax = open_axes(ax)
        self.lines_, self.chance_ = draw_curves(ax, self.names, self.fpr, self.tpr, self.areas)
        of = "" if self.positive is None else f" (positive: {plain(self.positive)})"
        ax.set(xlabel=f"false positive rate{of}", ylabel="true positive rate")
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
        ax.legend(title="area under the curve", loc="lower right", framealpha=0.9)
        self.ax_, self.figure_ = ax, ax.figure
        return self
