"""Candidates for the patterns of a `PatternClassifier`: whole classes, groups and pairs."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import get_tags

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._estimators import seeded
from bicneuron.biclustering import ContrastBiclustering, SubgroupBiclustering
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.network._contrasts import LINE, Contrasts, fit_contrasts
from bicneuron.network._targets import Targets
from bicneuron.patterns._pattern import CLASS_WIDE

# Numbers of columns of a contrast of whole classes.
CLASS_COLUMNS = (1, 2, 3, 5, 8, 12, 20)
MAX_COLUMNS = 8
# Groups of less strength may be noise.
LEAST_STRENGTH = 10.0
# Clear columns, other than those it was grown on, that a pair needs: growth chose its own ones.
OTHER_COLUMNS = 3
# People, or other units of several rows, that carriers of a candidate belong to, at least.
FEWEST_PEOPLE = 5
# Patterns of a miner that are looked at, and rows that it searches.
MOST_GROUPS, MOST_PAIRS, MOST_ROWS = 20, 50, 1000
MINERS = (SubgroupBiclustering(kinds="shift"), ContrastBiclustering(max_seeds=100))


class Candidates(NamedTuple):
    """Sets of rows that may become patterns.

    ``sides`` has 1 for carriers, -1 for the rows that they are held against, 0 for neither, of
    shape (n_candidates, n_rows). A sign of -1 speaks against the target. ``groups`` are the numbers
    of groups that were found without labels, or -1; ``barred`` columns may not be used.
    """

    sides: AnyArray
    targets: IndexArray
    signs: FloatArray
    most_columns: IndexArray
    kinds: list[str]
    groups: IndexArray
    barred: list[IndexArray]
    is_whole: BoolArray

    def contrasts(self, Z: FloatArray, rows: BoolArray | slice) -> Contrasts:
        """Contrasts on some rows; columns that a candidate may not use have no evidence."""
        fitted = fit_contrasts(Z[rows], self.sides[:, rows])
        for k, columns in enumerate(self.barred):
            fitted.shift[k, columns] = fitted.spread[k, columns] = 0.0
        return fitted

    def take(self, kept: IndexArray) -> "Candidates":
        """Some of the candidates."""
        places = kept.tolist()
        return Candidates._make(
            [one[k] for k in places] if isinstance(one, list) else one[kept] for one in self
        )


class Search(NamedTuple):
    """Miners, and the rows that they search."""

    miners: Sequence[Any]
    rows: IndexArray
    seed: int
    n_jobs: int | None = None


def find_groups(X: Any, search: Search) -> BoolArray:
    """Carriers of groups that miners find without labels, of shape (n_groups, n_rows)."""
    found = [np.empty((0, X.shape[0]), dtype=bool)]
    for miner in search.miners:
        if needs_labels(miner):
            continue
        fitted = _fitted(miner, X, None, search)
        carriers = fitted.carriers(X).T
        for pattern, own in zip(fitted.patterns_[:MOST_GROUPS], carriers, strict=False):
            # Patterns of other miners have no strength.
            if not pattern.strength < LEAST_STRENGTH:
                own[search.rows[pattern.rows]] = True
                found.append(own[None])
    return np.concatenate(found)


def needs_labels(miner: Any) -> bool:
    """True for miners that search with labels."""
    return bool(get_tags(miner).target_tags.required)


def find_candidates(
    X: Any,
    Z: FloatArray,
    targets: Targets,
    groups: BoolArray,
    search: Search,
    max_columns: int | None,
    people: AnyArray | None = None,
) -> Candidates:
    """Whole classes, groups found without labels, and pairs that miners find with them."""
    is_true = targets.signs > 0
    made: list[tuple[Any, ...]] = []
    most = MAX_COLUMNS if max_columns is None else max_columns
    sizes = [size for size in CLASS_COLUMNS if max_columns is None or size < max_columns]
    sizes += [] if max_columns is None else [max_columns]
    for target, own in enumerate(is_true.T):
        side = np.where(own, 1, -1)
        made += [(side, target, 1.0, size, "pair", -1, [], True) for size in sizes]
    rates = is_true.mean(axis=0)
    spread = np.sqrt(np.maximum(rates * (1 - rates), 1e-12))
    for number, carriers in enumerate(groups):
        # The target that carriers differ in most from all rows, and in which direction. Of several
        # classes, a group speaks for the one that is more common in it.
        excess = is_true[carriers].mean(axis=0) - rates if carriers.any() else 0.0 * rates
        target = int(np.argmax(excess / spread))
        sign = 1.0 if excess[target] >= 0 else -1.0
        # A group that is its class, up to a few rows, may have as many columns as the class.
        own = is_true[:, target] == (sign > 0)
        is_wide = np.sum(own & carriers) > CLASS_WIDE * np.sum(own | carriers)
        size = sizes[-1] if is_wide and max_columns is None else most
        made.append((np.where(carriers, 1, -1), target, sign, size, "shift", number, [], False))
    for miner in search.miners:
        if needs_labels(miner):
            for own_rows, columns, target, sign in _pairs(miner, X, targets, search):
                side = np.where(is_true[:, target] == (sign > 0), 0, -1)
                side[own_rows] = 1
                made.append((side, target, sign, most, "pair", -1, columns, False))
    sides, of_target, signs, columns_each, kinds, numbers, barred, whole = zip(*made, strict=True)
    every = Candidates(
        np.array(sides, np.int8),
        np.array(of_target, np.intp),
        np.array(signs),
        np.array(columns_each, np.intp),
        list(kinds),
        np.array(numbers, np.intp),
        [np.array(columns, np.intp) for columns in barred],
        np.array(whole),
    )
    if people is not None:
        n_people = [len(np.unique(people[side > 0])) for side in every.sides]
        is_kept = every.is_whole | (np.array(n_people) >= FEWEST_PEOPLE)
        every = every.take(np.flatnonzero(is_kept))
    # All but pairs that other columns than their own do not support, or too many of them.
    is_pair = np.array([len(own) > 0 for own in every.barred])
    pairs = np.flatnonzero(is_pair)
    if not len(pairs):
        return every
    fitted = every.take(pairs).contrasts(Z, slice(None))
    excess = fitted.shift - fitted.least(LINE)[0]
    n_clear, support = (excess > 0).sum(axis=1), np.maximum(excess, 0.0).sum(axis=1)
    order = np.argsort(-support, kind="stable")
    best = pairs[order[n_clear[order] >= OTHER_COLUMNS][:MOST_PAIRS]]
    return every.take(np.sort(np.concatenate([np.flatnonzero(~is_pair), best])))


def _pairs(
    miner: Any, X: Any, targets: Targets, search: Search
) -> list[tuple[IndexArray, IndexArray, int, float]]:
    """Rows, columns, target and sign of each pattern that a miner finds with labels."""
    found = []
    is_true = targets.signs > 0
    problems = range(is_true.shape[1]) if targets.multilabel else (None,)
    for problem in problems:
        labels = targets.strata if problem is None else is_true[:, problem].astype(np.intp)
        if len(np.unique(labels[search.rows])) < 2:
            continue
        for pattern in _fitted(miner, X, labels, search).patterns_:
            own = search.rows[pattern.rows]
            label = labels[own[0]]
            own = own[labels[own] == label]
            if problem is not None or is_true.shape[1] == 1:
                found.append((own, pattern.columns, problem or 0, 1.0 if label == 1 else -1.0))
            else:
                found.append((own, pattern.columns, int(label), 1.0))
    return found


def _fitted(miner: Any, X: Any, y: Any, search: Search) -> Any:
    """A fitted copy; that it finds nothing is a result."""
    copy = seeded(miner, search.seed)
    if "n_jobs" in copy.get_params(deep=False):
        copy.set_params(n_jobs=search.n_jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBiclusterWarning)
        return copy.fit(X[search.rows], None if y is None else y[search.rows])
