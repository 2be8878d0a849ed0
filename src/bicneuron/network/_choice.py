"""The choice of a few patterns: one after the other, as many as rows that were not seen ask for."""

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._linear_models import Logistic, fit_logistic, score_test
from bicneuron._core._sorting import place_of_largest
from bicneuron._shared._content_order import tied_ranks

RIDGE = 1.0
# Fewer patterns are taken if their loss exceeds the least one by at most this many standard errors
# of the difference. No pattern is taken only where that is best: to be as good as nothing, by half
# a standard error, says little in a table of 60 rows.
MARGIN = 0.5
# Chi-square that a pattern needs beside those before it. Less is no more than a weaker penalty.
LEAST_STATISTIC = 1.0
# Standard errors by which rows of a target have to rank above others, or no pattern is taken. By
# ranks, because a few wrong labels make the error of a mean loss large.
LEAST_RANKED = 1.3


class Step(NamedTuple):
    """Patterns that are taken, and the logistic regression on them for each target."""

    taken: list[int]
    fits: list[Logistic]

    def log_odds(self, H: FloatArray) -> FloatArray:
        """Log odds of each target, of shape (n_rows, n_targets)."""
        return np.column_stack([fit.log_odds(H[:, self.taken]) for fit in self.fits])


class Labels(NamedTuple):
    """Which targets each row has, of shape (n_rows, n_targets), and how much it counts."""

    is_true: BoolArray
    weights: FloatArray

    def of(self, rows: AnyArray) -> "Labels":
        """Of some of the rows."""
        return Labels(self.is_true[rows], self.weights[rows])


class Choice(NamedTuple):
    """The patterns that are taken, each with its chi-square beside those before it.

    Log odds of each row are by a choice that has not seen it; NaN for rows that are in no fold.
    """

    step: Step
    statistics: list[float]
    log_odds: FloatArray
    loss: float


def forward_steps(
    H: FloatArray, labels: Labels, owners: IndexArray, most: int
) -> tuple[list[Step], list[float]]:
    """Take candidates one after the other, each time that of the largest chi-square."""
    taken: list[int] = []
    steps: list[Step] = []
    statistics: list[float] = []
    while True:
        chosen = H[:, taken]
        fits = [
            fit_logistic(chosen, is_true, labels.weights, RIDGE) for is_true in labels.is_true.T
        ]
        steps.append(Step(list(taken), fits))
        if len(taken) == most:
            return steps, statistics
        # Chi-square of each candidate beside those that are chosen; 0 where its sign is wrong.
        gains = np.zeros(H.shape[1])
        for target, (fit, is_true) in enumerate(zip(fits, labels.is_true.T, strict=True)):
            own = np.flatnonzero(owners == target)
            statistic, sign = score_test(H[:, own], chosen, fit, is_true, labels.weights)
            gains[own] = np.where(sign > 0, statistic, 0.0)
        gains[taken] = 0.0
        best = place_of_largest(gains) if len(gains) else 0
        if not len(gains) or gains[best] < LEAST_STATISTIC:
            return steps, statistics
        taken.append(best)
        statistics.append(float(gains[best]))


def choose(
    H: FloatArray, labels: Labels, folds: IndexArray, owners: IndexArray, most: int
) -> Choice:
    """Choose patterns, and their number by the log loss of rows that the choice has not seen."""
    tested = np.full((most + 1, *labels.is_true.shape), np.nan)
    for fold in range(folds.max(initial=-1) + 1):
        out = folds == fold
        if not out.any() or out.all():
            continue
        steps, _ = forward_steps(H[~out], labels.of(~out), owners, most)
        for size in range(most + 1):
            tested[size, out] = steps[min(size, len(steps) - 1)].log_odds(H[out])
    steps, statistics = forward_steps(H, labels, owners, most)
    known = ~np.isnan(tested[0]).any(axis=1)
    away = np.where(labels.is_true[known], -tested[:, known], tested[:, known])
    losses = np.logaddexp(0.0, away).mean(axis=2) * labels.weights[known]
    size = fewest(losses[: len(steps)])
    if size and ranked_above(tested[size, known], labels.of(known)) < LEAST_RANKED:
        size = 0
    return Choice(steps[size], statistics[:size], tested[size], float(losses[size].sum()))


def fewest(losses: FloatArray) -> int:
    """The fewest patterns that predict about as well as the best number of them."""
    best = place_of_largest(-losses.sum(axis=1))
    for size in range(1, best):
        more = losses[size] - losses[best]
        if more.sum() <= MARGIN * more.std() * np.sqrt(len(more)):
            return size
    return best


def ranked_above(log_odds: FloatArray, labels: Labels) -> float:
    """How far rows of the clearest target rank above others, in standard errors (Mann-Whitney)."""
    n = len(log_odds)
    inside = labels.is_true.sum(axis=0)
    ranks = (rankdata(tied_ranks(log_odds), axis=0) * labels.is_true).sum(axis=0)
    above = ranks - inside * (n + 1) / 2
    error = np.sqrt(inside * (n - inside) * (n + 1) / 12)
    effective = min(float(labels.weights.sum()) / n, 1.0)
    return float(np.max(above / np.maximum(error, 1e-9)) * np.sqrt(effective))


def single_losses(H: FloatArray, labels: Labels, owners: IndexArray) -> FloatArray:
    """Mean log loss of each candidate alone, of shape (n_candidates,)."""
    losses = np.empty(H.shape[1])
    for k, target in enumerate(owners.tolist()):
        is_true = labels.is_true[:, target]
        fit = fit_logistic(H[:, [k]], is_true, labels.weights, RIDGE)
        odds = fit.log_odds(H[:, [k]])
        losses[k] = np.logaddexp(0.0, np.where(is_true, -odds, odds)).mean()
    return losses
