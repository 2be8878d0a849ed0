"""Raw intensities and counts: recognised, and taken as logarithms if asked for."""

from collections.abc import Sequence

import numpy as np

from bicneuron._core._arrays import FloatArray

# With fewer columns it is hardly a table of expression, and if few of them have large values it is
# one of different measurements.
_FEWEST_COLUMNS, _SHARE_OF_LARGE = 100, 0.25
_LARGE, _SKEWED = 100.0, 1.5
_COLUMNS_AT_ONCE = 1024


def hint_at_log(values: Sequence[FloatArray]) -> str:
    """What to say about values that look like raw intensities; empty if they do not.

    The rule of GEO2R, that the 99th percentile is above 100 where there is nothing negative, with
    large values in many columns and a mean well above the median besides: columns of a laboratory
    have large values, too.
    """
    if len(values) < _FEWEST_COLUMNS:
        return ""
    blocks = (values[i : i + _COLUMNS_AT_ONCE] for i in range(0, len(values), _COLUMNS_AT_ONCE))
    n_large = sum(int(np.any(np.stack(block) > _LARGE, axis=1).sum()) for block in blocks)
    if n_large < _SHARE_OF_LARGE * len(values):
        return ""
    cells = np.concatenate(values)
    if not np.isfinite(cells).all():
        cells = cells[np.isfinite(cells)]
    # In place, because there may be as many cells as half of the memory holds.
    if cells.min() < 0 or np.percentile(cells, 99, overwrite_input=True) <= _LARGE:
        return ""
    median = float(np.median(cells, overwrite_input=True))
    if cells.mean() < _SKEWED * median:
        return ""
    return (
        f"values look like raw intensities or counts (half of them below {median:.4g}, the largest "
        f"{cells.max():.4g}); --log takes log2(x + 1) of all numbers"
    )
