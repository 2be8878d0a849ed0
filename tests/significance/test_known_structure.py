"""Known structure, such as batches, in tests and subsamples."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from bicneuron import SubgroupBiclustering
from bicneuron.significance import column_evidence, significance_test
from bicneuron.significance._find_groups import judged_groups
from bicneuron.significance._known import Known

MINER = SubgroupBiclustering(kinds="shift", n_patterns=4)
Y = np.repeat(["case", "control"], 24)
BATCH = np.tile(["a", "a", "b"], 16)
AGE = np.random.default_rng(1).uniform(20, 80, size=48)


def table():
    """Ten cases are shifted in six columns; ten others follow the batch, and six the age."""
    X = np.random.default_rng(0).normal(size=(48, 40))
    X[:10, :6] += 3
    X[BATCH == "b", 10:20] += 4
    X[:, 30:36] += 0.15 * (AGE - 50)[:, None]
    return X


def columns_of(patterns):
    return [{*pattern.columns.tolist()} for pattern in patterns]


def test_known_structure_is_set_aside_in_the_search():
    X = table()
    known = {"strata": BATCH, "covariates": AGE}
    tested = significance_test(MINER, X, Y, **known, n_permutations=19, random_state=0)
    first, *others = columns_of(tested.patterns)
    assert set(range(6)) <= first
    assert tested.family_p_values[0] <= 0.05
    for columns in others:
        assert len(columns & {*range(10, 20)}) < 5
        assert len(columns & {*range(30, 36)}) < 3
    plain = clone(MINER).fit(X)
    assert any({*range(10, 20)} <= columns for columns in columns_of(plain.patterns_))


def test_known_structure_is_set_aside_before_groups_are_called_separate():
    # Within batches there is nothing: two batches alone make no group.
    X = np.random.default_rng(0).normal(size=(48, 20))
    X[BATCH == "b", :14] += 4
    fitted = clone(MINER).set_params(n_patterns=1).fit(X)
    assert set(fitted.patterns_[0].rows.tolist()) == {*np.flatnonzero(BATCH == "b").tolist()}
    (alone,) = judged_groups(fitted, X, random_state=0).miner.patterns_
    assert alone.evidence.is_separate
    within = clone(fitted).fit(X, strata=BATCH)
    tested = judged_groups(within, X, strata=BATCH, random_state=0).miner
    assert not any(one.evidence.is_significant for one in tested.patterns_)


def test_of_the_rows_of_a_block_what_does_not_vary_explains_nothing():
    known = Known(np.column_stack([BATCH, np.arange(48) // 24]), AGE)
    part = known.of(np.arange(24))
    assert_array_equal(part.strata, BATCH[:24, None])
    assert_array_equal(part.covariates, AGE[:24, None])
    assert known.of(np.flatnonzero(BATCH == "a")[:4]).strata is None


def test_structure_that_a_fitted_miner_set_aside_is_asked_for():
    X = table()
    fitted = SubgroupBiclustering(kinds="shift").fit(X, strata=BATCH)
    for test in (significance_test, column_evidence):
        with pytest.raises(ValueError, match="was fitted with strata or covariates; give the same"):
            test(fitted, X, Y)


def test_a_miner_that_set_nothing_aside_is_fitted_again_unless_its_carriers_are_tested():
    X = table()
    fitted = SubgroupBiclustering(kinds="shift", n_patterns=4).fit(X)
    blind = significance_test(fitted, X, Y, strata=BATCH, random_state=0)
    assert blind.patterns == fitted.patterns_
