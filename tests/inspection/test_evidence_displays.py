"""Pictures of how sure patterns are: beside chance, in parts of the rows, and by columns."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import same_color

from bicneuron._shared._colours import ANCHOR, CHANCE, OTHERS
from bicneuron.inspection import ColumnEvidenceDisplay, SignificanceDisplay, StabilityDisplay
from bicneuron.patterns import Pattern
from bicneuron.significance import ColumnEvidence


def beside_chance(statistic, null, **options):
    """A display with p by counting."""
    statistic, null = np.asarray(statistic, float), np.asarray(null, float)
    p = np.array([(1 + np.sum(null >= value)) / (1 + len(null)) for value in statistic])
    return SignificanceDisplay(statistic, null, p, **options)


def null_of(n=199, seed=0):
    return np.random.default_rng(seed).uniform(1, 3, n)


def legend_texts(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def boxes_of(display, texts):
    display.figure_.canvas.draw()
    return [text.get_window_extent() for text in texts]


# --- beside chance


def test_patterns_stand_where_their_statistic_is_and_better_ones_are_coloured():
    display = beside_chance([2.0, 5.0, 2.5], null_of()).plot()
    p = display.family_p_values
    assert p[1] == 0.005
    assert display.better_than_chance.tolist() == [False, True, False]
    for k, mark in enumerate(display.marks_):
        assert mark.get_xdata()[0] == display.statistic[k]
        assert same_color(mark.get_color(), ANCHOR if k == 1 else OTHERS)
        assert same_color(mark.get_markerfacecolor(), ANCHOR if k == 1 else "white")
        line, label = display.lines_[k], display.labels_[k]
        assert list(line.get_xdata()) == [display.statistic[k]] * 2
        assert list(line.get_ydata()) == [0, mark.get_ydata()[0]]
        assert label.xy == (mark.get_xdata()[0], mark.get_ydata()[0])
        assert label.get_text() == f"{k + 1}: p = {p[k]:.2g}"
        assert same_color(label.get_color(), mark.get_color())
    heights = [mark.get_ydata()[0] for mark in display.marks_]
    assert heights[1] < heights[2] < heights[0], "the clearest lowest"
    assert legend_texts(display) == [
        "clearest pattern by chance, in 199 orders of the labels",
        "not of a class more than by chance: 2 of 3 patterns",
        "of a class more than by chance: 1 of 3 patterns",
    ]


def test_the_histogram_is_that_of_chance_and_below_the_marks():
    null = null_of()
    display = beside_chance([2.0, 5.0], null).plot()
    bars = display.histogram_.patches
    assert sum(bar.get_height() for bar in bars) == len(null)
    assert bars[0].get_x() == pytest.approx(null.min())
    assert bars[-1].get_x() + bars[-1].get_width() == pytest.approx(null.max())
    assert all(same_color(bar.get_facecolor(), CHANCE) for bar in bars)
    top = max(bar.get_height() for bar in bars)
    assert all(mark.get_ydata()[0] > top for mark in display.marks_)
    assert all(0 <= tick <= top for tick in display.ax_.get_yticks())
    assert display.ax_.get_ylim()[0] == 0


def test_a_level_moves_the_colours():
    display = beside_chance([2.0, 5.0], null_of(), level=0.001).plot()
    assert not display.better_than_chance.any()
    assert legend_texts(display)[1:] == ["not of a class more than by chance: 2 of 2 patterns"]


def test_repetitions_without_a_pattern_are_counted_in_words():
    null = np.append(null_of(95), [-np.inf] * 4)
    display = beside_chance([2.0, 5.0], null).plot()
    assert legend_texts(display)[0] == (
        "clearest pattern by chance, in 99 orders of the labels (none in 4)"
    )
    assert display.ax_.get_xlabel() == "-log10 of the probability of the carriers"
    assert sum(bar.get_height() for bar in display.histogram_.patches) == 95


def test_chance_without_any_pattern_can_be_drawn():
    display = beside_chance([2.0], [-np.inf] * 9).plot()
    assert sum(bar.get_height() for bar in display.histogram_.patches) == 0
    display.figure_.canvas.draw()


def test_infinite_statistic_is_a_triangle_at_the_right():
    display = beside_chance([2.0, np.inf], null_of()).plot()
    near, far = display.marks_
    assert (near.get_marker(), far.get_marker()) == ("o", ">")
    assert far.get_xdata()[0] > max(3.0, near.get_xdata()[0])
    assert far.get_xdata()[0] < display.ax_.get_xlim()[1]


@pytest.mark.parametrize("figsize", [None, (4, 3), (12, 10)])
@pytest.mark.parametrize("n_patterns", [1, 5, 60])
def test_labels_never_overlap_and_no_line_crosses_one(n_patterns, figsize):
    rng = np.random.default_rng(n_patterns)
    statistic = np.append(np.repeat(rng.uniform(1, 4, (n_patterns + 1) // 2), 2), 9)[-n_patterns:]
    ax = None if figsize is None else plt.subplots(figsize=figsize, layout="constrained")[1]
    display = beside_chance(statistic, null_of()).plot(ax)
    texts = [*display.labels_.values(), *([] if display.more_ is None else [display.more_])]
    boxes = boxes_of(display, texts)
    by_height = sorted((box.y0, box.y1) for box in boxes)
    assert all(end <= start for (_, end), (start, _) in pairwise(by_height))
    area = display.ax_.get_window_extent()
    assert all(area.y0 <= box.y0 and box.y1 <= area.y1 and box.x1 <= area.x1 for box in boxes)
    to_pixels = display.ax_.transData
    for line in display.lines_.values():
        x, top = to_pixels.transform(line.get_xydata())[1]
        assert not any(box.x0 <= x <= box.x1 and box.y0 <= top for box in boxes)


def test_of_many_patterns_the_clearest_are_labelled():
    statistic = np.random.default_rng(0).permutation(np.linspace(0, 4, 60))
    display = beside_chance(statistic, null_of()).plot()
    n_labelled = len(display.labels_)
    assert 8 <= n_labelled <= 12
    assert set(display.labels_) == set(display.lines_) == set(np.argsort(-statistic)[:n_labelled])
    assert display.more_.get_text() == f"{60 - n_labelled} more"
    assert len(display.marks_) == 60
    others = [mark for k, mark in enumerate(display.marks_) if k not in display.labels_]
    assert len({mark.get_ydata()[0] for mark in others}) == 1


def test_a_result_is_drawn_on_the_given_axes():
    result = SimpleNamespace(
        patterns=["one", "two"],
        statistic=np.array([4.0, 2.0]),
        null_statistic=null_of(),
        family_p_values=np.array([0.005, 0.4]),
    )
    figure, ax = plt.subplots()
    display = SignificanceDisplay.from_result(result, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert display.plot().figure_ is not figure
    result.statistic = result.family_p_values = np.array([np.nan, np.nan])
    with pytest.raises(ValueError, match="no pattern that was tested; there is nothing to draw"):
        SignificanceDisplay.from_result(result)


def test_patterns_that_were_not_tested_are_not_drawn():
    display = beside_chance([np.nan, 9.0, 2.0], null_of()).plot()
    assert {*display.labels_} == {1, 2}
    assert display.labels_[1].get_text().startswith("2: p = ")
    assert np.isnan(display.marks_[0].get_xdata()).all()
    assert sum("of 2 patterns" in text for text in legend_texts(display)) == 2


# --- in parts of the rows


def found_again(frequencies, columns, n_subsamples=100):
    """What `stability` would return of two patterns."""
    return SimpleNamespace(
        patterns=(
            Pattern(np.arange(3), np.array(columns)),
            Pattern(np.arange(3), np.array(columns[:1])),
        ),
        column_frequency=np.tile(np.asarray(frequencies, float), (2, 1)),
        words=lambda k: f"found again in {87 - k} of {n_subsamples} parts of the table",
    )


def test_bars_are_the_frequencies_with_the_own_columns_in_colour():
    again = found_again([0.1, 0.9, 0, 0.5, 0.9, 0.0], [3, 4, 5])
    display = StabilityDisplay.from_result(again, feature_names=["a", "b", "c", "d", "e", "f"])
    assert display.column_order.tolist() == [4, 1, 3, 0, 5], "own columns first among equals"
    bars = display.bars_.patches
    assert [bar.get_width() for bar in bars] == [0.9, 0.9, 0.5, 0.1, 0.0]
    colours = [ANCHOR, CHANCE, ANCHOR, CHANCE, ANCHOR]
    assert all(same_color(b.get_facecolor(), c) for b, c in zip(bars, colours, strict=True))
    display.figure_.canvas.draw()
    names = {
        round(label.get_position()[1]): label.get_text() for label in display.ax_.get_yticklabels()
    }
    assert names == dict(enumerate("ebdaf"))
    centres = [bar.get_y() + bar.get_height() / 2 for bar in bars]
    assert centres == pytest.approx(range(5))
    assert display.ax_.yaxis_inverted()
    assert display.ax_.get_title(loc="left") == "found again in 87 of 100 parts of the table"
    assert legend_texts(display) == ["columns of the pattern: 3", "others"]


def test_any_pattern_can_be_drawn():
    display = StabilityDisplay.from_result(found_again([0.1, 0.9], [1, 0]), 1)
    assert display.in_pattern.tolist() == [False, True]
    assert display.title == "found again in 86 of 100 parts of the table"
    assert list(display.feature_names) == ["x0", "x1"]


def test_at_most_thirty_columns_are_drawn_with_names_that_do_not_overlap():
    rng = np.random.default_rng(0)
    frequencies, in_pattern = rng.uniform(size=500), np.arange(500) < 100
    names = [f"a rather long name of column {j}" for j in range(500)]
    display = StabilityDisplay(frequencies, in_pattern, names, title="found").plot()
    assert display.column_order.tolist() == np.argsort(-frequencies)[:30].tolist()
    labels = [label for label in display.ax_.get_yticklabels() if label.get_text()]
    boxes = boxes_of(display, labels)
    assert len(labels) == 30
    spans = sorted((box.y0, box.y1) for box in boxes)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    n_own = int(in_pattern[display.column_order].sum())
    assert legend_texts(display)[0] == f"columns of the pattern: {n_own} of 100"


@pytest.mark.parametrize("n_columns", [1, 5, 30])
def test_the_title_is_above_the_legend(n_columns):
    display = StabilityDisplay(np.ones(n_columns), np.arange(n_columns) < 1, range(n_columns))
    display.title = "found again in 87 of 100 parts of the table"
    (title,) = boxes_of(display.plot(), [display.ax_._left_title])
    legend = display.ax_.get_legend().get_window_extent()
    assert legend.y1 <= title.y0
    assert legend.y0 >= display.ax_.get_window_extent().y1


def test_what_stability_cannot_show():
    again = found_again([0.1, 0.9], [1])
    for k in (-1, 2):
        with pytest.raises(ValueError, match=f"k={k}, but stability has 2 patterns"):
            StabilityDisplay.from_result(again, k)
    with pytest.raises(ValueError, match="feature_names has 3 names for 2 columns; give one for"):
        StabilityDisplay.from_result(again, feature_names="abc")


# --- columns with their intervals


@cache
def evidence():
    """A group in six columns, the last of them weak, beside a seventh that it does not have."""
    rows, columns = np.arange(15), np.arange(6)
    pattern = Pattern(rows, columns, anchor_class="a", kind="pair", contrast_rows=rows + 15)
    effect = np.array([3.0, -2.5, 2.0, 1.5, 1.0, 0.2, 1.8, *np.zeros(5)])
    p = np.array([1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 0.4, 1e-6, *np.ones(5)])
    names = tuple(f"g{k}" for k in range(12))
    return ColumnEvidence(
        number=2, pattern=pattern, names=names, method="folds", reason="", n_folds=5, n_found=5,
        n_group=15, n_others=45, difference=effect, effect=effect, low=effect - 0.5,
        high=effect + 0.6, direction=np.sign(effect).astype(int), statistic=effect, p_values=p,
        p_corrected=p, found_again=None, scores=np.full(60, np.nan),
    )  # fmt: skip


def test_columns_stand_at_their_effects_with_their_intervals_the_clearest_first():
    display = evidence().plot()
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["g0", "g1", "g2", "g3", "g4", "g5", "g6"]
    effect = evidence().effect[:7]
    np.testing.assert_allclose(display.marks_.get_offsets(), np.column_stack([effect, range(7)]))
    ends = [line[:, 0].tolist() for line in display.intervals_.get_segments()]
    np.testing.assert_allclose(ends, np.column_stack([effect - 0.5, effect + 0.6]))
    assert display.ax_.yaxis_inverted()
    assert display.title == "pattern 2: 5 of 6 columns are proven"
    assert display.ax_.get_title(loc="left") == display.title


def test_columns_that_are_not_proven_are_grey_and_those_of_no_pattern_are_open():
    display = evidence().plot()
    edges = display.marks_.get_edgecolors()
    assert all(same_color(colour, ANCHOR) for colour in np.delete(edges, 5, axis=0))
    assert same_color(edges[5], OTHERS)
    assert same_color(display.intervals_.get_colors()[5], OTHERS)
    inside = display.marks_.get_facecolors()
    assert [same_color(colour, "white") for colour in inside] == [False] * 6 + [True]
    told = ["proven", "proven, not of the pattern", "not proven"]
    assert legend_texts(display) == told


def test_at_most_thirty_columns_are_drawn_and_long_names_are_shortened():
    effect = np.linspace(3, 1, 50)
    is_own = np.ones(50, dtype=bool)
    names = [f"{'a long name ' * 40}{k}" for k in range(50)]
    display = ColumnEvidenceDisplay(effect, effect - 1, effect + 1, is_own, is_own, names).plot()
    assert len(display.marks_.get_offsets()) == 30
    labels = [label for label in display.ax_.get_yticklabels() if label.get_text()]
    assert all(len(label.get_text()) <= 24 for label in labels)
    width = display.figure_.bbox.width
    assert all(0 <= box.x0 < box.x1 <= width for box in boxes_of(display, labels))


def test_columns_without_tests_are_not_drawn():
    untested = replace(evidence(), reason="too few rows")
    with pytest.raises(
        ValueError, match="pattern 2 has nothing to draw: its columns are not teste"
    ):
        untested.plot()
