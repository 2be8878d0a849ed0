"""Reliability curves: are predicted probabilities calibrated?"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from bicneuron._core._arrays import FloatArray
from bicneuron.inspection._figure import open_axes
from bicneuron.inspection._names import plain
from bicneuron.inspection._rivals import (
    draw_curves,
    named_models,
    positive_probabilities,
    positive_rows,
)

MARKERS = "osD^vP"


class ReliabilityDisplay:
    """Share of positive rows over the predicted probability, with Brier scores.

    Rows are sorted by probability and split into bins of equal size. The curve of a calibrated
    model lies on the diagonal; a flatter curve means that the model is overconfident. The Brier
    score is the mean squared difference between the probability and the outcome, 0 at best.

    Parameters
    ----------
    names : sequence of str
        Names of the models; the first is drawn boldest.
    predicted, observed : sequences of float64 arrays
        Mean probability and share of positive rows in each bin of each model.
    brier_scores : sequence of float
    positive : label, default=None
        The class whose probabilities they are.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    lines_ : list of matplotlib Line2D
    diagonal_ : matplotlib Line2D

    Examples
    --------
    >>> from bicneuron.inspection import ReliabilityDisplay
    >>> probabilities = {"calibrated": [0.5, 0.5, 0.5, 0.5], "overconfident": [0.0, 0.0, 1.0, 1.0]}
    >>> ReliabilityDisplay.from_predictions([0, 1, 0, 1], probabilities, n_bins=2).brier_scores
    [0.25, 0.5]
    """

    def __init__(
        self,
        names: Sequence[str],
        predicted: Sequence[FloatArray],
        observed: Sequence[FloatArray],
        brier_scores: Sequence[float],
        *,
        positive: Any = None,
    ) -> None:
        self.names = names
        self.predicted = predicted
        self.observed = observed
        self.brier_scores = brier_scores
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
        n_bins: int = 10,
        ax: Any = None,
    ) -> Self:
        """Draw the curves of fitted classifiers on test rows.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``predict_proba``.
        X : array-like of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
            Two classes; the one that sorts last is positive.
        rivals : mapping of str to classifier, default=None
            Fitted classifiers by name.
        name : str, default=None
            Name of the model; None is the name of its class.
        n_bins : int, default=10
            Number of bins, with equal numbers of rows.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        models = named_models(estimator, rivals, name)
        positive_rows(y)
        probabilities = {key: positive_probabilities(model, X) for key, model in models.items()}
        return cls.from_predictions(y, probabilities, n_bins=n_bins, ax=ax)

    @classmethod
    def from_predictions(
        cls, y: Any, probabilities: Mapping[str, Any], *, n_bins: int = 10, ax: Any = None
    ) -> Self:
        """Draw the curves of predicted probabilities.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Two classes; the one that sorts last is positive.
        probabilities : mapping of str to array-like of shape (n_rows,)
            Probabilities of the positive class by model; the first is drawn boldest.
        n_bins : int, default=10
            Number of bins, with equal numbers of rows.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        is_positive, positive = positive_rows(y)
        curves = [
            calibration_curve(is_positive, values, n_bins=n_bins, strategy="quantile")
            for values in probabilities.values()
        ]
        briers = [float(brier_score_loss(is_positive, values)) for values in probabilities.values()]
        observed, predicted = [curve[0] for curve in curves], [curve[1] for curve in curves]
        return cls(list(probabilities), predicted, observed, briers, positive=positive).plot(ax)

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
        self.lines_, self.diagonal_ = draw_curves(
            ax, self.names, self.predicted, self.observed, self.brier_scores, MARKERS
        )
        of = "" if self.positive is None else f" of {plain(self.positive)}"
        ax.set(xlabel=f"predicted probability{of}", ylabel=f"observed share{of}")
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        ax.legend(title="Brier score", loc="upper left", framealpha=0.9)
        self.ax_, self.figure_ = ax, ax.figure
        return self
