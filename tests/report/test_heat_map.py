"""The heat map of a page: the order of its rows, and the bars of the classes."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bicneuron.report._plots import MOST_ROWS, Palette, draw_heat_map, leaf_order


def test_similar_rows_are_side_by_side():
    random = np.random.RandomState(0)
    kinds = random.permutation(np.repeat(np.arange(4), 10))
    Z = 10.0 * kinds[:, None] + random.normal(size=(40, 5))
    ordered = kinds[leaf_order(Z)]
    assert np.sum(np.diff(ordered) != 0) == 3, "each kind in one piece"
    assert sorted(leaf_order(Z[:2])) == [0, 1]


def draw(n=60):
    random = np.random.RandomState(0)
    numbers = random.permutation(np.repeat([0, 1, 2], n // 3))
    X = random.normal(size=(n, 4)) + 3 * numbers[:, None]
    X[0, 0] = np.nan
    figure = Figure()
    palette = Palette.of(["p", "q", "r"])
    draw_heat_map(figure.subplots(), X, numbers, list("abcd"), palette)
    return figure, X, numbers, palette.colours


def test_rows_are_drawn_by_class_with_a_bar_for_each():
    figure, X, _, colours = draw()
    ax = figure.axes[0]
    shown = ax.images[0].get_array()
    assert shown.shape == X.shape
    means = np.ma.masked_invalid(shown).mean(axis=1)
    assert means[:20].max() < means[40:].min(), "class after class"
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [to_hex(bar.get_facecolor()) for bar in bars] == colours
    assert [bar.get_height() for bar in bars] == [20, 20, 20]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["p", "q", "r"]
    assert sorted(label.get_text() for label in ax.get_xticklabels()) == list("abcd")
    figure, *_ = draw(n=3 * MOST_ROWS)  # a long table is thinned evenly
    bars = figure.axes[0].patches
    assert sum(bar.get_height() for bar in bars) == MOST_ROWS
    assert [bar.get_height() for bar in bars] == pytest.approx([MOST_ROWS / 3] * 3, abs=2)
