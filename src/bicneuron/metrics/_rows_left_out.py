"""Predictions of copies of a model for rows that they were not trained on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import binomtest, norm, rankdata
from sklearn.metrics import confusion_matrix

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray

# Of all intervals.
CONFIDENCE = 0.95
# A class is rare if it has less than this share of what it would have if all had equally many rows.
RARE = 0.4
# Limits of stated probabilities that rows are grouped by.
LIMITS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of rows with its 95 % interval (Wilson 1927)."""

    count: int
    total: int
    value: float
    low: float
    high: float


class Area(NamedTuple):
    """An area under a ROC curve with its 95 % interval."""

    value: float
    low: float
    high: float


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
        return np.asarray(confusion_matrix(self.y, self.predicted, labels=self.classes))

    @property
    def of_interest(self) -> Any:
        """The class that sensitivity refers to: the smallest or, of equal ones, the last."""
        sizes = self.confusion.sum(axis=1)
        return self.classes[len(sizes) - 1 - int(sizes[::-1].argmin())]

    @property
    def class_scores(self) -> list[ClassScore]:
        """Scores of each class."""
        counts, total, scores = self.confusion, len(self.y), []
        for k, label in enumerate(self.classes):
            right, own, named = int(counts[k, k]), int(counts[k].sum()), int(counts[:, k].sum())
            others, is_rare = total - own, own * len(self.classes) < RARE * total
            told = [(own, total), (right, own), (others - (named - right), others), (right, named)]
            prevalence, sensitivity, specificity, precision = (share(*one) for one in told)
            of_class = ClassScore(label, prevalence, sensitivity, specificity, precision, is_rare)
            scores.append(of_class)
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
        for k in np.unique(places).tolist():
            inside = places == k
            observed = share(int(np.sum(self.y[inside] == label)), int(inside.sum()))
            bins.append(Bin(LIMITS[k], LIMITS[k + 1], float(stated[inside].mean()), observed))
        return bins


def share(count: int, total: int) -> Share:
    """``count`` of ``total`` rows, with Wilson's interval; of none it is all of 0 to 1."""
    if not total:
        return Share(count, total, float("nan"), 0.0, 1.0)
    interval = binomtest(count, total).proportion_ci(CONFIDENCE, method="wilson")
    return Share(count, total, count / total, float(interval.low), float(interval.high))


def mean_of_shares(shares: Sequence[Share]) -> Area:
    """Mean of independent shares, with the interval of Zou and Donner (2008)."""
    values, low, high = (
        np.array([getattr(one, name) for one in shares]) for name in ("value", "low", "high")
    )
    mean, n = float(values.mean()), len(shares)
    below = float(np.sqrt(np.sum((values - low) ** 2))) / n
    above = float(np.sqrt(np.sum((high - values) ** 2))) / n
    return Area(mean, max(0.0, mean - below), min(1.0, mean + above))


def area_under_curve(scores: FloatArray, positive: BoolArray) -> Area:
    """Area under the ROC curve, with the interval of DeLong, DeLong and Clarke-Pearson (1988)."""
    inside, outside = scores[positive], scores[~positive]
    m, n = len(inside), len(outside)
    ranks = rankdata(np.concatenate([inside, outside]))
    # Share of the other class that each row beats, ties counting half.
    won = (ranks[:m] - rankdata(inside)) / n
    lost = 1.0 - (ranks[m:] - rankdata(outside)) / m
    area = float(won.mean())
    variance = sum(float(part.var(ddof=1)) / len(part) for part in (won, lost) if len(part) > 1)
    if variance == 0 or not 0 < area < 1:
        n_pairs = min(m, n)
        limits = binomtest(round(area * n_pairs), n_pairs).proportion_ci(CONFIDENCE, "exact")
        return Area(area, min(area, float(limits.low)), max(area, float(limits.high)))
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * np.sqrt(variance) / (area * (1 - area))
    low, high = (float(expit(logit(area) + sign * half)) for sign in (-1, 1))
    return Area(area, low, high)
