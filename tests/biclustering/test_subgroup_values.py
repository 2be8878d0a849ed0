"""Groups that start from rows with the same value in a column."""

import numpy as np
import pytest

from bicneuron import SubgroupBiclustering
from bicneuron.biclustering._subgroups._kinds import Shift, normal_scores
from bicneuron.biclustering._subgroups._starts import value_groups
from bicneuron.biclustering._subgroups._table import SearchTask

IN_CLASS = np.arange(80) < 40
MEMBERS = np.arange(80) < 12


def yes_and_no(rare=1.0, n_planted=10):
    """A third of the values is 1, in the group 95 %; or -1, if the rare value is this one."""
    rng = np.random.default_rng(1)
    X = (rng.random((80, 600)) < 0.35).astype(float)
    X[np.ix_(MEMBERS, np.arange(n_planted))] = rng.random((12, n_planted)) < 0.95
    return rare * X


def task_of(X, labelled=True):
    Z = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32)
    in_class = IN_CLASS if labelled else np.ones(80, dtype=bool)
    return SearchTask(Z, in_class, labelled, 3, 28), Shift(Z, normal_scores(Z))


@pytest.mark.parametrize("rare", [1.0, -1.0])
def test_rows_with_a_value_lead_to_the_group(rare):
    groups, evidence = value_groups(*task_of(yes_and_no(rare)))
    best = groups[np.argmax(evidence)]
    assert np.sum(best & MEMBERS) >= 0.7 * np.sum(best | MEMBERS)
    assert len(np.unique(groups, axis=0)) == len(groups)


def test_rows_with_the_common_value_are_a_start_too():
    members = np.arange(80) < 20
    X = (np.random.default_rng(2).random((80, 600)) < 0.4).astype(float)
    X[np.ix_(members, np.arange(16))] = 0
    groups, evidence = value_groups(*task_of(X))
    best = groups[np.argmax(evidence)]
    assert np.sum(best & members) >= 0.7 * np.sum(best | members)


@pytest.mark.parametrize(
    ("X", "labelled"),
    [(np.random.default_rng(0).normal(size=(80, 30)), True), (yes_and_no(), False)],
    ids=["no common value", "no labels"],
)
def test_no_start(X, labelled):
    groups, evidence = value_groups(*task_of(X, labelled))
    assert groups.shape == (0, 80)
    assert evidence.shape == (0,)


def test_few_columns():
    groups, _ = value_groups(*task_of(yes_and_no()[:, :3]))
    assert np.all(groups.sum(axis=1) >= 3)


def test_a_group_in_columns_of_yes_and_no_is_found():
    y = np.where(IN_CLASS, "case", "control")
    found = SubgroupBiclustering().fit(yes_and_no(), y).patterns_[0]
    rows = np.zeros(80, dtype=bool)
    rows[found.rows] = True
    assert np.sum(rows & MEMBERS) >= 0.8 * np.sum(rows | MEMBERS)
    assert found.strength > 10
