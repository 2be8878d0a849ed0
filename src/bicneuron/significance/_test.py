"""Tests of patterns against labels in another order."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import false_discovery_control
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._workers import start_workers
from bicneuron.biclustering import Subgroup, SubgroupBiclustering
from bicneuron.significance._enrichment import Enrichment, family_p_values
from bicneuron.significance._labels import LabelShuffler
from bicneuron.significance._searches import check_miner, fitted_quietly

METHODS = ("blind", "aware")
# Searches at once: independent of n_jobs.
SEARCHES_PER_ROUND = 16
# Searches that find as strong a pattern, after which more would not change the answer.
ENOUGH = 10
NOTHING = "no pattern here is better than what shuffled labels give"


class Significance(NamedTuple):
    """Patterns with the probability of such a pattern if the class does not matter.

    Parameters
    ----------
    patterns : list of Subgroup
        What was tested, strongest first.
    method : {"blind", "aware"}
    carriers : list of dict
        For each pattern and class, how many of its rows are members, and how many rows it has.
    p_values : array of shape (n_patterns,)
        Of each pattern alone.
    family_p_values : array of shape (n_patterns,)
        Corrected for all patterns: the probability that any of them would be as clear.
    q_values : array of shape (n_patterns,)
        Share of false discoveries among patterns that are at least as clear (Benjamini and
        Hochberg).
    n_permutations : int
        Orders of the labels that were tried.
    smallest_p : float
        No corrected p can be smaller with so many orders.
    """

    patterns: list[Subgroup]
    method: str
    carriers: list[dict[Any, tuple[int, int]]]
    p_values: FloatArray
    family_p_values: FloatArray
    q_values: FloatArray
    n_permutations: int
    smallest_p: float

    def significant(self, level: float = 0.05) -> BoolArray:
        """Which patterns are better than chance, corrected for all of them."""
        return np.asarray(self.family_p_values <= level)

    def words(self, pattern: int) -> str:
        """Carriers and p of one pattern, as in "15 of 50 case, 0 of 50 control; p = 0.001"."""
        counts = ", ".join(
            f"{count} of {total} {label}"
            for label, (count, total) in self.carriers[pattern].items()
        )
        return f"{counts}; p = {_rounded(self.family_p_values[pattern])} corrected for all patterns"

    def summary(self, level: float = 0.05) -> str:
        """One line for all patterns."""
        count = int(self.significant(level).sum())
        if count:
            return f"{count} of {len(self.patterns)} patterns better than chance at p <= {level:g}"
        if self.smallest_p > level:
            return f"too few rows to tell: the smallest possible p is {_rounded(self.smallest_p)}"
        return NOTHING


def significance_test(
    model: SubgroupBiclustering,
    X: Any,
    y: Any,
    *,
    method: str = "blind",
    strata: Any = None,
    groups: Any = None,
    n_permutations: int = 999,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Significance:
    """Test whether patterns belong to a class.

    Parameters
    ----------
    model : SubgroupBiclustering
        A copy of it is fitted; but one that was fitted without labels is taken as it is by "blind".
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
    method : {"blind", "aware"}, default="blind"
        "blind" searches without labels and tests the members of what was found. The p-values are
        exact, and corrected by exchanging labels over the same patterns. It keeps its level on any
        table. A group that is only visible as a part of its class may be missed.

        "aware" searches with labels, and again with labels in another order; a pattern counts if
        it is stronger than the strongest of most of these searches. On tables with correlated
        columns it has little power: real groups fall into one class by chance.
    strata : array-like of shape (n_rows,), default=None
        Labels are exchanged within strata only, such as batches, sexes or centres: a pattern that
        follows the stratum and not the class is not significant.
    groups : array-like of shape (n_rows,), default=None
        Rows that are exchanged together, such as several samples of a patient.
    n_permutations : int, default=999
        Orders of the labels. "aware" stops early if the answer is clear.
    n_jobs : int, default=None
        Processes for the searches of "aware". The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders.

    Returns
    -------
    result : Significance

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import significance_test
    >>> table = make_subgroups("shift", shift=2.5, n_columns=300, random_state=0)
    >>> result = significance_test(SubgroupBiclustering(), table.X, table.y, random_state=0)
    >>> result.words(0)
    '15 of 50 case, 0 of 50 control; p = 0.001 corrected for all patterns'
    """
    check_miner(model, "significance_test")
    if method not in METHODS:
        raise ValueError(f"method is {method!r}; choose from {', '.join(METHODS)}.")
    if n_permutations < 1:
        raise ValueError(f"n_permutations is {n_permutations}; it must be at least 1.")
    labels = column_or_1d(y)
    check_classification_targets(labels)
    classes, numbered = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y has one class, {classes[0]!r}; two are needed.")
    shuffler = LabelShuffler(numbered.astype(np.intp), strata, groups)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    smallest = max(1 / (1 + n_permutations), float(np.exp(-shuffler.log_orders)))
    if method == "blind":
        searched = model
        if not hasattr(model, "found_") or hasattr(model, "classes_"):
            searched = fitted_quietly(clone(model).set_params(anchor=None), X, None, n_jobs)
        members = searched.membership(X)[1]
        p, family, made = _test_members(members, numbered, shuffler, n_permutations, rng)
    else:
        searched = fitted_quietly(model, X, labels, n_jobs)
        members = searched.membership(X)[1]
        strengths = np.array([pattern.strength for pattern in searched.found_])
        rounds = _permuted_strengths(model, X, classes, shuffler, n_permutations, n_jobs, rng)
        p, family, made = _test_strengths(strengths, rounds)
    return Significance(
        list(searched.found_),
        method,
        _carriers(members, classes, numbered),
        p,
        family,
        false_discovery_control(p) if len(p) else p,
        made,
        smallest,
    )


def _test_members(
    members: BoolArray,
    y: IndexArray,
    shuffler: LabelShuffler,
    n_permutations: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray, int]:
    """P of each pattern, p corrected for all, and the number of orders, for given members."""
    if not members.shape[1]:
        return np.empty(0), np.empty(0), 0
    enrichment = Enrichment(members, y, shuffler.strata)
    observed = enrichment.probabilities(y)
    permuted = np.array(
        [enrichment.probabilities(shuffler.draw(rng)) for _ in range(n_permutations)]
    )
    if shuffler.has_groups:
        # Exact probabilities are those of single rows.
        as_clear = (permuted <= observed * (1 + 1e-9)).sum(axis=0)
        p = (1 + as_clear) / (1 + n_permutations)
    else:
        p = enrichment.p_values(y)
    # A pattern alone is never less clear than among others.
    family = np.maximum(family_p_values(observed, permuted), p)
    return p, family, n_permutations


def _test_strengths(
    observed: FloatArray, rounds: Iterator[list[FloatArray]]
) -> tuple[FloatArray, FloatArray, int]:
    """P of each pattern by the strength of its rank, and by the strongest of all."""
    alone, all_of_them, made = np.zeros(len(observed)), np.zeros(len(observed)), 0
    for strengths in rounds:
        for other in strengths:
            ranked = np.full(len(observed), -np.inf)
            count = min(len(other), len(observed))
            ranked[:count] = other[:count]
            alone += ranked >= observed
            all_of_them += ranked[:1].max(initial=-np.inf) >= observed
            made += 1
        if not len(observed) or all_of_them[0] >= ENOUGH:
            break
    p = (1 + alone) / (1 + made)
    family = np.maximum((1 + all_of_them) / (1 + made), p)
    return p, family, made


def _permuted_strengths(
    model: SubgroupBiclustering,
    X: Any,
    classes: AnyArray,
    shuffler: LabelShuffler,
    n_permutations: int,
    n_jobs: int | None,
    rng: np.random.Generator,
) -> Iterator[list[FloatArray]]:
    """Strengths of what searches with labels in another order find, some searches at a time."""
    start_workers(n_jobs)
    tasks = Parallel(n_jobs=n_jobs)
    for first in range(0, n_permutations, SEARCHES_PER_ROUND):
        count = min(SEARCHES_PER_ROUND, n_permutations - first)
        orders = [classes[shuffler.draw(rng)] for _ in range(count)]
        yield cast(
            "list[FloatArray]",
            tasks(delayed(_strengths)(model, X, order) for order in orders),
        )


def _strengths(model: SubgroupBiclustering, X: Any, y: AnyArray) -> FloatArray:
    return np.array([pattern.strength for pattern in fitted_quietly(model, X, y, 1).found_])


def _carriers(
    members: BoolArray, classes: AnyArray, y: IndexArray
) -> list[dict[Any, tuple[int, int]]]:
    labels: Sequence[Any] = classes.tolist()
    return [
        {
            label: (int(np.sum(column & (y == k))), int(np.sum(y == k)))
            for k, label in enumerate(labels)
        }
        for column in members.T
    ]


def _rounded(p: float) -> str:
    return f"{p:.2g}" if p >= 0.001 else f"{p:.1g}"
