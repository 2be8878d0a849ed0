"""The picture of a group: which rows and columns are drawn where, and under which words."""

from copy import copy
from dataclasses import replace
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color
from plots import tick_names

from bicneuron import SubgroupBiclustering
from bicneuron._shared._plots import ANCHOR, CONTRAST, OTHERS
from bicneuron.inspection import SubgroupDisplay
from bicneuron.patterns import Axis, Evidence, Pattern


@cache
def mined():
    """Cases, controls and a third class; some cases are shifted, up or down, in ten genes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 60))
    X[:12, :10] += 3.5 * np.where(np.arange(10) < 6, 1, -1)
    names = {"columns": [f"gene {j}" for j in range(60)], "index": [f"P{i:02}" for i in range(90)]}
    frame = pd.DataFrame(X, **names)
    y = np.repeat(["case", "control", "other"], [40, 30, 20])
    return SubgroupBiclustering(anchor="case").fit(frame, y), frame, y


@cache
def blind():
    return SubgroupBiclustering().fit(mined()[1])


def group_of(n_rows, n_columns, shape, label="a", seed=0):
    """A group somewhere in a random table, with scores, labels and long names."""
    rng = np.random.default_rng(seed)
    y = np.array(["a", "b"])[np.arange(shape[0]) % 2]
    rows = np.sort(rng.permutation(np.flatnonzero(y == "a"))[:n_rows])
    weights = rng.uniform(0.2, 1, n_columns) * rng.choice([-1, 1], n_columns)
    carriers = {"a": (n_rows, int(np.sum(y == "a"))), "b": (1, int(np.sum(y == "b")))}
    columns = np.sort(rng.permutation(shape[1])[:n_columns])
    about = {"anchor_class": label, "kind": "shift", "strength": 12.34, "weights": weights}
    about["carrier_counts"] = carriers if label else {None: (n_rows, shape[0])}
    about["axis"] = Axis(weights, 0 * weights, 0 * weights, np.empty(0), -np.inf)
    group = Pattern(rows, columns, 0.5, **about)
    scores = -np.abs(rng.normal(-2, 1, shape[0]))
    scores[rows] = rng.uniform(0.1, 3, n_rows)
    names = [f"very_long_feature_name_of_column_{j}" for j in range(shape[1])]
    people = [f"a patient with a long name {i}" for i in range(shape[0])]
    return rng.normal(size=shape), group, scores, y if label else None, names, people


def test_rows_stand_in_blocks_by_their_scores():
    miner, frame, y = mined()
    display = SubgroupDisplay.from_estimator(miner, frame, y)
    scores = miner.transform(frame)[:, 0]
    carriers, rest, others = (block.rows.tolist() for block in display.blocks)
    assert sorted(carriers) == miner.patterns_[0].rows.tolist() == list(range(12))
    assert sorted(rest) == list(range(12, 40))
    assert sorted(others) == list(range(40, 90))
    for rows in (carriers, rest, others):
        assert scores[rows].tolist() == sorted(scores[rows], reverse=True)
    np.testing.assert_array_equal(display.scores, scores)
    assert [block.heading for block in display.blocks] == [
        "carriers: 12 of 40 rows of case, 0 of 50 of other classes",
        "rest of case: 28 rows",
        "other classes: 50 rows",
    ]
    assert [block.colour for block in display.blocks] == [ANCHOR, OTHERS, CONTRAST]
    standard = ((frame - frame.mean()) / frame.std(ddof=0)).to_numpy()
    for im, block in zip(display.ims_, display.blocks, strict=True):
        expected = standard[np.ix_(block.rows, display.column_order)]
        np.testing.assert_allclose(np.asarray(im.get_array()), expected, atol=1e-4)
    assert len({im.get_clim() for im in display.ims_}) == 1


def test_columns_come_by_weight_those_of_one_direction_together():
    miner, frame, y = mined()
    display, group = SubgroupDisplay.from_estimator(miner, frame, y), miner.patterns_[0]
    weights = dict(zip(group.columns.tolist(), group.weights, strict=True))
    columns = display.column_order.tolist()
    first = weights[group.ranked_columns[0]] > 0
    by_weight = sorted(weights, key=lambda column: -abs(weights[column]))
    assert columns == sorted(by_weight, key=lambda column: (weights[column] > 0) != first)
    assert tick_names(display.ax_.xaxis) == [f"gene {column}" for column in columns]
    n_higher = int(np.sum(group.directions > 0))
    n_lower = len(columns) - n_higher
    ways = [f"{n_higher} higher", f"{n_lower} lower"]
    told = ", ".join(ways if first else reversed(ways))
    assert display.ax_.get_xlabel() == f"columns: {told} in the carriers"
    title = f"shift: {len(columns)} columns, strength {group.strength:.1f}"
    assert display.ax_.get_title(loc="left") == title


def test_columns_that_were_tested_come_by_their_evidence_and_no_strength_is_shown():
    miner, frame, y = mined()
    group, *others = miner.patterns_
    order = tuple(np.random.default_rng(0).permutation(len(group.columns)).tolist())
    tested = copy(miner)
    tested.patterns_ = [replace(group, evidence=Evidence(column_order=order, separate_p=0.01))]
    tested.patterns_ += others
    columns = SubgroupDisplay.from_estimator(tested, frame, y).column_order.tolist()
    ranked = group.columns[[*order]].tolist()
    ways = dict(zip(group.columns.tolist(), group.directions.tolist(), strict=True))
    assert columns == sorted(ranked, key=lambda column: ways[column] != ways[ranked[0]])
    for place in (0, len(others)):
        display = SubgroupDisplay.from_estimator(tested, frame, y, pattern=place)
        assert "strength" not in display.ax_.get_title(loc="left")


def test_bars_show_the_scores_from_the_cut():
    data = group_of(4, 3, (20, 5))
    display = SubgroupDisplay(*data).plot()
    scores = data[2]
    for bars, block, im in zip(
        display.scores_ax_.collections, display.blocks, display.ims_, strict=True
    ):
        (path,) = bars.get_paths()
        assert {*scores[block.rows]} <= {*path.vertices[:, 0]} <= {0, *scores[block.rows]}
        bottom, top = im.get_extent()[2:]
        assert path.vertices[:, 1].min() == pytest.approx(top)
        assert path.vertices[:, 1].max() == pytest.approx(bottom)
        assert same_color(bars.get_facecolor()[0], block.colour)
    (cut,) = display.scores_ax_.lines
    assert list(cut.get_xdata()) == [0, 0]


@pytest.mark.parametrize(
    ("labels", "headings"),
    [
        (None, ["carriers: 12 of 90 rows", "other rows: 78"]),
        (
            np.array(["b", "a"])[np.arange(90) // 3 % 2],
            ["carriers: 6 of 45 rows of a, 6 of 45 of b", "rest of a: 39 rows", "b: 39 rows"],
        ),
        (  # a class that is a number is called a class
            np.arange(90) // 45,
            [
                "carriers: 12 of 45 rows of class 0, 0 of 45 of class 1",
                "rest of class 0: 33 rows",
                "class 1: 45 rows",
            ],
        ),
    ],
)
def test_rows_found_without_labels_are_counted_by_class(labels, headings):
    _, frame, _ = mined()
    display = SubgroupDisplay.from_estimator(blind(), frame, labels)
    assert [block.heading for block in display.blocks] == headings
    assert sorted(display.blocks[0].rows) == list(range(12))
    assert sorted(row for block in display.blocks for row in block.rows) == list(range(90))


@pytest.mark.parametrize(("p", "colour"), [(0.001, None), (0.2, OTHERS)])
def test_the_title_says_how_sure_it_is(p, colour):
    X, group, *rest = group_of(4, 3, (20, 5))
    evidence = Evidence((("a", 4, 10),), p, p, 99, n_found=4, n_folds=5)
    display = SubgroupDisplay(X, replace(group, evidence=evidence), *rest).plot()
    assert display.ax_.get_title(loc="left").splitlines() == [
        "shift: 3 columns",
        f"p = {p} corrected for all patterns",
        "found again in 4 of 5 folds",
    ]
    expected = plt.rcParams["text.color"] if colour is None else colour
    assert same_color(display.ax_._left_title.get_color(), expected)


def test_of_many_columns_the_largest_weights_are_drawn():
    data = group_of(30, 300, (100, 400))
    display, group = SubgroupDisplay(*data).plot(), data[1]
    assert display.ax_.get_title(loc="left") == "shift: 40 of 300 columns, strength 12.3"
    least = np.sort(np.abs(group.weights))[-40]
    assert set(display.column_order) == set(group.columns[np.abs(group.weights) >= least])
    assert np.asarray(display.ims_[0].get_array()).shape == (30, 40)
