"""Patients and controls, where most of the patients share a signature in a few columns."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from bicneuron._core._arrays import BoolArray


def make_subgroup(
    n_rows: int = 100,
    n_columns: int = 1000,
    *,
    group_shape: tuple[int, int] = (45, 12),
    shift: float = 2.0,
    as_frame: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[Any, Any, BoolArray, BoolArray]:
    """Patients and controls; a group of the patients is shifted in a few columns.

    All entries are independent and standard normal. In the columns of the signature, ``shift`` is
    added to the rows of the group, with a sign per column that is drawn at random. Nothing else
    tells the classes apart: the other patients are like controls, and the other columns are noise.
    So the balanced accuracy that a classifier can reach is bounded. By default 45 of 50 patients
    are in the group; whoever knows the signature tells them from controls without error and can
    only guess the other five, which makes about 0.95.

    This is the table of the first examples. `make_subgroups` plants smaller groups, of other kinds
    and in real data. It draws its numbers in another order, so it cannot give the same table.

    Parameters
    ----------
    n_rows : int, default=100
        Half of them are patients, the others controls; one more control if the number is odd.
    n_columns : int, default=1000
        Columns.
    group_shape : (int, int), default=(45, 12)
        Patients in the group and columns in the signature.
    shift : float, default=2.0
        Size of the shift, in standard deviations of a column.
    as_frame : bool, default=False
        Whether ``X`` is a data frame and ``y`` a series, with names for rows and columns.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same table on each call.

    Returns
    -------
    X : ndarray or DataFrame of shape (n_rows, n_columns), float64
        In random order.
    y : ndarray or Series of shape (n_rows,)
        "patient" or "control".
    rows : ndarray of shape (n_rows,), bool
        The patients that are in the group.
    columns : ndarray of shape (n_columns,), bool
        The columns that are in the signature.

    Examples
    --------
    >>> from bicneuron.datasets import make_subgroup
    >>> X, y, rows, columns = make_subgroup(random_state=0)
    >>> X.shape, int((y == "patient").sum()), int(rows.sum()), int(columns.sum())
    ((100, 1000), 50, 45, 12)
    >>> sizes = abs(X[rows].mean(axis=0))
    >>> bool(sizes[columns].min() > sizes[~columns].max())
    True
    """
    check_scalar(n_rows, "n_rows", Integral, min_val=2)
    check_scalar(n_columns, "n_columns", Integral, min_val=1)
    check_scalar(shift, "shift", Real, min_val=0)
    if not np.isfinite(shift):
        raise ValueError(f"shift must be finite, got {shift}.")
    n_patients = n_rows // 2
    _check_group(group_shape, n_patients, n_columns)
    group_size, signature_size = group_shape
    random = check_random_state(random_state)
    X = random.standard_normal((n_rows, n_columns))
    order = random.permutation(n_rows)
    y = np.full(n_rows, "control")
    y[order[:n_patients]] = "patient"
    rows, columns = np.zeros(n_rows, dtype=bool), np.zeros(n_columns, dtype=bool)
    rows[order[:group_size]] = True
    columns[random.permutation(n_columns)[:signature_size]] = True
    X[np.ix_(rows, columns)] += random.choice([-shift, shift], signature_size)
    if not as_frame:
        return X, y, rows, columns
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "as_frame=True needs pandas; run pip install 'bicneuron[tables]'."
        ) from error
    names = pd.Index(_numbered("s", n_rows), name="sample")
    frame = pd.DataFrame(X, index=names, columns=_numbered("g", n_columns))
    return frame, pd.Series(y, index=names, name="class"), rows, columns


def _check_group(shape: tuple[int, int], n_patients: int, n_columns: int) -> None:
    if len(shape) != 2:
        raise ValueError(f"group_shape must be (rows, columns), got {shape!r}.")
    for size in shape:
        check_scalar(size, "group_shape", Integral, min_val=0)
    if shape[0] > n_patients or shape[1] > n_columns:
        raise ValueError(
            f"group_shape={shape} is larger than the {n_patients} patients and {n_columns} "
            "columns; plant a smaller group or ask for a larger table."
        )


def _numbered(letter: str, how_many: int) -> list[str]:
    width = len(str(how_many))
    return [f"{letter}{number:0{width}}" for number in range(1, how_many + 1)]
