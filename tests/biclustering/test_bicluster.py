import pickle

import numpy as np
import pytest

from bicneuron.patterns import Pattern


def bicluster(rows=(0, 2), columns=(1, 3, 4), msr=0.5):
    return Pattern(np.array(rows), np.array(columns), msr)


def test_equal_by_content():
    assert bicluster() == bicluster()
    assert hash(bicluster()) == hash(bicluster())
    assert bicluster() != bicluster(rows=(0, 3))
    assert bicluster() != bicluster(columns=(1, 3))
    assert bicluster() != bicluster(msr=0.25)
    assert bicluster() != "a bicluster"


def test_cells_and_not_only_indices_are_compared():
    assert bicluster((0, 1), (2,)) != bicluster((0,), (1, 2))


def test_shape_and_repr():
    assert bicluster().shape == (2, 3)
    assert repr(bicluster()) == "<Pattern: bicluster of 2 rows in 3 columns, msr 0.5>"


def test_frozen_and_apart_from_its_input():
    rows = np.array([0, 2])
    found = Pattern(rows, np.array([1, 3]), 0.5)
    rows[0] = 1
    assert found.rows.tolist() == [0, 2]
    with pytest.raises(ValueError, match="read-only"):
        found.rows[0] = 1
    with pytest.raises(AttributeError):
        found.msr = 0.0


def test_pickle():
    again = pickle.loads(pickle.dumps(bicluster()))
    assert again == bicluster()
    assert not again.rows.flags.writeable
