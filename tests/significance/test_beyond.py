"""A group that belongs to a class by the columns of a clearer group is no finding of its own."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from bicneuron import SubgroupBiclustering
from bicneuron.patterns import proven_patterns
from bicneuron.significance import significance_test
from bicneuron.significance._find_groups import judged_groups


def findings(X, y, **options):
    miner = SubgroupBiclustering().fit(X)
    tested = significance_test(miner, X, y, random_state=0, **options)
    found = judged_groups(miner, X, y, random_state=0)
    return proven_patterns(found.miner.patterns_), tested


def test_columns_of_a_whole_class_make_one_finding():
    X = np.random.default_rng(3).normal(size=(200, 60))
    X[:100, :8] += 1.5
    (found,), tested = findings(X, np.repeat(["case", "control"], 100))
    assert set(found.columns.tolist()) == set(range(8))
    # Alone, groups of one such column and noise are of one class, too.
    assert np.sum(tested.p_values < 0.001) > 3


@pytest.mark.parametrize("n_shared", [0, 4])
def test_two_groups_with_columns_in_common_are_two_findings(n_shared):
    X = np.random.default_rng(1).normal(size=(100, 150))
    first, second = np.arange(12), np.arange(12 - n_shared, 24 - n_shared)
    X[np.ix_(range(15), first)] += 2.5
    X[np.ix_(range(20, 34), second)] += 2.5 * np.array([1, -1] * 6)
    found, _ = findings(X, np.repeat(["case", "control"], 50))
    for planted in (first, second):
        assert max(len(np.intersect1d(one.columns, planted)) for one in found) >= 10


def test_a_hidden_group_beside_columns_of_the_whole_class_is_a_finding():
    X = np.random.default_rng(5).normal(size=(100, 150))
    X[:50, :8] += 1.5
    X[np.ix_(range(15), range(20, 32))] += 2.5
    found, _ = findings(X, np.repeat(["case", "control"], 50))
    assert any(set(range(20, 32)) <= set(one.columns.tolist()) for one in found)


def test_the_corrected_p_is_that_of_the_other_columns():
    X = np.random.default_rng(3).normal(size=(200, 60))
    X[:100, :8] += 1.5
    y = np.repeat([1, 0], 100)
    miner = SubgroupBiclustering().fit(X)
    tested = significance_test(miner, X, y, random_state=0)
    carriers, order = miner.carriers(X), np.argsort(-tested.statistic, kind="stable")
    first = miner.patterns_[order[0]]
    # Those that are not the opposite of the whole class: the first is the only finding before them.
    others = [k for k in order[1:] if y[carriers[:, k]].mean() > 0.5][:3]
    for k in others:
        told = np.isin(miner.patterns_[k].columns, first.columns)
        values = miner.values_without(X, k, told[:, None])[:, 0]
        inside = carriers[:, k]
        carry = values > (values[inside].mean() + values[~inside].mean()) / 2
        n_ones, n_zeros = (int(np.sum(carry & (y == label))) for label in (1, 0))
        alone = 2 * hypergeom(200, 100, n_ones + n_zeros).sf(max(n_ones, n_zeros) - 1)
        ratio = tested.family_p_values[k] / min(alone, 1.0)
        assert ratio == pytest.approx(round(ratio)) or tested.family_p_values[k] == 1.0
        assert round(ratio) >= 1
