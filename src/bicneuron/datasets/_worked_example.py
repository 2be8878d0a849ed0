"""The nine objects of the paper's Figure 1."""

from typing import Literal, overload

import numpy as np
from sklearn.preprocessing import minmax_scale
from sklearn.utils import Bunch

from bicneuron._core._arrays import AnyArray, FloatArray

_RAW = (
    (15, 12, 20, 13),
    (20, 18, 25, 7),
    (25, 22, 30, 35),
    (33, 7, 46, 50),
    (10, 10, 35, 45),
    (15, 30, 40, 41),
    (22, 20, 20, 10),
    (30, 15, 25, 32),
    (20, 17, 30, 50),
)
_TARGET = (-1, -1, -1, -1, 1, 1, 1, 1, 1)
_DESCR = """\
The worked example of Figure 1 in Coelho and de Franca (arXiv:1603.06859): nine objects, four
features, two classes, and two biclusters of the class -1. Panel (a) prints the raw integers.
Panel (b) prints them min-max scaled and rounded to two decimals, and the figure goes on from
these. The rounding matters: the MSR ratio of the second bicluster is 0.93 on the printed values
and 0.87 on exact ones, on either side of the threshold 0.9.
"""


@overload
def load_worked_example(*, printed: bool = ..., return_X_y: Literal[False] = ...) -> Bunch: ...
@overload
def load_worked_example(
    *, printed: bool = ..., return_X_y: Literal[True]
) -> tuple[FloatArray, AnyArray]: ...
def load_worked_example(
    *, printed: bool = False, return_X_y: bool = False
) -> Bunch | tuple[FloatArray, AnyArray]:
    """Load the worked example of the paper's Figure 1.

    Parameters
    ----------
    printed : bool, default=False
        If True, the min-max scaled values as the figure prints them, rounded to two decimals
        (panel b); otherwise the raw integers (panel a).
    return_X_y : bool, default=False
        If True, return ``(data, target)`` only.

    Returns
    -------
    Bunch or (data, target)
        ``data`` : ndarray of shape (9, 4), float64. ``target`` : ndarray of shape (9,), -1 or 1.
        ``feature_names`` and ``object_names`` : lists of str. ``biclusters`` : the two of the
        figure, each (rows, columns), B1 = o1-o3 on f1-f3 and B2 = o3, o4 on f3, f4. ``DESCR`` :
        str, the source.

    Examples
    --------
    >>> from bicneuron.datasets import load_worked_example
    >>> from bicneuron.metrics import mean_squared_residue
    >>> example = load_worked_example(printed=True)
    >>> rows, columns = example.biclusters[1]
    >>> round(mean_squared_residue(example.data[rows][:, columns]), 6)
    0.004556
    """
    data = np.array(_RAW, dtype=np.float64)
    if printed:
        data = minmax_scale(data).round(2)
    target = np.array(_TARGET)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        feature_names=["f1", "f2", "f3", "f4"],
        object_names=[f"o{i}" for i in range(1, 10)],
        biclusters=[(np.arange(3), np.arange(3)), (np.arange(2, 4), np.arange(2, 4))],
        DESCR=_DESCR,
    )
