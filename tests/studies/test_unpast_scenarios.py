"""The simulated tables of UnPaSt, from their description."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from studies.discovery.unpast_scenarios import make_unpast_scenario

SMALL = {"n_signature": 5, "n_rows": 200, "n_columns": 400}


@pytest.mark.parametrize("scenario", "ABC")
def test_four_groups_are_shifted_in_columns_of_their_own(scenario):
    X, y, groups = make_unpast_scenario(scenario, **SMALL, random_state=1)
    assert X.shape == (200, 400)
    assert y is None
    assert [len(group.rows) for group in groups] == [10, 20, 50, 100]
    for one, other in combinations(groups, 2):
        assert not set(one.columns) & set(other.columns)
    for group in groups:
        inside = np.isin(np.arange(200), group.rows)
        cells = X[:, group.columns]
        assert_allclose(cells[~inside].mean(axis=0), 0, atol=0.5)
        assert_allclose(cells[inside].mean(), 4, atol=5 * np.sqrt(2 / cells[inside].size))
        assert_allclose(cells[~inside].std(), 1, atol=0.1)
        assert_allclose(cells[inside].std(), np.sqrt(2), atol=0.4)
        others = np.delete(X, np.concatenate([g.columns for g in groups]), axis=1)
        assert np.abs(others[inside].mean(axis=0)).mean() < 4 / np.sqrt(len(group.rows))


def test_rows_are_disjoint_in_a_only():
    def overlap(scenario):
        groups = make_unpast_scenario(scenario, **SMALL, random_state=0).groups
        return sum(len(set(a.rows) & set(b.rows)) for a, b in combinations(groups, 2))

    assert overlap("A") == 0
    assert overlap("B") > 0
    assert overlap("C") > 0


def test_c_has_four_modules_of_correlated_columns():
    table = make_unpast_scenario("C", n_signature=5, n_rows=2000, n_columns=400, random_state=0)
    signature = np.concatenate([group.columns for group in table.groups])
    others = np.setdiff1d(np.arange(400), signature)
    related = np.abs(np.corrcoef(table.X[:, others].T)) > 0.3
    sizes = related.sum(axis=1)
    assert sorted(sizes) == [1] * (400 - 20 - 80) + [20] * 80
    correlations = np.corrcoef(table.X[:, others].T)[related]
    assert_allclose(correlations[correlations < 0.99], 0.5, atol=0.1)


def test_the_seed_decides():
    one, same, other = (make_unpast_scenario("C", **SMALL, random_state=s) for s in (3, 3, 4))
    assert_array_equal(one.X, same.X)
    assert not np.array_equal(one.X, other.X)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scenario": "D"}, "scenario must be A, B or C, got 'D'"),
        ({"n_signature": 0}, "n_signature == 0, must be >= 1"),
        ({"n_rows": 19}, "n_rows == 19, must be >= 20"),
        ({"n_columns": 199}, "needs 200 columns in scenario A, got n_columns=199"),
        ({"scenario": "C", "n_columns": 200}, "needs 240 columns in scenario C"),
    ],
)
def test_absurd_values(given, message):
    with pytest.raises(ValueError, match=message):
        make_unpast_scenario(**given)
