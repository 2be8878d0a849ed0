"""Tables with a group of both classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from studies.discovery.shares import make_shared_group


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
    others = np.setdiff1d(np.arange(100), group.rows)
    assert_allclose(X[others].mean(axis=0), 0, atol=0.6)


def test_the_seed_decides():
    one, same, other = (make_shared_group(15, 5, random_state=seed) for seed in (3, 3, 4))
    assert_array_equal(one.X, same.X)
    assert_array_equal(one.groups[0].rows, same.groups[0].rows)
    assert not np.array_equal(one.X, other.X)
