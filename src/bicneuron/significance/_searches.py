"""Searches of tables in which there is nothing to find."""

from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from bicneuron._core._arrays import FloatArray
from bicneuron._estimators._workers import resolve_data, share_data, start_workers
from bicneuron.significance._models import carried_patterns, fitted_quietly
from bicneuron.significance._nulls import RotatedRows, ShuffledColumns, ShuffledLabels

Null = ShuffledLabels | RotatedRows | ShuffledColumns
# The first rounds are short, because it may be clear soon that there is nothing. They do not depend
# on n_jobs, so that the result does not.
FIRST_ROUND, LONGEST_ROUND = 4, 32
# Called with the number of searches that were made and the number of all.
AfterSearches = Callable[[int, int], None]


def null_strengths(
    model: Any,
    nulls: list[Null],
    n_tables: int,
    seed: int,
    n_jobs: int | None,
    after_searches: AfterSearches | None,
) -> Iterator[list[list[FloatArray]]]:
    """Strengths, largest first, of what is found in tables of each kind, a round at a time.

    Yields
    ------
    list of list of arrays
        For each table of the round and each of ``nulls``, the strengths.
    """
    start_workers(n_jobs)
    tasks = Parallel(n_jobs=n_jobs)
    data = share_data(clone(model), nulls)
    first, length = 0, FIRST_ROUND
    while first < n_tables:
        numbers = range(first, min(first + length, n_tables))
        found = tasks(
            delayed(_strengths)(*data, kind, [seed, kind, number])
            for number in numbers
            for kind in range(len(nulls))
        )
        first, length = numbers.stop, min(2 * length, LONGEST_ROUND)
        if after_searches is not None:
            after_searches(first, n_tables)
        strengths = cast("list[FloatArray]", found)
        yield [strengths[k : k + len(nulls)] for k in range(0, len(strengths), len(nulls))]


def _strengths(model: Any, nulls: Any, kind: int, seed: list[int]) -> FloatArray:
    model, nulls = resolve_data(model, nulls)
    X, y = nulls[kind].draw(np.random.default_rng(seed))
    fitted = fitted_quietly(model, X, y, 1)
    strengths = np.array([found.strength for found in carried_patterns(fitted, X, y)])
    ordered: FloatArray = np.sort(strengths)[::-1]
    return ordered
