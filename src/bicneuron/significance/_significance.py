"""Are patterns clearer than chance gives? Exact probabilities of carriers, orders of the labels.

Where a few columns differ between the classes, rows that are high in one of them and, by chance, in
others, are of one class too. Such a group adds nothing to the one that has the column already.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._checks import by_size
from bicneuron._shared._formats import COARSE, LEVEL, counted, format_carriers, round_p
from bicneuron._shared._html import fragment, sentences, table
from bicneuron.patterns import Pattern, carrier_counts, check_patterns, class_masks, is_other_side
from bicneuron.significance import _known
from bicneuron.significance._folds import LEAST_OVERLAP, fitted_quietly

# Labels that are counted at once, to save memory; the least probability that is told from 0.
MOST_CELLS, SMALLEST = 2**22, float(np.finfo(np.float64).tiny)
# Patterns that a notebook lists.
SHOWN_PATTERNS = 10
# What no pattern passed, and what some patterns passed.
NO_CLASS = "no pattern here belongs to a class more than chance would give"
SOME_CLASS = "patterns belong to a class more than chance would give,"


class Ties(NamedTuple):
    """P of each pattern, corrected p, and the statistics they come from."""

    p: FloatArray
    family: FloatArray
    statistic: FloatArray
    null_statistic: FloatArray


class LabelShuffler:
    """Orders of labels, each as likely as that of y if patterns do not depend on the class."""

    def __init__(self, y: IndexArray, strata: Any = None, groups: Any = None) -> None:
        n = len(y)
        self.y, self._groups = y, groups
        self.strata = _known.row_numbers(strata, n, "strata")
        own = _known.units_by_class(groups, y, n)
        units = np.arange(n) if own is None else own
        self.has_groups = bool(units.max() + 1 < n)
        labels = y[np.unique(units, return_index=True)[1]]
        of_strata = _known.strata_of_units(self.strata, units)
        order = np.argsort(of_strata, kind="stable")
        self._pools = np.split(labels[order], np.cumsum(np.bincount(of_strata))[:-1])
        self._places = np.argsort(order)[units]
        self.log_orders = float(sum(map(_log_orders, self._pools)))
        if self.log_orders == 0:
            raise ValueError(
                "strata leave no labels to exchange: there is one class in each of them, so "
                "nothing can be tested. Give others, or none."
            )

    def of(self, rows: IndexArray) -> "LabelShuffler":
        """Orders of the labels of some rows."""
        if len(rows) == len(self.y):
            return self
        groups = None if self._groups is None else np.asarray(self._groups)[rows]
        return LabelShuffler(self.y[rows], self.strata[rows], groups)

    def draw(self, rng: np.random.Generator) -> IndexArray:
        """Draw one order of the labels."""
        drawn: IndexArray = np.concatenate([rng.permutation(pool) for pool in self._pools])
        return drawn[self._places]


class Enrichment:
    """Exact probabilities of at least the observed carriers in a class, within strata."""

    def __init__(self, carriers: BoolArray, y: IndexArray, strata: IndexArray) -> None:
        self._carriers = carriers.astype(np.float32)  # counts below 2**24 are exact
        self._n_classes = int(y.max()) + 1
        n_counts = int(carriers.sum(axis=0).max()) + 1
        self._tables = np.ones((self._n_classes, carriers.shape[1], n_counts))
        for label, pattern in np.ndindex(self._tables.shape[:2]):
            tail = _upper_tail(carriers[:, pattern], y == label, strata)
            self._tables[label, pattern, : len(tail)] = tail

    def probabilities(self, orders: IndexArray) -> FloatArray:
        """Probability of each pattern's carriers in the class where they are too many.

        Of shape (n_orders, n_patterns), for orders of the labels in the rows. It is that of one
        class, not corrected for the number of classes.
        """
        patterns = np.arange(self._carriers.shape[1])
        least: FloatArray = np.ones((len(orders), len(patterns)))
        all_but_one = range(self._n_classes - 1)
        counts = [(orders == label).astype(np.float32) @ self._carriers for label in all_but_one]
        counts.append(self._carriers.sum(axis=0) - sum(counts))
        for tails, own in zip(self._tables, counts, strict=True):
            np.minimum(least, tails[patterns, own.astype(np.intp)], out=least)
        return least

    def p_values(self, y: IndexArray) -> FloatArray:
        """Exact p of each pattern, for any of the classes."""
        return np.asarray(np.minimum(self._n_classes * self.probabilities(y[None])[0], 1.0))


def ties_of_carriers(
    carriers: BoolArray, shuffler: LabelShuffler, n_permutations: int, seed: int
) -> Ties:
    """Exchange labels over given carriers."""
    if not carriers.shape[1]:
        return Ties(*(np.empty(0) for _ in range(4)))
    rng = np.random.default_rng(seed)
    enrichment = Enrichment(carriers, shuffler.y, shuffler.strata)
    observed = enrichment.probabilities(shuffler.y[None])[0]
    parts = np.array_split(range(n_permutations), 1 + n_permutations * len(carriers) // MOST_CELLS)
    permuted = np.concatenate(
        [enrichment.probabilities(np.array([shuffler.draw(rng) for _ in part])) for part in parts]
    )
    if shuffler.has_groups:
        # Exact probabilities are those of single rows.
        as_clear = (permuted <= observed * (1 + 1e-9)).sum(axis=0)
        # A sample of few orders may have one of them too seldom.
        p = np.maximum((1 + as_clear) / (1 + n_permutations), np.exp(-shuffler.log_orders))
    else:
        p = enrichment.p_values(shuffler.y)
    # A pattern alone is never less clear than among others.
    family = np.maximum(family_p_values(observed, permuted), p)
    return Ties(p, family, -np.log10(observed), -np.log10(permuted.min(axis=1)))


def family_p_values(observed: FloatArray, permuted: FloatArray) -> FloatArray:
    """P corrected for all patterns, step by step (Westfall and Young's step-down minP)."""
    order = np.argsort(observed, kind="stable")
    # The least probability among this pattern and those that are less clear.
    least = np.minimum.accumulate(permuted[:, order[::-1]], axis=1)[:, ::-1]
    tolerance = 1 + 1e-9  # equal counts give equal probabilities but for rounding
    as_clear = (least <= observed[order] * tolerance).sum(axis=0)
    corrected = np.maximum.accumulate((1 + as_clear) / (1 + len(permuted)))
    family = np.empty_like(corrected)
    family[order] = corrected
    return family


def beyond_clearer(
    patterns: Sequence[Pattern],
    carriers: BoolArray,
    ties: Ties,
    test: Callable[[BoolArray], Ties],
    values_without: Callable[[int, BoolArray], FloatArray],
) -> Ties:
    """Corrected p of groups, not below the p that they have without the columns of clearer ones.

    That p is corrected for the groups that seem to belong to a class (Bonferroni).
    """
    family, n_asked = ties.family.copy(), int(np.sum(ties.family <= LEVEL))
    clearer: list[Pattern] = []
    for k in np.argsort(-ties.statistic, kind="stable").tolist():
        if family[k] > LEVEL or any(is_other_side(patterns[k], other) for other in clearer):
            continue
        told = np.isin(patterns[k].columns, [column for one in clearer for column in one.columns])
        if told.all():
            family[k] = 1.0
        elif told.any():
            values, inside = values_without(k, told), carriers[:, k]
            cut = (values[inside].mean() + values[~inside].mean()) / 2
            p = test((values > cut)[:, None]).p[0]
            family[k] = max(family[k], min(n_asked * p, 1.0))
        if family[k] <= LEVEL:
            clearer.append(patterns[k])
    return ties._replace(family=family)


def _upper_tail(carriers: BoolArray, in_class: BoolArray, strata: IndexArray) -> FloatArray:
    """Probability of at least 0, 1, 2, ... carriers in the class, given those of each stratum."""
    density, fewest = np.ones(1), 0
    of_strata = [np.bincount(strata[rows]).tolist() for rows in (slice(None), in_class, carriers)]
    for stratum in zip_longest(*of_strata, fillvalue=0):
        own, least = _hypergeometric(*stratum)
        density, fewest = np.convolve(density, own), fewest + least
    tail = np.full(int(carriers.sum()) + 1, SMALLEST)
    tail[:fewest] = 1.0
    tail[fewest : fewest + len(density)] = np.cumsum(density[::-1])[::-1]
    # Of thousands of rows it may be too small for a float; it is never 0.
    return np.asarray(np.clip(tail, SMALLEST, 1.0))


def _hypergeometric(n_rows: int, n_class: int, n_carriers: int) -> tuple[FloatArray, int]:
    """Probabilities of numbers of carriers in the class that are not tiny, and the least number."""
    least = max(n_class + n_carriers - n_rows, 0)
    k = np.arange(least, min(n_class, n_carriers), dtype=np.float64)
    ratios = (n_class - k) * (n_carriers - k) / ((k + 1) * (n_rows - n_class - n_carriers + k + 1))
    likeliest = int(np.sum(ratios >= 1))
    below = np.cumprod(1 / ratios[:likeliest][::-1])[::-1]
    density = np.concatenate([below, np.ones(1), np.cumprod(ratios[likeliest:])])
    density /= density.sum()
    possible = np.flatnonzero(density >= SMALLEST)
    return density[possible[0] : possible[-1] + 1], least + int(possible[0])


def _log_orders(labels: AnyArray) -> float:
    """Logarithm of the number of different orders."""
    counts = np.unique(labels, return_counts=True)[1]
    return float(gammaln(len(labels) + 1) - gammaln(counts + 1).sum()) if len(counts) > 1 else 0.0


class Significance(NamedTuple):
    """Patterns with the probability that chance gives such a pattern.

    Parameters
    ----------
    patterns : list of Pattern
        The tested patterns, in the order of the model.
    carriers : list of dict
        For each pattern and class, how many of its rows carry it, and how many rows it has.
    p_values : array of shape (n_patterns,)
        Of each pattern alone. NaN for patterns of a `PatternClassifier` that are not groups found
        without labels.
    family_p_values : array of shape (n_patterns,)
        Corrected for all patterns: the probability that chance gives any as clear. A pattern of
        chance beside real ones has a small one as seldom.
    statistic : array of shape (n_patterns,)
        The negative decimal logarithm of the probability of the carriers.
    null_statistic : array of shape (n_permutations,)
        That of the clearest pattern by chance, in each repetition.
    n_permutations : int
        Orders of the labels.
    smallest_p : float
        No corrected p can be smaller with so many of them.
    """

    patterns: list[Any]
    carriers: list[Mapping[Any, tuple[int, int]]]
    p_values: FloatArray
    family_p_values: FloatArray
    statistic: FloatArray
    null_statistic: FloatArray
    n_permutations: int
    smallest_p: float

    def __repr__(self) -> str:
        return f"<Significance: {self.summary()}>"

    def significant(self, level: float = LEVEL) -> BoolArray:
        """True for patterns that pass the test, corrected for all of them."""
        return np.asarray(self.family_p_values <= level)

    def words(self, pattern: int) -> str:
        """Carriers and p of one pattern, as in "15 of 50 case, 0 of 50 control; p = 0.001"."""
        p = self.family_p_values[pattern]
        told = f"p = {round_p(p)} corrected for all patterns"
        told = "no group found without the classes, not tested" if np.isnan(p) else told
        return f"{self._carriers(pattern)}; {told}"

    def _carriers(self, k: int) -> str:
        return format_carriers([(label, *count) for label, count in self.carriers[k].items()])

    def summary(self, level: float = LEVEL) -> str:
        """One line for all patterns; whole classes, for want of a pattern, do not count."""
        tested = zip(self.patterns, self.family_p_values.tolist(), strict=True)
        p_values = [p for pattern, p in tested if pattern.kind != "class" and not np.isnan(p)]
        n_open = int(np.isnan(self.family_p_values).sum())
        if n_open == len(self.patterns) > 0:
            return "no pattern here is a group found without the classes: none is tested"
        text = _summary(p_values, self.smallest_p, level)
        more = f"; {n_open} more {'was' if n_open == 1 else 'were'} not tested"
        return f"{text}{more}" if n_open else text

    def _repr_html_(self) -> str:
        """What a notebook shows: the summary and p of the first patterns."""
        rows = []
        for k, p in enumerate(self.family_p_values[:SHOWN_PATTERNS].tolist()):
            told = (round_p(p), "yes" if p <= LEVEL else "no")
            told = ("not tested", "") if math.isnan(p) else told
            rows.append((f"{k + 1}", self._carriers(k), *told))
        parts = [sentences(f"{self.summary()}.")]
        if rows:
            parts.append(table(("pattern", "carried by", "p, corrected", f"p <= {LEVEL:g}"), rows))
        n_more = len(self.patterns) - len(rows)
        parts += [sentences(f"And {counted(n_more, 'more pattern')}.")] if n_more else []
        return fragment(*parts)


def significance_test(  # noqa: PLR0913  # what is set aside, and how it is tested
    model: Any,
    X: Any,
    y: Any,
    *,
    strata: Any = None,
    covariates: Any = None,
    groups: Any = None,
    n_permutations: int = 999,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Significance:
    """Test whether patterns belong to a class.

    The model searches without labels, and the carriers of what was found are tested by exchanging
    the labels. Since the search did not see them, the p-values are exact, on any table. They are
    corrected over the same patterns. The corrected p of a group is not below the p that it has
    without the columns of clearer groups: one that belongs to a class by a column of another adds
    nothing. A group that is only visible as a part of its class may be missed.

    Parameters
    ----------
    model : a miner that can search without labels, or a PatternClassifier
        A copy of it is fitted, unless it is fitted already: a miner without labels, a network to X
        and y. Of a `PatternClassifier` only the patterns that it found without labels are tested,
        corrected for all groups that it found, if their neurons give them about the rows of the
        group (a Jaccard index of at least 0.6).
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
        Classes.
    strata : array-like of shape (n_rows,) or (n_rows, n_strata), default=None
        Known structure, such as batches or centres: labels are exchanged within strata only, and a
        `SubgroupBiclustering` sets strata aside in its searches.
    covariates : array-like of shape (n_rows,) or (n_rows, n_covariates), default=None
        Known structure in numbers, such as the age, that a `SubgroupBiclustering` sets aside.
    groups : array-like of shape (n_rows,), default=None
        Rows that are exchanged together, such as several samples of a patient; one with rows of
        several classes counts once in each.
    n_permutations : int, default=999
        Orders of the labels.
    n_jobs : int, default=None
        Processes for the search. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders, and of a model that has none.

    Returns
    -------
    result : Significance

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import significance_test
    >>> table = make_subgroups("shift", shift=2.5, n_columns=100, random_state=0)
    >>> result = significance_test(SubgroupBiclustering(), table.X, table.y, random_state=0)
    >>> result.words(0)
    '15 of 50 case, 0 of 50 control; p = 0.001 corrected for all patterns'
    """
    check_patterns(model, "significance_test", fitted=False)
    if get_tags(model).target_tags.required and not model.finds_blind_groups:
        raise ValueError(
            f"a {type(model).__name__} finds its patterns with the classes, so that they cannot be "
            "tested; score it on rows left out (cross_validated_scores), or search groups without "
            "classes (SubgroupBiclustering)."
        )
    if n_permutations < 1:
        raise ValueError(f"n_permutations is {n_permutations}; it must be at least 1.")
    if y is None:
        raise ValueError("y is None, but carriers are compared with classes; give y.")
    labels = column_or_1d(y)
    check_classification_targets(labels)
    n_rows = len(labels)
    in_class = class_masks(labels, n_rows)
    seed = int(check_random_state(random_state).randint(2**31))
    known = _known.known_structure(model, strata, covariates, n_rows)
    _known.warn_of_dependence(X, groups)
    if len(in_class) < 2:
        raise ValueError(f"y has one class, {next(iter(in_class))!r}; two are needed.")
    numbered = by_size(np.asarray(labels))[1]  # names of classes have no part in the draws
    shuffler = LabelShuffler(numbered, strata, groups)
    smallest = max(1 / (1 + n_permutations), float(np.exp(-shuffler.log_orders)))
    settings = {**known._asdict(), "n_jobs": n_jobs}
    if model.finds_blind_groups:
        fitted = _fitted(model, X, labels, groups=groups, seed=seed, **settings)
        ties, carriers = _ties_of_blind_groups(fitted, X, shuffler, n_permutations, seed)
    else:
        fitted = _fitted(model, X, None, **settings)
        test = partial(
            ties_of_carriers, shuffler=shuffler, n_permutations=n_permutations, seed=seed
        )
        carriers = fitted.carriers(X)
        ties = test(carriers)
        aside = known.set_aside_by(fitted).for_fit(fitted)
        if all(one.axis is not None for one in fitted.patterns_):
            ties = beyond_clearer(
                fitted.patterns_,
                carriers,
                ties,
                test,
                lambda k, told: fitted.values_without(X, k, told[:, None], **aside)[:, 0],
            )
    counts: list[Mapping[Any, tuple[int, int]]]
    counts = [carrier_counts(own, in_class) for own in carriers.T]
    return Significance(list(fitted.patterns_), counts, *ties, n_permutations, smallest)


def _fitted(model: Any, X: Any, y: Any, **settings: Any) -> Any:
    """The model as it is, if it was fitted with labels or without as asked, or a fitted copy."""
    if hasattr(model, "patterns_") and (
        not getattr(model, "uses_labels", True)
        or (y is None) == (model._fingerprint.labels is None)  # classes_ may be of an earlier fit
    ):
        model.check_table(X, y)
        return model
    return fitted_quietly(model._unfitted(), X, y, **settings)


def _ties_of_blind_groups(
    fitted: Any, X: Any, shuffler: LabelShuffler, n_permutations: int, seed: int
) -> tuple[Ties, BoolArray]:
    """Test patterns that were found without labels, among all such groups; NaN for the others.

    A pattern is its group if its neuron gives it about the same rows. Also returns the carriers
    that were tested or, of other patterns, those of the neuron.
    """
    rows, groups, group_of = fitted.blind_groups()
    carriers = fitted.carriers(X)
    ties = ties_of_carriers(groups, shuffler.of(rows), n_permutations, seed)
    is_group = group_of >= 0
    for k in np.flatnonzero(is_group).tolist():
        own, group = carriers[rows, k], groups[:, group_of[k]]
        is_group[k] = np.sum(own & group) >= LEAST_OVERLAP * np.sum(own | group)
        if is_group[k]:
            carriers[rows, k] = group
    number = np.where(is_group, group_of, -1)
    p, family, statistic = (np.append(one, np.nan)[number] for one in ties[:3])
    return Ties(p, family, statistic, ties.null_statistic), carriers


def _summary(family_p_values: Sequence[float], smallest_p: float, level: float = LEVEL) -> str:
    """Result of a test for all patterns, in one line."""
    count = sum(p <= level for p in family_p_values)
    smallest = f"the smallest possible p is {round_p(smallest_p)}"
    if count:
        found = f"{count} of {len(family_p_values)} {SOME_CLASS} at p <= {level:g}"
        return f"{found}; {smallest}" if smallest_p > COARSE else found
    if smallest_p > level:
        return f"too few rows to tell: {smallest}"
    return NO_CLASS
