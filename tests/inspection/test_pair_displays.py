"""The pictures of one pair: what is drawn where, in which order and under which name."""

from contextlib import nullcontext

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from data import classifier, minmax
from matplotlib.colors import same_color
from oracles.network import naive_soft_scaling
from plots import legend_texts, tick_names

from bicneuron import BicNeuronNetwork, CoherentBiclustering
from bicneuron._shared._plots import ANCHOR, CONTRAST
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.inspection import (
    BiclusterDisplay,
    ContrastDisplay,
    PairProjectionDisplay,
    ParallelCoordinatesDisplay,
)
from bicneuron.metrics import mean_squared_residue, msr_ratio
from bicneuron.neurons import GaussianNeuron
from bicneuron.patterns import Pattern

OF_A_PAIR = [BiclusterDisplay, ContrastDisplay, ParallelCoordinatesDisplay]
OF_A_MODEL = [*OF_A_PAIR, PairProjectionDisplay]
ANCHOR_ROWS, CONTRAST_ROWS, COLUMNS = [1, 4], [0, 5], [1, 3, 4]


def make_pair(shape=(6, 5)):
    """Values that are all different, and a pair in them."""
    X = np.random.default_rng(0).permutation(shape[0] * shape[1]).reshape(shape) / 10
    return X, pair_with(ANCHOR_ROWS, COLUMNS, CONTRAST_ROWS)


def pair_with(rows, columns, contrast_rows):
    about = {"anchor_class": "sick", "kind": "pair", "msr_ratio": 0.5}
    return Pattern(
        np.array(rows), np.array(columns), contrast_rows=np.array(contrast_rows), **about
    )


def random_pair(n_pair, n_columns, shape):
    """A pair of so many rows on either side, somewhere in a random matrix."""
    random = np.random.default_rng(0)
    rows = random.permutation(shape[0])[: 2 * n_pair]
    columns = np.sort(random.permutation(shape[1])[:n_columns])
    pair = pair_with(np.sort(rows[:n_pair]), columns, rows[n_pair:])
    return random.uniform(size=shape), pair


def axes_of(display):
    return display.axes_ if isinstance(display, ContrastDisplay) else [display.ax_]


def test_the_matrix_is_moved_together_and_both_sides_are_outlined():
    X, pair = make_pair()
    display = BiclusterDisplay(X, pair, feature_names=list("abcde")).plot()
    assert display.row_order.tolist() == [1, 4, 0, 5, 2, 3]
    assert display.column_order.tolist() == [1, 3, 4, 0, 2]
    shown = np.asarray(display.im_.get_array())
    np.testing.assert_array_equal(shown, X[[1, 4, 0, 5, 2, 3]][:, [1, 3, 4, 0, 2]])
    assert tick_names(display.ax_.xaxis) == ["b", "d", "e", "a", "c"]
    assert tick_names(display.ax_.yaxis) == ["1", "4", "0", "5"]
    assert display.ax_.get_xlabel() == "3 columns of the pattern, then 2 others"
    assert [one.get_bbox().bounds for one in display.outlines_] == [(0, 0, 3, 2), (0, 2, 3, 2)]
    for outline, colour in zip(display.outlines_, (ANCHOR, CONTRAST), strict=True):
        assert same_color(outline.get_edgecolor(), colour)
    assert legend_texts(display) == ["anchor: 2 rows of class sick", "contrast: 2 other rows"]


def test_a_fitted_miner_shows_what_it_found(one_factor):
    X, y = one_factor
    frame = pd.DataFrame(X[y == 1], columns=[f"gene {j}" for j in range(X.shape[1])])
    miner = CoherentBiclustering(cut_distance=0.5).fit(frame)
    display = BiclusterDisplay.from_estimator(miner, frame, pattern=1)
    found = miner.patterns_[1]
    assert display.row_order[: len(found.rows)].tolist() == found.rows.tolist()
    np.testing.assert_allclose(display.X, (frame - frame.mean()) / frame.std(ddof=0))
    assert mean_squared_residue(display.X[np.ix_(*found.block)]) == pytest.approx(found.msr)
    with pytest.raises(ValueError, match="no contrast to label; leave side_labels out"):
        BiclusterDisplay.from_estimator(miner, frame, side_labels=("these", "those"))


def test_two_heat_maps_on_one_scale_with_their_residues():
    X, pair = make_pair()
    display = ContrastDisplay(X, pair, feature_names=list("abcde")).plot()
    by_mean = sorted(COLUMNS, key=lambda column: X[1, column] + X[4, column])
    assert display.column_order.tolist() == by_mean
    assert tick_names(display.axes_[1].xaxis) == ["abcde"[column] for column in by_mean]
    blocks = [X[np.ix_(rows, COLUMNS)] for rows in (ANCHOR_ROWS, CONTRAST_ROWS)]
    sides = zip(display.ims_, display.axes_, (ANCHOR_ROWS, CONTRAST_ROWS), strict=True)
    for im, ax, rows in sides:
        ordered = sorted(rows, key=lambda row: sum(X[row, column] for column in COLUMNS))
        np.testing.assert_array_equal(np.asarray(im.get_array()), X[np.ix_(ordered, by_mean)])
        assert tick_names(ax.yaxis) == [str(row) for row in ordered]
        assert im.get_clim() == (np.min(blocks), np.max(blocks))
    residues = [f"MSR {mean_squared_residue(block):.3g}" for block in blocks]
    assert [ax.get_title(loc="left").splitlines() for ax in display.axes_] == [
        ["anchor: 2 rows of class sick", f"{residues[0]}, MSR ratio {msr_ratio(*blocks):.3g}"],
        ["contrast: 2 other rows", residues[1]],
    ]


def test_a_line_for_each_row_and_both_centroids():
    X, pair = make_pair()
    display = ParallelCoordinatesDisplay(X, pair).plot()
    order = sorted(COLUMNS, key=lambda column: X[1, column] + X[4, column])
    sides = (ANCHOR_ROWS, CONTRAST_ROWS)
    for lines, centroid, rows in zip(display.lines_, display.centroids_, sides, strict=True):
        drawn = [path.vertices.tolist() for path in lines.get_paths()]
        assert drawn == [[[k, X[row, c]] for k, c in enumerate(order)] for row in rows]
        np.testing.assert_allclose(centroid.get_ydata(), X[np.ix_(rows, order)].mean(axis=0))
    assert tick_names(display.ax_.xaxis) == [f"x{column}" for column in order]


def of_used_rows(model, X):
    """All rows on the scale of those that were used."""
    used = X[model.rows_used_]
    return (X - used.min(axis=0)) / np.ptp(used, axis=0)


# Models, and the table as they see it.
FROM_MODELS = {
    "some rows": (classifier(max_rows=30), of_used_rows),
    "whole classes": (classifier(max_ratio=0), lambda model, X: minmax(X)),
    "network": (
        BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0),
        lambda model, X: naive_soft_scaling(X, X),
    ),
}


@pytest.mark.parametrize("name", FROM_MODELS)
def test_a_model_shows_its_patterns_as_it_sees_them(name, one_factor):
    (model, seen), (X, y) = FROM_MODELS[name], one_factor
    with pytest.warns(NoContrastivePairWarning) if name == "whole classes" else nullcontext():
        model.fit(X, y)
    for display in OF_A_PAIR:
        for k, pattern in enumerate(model.patterns_):
            drawn = display.from_estimator(model, X, pattern=k)
            assert drawn.pair is pattern
            np.testing.assert_allclose(drawn.X, seen(model, X), atol=1e-12)
        plt.close("all")
    pattern = model.patterns_[0]
    if name == "some rows":
        assert len(model.rows_used_) == 60
        pair = model.selected_pair_
        for side, own in ((pattern.rows, pair.rows), (pattern.contrast_rows, pair.contrast_rows)):
            assert side.tolist() == model.rows_used_[own].tolist()


@pytest.fixture(scope="module")
def named(one_factor):
    X, y = one_factor
    names = [f"gene {j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names, index=[f"patient {i}" for i in range(len(X))])
    return classifier().fit(frame, y), frame


@pytest.mark.parametrize("display", OF_A_MODEL)
def test_sides_have_the_given_labels_and_rows_and_columns_their_names(display, named):
    labels = ("these", "those")
    drawn = display.from_estimator(*named, side_labels=labels)
    pair = named[0].selected_pair_
    if display is ContrastDisplay:
        assert tuple(ax.get_title(loc="left").splitlines()[0] for ax in drawn.axes_) == labels
        drawn.plot(residues=False)
        assert tuple(ax.get_title(loc="left") for ax in drawn.axes_) == labels
    else:
        assert tuple(legend_texts(drawn)) == labels
    if display is BiclusterDisplay:
        shown = tick_names(drawn.ax_.xaxis)
        assert shown[: len(pair.columns)] == [f"gene {column}" for column in pair.columns]
        assert set(tick_names(drawn.ax_.yaxis)) <= {f"patient {row}" for row in pair.block[0]}


@pytest.mark.parametrize("display", OF_A_PAIR)
def test_pictures_are_drawn_on_the_given_axes_and_can_be_drawn_again(display):
    X, pair = make_pair()
    figure, axes = plt.subplots(2, layout="constrained")
    where = axes if display is ContrastDisplay else axes[0]
    with_scale = {} if display is ParallelCoordinatesDisplay else {"colorbar": False}
    drawn = display(X, pair).plot(ax=where, **with_scale)
    assert drawn.figure_ is figure
    assert axes_of(drawn) == (tuple(axes) if display is ContrastDisplay else [axes[0]])
    assert not with_scale or drawn.colorbar_ is None
    figure.canvas.draw()
    assert drawn.plot() is drawn
    assert drawn.figure_ is not figure
    drawn.figure_.canvas.draw()
    if display is ContrastDisplay:
        with pytest.raises(ValueError, match="axes has 1 Axes; give two"):
            drawn.plot(axes[0])


@pytest.mark.parametrize(("n_pair", "n_columns", "shape"), [(1, 1, (2, 1)), (50, 500, (200, 500))])
@pytest.mark.parametrize("display", OF_A_PAIR)
def test_of_many_names_some_are_shown_and_long_ones_shortened(display, n_pair, n_columns, shape):
    X, pair = random_pair(n_pair, n_columns, shape)
    names = [f"very_long_feature_name_of_column_{j}" for j in range(shape[1])]
    drawn = display(X, pair, feature_names=names).plot()
    for axis in (axis for ax in axes_of(drawn) for axis in (ax.xaxis, ax.yaxis)):
        shown = tick_names(axis)
        assert len(shown) <= 60
        assert all(len(name) <= 24 for name in shown)


def test_names_are_text_and_not_formulas():
    X, pair = make_pair()
    names = ["$\\frac{1}", "$x^2$ ", "a\nb", "", "$$"]
    display = BiclusterDisplay(X, pair, feature_names=names).plot()
    display.figure_.canvas.draw()
    assert tick_names(display.ax_.xaxis)[0] == r"\$x^2\$"
    assert not any("\n" in name for name in tick_names(display.ax_.xaxis))
