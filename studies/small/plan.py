"""Which folds are run."""

from collections.abc import Sequence
from pathlib import Path

from bicneuron.reproduction._choices import choose_problems
from bicneuron.reproduction._problems import TABLE_SETS, load_problem
from bicneuron.reproduction._protocols import PATTERNS
from studies.small.models import N_NEURONS
from studies.small.runs import SizeFold


def plan_small(
    names: Sequence[str], seed: int, data_home: Path | None, repeats: int | None
) -> list[SizeFold]:
    """All folds of the study, or some.

    Parameters
    ----------
    names : sequence of str
        Data sets; all if it is empty.
    seed : int
    data_home : Path or None
    repeats : int or None
        At most this many folds of each data set, the first ones.

    Returns
    -------
    list of SizeFold
    """
    folds = []
    for name in choose_problems(TABLE_SETS, names):
        problem = PATTERNS.prepare(load_problem(name, PATTERNS.variant, data_home), seed)
        n_folds = len(PATTERNS.split(problem, seed))
        folds += [
            SizeFold(PATTERNS, problem, n_neurons, index, seed)
            for index in range(min(n_folds, repeats or n_folds))
            for n_neurons in N_NEURONS
        ]
    return folds
