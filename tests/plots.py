"""What tests of plots ask of axes: names of ticks, texts of legends, labels that stand apart."""

from itertools import pairwise


def tick_names(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def legend_texts(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def assert_names_apart(display, axes):
    """Names of ticks are short and do not overlap once drawn; gives how many each axis has."""
    display.figure_.canvas.draw()
    counts = []
    for ax in axes:
        for axis, side in ((ax.xaxis, 0), (ax.yaxis, 1)):
            labels = [label for label in axis.get_ticklabels() if label.get_text()]
            boxes = [label.get_window_extent().get_points()[:, side] for label in labels]
            assert all(end <= start for (_, end), (start, _) in pairwise(sorted(map(tuple, boxes))))
            assert all(len(label.get_text()) <= 24 for label in labels)
            counts.append(len(labels))
    return counts
