"""What is tested of the groups of a table, recomputed from the table and the definitions."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.groups import (
    NaiveGroup,
    NaiveScaling,
    naive_class_p,
    naive_column_tests,
    naive_corrected,
    naive_folds,
    naive_in_order,
    naive_match,
    naive_rank_p,
)
from sklearn.base import clone

from bicneuron import SubgroupBiclustering
from bicneuron.patterns import is_other_side
from bicneuron.significance import separate_test
from bicneuron.significance._find_groups import judged_groups

N_FOLDS = 5
MINER = SubgroupBiclustering(kinds="shift", n_patterns=4, n_jobs=1)
ONE = [(range(12), range(6), 4.0)]
CLASSES = np.repeat(["case", "control"], 30)


class Table(NamedTuple):
    """Rows with their classes and strata, if there are any."""

    X: np.ndarray
    y: np.ndarray | None
    strata: np.ndarray | None = None


def table_of(groups, missing=0.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 24))
    for rows, columns, shift in groups:
        X[np.ix_([*rows], [*columns])] += shift
    X[rng.random(X.shape) < missing] = np.nan
    return X


TABLES = {
    "weak columns and missing cells": Table(
        table_of([(range(14), range(4), 3.0), (range(14), range(4, 9), 1.0)], missing=0.05), CLASSES
    ),
    "several and strata": Table(
        table_of([*ONE, (range(30, 44), range(8, 15), -4.0)]), CLASSES, np.tile(["x", "y"], 30)
    ),
    "no classes": Table(table_of(ONE), None),
    "three classes": Table(table_of(ONE), np.repeat(["a", "b", "c"], 20)),
}


@pytest.fixture(scope="module", params=TABLES)
def given(request):
    """A table, the groups of a search, and what was found of them."""
    table = TABLES[request.param]
    known = {} if table.strata is None else {"strata": table.strata}
    miner = clone(MINER).fit(table.X, **known)
    return table, miner, judged_groups(miner, table.X, table.y, random_state=0, **known)


def naive_groups(miner, X, strata):
    Z = NaiveScaling(X, strata).apply(X, strata)
    return [NaiveGroup(Z, one.rows, one.columns, len(one.axis.removed)) for one in miner.patterns_]


def kinds_of(table):
    """Class and stratum of rows as one number, the last kind first, as parts are drawn."""
    names, strata = (np.zeros(60) if one is None else one for one in (table.y, table.strata))
    both = [*zip(names.tolist(), strata.tolist(), strict=True)]
    return [-sorted(set(both)).index(one) for one in both]


class Judged(NamedTuple):
    """Who is inside by searches of other rows, for each column without it; and scores of rows."""

    inside: np.ndarray
    scores: np.ndarray
    n_found: int


def judged_rows(table, wanted):
    folds, X = naive_folds(kinds_of(table), N_FOLDS, 0), table.X
    inside, scores, n_found = np.full(X.shape, -1), np.full(len(X), np.nan), 0
    for fold in range(N_FOLDS):
        part, others = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        of_part, of_others = (
            None if table.strata is None else table.strata[rows] for rows in (part, others)
        )
        known = {} if table.strata is None else {"strata": of_part}
        fitted = clone(MINER).fit(X[part], **known)
        strengths = [one.strength for one in fitted.patterns_]
        groups = naive_groups(fitted, X[part], of_part)
        groups = [one for one, strength in zip(groups, strengths, strict=True) if strength > 0]
        rows = [part[group.carriers] for group in groups]
        best = naive_match(np.flatnonzero(wanted.carriers), part, rows)
        if best is None:
            continue
        n_found += 1
        group, scaling = groups[best], NaiveScaling(X[part], of_part)
        there, here = scaling.apply(X[part], of_part), scaling.apply(X[others], of_others)
        for column in range(X.shape[1]):
            values = group.values(there, without=column)
            cut = (values[group.carriers].mean() + values[~group.carriers].mean()) / 2
            inside[others, column] = group.values(here, without=column) > cut
        far_there, far_here = (
            group.values(scaling.apply(X[own], of_own, clip=np.inf))
            for own, of_own in ((part, of_part), (others, of_others))
        )
        low, high = np.median(far_there[~group.carriers]), far_there[group.carriers].mean()
        scores[others] = (far_here - low) / (high - low)
    return Judged(inside, scores, n_found)


def other_sides(groups):
    """Those that are the other side of one before: other rows, opposite in most columns."""
    found = set()
    for place, own in enumerate(groups):
        for one in groups[:place]:
            of = dict(zip(one.columns.tolist(), one.weights, strict=True))
            weights = dict(zip(own.columns.tolist(), own.weights, strict=True))
            shared = [weights[column] * of[column] for column in weights if column in of]
            n_rows = np.sum(own.members & one.members)
            if (
                n_rows <= 0.1 * min(own.members.sum(), one.members.sum())
                and 2 * len(shared) >= min(len(weights), len(of))
                and sum(product < 0 for product in shared) >= 0.9 * len(shared)
            ):
                found.add(place)
    return found


def test_groups_and_other_sides(given):
    table, miner, _ = given
    known = {} if table.strata is None else {"strata": table.strata}
    groups = naive_groups(miner, table.X, table.strata)
    scores = miner.pattern_scores(table.X, **known)
    for pattern, group, own in zip(miner.patterns_, groups, scores.T, strict=True):
        assert_allclose(pattern.weights, group.weights, atol=1e-5)
        assert_allclose(own, group.scores, atol=1e-4)
    patterns = miner.patterns_
    assert other_sides(groups) == {
        k for k, one in enumerate(patterns) if any(is_other_side(one, of) for of in patterns[:k])
    }


def test_evidence_of_groups_and_columns(given):
    table, miner, found = given
    groups = naive_groups(miner, table.X, table.strata)
    strata = np.zeros(60) if table.strata is None else table.strata
    kinds, asked = np.array(kinds_of(table)), [*range(len(groups))]
    p_class = [None] * len(groups)
    if table.y is not None:
        p_class = naive_class_p([group.carriers for group in groups], table.y, strata, 0)
        tied = [k for k in asked if p_class[k] <= 0.05]
        sides = other_sides([groups[k] for k in tied])
        asked = [k for place, k in enumerate(tied) if place not in sides]
    judged = {k: judged_rows(table, groups[k]) for k in asked}
    known = {k: one.scores for k, one in judged.items() if np.isfinite(one.scores).sum() >= 45}
    p = [separate_test(one, strata=kinds, random_state=0).p_value for one in known.values()]
    separate = dict(zip(known, naive_in_order(p), strict=True))
    evidence = {one.rows.tobytes() + one.columns.tobytes(): one.evidence for one in found.patterns}
    for k, pattern in enumerate(miner.patterns_):
        own = evidence[pattern.rows.tobytes() + pattern.columns.tobytes()]
        assert own.family_p_value == (None if p_class[k] is None else pytest.approx(p_class[k]))
        assert own.separate_p == (pytest.approx(separate[k]) if k in separate else None)
        assert bool(own.separate_reason) == (k in judged and k not in separate)
        assert own.n_found == (judged[k].n_found if k in judged else None)
    assert found.columns
    for tested in found.columns:
        k = next(
            k
            for k, one in enumerate(miner.patterns_)
            if np.array_equal(one.rows, tested.pattern.rows)
            and np.array_equal(one.columns, tested.pattern.columns)
        )
        rows = np.flatnonzero(judged[k].inside[:, 0] >= 0)
        naive = naive_column_tests(
            table.X[rows],
            lambda column, rows=rows, k=k: judged[k].inside[rows, column] == 1,
            strata[rows].tolist(),
        )
        difference, effect, low, high, p = naive.T
        for name, expected in (
            ("difference", difference), ("effect", effect), ("low", low), ("high", high),
        ):  # fmt: skip
            assert_allclose(getattr(tested, name), expected, rtol=1e-6, atol=1e-9)
        # Tails are off by a few percent.
        assert_allclose(np.log(tested.p_values), np.log(p), atol=0.5)
        assert_array_equal(tested.p_corrected <= 0.05, naive_corrected(p) <= 0.05)
        assert_allclose(np.isnan(tested.scores), np.isnan(judged[k].scores))


def test_columns_in_which_classes_differ(given):
    table, _, found = given
    if table.y is None:
        assert found.miner.class_columns_ is None
        return
    labels = sorted(set(table.y))
    compared = labels[:1] if len(labels) == 2 else labels
    strata = [""] * 60 if table.strata is None else table.strata.tolist()
    p = [
        min(1.0, len(compared) * min(naive_rank_p(x, table.y == one, strata) for one in compared))
        for x in table.X.T
    ]
    assert found.miner.class_columns_ == np.sum(naive_corrected(p) <= 0.05)
