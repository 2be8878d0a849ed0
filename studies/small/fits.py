"""The network, and rivals that use as many columns, fitted to the same rows."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from bicneuron._core._arrays import IndexArray
from reproduction._problems import Problem
from reproduction._protocols import grouped_folds
from studies.small.methods import (
    NETWORK,
    RIVALS,
    SELECTIVE_RIVALS,
    Rival,
    Used,
    first_pattern_used,
    network,
    network_used,
)


class Fit(NamedTuple):
    """A fitted model, and what it uses."""

    model: Any
    used: Used

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of columns and of fitted numbers."""
        return {"n_columns": len(self.used.columns), "n_numbers": self.used.n_numbers}


def fit_models(
    problem: Problem,
    rows: IndexArray,
    seed: int,
    rivals: Sequence[Rival] = RIVALS,
    used: Callable[[Any], Used] = network_used,
) -> dict[str, Fit]:
    """Fit the network, count its columns and fit each installed rival with as many.

    Rivals may use one column where the network uses none.

    Parameters
    ----------
    problem : Problem
    rows : array of intp
    seed : int
    rivals : sequence of Rival
        By default all.
    used : callable
        Which columns of the network count; by default those of all patterns.

    Returns
    -------
    dict of str to Fit
        The network is the first.
    """

    def fit(model: Any, used: Callable[[Any], Used]) -> Fit:
        extra = {}
        if problem.groups is not None and has_fit_parameter(model, "groups"):
            extra["groups"] = problem.groups[rows]
        model.fit(problem.X[rows], problem.y[rows], **extra)
        return Fit(model, used(model))

    fits = {NETWORK: fit(network(seed), used)}
    n_columns = max(1, len(fits[NETWORK].used.columns))
    for rival in rivals:
        if rival.is_installed:
            fits[rival.name] = fit(rival.build(n_columns, seed), rival.used)
    return fits


def column_overlaps(problem: Problem, seed: int) -> dict[str, float]:
    """Jaccard index of the columns that models choose in two halves of the rows.

    Of the network these are the columns of its first pattern; where a half has no pattern, there is
    nothing to compare. The halves have no person in common.

    Returns
    -------
    dict of str to float
        Empty if a half has no pattern.
    """
    one, other = (
        fit_models(problem, rows, seed, SELECTIVE_RIVALS, first_pattern_used)
        for rows in grouped_folds(problem, 2, seed)[0]
    )
    if not all(len(fits[NETWORK].used.columns) for fits in (one, other)):
        return {}
    return {name: _jaccard(one[name].used.columns, other[name].used.columns) for name in one}


def _jaccard(one: IndexArray, other: IndexArray) -> float:
    return len(np.intersect1d(one, other)) / len(np.union1d(one, other))
