"""Tables with a batch or two sexes beside a hidden group."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from studies.discovery.known_structure import make_batch, make_sexes, strata_of


def test_a_batch_has_most_cases_and_few_controls():
    X, y, (group, batch) = make_batch(random_state=0)
    strata = strata_of(batch, len(X))
    assert strata.sum() == 50
    assert (np.mean(strata[y == "case"]), np.mean(strata[y == "control"])) == (0.8, 0.2)
    assert len(batch.columns) == 200
    assert {*y[group.rows]} == {"case"}
    assert 0 < strata[group.rows].sum() < 15, "in both batches"


def test_sexes_are_halves_without_regard_to_the_class():
    shares = []
    for seed in range(200):
        X, y, (_, sex) = make_sexes(n_columns=20, random_state=seed)
        strata = strata_of(sex, len(X))
        assert strata.sum() == 50
        shares.append(np.mean(strata[y == "case"]))
    assert len(sex.columns) == 6
    assert_allclose(np.mean(shares), 0.5, atol=0.02)


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
    changed = np.union1d(group.columns, structure.columns)
    unchanged = np.delete(X, changed, axis=1)
    assert_allclose(unchanged.std(axis=0).mean(), 1, atol=0.01)


@pytest.mark.parametrize("make", [make_batch, make_sexes])
def test_the_seed_decides(make):
    one, same, other = (make(random_state=seed) for seed in (3, 3, 4))
    assert_array_equal(one.X, same.X)
    assert_array_equal(one.groups[1].rows, same.groups[1].rows)
    assert not np.array_equal(one.X, other.X)
