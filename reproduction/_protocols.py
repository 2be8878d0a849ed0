"""Protocols: how a data set is split, scaled and passed to a model, and what leaks."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.preprocessing import minmax_scale

from bicneuron._core._arrays import IndexArray
from reproduction._problems import Problem, Variant, is_eeg

Split = tuple[IndexArray, IndexArray]


def contiguous_folds(problem: Problem, n_folds: int, seed: int) -> list[Split]:
    """Folds of scikit-learn 0.14 to 0.21, unshuffled; ``seed`` is not used.

    The rows of each class, in file order, are split into contiguous blocks, the first
    (n mod ``n_folds``) of them one row longer. Fold f tests block f of each class.
    """
    tested = np.empty(len(problem.y), dtype=np.intp)
    for sign in (-1, 1):
        for fold, block in enumerate(np.array_split(np.flatnonzero(problem.y == sign), n_folds)):
            tested[block] = fold
    return [(np.flatnonzero(tested != f), np.flatnonzero(tested == f)) for f in range(n_folds)]


def shuffled_folds(problem: Problem, n_folds: int, seed: int) -> list[Split]:
    """Stratified folds in random order."""
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return list(folds.split(problem.X, problem.y))


def grouped_folds(problem: Problem, n_folds: int, seed: int) -> list[Split]:
    """Stratified folds that keep the rows of a person together, where persons are known.

    There are at most as many folds as the class with fewer persons has, so that each fold can
    test both classes.
    """
    if problem.groups is None:
        return shuffled_folds(problem, n_folds, seed)
    persons = [len(np.unique(problem.groups[problem.y == sign])) for sign in (-1, 1)]
    n_folds = min(n_folds, *persons)
    folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    return list(folds.split(problem.X, problem.y, problem.groups))


@dataclass(frozen=True)
class FoldProtocol:
    """Everything that differs between two ways of running the same experiment."""

    name: str
    variant: Variant
    folds: Callable[[Problem, int, int], list[Split]]
    whole_scaling: bool
    shuffle: bool
    minority_first: tuple[str, ...] = ()
    n_folds: int = 10

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that results depend on and that may be chosen, for the record."""
        return {"folds": self.n_folds}

    def prepare(self, problem: Problem, seed: int) -> Problem:
        """Change the data before the split into folds; ``seed`` is for protocols that sample."""
        return replace(problem, X=minmax_scale(problem.X)) if self.whole_scaling else problem

    def split(self, problem: Problem, seed: int) -> list[Split]:
        """Training and test rows of each fold, in file order: the same for all models."""
        return self.folds(problem, self.n_folds, seed)

    def labels(self, problem: Problem, fold: int, seed: int) -> IndexArray:
        """Return the training labels of a fold, the same for all models."""
        return problem.y

    def order(self, model: str, problem: Problem, train: IndexArray) -> IndexArray:
        """Training rows in the order in which ``model`` is given them."""
        if model in self.minority_first:
            return train[np.argsort(problem.y[train], kind="stable")]
        return train


PAPER = FoldProtocol(
    name="paper",
    variant="paper",
    folds=contiguous_folds,
    whole_scaling=True,
    shuffle=False,
    minority_first=("KP_L", "KP_RBF"),
)
CLEAN = FoldProtocol(
    name="clean", variant="clean", folds=shuffled_folds, whole_scaling=False, shuffle=True
)
GROUPED = replace(CLEAN, name="grouped", folds=grouped_folds)
# A separate protocol: results of three folds must not appear under "clean".
QUICK = replace(CLEAN, name="quick", n_folds=3)


_OF_PROTOCOL = {
    "paper": (
        "scaled over the whole set, test rows included",
        "training rows in a fixed order, never shuffled",
    )
}
_OF_DATASET = {
    ("paper", "sonar"): ("the row index is a feature, in a file sorted by class",),
    ("paper", "wdbc"): ("the patient id is a feature",),
}
_PERSONS = ("recordings of one person on both sides of a fold",)


def leaks_of_protocol(protocol: str) -> tuple[str, ...]:
    """Leaks on every data set under this protocol (an order that hurts counts as one)."""
    return _OF_PROTOCOL.get(protocol, ())


def leaks_of_dataset(protocol: str, dataset: str) -> tuple[str, ...]:
    """Leaks on this data set beyond those of the whole protocol.

    Examples
    --------
    >>> from reproduction._protocols import leaks_of_dataset
    >>> leaks_of_dataset("paper", "wdbc"), leaks_of_dataset("clean", "wdbc")
    (('the patient id is a feature',), ())
    """
    # The persons of the EEG signals are not published, so no protocol can keep them together.
    is_shared = is_eeg(dataset) or (dataset in ("lsvt", "parkinsons") and protocol != "grouped")
    return _OF_DATASET.get((protocol, dataset), ()) + (_PERSONS if is_shared else ())
