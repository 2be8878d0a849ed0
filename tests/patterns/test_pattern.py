"""The value of a pattern: frozen, compared by content, the same after a pickle."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from data import classifier, make_one_factor
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.exceptions import NoPatternWarning
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import Axis, Evidence, Pattern, TrainedNeuron, column_importance

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
    "name": "cluster 7",
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
    assert len({twin, value}) == 1


@pytest.mark.parametrize("name", CHANGED)
@pytest.mark.parametrize("value", [PAIR, GROUP], ids=lambda value: value.kind)
def test_unequal_if_any_field_differs(value, name):
    other = replace(value, **{name: CHANGED[name]})
    assert other != value


def test_every_field_is_compared_but_the_neuron():
    assert {field.name for field in fields(Pattern)} == {*CHANGED, "neuron"}
    other = replace(PAIR, neuron=None)
    assert other == PAIR
    assert hash(other) == hash(PAIR)


@pytest.mark.parametrize("name", ["cut", "scale", "floor", "squares", "common", "removed"])
def test_every_part_of_an_axis_is_compared(name):
    new = np.ones(2) if isinstance(getattr(GROUP.axis, name), np.ndarray) else 0.125
    assert replace(GROUP, axis=GROUP.axis._replace(**{name: new})) != GROUP


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
    counts = {"b": (0, 4), "a": (2, 5)}
    bicluster = Pattern(rows, np.array([0]), 0.0, weights=weights, carrier_counts=counts)
    twin = Pattern(np.array([1, 4]), np.array([0]), 0.0, weights=np.array([2.0]))
    rows[0] = weights[0] = 9
    counts["a"] = (3, 5)
    assert (bicluster.rows.dtype, bicluster.weights.dtype) == (np.intp, np.float64)
    assert bicluster == replace(twin, carrier_counts={"a": (2, 5), "b": (0, 4)}), "in any order"
    assert bicluster == replace(twin, carrier_counts=(("a", (2, 5)), ("b", (0, 4)))), "as pairs"
    assert rows.flags.writeable


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


# --- Shares of columns in a decision, against loops, and as scikit-learn uses them


def by_hand(model, shares):
    """Each pattern's share, divided by distances of centroids.

    In a classifier these are multiplied by the weights of a linear neuron.
    """
    importance = [0.0] * model.n_features_in_
    for pattern, share in zip(model.patterns_, shares, strict=True):
        neuron, coef = pattern.neuron, None
        if not isinstance(model, BicNeuronNetwork | PatternClassifier):
            coef = getattr(neuron.estimator, "coef_", None)
        sizes = []
        for k in range(len(pattern.columns)):
            size = abs(neuron.centroids[0][k] - neuron.centroids[1][k])
            sizes.append(size if coef is None else size * abs(np.ravel(coef)[k]))
        for column, size in zip(pattern.columns.tolist(), sizes, strict=True):
            importance[column] += share * size / sum(sizes)
    return importance


def planted():
    """Two classes that differ in the columns 3, 8 and 11 of thirty."""
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = random.normal(size=(120, 30))
    X[y == 1, 3] += 2.5
    X[y == 1, 8] -= 2.5
    X[y == 1, 11] += 2.5
    return X, y


@pytest.mark.parametrize("neuron", [None, KernelPerceptron()])
def test_two_classes(neuron):
    X, y = make_one_factor()
    model = classifier(neuron=neuron)
    with pytest.raises(NotFittedError):
        _ = BicNeuronNetwork().feature_importances_
    assert not hasattr(model, "feature_importances_")
    model.fit(X, y)
    assert_allclose(model.feature_importances_, by_hand(model, [1.0]), rtol=1e-12)
    assert model.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("model", [BicNeuronNetwork(n_neurons=40), PatternClassifier()])
def test_patterns_of_a_network_have_their_shares_of_the_scores(model):
    X, y = planted()
    model = clone(model).set_params(random_state=0).fit(X, y)
    shares = [pattern.strength for pattern in model.patterns_]
    assert_allclose(model.feature_importances_, by_hand(model, shares), rtol=1e-9, atol=1e-15)
    assert model.feature_importances_.min() >= 0
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert set(np.argsort(-model.feature_importances_)[:3]) == {3, 8, 11}


def test_without_a_pattern_no_column_counts():
    random = np.random.default_rng(0)
    with pytest.warns(NoPatternWarning):
        model = PatternClassifier(random_state=0).fit(
            random.normal(size=(60, 5)), np.repeat([0, 1], 30)
        )
    assert_array_equal(model.feature_importances_, np.zeros(5))


def test_a_negative_strength_counts_for_nothing():
    patterns = [
        Pattern(np.arange(3), np.array([0, 2]), strength=3.0, weights=np.array([1.0, -3.0])),
        Pattern(np.arange(3), np.array([1, 2]), strength=1.0),
        Pattern(np.arange(3), np.array([3]), strength=-5.0),
    ]
    # 3/4 as 1 : 3 over columns 0 and 2, and 1/4 in equal parts.
    expected = [0.1875, 0.125, 0.5625 + 0.125, 0.0]
    assert_allclose(column_importance(patterns, 4), expected, rtol=1e-15)
