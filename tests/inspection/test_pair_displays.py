"""The pictures of one pair: what is drawn where, in which order and under which name."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three, minmax, soft_scores
from matplotlib.colors import same_color

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronNetwork,
    CoherentBiclustering,
)
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
from reproduction.datasets import load_dataset

OF_A_PAIR = [BiclusterDisplay, ContrastDisplay, ParallelCoordinatesDisplay]
OF_A_MODEL = [*OF_A_PAIR, PairProjectionDisplay]


@pytest.fixture(scope="module")
def fitted(one_factor):
    X, y = one_factor
    names = [f"gene {j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names, index=[f"patient {i}" for i in range(len(X))])
    return classifier().fit(frame, y), frame


def make_pair(shape=(6, 5), anchor=(4, 1), contrast=(0, 5), columns=(1, 3, 4), seed=0):
    """Values that are all different, and a pair in them."""
    X = np.random.default_rng(seed).permutation(shape[0] * shape[1]).reshape(shape) / 10
    rows = np.sort(anchor), np.array(contrast)
    return X, Pattern(
        rows[0],
        np.array(columns),
        contrast_rows=rows[1],
        anchor_class="sick",
        kind="pair",
        msr_ratio=0.5,
    )


def pair_of(n_pair, n_columns, shape):
    """A pair of so many rows on either side, somewhere in a random matrix."""
    random = np.random.default_rng(0)
    rows = random.permutation(shape[0])[: 2 * n_pair]
    columns = np.sort(random.permutation(shape[1])[:n_columns])
    pair = Pattern(
        np.sort(rows[:n_pair]),
        columns,
        contrast_rows=rows[n_pair:],
        anchor_class="a",
        kind="pair",
        msr_ratio=0.5,
    )
    return random.uniform(size=shape), pair


def tick_names(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


# --- the matrix


def test_the_matrix_is_moved_together():
    X, pair = make_pair()
    display = BiclusterDisplay(X, pair, feature_names=list("abcde")).plot()
    assert display.row_order.tolist() == [1, 4, 0, 5, 2, 3]
    assert display.column_order.tolist() == [1, 3, 4, 0, 2]
    shown = np.asarray(display.im_.get_array())
    for i, row in enumerate([1, 4, 0, 5, 2, 3]):
        for j, column in enumerate([1, 3, 4, 0, 2]):
            assert shown[i, j] == X[row, column]
    assert tick_names(display.ax_.xaxis) == ["b", "d", "e", "a", "c"]
    assert tick_names(display.ax_.yaxis) == ["1", "4", "0", "5"]
    assert display.ax_.get_xlabel() == "3 columns of the pattern, then 2 others"
    assert display.ax_.get_ylabel() == "4 rows of the pattern, then 2 others"
    assert display.colorbar_.ax.get_ylabel() == "scaled value"


def test_anchor_and_contrast_are_outlined():
    X, pair = make_pair()
    display = BiclusterDisplay(X, pair).plot()
    anchor, contrast = display.outlines_
    assert [outline.get_bbox().bounds for outline in (anchor, contrast)] == [
        (0, 0, 3, 2),
        (0, 2, 3, 2),
    ]
    assert same_color(anchor.get_edgecolor(), ANCHOR)
    assert same_color(contrast.get_edgecolor(), CONTRAST)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["anchor: 2 rows of class sick", "contrast: 2 other rows"]
    assert display.ax_.get_xlim() == (0, 5)
    top, bottom = display.ax_.get_ylim()[::-1]
    assert top == 0 < bottom


def test_a_bicluster_has_one_outline():
    X, pair = make_pair()
    display = BiclusterDisplay(X, Pattern(pair.rows, pair.columns, 0.1)).plot()
    (outline,) = display.outlines_
    assert outline.get_label() == "bicluster: 2 rows"
    assert outline.get_bbox().bounds == (0, 0, 3, 2)
    assert display.row_order.tolist() == [1, 4, 0, 2, 3, 5]


@pytest.mark.parametrize(("n_pair", "n_columns", "shape"), [(1, 2, (2000, 500)), (4, 3, (9, 5))])
def test_what_is_outlined_has_room(n_pair, n_columns, shape):
    display = BiclusterDisplay(*pair_of(n_pair, n_columns, shape)).plot()
    width, height = (np.ptp(limits) for limits in (display.ax_.get_xlim(), display.ax_.get_ylim()))
    outlines = [outline.get_bbox() for outline in display.outlines_]
    assert outlines[0].width / width >= 0.45 - 1e-9
    assert sum(outline.height for outline in outlines) / height >= 0.45 - 1e-9
    assert np.asarray(display.im_.get_array()).shape[:2] == shape


def test_a_fitted_miner_shows_what_it_found(one_factor):
    X, y = one_factor
    frame = pd.DataFrame(X[y == 1], columns=[f"gene {j}" for j in range(X.shape[1])])
    miner = CoherentBiclustering(cut_distance=0.5).fit(frame)
    display = BiclusterDisplay.from_estimator(miner, frame, pattern=1)
    found = miner.patterns_[1]
    assert display.row_order[: len(found.rows)].tolist() == found.rows.tolist()
    Z = (frame - frame.mean()) / frame.std(ddof=0)
    np.testing.assert_allclose(display.X, Z)
    assert mean_squared_residue(display.X[np.ix_(found.rows, found.columns)]) == pytest.approx(
        found.msr
    )
    with pytest.raises(ValueError, match=r"pattern=\d+ is not in patterns_; give 0 to \d+"):
        BiclusterDisplay.from_estimator(miner, frame, pattern=len(miner.patterns_))
    with pytest.raises(ValueError, match="no contrast to label; leave side_labels out"):
        BiclusterDisplay.from_estimator(miner, frame, side_labels=("these", "those"))
    with pytest.raises(ValueError, match="not fitted yet"):
        BiclusterDisplay.from_estimator(CoherentBiclustering(), frame)


@pytest.mark.real_data
def test_two_thousand_genes():
    data = load_dataset("colon")
    frame = pd.DataFrame(data.data, columns=data.feature_names)
    model = BicNeuronClassifier(
        search=None, miner=CoherentBiclustering(max_seeds=60, random_state=0), random_state=0
    ).fit(frame, data.target)
    display = BiclusterDisplay.from_estimator(model, frame)
    pattern = {data.feature_names[column] for column in model.selected_pair_.columns}
    assert set(tick_names(display.ax_.xaxis)) <= pattern
    assert len(tick_names(display.ax_.xaxis)) >= 10
    assert display.outlines_[0].get_bbox().width / display.ax_.get_xlim()[1] >= 0.45 - 1e-9
    shown = np.asarray(display.im_.get_array())
    assert shown.shape[:2] == (62, 2000)


# --- bicluster against contrast


def test_two_heat_maps_on_one_scale():
    X, pair = make_pair()
    display = ContrastDisplay(X, pair, feature_names=list("abcde")).plot()
    by_mean = sorted([1, 3, 4], key=lambda column: X[1, column] + X[4, column])
    assert display.column_order.tolist() == by_mean
    assert tick_names(display.axes_[1].xaxis) == ["abcde"[column] for column in by_mean]
    for im, ax, rows in zip(display.ims_, display.axes_, ([1, 4], [0, 5]), strict=True):
        ordered = sorted(rows, key=lambda row: sum(X[row, column] for column in [1, 3, 4]))
        expected = [[X[row, column] for column in by_mean] for row in ordered]
        assert np.asarray(im.get_array()).tolist() == expected
        assert tick_names(ax.yaxis) == [str(row) for row in ordered]
    assert display.ims_[0].get_clim() == display.ims_[1].get_clim()
    block = X[np.ix_([0, 1, 4, 5], [1, 3, 4])]
    assert display.ims_[0].get_clim() == (block.min(), block.max())


def test_titles_tell_residues_and_ratio():
    X, pair = make_pair()
    display = ContrastDisplay(X, pair).plot()
    anchor, contrast = (X[np.ix_(rows, [1, 3, 4])] for rows in ([1, 4], [0, 5]))
    assert [ax.get_title(loc="left").splitlines() for ax in display.axes_] == [
        [
            "anchor: 2 rows of class sick",
            f"MSR {mean_squared_residue(anchor):.3g}, MSR ratio {msr_ratio(anchor, contrast):.3g}",
        ],
        ["contrast: 2 other rows", f"MSR {mean_squared_residue(contrast):.3g}"],
    ]


def test_titles_of_ones_own_and_without_residues():
    X, pair = make_pair()
    labels = ("the ill", "the well")
    display = ContrastDisplay(X, pair, side_labels=labels).plot(residues=False)
    assert tuple(ax.get_title(loc="left") for ax in display.axes_) == labels
    lines = ParallelCoordinatesDisplay(X, pair, side_labels=labels).plot()
    assert tuple(line.get_label() for line in lines.centroids_) == labels


def test_the_pair_of_a_classifier_is_found_in_a_table_with_gaps():
    X, y = make_one_factor()
    X[np.random.default_rng(1).random(X.shape) < 0.05] = np.nan
    model = classifier().fit(X, y)
    pair = model.selected_pair_
    display = ContrastDisplay.from_estimator(model, X)
    scaled = minmax(np.where(np.isnan(X), np.nanmean(X, axis=0), X))
    drawn = np.sort(np.asarray(display.ims_[0].get_array()), axis=None)
    expected = np.sort(scaled[np.ix_(pair.rows, pair.columns)], axis=None)
    np.testing.assert_allclose(drawn, expected)


def test_both_heat_maps_are_drawn_on_the_given_axes():
    X, pair = make_pair()
    figure, axes = plt.subplots(1, 2)
    display = ContrastDisplay(X, pair).plot(axes, colorbar=False)
    assert display.axes_ == tuple(axes)
    assert display.figure_ is figure
    assert display.colorbar_ is None
    with pytest.raises(ValueError, match="axes has 1 Axes; give two"):
        display.plot(axes[0])


# --- parallel coordinates


def test_a_line_for_each_row_and_both_centroids():
    X, pair = make_pair()
    display = ParallelCoordinatesDisplay(X, pair).plot()
    order = sorted([1, 3, 4], key=lambda column: X[1, column] + X[4, column])
    for lines, rows in zip(display.lines_, ([1, 4], [0, 5]), strict=True):
        drawn = [path.vertices.tolist() for path in lines.get_paths()]
        assert drawn == [[[k, X[row, c]] for k, c in enumerate(order)] for row in rows]
    for centroid, rows in zip(display.centroids_, ([1, 4], [0, 5]), strict=True):
        means = [(X[rows[0], column] + X[rows[1], column]) / 2 for column in order]
        np.testing.assert_allclose(centroid.get_ydata(), means)
    assert [line.get_color() for line in display.centroids_] == [ANCHOR, CONTRAST]
    low, high = display.ax_.get_ylim()
    block = X[np.ix_([0, 1, 4, 5], order)]
    assert low <= block.min() < block.max() <= high
    assert tick_names(display.ax_.xaxis) == [f"x{column}" for column in order]


# --- from a model


@pytest.mark.parametrize("display", OF_A_PAIR)
def test_a_model_shows_its_pair_as_it_sees_it(display, fitted, one_factor):
    model, frame = fitted
    drawn = display.from_estimator(model, frame)
    assert drawn.pair is model.patterns_[0]
    for side, rows in zip(("rows", "contrast_rows", "columns"), parts_of(drawn.pair), strict=True):
        assert rows == getattr(model.selected_pair_, side).tolist()
    np.testing.assert_allclose(drawn.X, minmax(one_factor[0]))
    assert drawn.feature_names == frame.columns.tolist()
    assert drawn.row_names == frame.index.tolist()
    # Any other pair, in the scaled table.
    other = display(model.scaled_table(frame), model.pairs_[-1]).plot()
    assert other.pair is model.pairs_[-1]
    np.testing.assert_array_equal(other.X, drawn.X)


def parts_of(pattern):
    return [part.tolist() for part in (pattern.rows, pattern.contrast_rows, pattern.columns)]


def test_names_of_rows_and_columns_are_shown(fitted):
    model, frame = fitted
    pair = model.selected_pair_
    display = BiclusterDisplay.from_estimator(model, frame)
    shown = tick_names(display.ax_.xaxis)
    assert shown[: len(pair.columns)] == [f"gene {column}" for column in pair.columns]
    assert set(tick_names(display.ax_.yaxis)) <= {f"patient {row}" for row in pair.block[0]}


@pytest.mark.parametrize("display", OF_A_MODEL)
def test_sampled_rows_are_the_ones_that_are_drawn(display, one_factor):
    X, y = one_factor
    model = classifier(max_rows=30).fit(X, y)
    drawn = display.from_estimator(model, X)
    used = X[model.rows_used_]
    assert len(used) == 60
    if display is not PairProjectionDisplay:
        # All rows are shown, on the scale of those that were used.
        scaled = (X - used.min(axis=0)) / np.ptp(used, axis=0)
        np.testing.assert_allclose(drawn.X, scaled)
        rows = model.rows_used_[model.selected_pair_.rows].tolist()
        contrast = model.rows_used_[model.selected_pair_.contrast_rows].tolist()
        assert parts_of(drawn.pair)[:2] == [rows, contrast]


@pytest.mark.parametrize("display", OF_A_MODEL)
def test_a_search_shows_its_best(display, one_factor):
    X, y = one_factor
    model = classifier(
        search={"miner__cut_distance": [0.5], "max_ratio": (0.1, 0.3, 0.5, 0.7, 0.9)}, cv=2
    ).fit(X, y)
    drawn = display.from_estimator(model, X)
    if display is not PairProjectionDisplay:
        assert parts_of(drawn.pair) == parts_of(model.selected_pair_)
        assert drawn.pair is model.patterns_[0]


@pytest.mark.parametrize("display", OF_A_MODEL)
def test_a_network_shows_any_pattern(display, one_factor):
    X, y = one_factor
    model = BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0).fit(X, y)
    drawn = display.from_estimator(model, X, pattern=1)
    if display is not PairProjectionDisplay:
        assert drawn.pair is model.patterns_[1]
        assert display.from_estimator(model, X).pair is model.patterns_[0]
        np.testing.assert_allclose(drawn.X, soft_scores(X, X), atol=1e-12)
    with pytest.raises(ValueError, match=r"pattern=3 is not in patterns_; give 0 to 2"):
        display.from_estimator(model, X, pattern=3)


@pytest.mark.parametrize("display", OF_A_MODEL)
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_beyond_two_classes_each_part_is_drawn(display, multi_class):
    X, y = make_three()
    model = BicNeuronClassifier(
        search=None,
        miner=CoherentBiclustering(cut_distance=0.5),
        max_ratio=np.inf,
        multi_class=multi_class,
        random_state=0,
    ).fit(X, y)
    for k, pattern in enumerate(model.patterns_):
        drawn = display.from_estimator(model, X, pattern=k)
        assert display is PairProjectionDisplay or drawn.pair is pattern
    with pytest.raises(ValueError, match="pattern=3 is not in patterns_; give 0 to 2"):
        display.from_estimator(model, X, pattern=3)
    for part in model.estimators_:
        display.from_estimator(part, X)


@pytest.mark.parametrize("display", OF_A_MODEL)
def test_a_model_without_a_pair_shows_whole_classes(display, one_factor):
    X, y = one_factor
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0).fit(X, y)
    drawn = display.from_estimator(model, X)
    if display is not PairProjectionDisplay:
        expected = [*(np.flatnonzero(y == label).tolist() for label in (1, 0)), [*range(10)]]
        assert parts_of(drawn.pair) == expected


@pytest.mark.parametrize("display", OF_A_MODEL)
def test_other_data_are_refused(display, one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    with pytest.raises(ValueError, match=r"X has 50 rows, .* fitted to 100; give the X of fit"):
        display.from_estimator(model, X[:50])
    with pytest.raises(
        ValueError, match=r"not what the model.*in another order; give the X of fit"
    ):
        display.from_estimator(model, X[::-1])
    with pytest.raises(ValueError, match="features"):
        display.from_estimator(model, X[:, :5])
    with pytest.raises(ValueError, match="pattern=-1 is not in patterns_; give 0 to 0"):
        display.from_estimator(model, X, pattern=-1)
    with pytest.raises(
        TypeError, match="model is a DataFrame, which has no patterns; the plot takes"
    ):
        display.from_estimator(pd.DataFrame(), X)
    with pytest.raises(ValueError, match="not fitted yet"):
        display.from_estimator(classifier(), X)


# --- axes, names, sizes


@pytest.mark.parametrize("display", OF_A_MODEL)
def test_sides_have_the_given_labels(display, fitted):
    drawn = display.from_estimator(*fitted, side_labels=("these", "those"))
    if display is ContrastDisplay:
        labels = [ax.get_title(loc="left").splitlines()[0] for ax in drawn.axes_]
    else:
        labels = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert labels == ["these", "those"]


@pytest.mark.parametrize("layout", [None, "constrained"])
@pytest.mark.parametrize("display", OF_A_PAIR)
def test_pictures_are_drawn_on_the_given_axes_and_can_be_drawn_again(display, layout):
    X, pair = make_pair()
    figure, axes = plt.subplots(2, layout=layout)
    where = axes if display is ContrastDisplay else axes[0]
    drawn = display(X, pair).plot(ax=where)
    assert drawn.figure_ is figure
    assert drawn.ax_ == (tuple(axes) if display is ContrastDisplay else axes[0])
    figure.canvas.draw()
    assert drawn.plot() is drawn
    assert drawn.figure_ is not figure
    drawn.figure_.canvas.draw()


@pytest.mark.parametrize(
    ("n_pair", "n_columns", "shape"),
    [(1, 1, (2, 1)), (1, 3, (2, 5)), (50, 500, (200, 500)), (1000, 5, (2000, 5))],
)
@pytest.mark.parametrize("display", OF_A_PAIR)
def test_names_never_overlap(display, n_pair, n_columns, shape):
    X, pair = pair_of(n_pair, n_columns, shape)
    names = [f"very_long_feature_name_of_column_{j}" for j in range(shape[1])]
    drawn = display(X, pair, feature_names=names).plot()
    drawn.figure_.canvas.draw()
    for ax in drawn.axes_ if display is ContrastDisplay else [drawn.ax_]:
        for axis in (ax.xaxis, ax.yaxis):
            labels = [label for label in axis.get_ticklabels() if label.get_text()]
            boxes = [label.get_window_extent() for label in labels]
            starts = sorted(
                (box.x0, box.x1) if axis is ax.xaxis else (box.y0, box.y1) for box in boxes
            )
            assert all(end <= start for (_, end), (start, _) in pairwise(starts))
            assert all(len(label.get_text()) <= 24 for label in labels)


def test_names_are_text_and_not_formulas():
    X, pair = make_pair()
    names = ["$\\frac{1}", "$x^2$ ", "a\nb", "", "$$"]
    display = BiclusterDisplay(X, pair, feature_names=names).plot()
    display.figure_.canvas.draw()
    assert tick_names(display.ax_.xaxis)[0] == r"\$x^2\$"
    assert not any(label.get_text().count("\n") for label in display.ax_.get_xticklabels())


def test_outliers_do_not_take_all_colours():
    X, pair = make_pair((60, 5))
    X[3, 0] = 1e6
    display = BiclusterDisplay(X, pair).plot()
    assert display.im_.get_clim()[1] <= 30
    assert display.colorbar_.extend in ("max", "both")


def test_constant_data_can_be_drawn():
    X, pair = make_pair()
    for display in OF_A_PAIR:
        display(np.ones_like(X), pair).plot().figure_.canvas.draw()
