"""Known structure, such as batches, in tests and subsamples."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from bicneuron import SubgroupBiclustering
from bicneuron.significance import significance_test, stability, with_evidence
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


def test_subsamples_have_their_own_strata_and_covariates():
    X = table()
    known = {"strata": BATCH, "covariates": AGE}
    fitted = SubgroupBiclustering(kinds="shift", n_patterns=4).fit(X, Y, **known)
    again = stability(fitted, X, Y, n_subsamples=6, random_state=0, **known)
    assert again.patterns == tuple(fitted.patterns_)
    assert again.found[0] == 1
    assert (again.column_frequency[0, :6] > 0.8).all()
    assert again.selection_frequency[10:20].mean() < 0.1
    assert with_evidence(fitted, stability=again).patterns_[0].evidence.found == 6


def test_a_subsample_may_lack_a_stratum():
    X, strata = table(), np.column_stack([BATCH, np.arange(48) == 47])
    again = stability(MINER, X, Y, strata=strata, n_subsamples=8, random_state=0)
    assert again.found[0] > 0.5


def test_of_the_rows_of_a_block_what_does_not_vary_explains_nothing():
    known = Known(np.column_stack([BATCH, np.arange(48) // 24]), AGE)
    part = known.of(np.arange(24))
    assert_array_equal(part.strata, BATCH[:24, None])
    assert_array_equal(part.covariates, AGE[:24, None])
    assert known.of(np.flatnonzero(BATCH == "a")[:4]).strata is None


def test_structure_that_a_fitted_miner_set_aside_is_asked_for():
    X = table()
    fitted = SubgroupBiclustering(kinds="shift").fit(X, strata=BATCH)
    for test in (significance_test, stability):
        with pytest.raises(ValueError, match="was fitted with strata or covariates; give the same"):
            test(fitted, X, Y)


def test_a_miner_that_set_nothing_aside_is_fitted_again_unless_its_carriers_are_tested():
    X = table()
    fitted = SubgroupBiclustering(kinds="shift", n_patterns=4).fit(X)
    blind = significance_test(fitted, X, Y, strata=BATCH, random_state=0)
    assert blind.patterns == fitted.patterns_
    again = stability(fitted, X, strata=BATCH, n_subsamples=1, random_state=0)
    assert set(range(6)) <= columns_of(again.patterns)[0]
