"""What tests of plots ask of axes: names of ticks and texts of legends."""


def tick_names(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def legend_texts(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]
