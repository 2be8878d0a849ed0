"""The heat map of a page: the order of its rows, and the bars of the classes."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bicneuron.report._plots import LUMINANCE, MOST_ROWS, Palette, draw_heat_map, leaf_order


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


def test_long_tables_are_thinned_evenly():
    figure, *_ = draw(n=3 * MOST_ROWS)
    bars = figure.axes[0].patches
    assert sum(bar.get_height() for bar in bars) == MOST_ROWS
    assert [bar.get_height() for bar in bars] == pytest.approx([MOST_ROWS / 3] * 3, abs=2)


@pytest.mark.parametrize("n_classes", [2, 8, 30])
def test_colours_of_classes_are_distinct_and_as_light_as_each_other(n_classes):
    colours = Palette.of([*map(str, range(n_classes))]).colours
    assert len(set(colours)) == n_classes
    for colour in colours:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        assert np.dot([0.2126, 0.7152, 0.0722], linear) == pytest.approx(LUMINANCE, abs=0.004)
