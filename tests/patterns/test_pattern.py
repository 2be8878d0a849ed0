"""The value of a pattern: frozen, compared by content, the same after a pickle."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bicneuron.neurons import OnlinePerceptron
from bicneuron.patterns import Axis, Evidence, Pattern, TrainedNeuron

BICLUSTER = Pattern(np.array([1, 4]), np.array([0, 2, 3]), 0.25)
PAIR = Pattern(
    np.array([1, 4]),
    np.array([0, 2]),
    contrast_rows=np.array([7, 5]),
    anchor_class="a",
    contrast_class="b",
    kind="pair",
    msr_ratio=0.5,
    criterion=-3.0,
    neuron=TrainedNeuron(OnlinePerceptron(), np.zeros((2, 2))),
)
GROUP = Pattern(
    np.array([1, 4]),
    np.array([0, 2]),
    0.25,
    anchor_class="a",
    kind="shift",
    strength=12.5,
    weights=np.array([0.5, -0.75]),
    differences=np.array([-20.0, 7.0]),
    effects=np.array([-0.6, 0.25]),
    parent=0,
    carrier_counts={"a": (2, 5), "b": (0, 4)},
    axis=Axis(np.array([1.0, -2.0]), np.zeros(2), np.zeros(2), np.empty(0), -math.inf, 0.5, 2.0),
    evidence=Evidence((("a", 2, 5),), 0.01, 0.02, 99),
)
# Another value of each field.
CHANGED = {
    "rows": np.array([1, 5]),
    "columns": np.array([1, 2]),
    "msr": 0.5,
    "contrast_rows": np.array([5, 7]),
    "anchor_class": "c",
    "contrast_class": "d",
    "kind": "tight",
    "msr_ratio": 0.75,
    "criterion": -4.0,
    "strength": 3.0,
    "weights": np.array([0.25, 0.5]),
    "differences": np.array([20.0, 7.0]),
    "effects": np.array([-0.6, 0.5]),
    "parent": 1,
    "carrier_counts": {"a": (1, 5), "b": (0, 4)},
    "axis": Axis(np.array([1.0, 2.0]), np.zeros(2), np.zeros(2), np.empty(0), -math.inf, 0.5, 2.0),
    "evidence": Evidence(p_value=0.5),
}
values = pytest.mark.parametrize("value", [BICLUSTER, PAIR, GROUP], ids=lambda value: value.kind)
copies = pytest.mark.parametrize(
    "through",
    [lambda v: pickle.loads(pickle.dumps(v)), copy.copy, copy.deepcopy],
    ids=["pickle", "copy", "deepcopy"],
)


def arrays_of(value):
    parts = [getattr(value, field.name) for field in fields(value)]
    parts.extend(value.axis or ())
    return [part for part in parts if isinstance(part, np.ndarray)]


@values
def test_equal_by_content(value):
    twin = replace(value)
    assert twin is not value
    assert twin == value
    assert hash(twin) == hash(value)
    assert len({twin, value}) == 1


@pytest.mark.parametrize("name", CHANGED)
@pytest.mark.parametrize("value", [PAIR, GROUP], ids=lambda value: value.kind)
def test_unequal_if_any_field_differs(value, name):
    other = replace(value, **{name: CHANGED[name]})
    assert other != value
    assert hash(other) != hash(value)


def test_every_field_is_compared_but_the_neuron():
    assert {field.name for field in fields(Pattern)} == {*CHANGED, "neuron"}
    other = replace(PAIR, neuron=None)
    assert other == PAIR
    assert hash(other) == hash(PAIR)


@pytest.mark.parametrize("name", ["cut", "scale", "floor", "squares", "common", "removed"])
def test_every_part_of_an_axis_is_compared(name):
    new = np.ones(2) if isinstance(getattr(GROUP.axis, name), np.ndarray) else 0.125
    assert replace(GROUP, axis=GROUP.axis._replace(**{name: new})) != GROUP


def test_unequal_to_other_things():
    assert BICLUSTER != PAIR
    assert BICLUSTER != "a"
    assert BICLUSTER.__eq__("a") is NotImplemented


def test_where_one_array_ends_and_the_next_begins_matters():
    one = Pattern(np.array([1, 2]), np.array([3]), 0.0)
    assert one != Pattern(np.array([1]), np.array([2, 3]), 0.0)
    assert one != Pattern(np.array([1]), np.array([3]), 0.0, contrast_rows=np.array([2]))


@copies
def test_numbers_that_are_not_known_are_equal(through):
    rows, columns = np.array([1, 4]), np.array([0])
    unknown = Pattern(rows, columns, math.nan)
    assert math.isnan(unknown.msr)
    assert unknown == Pattern(rows, columns, np.float64("nan")) == through(unknown)
    assert hash(unknown) == hash(Pattern(rows, columns, -math.nan)) == hash(through(unknown))
    assert unknown != Pattern(rows, columns, 0.0)


def test_the_order_of_classes_does_not_matter():
    other = replace(GROUP, carrier_counts={"b": (0, 4), "a": (2, 5)})
    assert other == GROUP
    assert hash(other) == hash(GROUP)


@values
def test_frozen(value):
    with pytest.raises(FrozenInstanceError):
        value.columns = np.array([0])
    for part in arrays_of(value):
        with pytest.raises(ValueError, match="read-only"):
            part[...] = 9
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            part.setflags(write=True)


def test_holds_copies_as_intp():
    rows, weights = np.array([1, 4], dtype=np.int16), np.array([2], dtype=np.float32)
    bicluster = Pattern(rows, np.array([0]), 0.0, weights=weights)
    rows[0] = weights[0] = 9
    assert_array_equal(bicluster.rows, [1, 4])
    assert bicluster.rows.dtype == np.intp
    assert_array_equal(bicluster.weights, [2.0])
    assert bicluster.weights.dtype == np.float64
    assert rows.flags.writeable
    assert bicluster == Pattern(np.array([1, 4]), np.array([0]), 0.0, weights=np.array([2.0]))


def test_holds_a_copy_of_the_counts():
    counts = {"a": (2, 5)}
    group = replace(GROUP, carrier_counts=counts)
    counts["a"] = (3, 5)
    assert group.carrier_counts == {"a": (2, 5)}
    assert replace(group, carrier_counts=(("a", (2, 5)),)) == group, "as pairs"


def test_a_read_only_array_that_can_be_made_writable_is_copied():
    rows = np.array([1, 4])
    rows.setflags(write=False)
    bicluster = Pattern(rows, np.array([0]), 0.0)
    rows.setflags(write=True)
    rows[0] = 9
    assert_array_equal(bicluster.rows, [1, 4])


def test_a_read_only_view_of_a_writable_array_is_copied():
    rows = np.array([1, 4])
    view = rows.view()
    view.setflags(write=False)
    bicluster = Pattern(view, np.array([0]), 0.0)
    rows[0] = 9
    assert_array_equal(bicluster.rows, [1, 4])


@values
def test_made_of_what_is_constant_already(value):
    twin = Pattern(**{field.name: getattr(value, field.name) for field in fields(value)})
    assert twin == value


def test_fields_that_are_not_given_have_their_defaults():
    assert len(BICLUSTER.contrast_rows) == len(BICLUSTER.weights) == len(BICLUSTER.directions) == 0
    assert math.isnan(BICLUSTER.msr_ratio)
    assert BICLUSTER.axis is BICLUSTER.neuron is BICLUSTER.evidence is None


@values
@copies
def test_copies_are_equal_and_read_only(value, through):
    twin = through(value)
    assert twin == value
    assert hash(twin) == hash(value)
    assert type(twin) is type(value)
    assert len(arrays_of(twin)) == len(arrays_of(value))
    assert not any(part.flags.writeable for part in arrays_of(twin))
    assert (twin.neuron is None) == (value.neuron is None)


def test_arrays_have_one_dimension():
    with pytest.raises(ValueError, match=r"array of shape \(1, 2\); it needs one dimension"):
        replace(GROUP, rows=np.array([[1, 4]]))


@pytest.mark.parametrize(
    "changes",
    [
        {"weights": np.ones(3)},
        {"differences": np.ones(3)},
        {"effects": np.ones(3)},
        {"axis": GROUP.axis._replace(linear=np.ones(3))},
    ],
    ids=str,
)
def test_what_does_not_fit_together_is_refused(changes):
    with pytest.raises(ValueError, match="a pattern of 2 columns does not fit 3 values"):
        replace(GROUP, **changes)


def test_bicluster_describes_itself():
    assert BICLUSTER.shape == (2, 3)
    assert repr(BICLUSTER) == "<Pattern: bicluster of 2 rows in 3 columns, msr 0.25>"
    assert repr(replace(BICLUSTER, msr=math.nan)) == "<Pattern: bicluster of 2 rows in 3 columns>"


def test_pair_describes_itself():
    assert_array_equal(PAIR.block[0], [1, 4, 7, 5])
    assert_array_equal(PAIR.block[1], [0, 2])
    assert repr(PAIR) == (
        "<Pattern: pair of 2 rows of class 'a' against 2 others in 2 columns, msr_ratio 0.5>"
    )


def test_group_describes_itself():
    assert repr(GROUP) == "<Pattern: shift of 2 rows of class 'a' in 2 columns, strength 12.5>"
    assert_array_equal(GROUP.directions, [-1, 1], "signs of differences, not of weights")
    assert_array_equal(GROUP.column_order, [1, 0])
    assert_array_equal(GROUP.ranked_columns, [2, 0])
    assert GROUP.direction_words == ["lower", "higher"]
    assert replace(GROUP, differences=np.array([np.nan, 0.0])).direction_words == ["equal"] * 2
    assert replace(GROUP, kind="coexpressed").direction_words == ["together", "opposite"]
    assert replace(GROUP, differences=np.empty(0)).direction_words == []
    assert_array_equal(replace(GROUP, evidence=None).named_columns, [0])


def test_columns_without_weights_stay_as_they_are():
    assert_array_equal(BICLUSTER.ranked_columns, [0, 2, 3])
    assert_array_equal(BICLUSTER.column_order, [0, 1, 2])
