"""Colours of all plots, distinguishable with any colour vision and in greyscale print."""

import numpy as np

from bicneuron._core._arrays import FloatArray

# Okabe and Ito's palette; each colour has the same meaning in all plots.
ANCHOR = "#D55E00"
CONTRAST = "#0072B2"
# Rows that are on neither side, as the rest of the class of a group.
OTHERS = "#5F5F5F"
# What chance gives: histograms and bars that others are compared with.
CHANCE = "#BDBDBD"
# Contributions for and against a class.
FOR = "#009E73"
AGAINST = "#CC79A7"
# Marks, with a white halo so that they stand out on any background. Not pure black, which HTML
# pages replace by the colour of their text.
MARK = "#111111"
# Perceptually uniform, from dark to bright.
COLOUR_MAP = "viridis"
# Share of the values at either end that may exceed the colour scale, so that outliers do not
# compress the scale of the others.
TAIL = 0.01


def colour_limits(values: FloatArray) -> tuple[float, float, str]:
    """Limits of the colour scale, and at which ends values exceed them."""
    low, high = (
        float(limit) for limit in np.quantile(values, [TAIL, 1 - TAIL], method="inverted_cdf")
    )
    if low == high:
        low, high = float(values.min()), float(values.max())
    below, above = bool(values.min() < low), bool(values.max() > high)
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max"}
    return low, high, extend.get((below, above), "both")
