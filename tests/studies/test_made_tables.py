"""The simulated tables of the study of hidden groups, from their descriptions."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from studies.discovery.block_tables import BLOCK_KINDS, make_block_table
from studies.discovery.distributions import make_distribution
from studies.discovery.fabia import make_fabia_blocks
from studies.discovery.known_structure import make_batch, make_sexes, strata_of
from studies.discovery.shares import make_shared_group
from studies.discovery.unpast_scenarios import make_unpast_scenario

SMALL = {"n_signature": 5, "n_rows": 200, "n_columns": 400}
NOISE = {"group_rows": 0, "group_columns": 0}
GROUP = {"group_rows": 15, "group_columns": 10}
MAKERS = {
    "shares": partial(make_shared_group, 15, 5),
    "FABIA": make_fabia_blocks,
    "batch": make_batch,
    "sexes": make_sexes,
    "UnPaSt": partial(make_unpast_scenario, "C", **SMALL),
    **{
        kind: partial(make_distribution, kind, **GROUP, n_columns=30)
        for kind in ("normal", "counts", "mixed", "genotypes")
    },
    **{f"block, {kind}": partial(make_block_table, kind) for kind in BLOCK_KINDS},
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_seed_decides(name):
    one, same, other = (MAKERS[name](random_state=seed) for seed in (3, 3, 4))
    assert_array_equal(one.X, same.X)
    assert_array_equal(one.y, same.y)
    for group, again in zip(one.groups, same.groups, strict=True):
        assert_array_equal(group.rows, again.rows)
    assert not np.array_equal(one.X, other.X)


# --- a group of both classes, and known structure


@pytest.mark.parametrize("carriers", [(15, 0), (25, 9)])
def test_the_group_has_rows_of_both_classes_and_a_sign_per_column(carriers):
    X, y, (group,) = make_shared_group(*carriers, n_columns=400, random_state=1)
    assert X.shape == (100, 400)
    assert [np.sum(y == label) for label in ("case", "control")] == [50, 50]
    assert tuple(np.sum(y[group.rows] == label) for label in ("case", "control")) == carriers
    assert len(group.columns) == 12
    means = X[np.ix_(group.rows, group.columns)].mean(axis=0)
    assert_allclose(abs(means), 2, atol=1)
    assert {*np.sign(means)} == {-1, 1}
    assert_allclose(np.delete(X, group.rows, axis=0).mean(axis=0), 0, atol=0.6)


def test_a_batch_has_most_cases_and_few_controls():
    X, y, (group, batch) = make_batch(random_state=0)
    strata = strata_of(batch, len(X))
    assert strata.sum() == 50
    assert (np.mean(strata[y == "case"]), np.mean(strata[y == "control"])) == (0.8, 0.2)
    assert len(batch.columns) == 200
    assert {*y[group.rows]} == {"case"}
    assert 0 < strata[group.rows].sum() < 15, "in both batches"


@pytest.mark.parametrize(("make", "shift"), [(make_batch, 2), (make_sexes, 4)])
def test_structure_and_group_shift_columns_of_their_own(make, shift):
    X, _, (group, structure) = make(random_state=2)
    assert (len(group.rows), len(group.columns)) == (15, 10)
    assert not set(group.columns) & set(structure.columns)
    for planted, size in ((group, 2), (structure, shift)):
        inside = strata_of(planted, len(X))
        differences = X[inside].mean(axis=0) - X[~inside].mean(axis=0)
        assert_allclose(abs(differences[planted.columns]).mean(), size, atol=0.3)
        assert {*np.sign(differences[planted.columns])} == {-1, 1}
    unchanged = np.delete(X, np.union1d(group.columns, structure.columns), axis=1)
    assert_allclose(unchanged.std(axis=0).mean(), 1, atol=0.01)
