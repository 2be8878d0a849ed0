"""Predictions of copies of a model for rows that they were not trained on."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.metrics._intervals import Area, Share, area_under_curve, mean_of_shares, share

# A class is rare if it has less than this share of what it would have if all had equally many rows.
RARE = 0.4
# Limits of stated probabilities that rows are grouped by.
LIMITS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


class ClassScore(NamedTuple):
    """Prevalence of one class, and scores of its predictions.

    Sensitivity is also called recall; a rare class has few rows, compared with the others.
    """

    label: Any
    prevalence: Share
    sensitivity: Share
    specificity: Share
    precision: Share
    is_rare: bool

    def __str__(self) -> str:
        seldom = f"{self.label} is rare ({100 * self.prevalence.value:.1f} % of the rows): "
        found = f"{self.sensitivity.count} of {self.sensitivity.total} were recognised"
        if not self.precision.total:
            return f"{seldom}{found}, it was never named"
        return (
            f"{seldom}{found} (recall {self.sensitivity.value:.2f}), {self.precision.count} of "
            f"{self.precision.total} named so were right (precision {self.precision.value:.2f})"
        )


class Bin(NamedTuple):
    """Rows whose stated probability is between two limits, its mean, and the observed share."""

    low: float
    high: float
    stated: float
    observed: Share


@dataclass(frozen=True, eq=False)
class RowsLeftOut:
    """Predictions of copies of a model for the rows of their test folds, each row once.

    ``rows`` are positions in the table, ascending. ``scores`` are for two classes, larger for the
    second; ``probabilities`` has a column for each class. Either may be None.
    """

    classes: list[Any]
    rows: IndexArray
    y: AnyArray
    predicted: AnyArray
    scores: FloatArray | None
    probabilities: FloatArray | None

    @property
    def confusion(self) -> IndexArray:
        """Numbers of rows, by true class (first axis) and predicted class."""
        is_true = np.array([self.y == label for label in self.classes])
        is_named = np.array([self.predicted == label for label in self.classes])
        return is_true.astype(np.intp) @ is_named.T.astype(np.intp)

    @property
    def of_interest(self) -> Any:
        """The class that sensitivity refers to: the smallest or, of equal ones, the last."""
        sizes = self.confusion.sum(axis=1)
        return self.classes[len(sizes) - 1 - int(sizes[::-1].argmin())]

    @property
    def class_scores(self) -> list[ClassScore]:
        """Scores of each class."""
        counts = self.confusion
        total = int(counts.sum())
        scores = []
        for k, label in enumerate(self.classes):
            right, own, named = (
                int(number) for number in (counts[k, k], counts[k].sum(), counts[:, k].sum())
            )
            scores.append(
                ClassScore(
                    label=label,
                    prevalence=share(own, total),
                    sensitivity=share(right, own),
                    specificity=share(total - own - (named - right), total - own),
                    precision=share(right, named),
                    is_rare=own * len(self.classes) < RARE * total,
                )
            )
        return scores

    @property
    def accuracy(self) -> Share:
        """Share of the rows that were classified correctly."""
        return share(int(np.trace(self.confusion)), len(self.y))

    @property
    def balanced_accuracy(self) -> Area:
        """Mean of the sensitivities of the classes."""
        return mean_of_shares([own.sensitivity for own in self.class_scores])

    @property
    def roc_auc(self) -> Area | None:
        """Area under the ROC curve; None beyond two classes."""
        if self.scores is None:
            return None
        return area_under_curve(self.scores, self.y == self.classes[1])

    def calibration(self, label: Any) -> list[Bin]:
        """Stated and observed probabilities of a class; empty if the model states none."""
        if self.probabilities is None:
            return []
        stated = self.probabilities[:, self.classes.index(label)]
        places = np.clip(np.searchsorted(LIMITS, stated, side="right") - 1, 0, len(LIMITS) - 2)
        bins = []
        for k in range(len(LIMITS) - 1):
            inside = places == k
            if inside.any():
                observed = share(int(np.sum(self.y[inside] == label)), int(inside.sum()))
                bins.append(Bin(LIMITS[k], LIMITS[k + 1], float(stated[inside].mean()), observed))
        return bins
