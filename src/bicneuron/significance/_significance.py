"""Are patterns clearer than chance gives? They are tied to classes, numbers or survival.

Where a few columns differ between the classes, rows that are high in one of them and, by chance, in
others, are of one class too. Such a group adds nothing to the one that has the column already.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state, get_tags

from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron._shared._formats import COARSE, LEVEL, counted, format_carriers, round_p
from bicneuron._shared._html import fragment, sentences, table
from bicneuron.outcomes import Effect
from bicneuron.patterns import Pattern, carrier_counts, check_patterns, class_masks, is_other_side
from bicneuron.significance import _known
from bicneuron.significance._folds import LEAST_OVERLAP, fitted_quietly
from bicneuron.significance._questions import ClassQuestion, Ties, question_of

SHOWN_PATTERNS = 10  # that a notebook lists
# What no pattern passed, and what some patterns passed.
NONE_TIED = "no pattern here {are} more than chance would give"
SOME_TIED = "patterns {are} more than chance would give,"


def beyond_clearer(
    patterns: Sequence[Pattern],
    carriers: BoolArray,
    ties: Ties,
    test: Callable[[BoolArray], Ties],
    values_without: Callable[[int, BoolArray], FloatArray],
) -> Ties:
    """Corrected p of groups, not below the p that they have without the columns of clearer ones.

    That p is corrected for the groups that seem to be tied to the outcome (Bonferroni).
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


class Significance(NamedTuple):
    """Patterns with the probability that chance gives such a pattern.

    Parameters
    ----------
    patterns : list of Pattern
        The tested patterns, in the order of the model.
    carriers : list of dict
        For each pattern and class, how many of its rows carry it, and how many rows it has; of
        numbers and survival under None.
    p_values : array of shape (n_patterns,)
        Of each pattern alone; NaN for those of a `PatternClassifier` not found without labels.
    family_p_values : array of shape (n_patterns,)
        Corrected for all patterns: the probability that chance gives any as clear. A pattern of
        chance beside real ones has a small one as seldom.
    statistic : array of shape (n_patterns,)
        The negative decimal logarithm of the probability of the carriers or, of numbers and
        survival, of a standardised sum as large (normal distribution).
    null_statistic : array of shape (n_permutations,)
        That of the clearest pattern by chance, in each repetition.
    n_permutations : int
        Orders of the labels.
    smallest_p : float
        No corrected p can be smaller with so many of them.
    effects : list of Effect or None
        Of numbers and survival, how much carriers differ from other rows; None for classes.
    """

    patterns: list[Any]
    carriers: list[dict[Any, tuple[int, int]]]
    p_values: FloatArray
    family_p_values: FloatArray
    statistic: FloatArray
    null_statistic: FloatArray
    n_permutations: int
    smallest_p: float
    effects: list[Effect | None]

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
        counts = format_carriers([(label, *count) for label, count in self.carriers[k].items()])
        effect = self.effects[k]
        return counts if effect is None else f"{counts}; {effect.words}"

    def summary(self, level: float = LEVEL) -> str:
        """One line for all patterns; whole classes, for want of a pattern, do not count."""
        tested = zip(self.patterns, self.family_p_values.tolist(), strict=True)
        p_values = [p for pattern, p in tested if pattern.kind != "class" and not np.isnan(p)]
        n_open = int(np.isnan(self.family_p_values).sum())
        if n_open == len(self.patterns) > 0:
            return "no pattern here is a group found without the classes: none is tested"
        effect = next(iter(self.effects), None)
        named = "" if effect is None else f" tied to {effect.name}"
        count = sum(p <= level for p in p_values)
        smallest = f"the smallest possible p is {round_p(self.smallest_p)}"
        if count:
            some = SOME_TIED.format(are=f"are{named}" if named else "belong to a class")
            text = f"{count} of {len(p_values)} {some} at p <= {level:g}"
            text = f"{text}; {smallest}" if self.smallest_p > COARSE else text
        elif self.smallest_p > level:
            text = f"too few rows to tell: {smallest}"
        else:
            text = NONE_TIED.format(are=f"is{named}" if named else "belongs to a class")
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
    """Test whether patterns belong to a class, or differ in a number or in survival.

    The model searches without labels, and the carriers of what was found are tested by exchanging
    the labels. Since the search did not see them, the p-values are exact, on any table. They are
    corrected over the same patterns. The corrected p of a group is not below the p that it has
    without the columns of clearer groups: one that belongs to a class by a column of another adds
    nothing. A group that is only visible as a part of its class may be missed.

    Classes are compared by the exact probability of the carriers, numbers by the rank sum, and
    survival by the log-rank statistic.

    Parameters
    ----------
    model : a miner that can search without labels, or a PatternClassifier
        A copy of it is fitted, unless it is fitted already: a miner without labels, a network to X
        and y. Of a `PatternClassifier` only the patterns that it found without labels are tested,
        corrected for all groups that it found, if their neurons give them about the rows of the
        group (a Jaccard index of at least 0.6).
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,), structured array, or frame of a time and an event
        Classes, numbers or survival; or `Numbers` or `Survival` of `bicneuron.outcomes`.
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
    question = question_of(y, strata, groups)
    labels = np.asarray(y) if isinstance(question, ClassQuestion) else None
    n_rows = len(question)
    in_class = class_masks(labels, n_rows)
    seed = int(check_random_state(random_state).randint(2**31))
    known = _known.known_structure(model, strata, covariates, n_rows)
    _known.warn_of_dependence(X, groups)
    smallest = max(1 / (1 + n_permutations), float(np.exp(-question.log_orders)))
    settings = {**known._asdict(), "n_jobs": n_jobs}
    if model.finds_blind_groups:
        if not isinstance(question, ClassQuestion):
            raise ValueError(
                f"a {type(model).__name__} predicts classes, and y has none; search groups without "
                "classes (SubgroupBiclustering)."
            )
        fitted = _fitted(model, X, labels, groups=groups, seed=seed, **settings)
        ties, carriers = _ties_of_blind_groups(fitted, X, question, n_permutations, seed)
    else:
        fitted = _fitted(model, X, None, **settings)

        def test(carriers: BoolArray) -> Ties:
            return question.ties(carriers, n_permutations, seed)

        carriers = fitted.carriers(X)
        ties = test(carriers)
        aside = known.set_aside_by(fitted).for_fit(fitted)

        def values_without(k: int, told: BoolArray) -> FloatArray:
            return np.asarray(fitted.values_without(X, k, told[:, None], **aside)[:, 0])

        if all(one.axis is not None for one in fitted.patterns_):
            ties = beyond_clearer(fitted.patterns_, carriers, ties, test, values_without)
    counts = [carrier_counts(own, in_class) for own in carriers.T]
    effects = question.effects(carriers)
    return Significance([*fitted.patterns_], counts, *ties, n_permutations, smallest, effects)


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
    fitted: Any, X: Any, question: ClassQuestion, n_permutations: int, seed: int
) -> tuple[Ties, BoolArray]:
    """Test patterns that were found without labels, among all such groups; NaN for the others.

    A pattern is its group if its neuron gives it about the same rows. Also returns the carriers
    that were tested or, of other patterns, those of the neuron.
    """
    rows, groups, group_of = fitted.blind_groups()
    carriers = fitted.carriers(X)
    ties = question.of(rows).ties(groups, n_permutations, seed)
    is_group = group_of >= 0
    for k in np.flatnonzero(is_group).tolist():
        own, group = carriers[rows, k], groups[:, group_of[k]]
        is_group[k] = np.sum(own & group) >= LEAST_OVERLAP * np.sum(own | group)
        if is_group[k]:
            carriers[rows, k] = group
    number = np.where(is_group, group_of, -1)
    p, family, statistic = (np.append(one, np.nan)[number] for one in ties[:3])
    return Ties(p, family, statistic, ties.null_statistic), carriers
