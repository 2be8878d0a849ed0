import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bicneuron.biclustering import Bicluster, Evidence
from bicneuron.contrast import ContrastivePair

BICLUSTER = Bicluster(np.array([1, 4]), np.array([0, 2, 3]), 0.25)
PAIR = ContrastivePair("a", np.array([1, 4]), np.array([7, 5]), np.array([0, 2]), 0.5, -3.0)
CHANGED = {"a": "b", None: Evidence(method="blind")}
values = pytest.mark.parametrize("value", [BICLUSTER, PAIR])


def arrays_of(value):
    return [
        part
        for part in (getattr(value, field.name) for field in fields(value))
        if isinstance(part, np.ndarray)
    ]


def changes(value):
    """The value with each field changed in turn."""
    for field in fields(value):
        old = getattr(value, field.name)
        if isinstance(old, np.ndarray):
            new = old[::-1]
        else:
            new = CHANGED[old] if old in CHANGED else old + 1
        yield replace(value, **{field.name: new})


@values
def test_equal_by_content(value):
    twin = replace(value)
    assert twin is not value
    assert twin == value
    assert hash(twin) == hash(value)
    assert len({twin, value}) == 1


@values
def test_unequal_if_any_field_differs(value):
    for other in changes(value):
        assert other != value
        assert hash(other) != hash(value)


def test_unequal_to_other_things():
    assert BICLUSTER != PAIR
    assert BICLUSTER != "a"
    assert BICLUSTER.__eq__("a") is NotImplemented


def test_where_one_array_ends_and_the_next_begins_matters():
    one = Bicluster(np.array([1, 2]), np.array([3]), 0.0)
    assert one != Bicluster(np.array([1]), np.array([2, 3]), 0.0)


@values
def test_frozen(value):
    with pytest.raises(FrozenInstanceError):
        value.columns = np.array([0])
    for part in arrays_of(value):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 9


def test_holds_copies_as_intp():
    rows = np.array([1, 4], dtype=np.int16)
    bicluster = Bicluster(rows, np.array([0]), 0.0)
    rows[0] = 9
    assert_array_equal(bicluster.rows, [1, 4])
    assert bicluster.rows.dtype == np.intp
    assert rows.flags.writeable
    assert bicluster == Bicluster(np.array([1, 4]), np.array([0]), 0.0)


def test_shares_arrays_that_nobody_can_write_to():
    """A value made of parts of another one costs no copies."""
    twin = replace(BICLUSTER)
    assert twin.rows is BICLUSTER.rows
    tail = Bicluster(BICLUSTER.columns[1:], BICLUSTER.rows, 0.0).rows
    assert np.shares_memory(tail, BICLUSTER.columns)


def test_a_read_only_array_that_can_be_made_writable_is_copied():
    rows = np.array([1, 4])
    rows.setflags(write=False)
    bicluster = Bicluster(rows, np.array([0]), 0.0)
    rows.setflags(write=True)
    rows[0] = 9
    assert_array_equal(bicluster.rows, [1, 4])


def test_a_read_only_view_of_a_writable_array_is_copied():
    rows = np.array([1, 4])
    view = rows.view()
    view.setflags(write=False)
    bicluster = Bicluster(view, np.array([0]), 0.0)
    rows[0] = 9
    assert_array_equal(bicluster.rows, [1, 4])


@values
def test_made_of_what_is_constant_already(value):
    parts = [getattr(value, field.name) for field in fields(value)]
    twin = type(value).of_constants(*parts)
    assert twin == value
    assert hash(twin) == hash(value)
    assert all(getattr(twin, f.name) is part for f, part in zip(fields(twin), parts, strict=True))
    with pytest.raises(ValueError, match="shorter"):
        type(value).of_constants(*parts[:-1])


@values
@pytest.mark.parametrize(
    "through", [lambda v: pickle.loads(pickle.dumps(v)), copy.copy, copy.deepcopy]
)
def test_copies_are_equal_and_read_only(value, through):
    twin = through(value)
    assert twin == value
    assert type(twin) is type(value)
    assert len(arrays_of(twin)) == len(arrays_of(value))
    assert not any(part.flags.writeable for part in arrays_of(twin))


def test_bicluster_describes_itself():
    assert BICLUSTER.shape == (2, 3)
    assert repr(BICLUSTER) == "<Bicluster of 2 rows x 3 columns, msr 0.25>"


def test_pair_describes_itself():
    assert_array_equal(PAIR.rows, [1, 4, 7, 5])
    assert repr(PAIR) == (
        "<ContrastivePair: 2 rows of class 'a' against 2 others in 2 columns, msr_ratio 0.5>"
    )
