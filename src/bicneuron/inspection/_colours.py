"""The colours of all pictures: told apart with any colour vision and in print."""

import numpy as np

from bicneuron._core._arrays import FloatArray

# Okabe and Ito's palette: a colour means one thing in all pictures.
ANCHOR = "#D55E00"
CONTRAST = "#0072B2"
# What speaks for a class and what against it.
FOR = "#009E73"
AGAINST = "#CC79A7"
# What stands out: cased in white it is seen on any ground. Not quite black, for which pages put
# the colour of their text.
MARK = "#111111"
# Models, each with a line style of its own; the first is the one that the others are held against.
MODELS = (
    ("#000000", "-"),
    ("#009E73", "--"),
    ("#CC79A7", "-."),
    ("#E69F00", ":"),
    ("#56B4E9", (0, (6, 1.5))),
    ("#7F7F7F", (0, (3, 1, 1, 1, 1, 1))),
)
# Perceptually uniform, from dark to bright.
COLOUR_MAP = "viridis"
# Share of the values at either end that may exceed the colour scale, so that a few outliers do not
# make all the others look alike.
TAIL = 0.01


def colour_limits(values: FloatArray) -> tuple[float, float, str]:
    """Lowest and highest value of the colour scale, and the ends that values exceed."""
    low, high = (
        float(limit) for limit in np.quantile(values, [TAIL, 1 - TAIL], method="inverted_cdf")
    )
    if low == high:
        low, high = float(values.min()), float(values.max())
    below, above = bool(values.min() < low), bool(values.max() > high)
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max"}
    return low, high, extend.get((below, above), "both")
