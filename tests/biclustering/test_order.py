"""Searches that draw nothing at random find the same biclusters whatever the order of the table."""

import numpy as np
import pytest

from bicneuron import CoherentBiclustering, SubgroupBiclustering
from bicneuron.biclustering import (
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    SDCBiclustering,
)

MINERS = [
    CoherentBiclustering(cut_distance=0.5, max_residue=0.05),
    ContrastBiclustering(max_seeds=None),
    DifferenceBiclustering(standardize=False, max_seeds=10**6),
    DiRAPOCCBiclustering(min_columns=2),
    SDCBiclustering(min_difference=0.3),
    SubgroupBiclustering(n_patterns=2),
]


@pytest.fixture(scope="module")
def table():
    """Values without ties: shifted rows in one class, columns that go together in the other."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 9)), np.repeat([0, 1], 50)
    X[:20, :4] += 3.0
    X[50:, 4:8] = rng.normal(size=(50, 1)) + 0.2 * rng.normal(size=(50, 4))
    return X, y


def contents(miner, X, y, rows, columns):
    found = miner.fit(np.ascontiguousarray(X[np.ix_(rows, columns)]), y[rows]).patterns_
    return {
        (frozenset(rows[f.rows].tolist()), frozenset(columns[f.columns].tolist())) for f in found
    }


# Of equally full windows of differences the lowest is grown, and the sign of a difference depends
# on which column is first.
CASES = [
    pytest.param(miner, axis, id=f"{type(miner).__name__}-{axis}")
    for miner in MINERS
    for axis in ("rows", "columns")
    if axis == "rows" or not isinstance(miner, DifferenceBiclustering)
]


@pytest.mark.parametrize(("miner", "axis"), CASES)
def test_the_order_does_not_matter(table, miner, axis):
    X, y = table
    rows, columns = map(np.arange, X.shape)
    expected = contents(miner, X, y, rows, columns)
    assert expected
    shuffled = np.random.default_rng(1).permutation(len(rows if axis == "rows" else columns))
    others = (shuffled, columns) if axis == "rows" else (rows, shuffled)
    assert contents(miner, X, y, *others) == expected
