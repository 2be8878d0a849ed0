"""Test of patterns that a model chose by labels: those that it found without them, and the others.

Groups that were found without labels are the same whatever the labels, so that labels are exchanged
over given carriers: an exact test. Patterns that were made with labels are compared with the
clearest that the whole choice makes of labels in another order. Beside real patterns that is
careful: what a pattern adds to those before it is compared with the best of all.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._estimators._workers import resolve_data, share_data, start_workers
from bicneuron.patterns import PatternModel
from bicneuron.significance._nulls import FIRST_ROUND, LONGEST_ROUND, AfterSearches, LabelShuffler


class ChoiceNull(NamedTuple):
    """Orders of the labels that a choice is repeated with.

    Parameters
    ----------
    X : table
    classes : array of shape (n_classes,)
    shuffler : LabelShuffler
    groups : array of shape (n_rows,) or None
        Rows that folds keep together.
    n_permutations : int
    seed : int
    n_jobs : int or None
    after_searches : callable or None
    """

    X: Any
    classes: AnyArray
    shuffler: LabelShuffler
    groups: AnyArray | None
    n_permutations: int
    seed: int
    n_jobs: int | None
    after_searches: AfterSearches | None

    def largest(self, model: PatternModel, is_enough: Callable[[FloatArray], bool]) -> FloatArray:
        """Statistics of the clearest pattern for labels in other orders, until there are enough."""
        start_workers(self.n_jobs)
        repeat = Parallel(n_jobs=self.n_jobs, return_as="generator")
        # Not what reports progress, which other processes cannot have.
        data = share_data(model, self._replace(after_searches=None))
        found: list[float] = []
        length = FIRST_ROUND
        while len(found) < self.n_permutations and not is_enough(np.array(found)):
            numbers = range(len(found), min(len(found) + length, self.n_permutations))
            for statistic in repeat(delayed(_largest)(*data, number) for number in numbers):
                found.append(statistic)
                if self.after_searches is not None:
                    self.after_searches(len(found), self.n_permutations)
            length = min(2 * length, LONGEST_ROUND)
        return np.array(found)


def _largest(model: Any, null: Any, number: int) -> float:
    model, null = resolve_data(model, null)
    order = null.shuffler.draw(np.random.default_rng([null.seed, number]))
    return float(model.largest_statistic(null.X, null.classes[order], null.groups))


def choice_p_values(
    statistics: FloatArray, group_of: IndexArray, of_groups: FloatArray, null: FloatArray
) -> FloatArray:
    """P of each pattern, corrected for all; where there are groups, for both kinds of patterns.

    Parameters
    ----------
    statistics, group_of : arrays of shape (n_patterns,)
        As in `LabelTest`.
    of_groups : array of shape (n_groups,)
        Corrected p of the groups that were found without labels.
    null : array of shape (n_permutations,)
        Statistics of the clearest pattern for labels in other orders.
    """
    as_clear = (null >= statistics[:, None]).sum(axis=1)
    p = (1 + as_clear) / (1 + len(null))
    is_group = group_of >= 0
    p[is_group] = of_groups[group_of[is_group]]
    n_kinds = 2 if len(of_groups) else 1
    corrected: FloatArray = np.minimum(n_kinds * p, 1.0)
    return corrected
