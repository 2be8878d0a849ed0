"""Patients or cases, and controls, where a part of the former differs in a few columns."""

from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils import check_array, check_random_state, check_scalar

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._version import import_extra
from bicneuron.datasets._additive import check_magnitude, check_shape


class PlantedGroup(NamedTuple):
    """Rows that share something in some columns: sorted indices into the table."""

    rows: IndexArray
    columns: IndexArray


class PlantedTable(NamedTuple):
    """A table, "case" or "control" for each row (or None), and the groups planted in it."""

    X: FloatArray
    y: AnyArray | None
    groups: tuple[PlantedGroup, ...]


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
    added to the rows of the group, with a sign per column that is drawn at random.
    By default 45 of 50 patients are in the group: the best balanced accuracy is about 0.95.

    `make_subgroups` plants smaller groups, of other kinds and in real data.

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
    check_magnitude("shift", shift)
    n_patients = n_rows // 2
    check_shape("group_shape", group_shape, 0)
    if group_shape[0] > n_patients or group_shape[1] > n_columns:
        raise ValueError(
            f"group_shape={group_shape} is larger than the {n_patients} patients and {n_columns} "
            "columns; plant a smaller group or ask for a larger table."
        )
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
    pd = import_extra("pandas", "as_frame=True needs pandas; run pip install 'bicneuron[tables]'.")
    names = pd.Index(_numbered("s", n_rows), name="sample")
    frame = pd.DataFrame(X, index=names, columns=_numbered("g", n_columns))
    return frame, pd.Series(y, index=names, name="class"), rows, columns


def _numbered(letter: str, how_many: int) -> list[str]:
    width = len(str(how_many))
    return [f"{letter}{number:0{width}}" for number in range(1, how_many + 1)]


GroupKind = Literal["shift", "coexpressed", "tight", "two_shifts", "none"]
N_GROUPS = {"shift": 1, "coexpressed": 1, "tight": 1, "two_shifts": 2, "none": 0}
# Standard deviation of a column around the row effect (coexpressed) or around its level (tight).
RESIDUAL = 0.3
# Share of the columns of a signature that two groups have in common.
COMMON = 0.3
# Noise added to resampled values, in standard deviations of the column, so that none is repeated.
JITTER = 0.1


def make_subgroups(  # noqa: PLR0913  # each is one property of the tables
    kind: GroupKind = "shift",
    *,
    shift: float = 2.0,
    n_cases: int = 50,
    n_controls: int = 50,
    n_columns: int = 2000,
    share: float = 0.3,
    n_signature: int = 10,
    background: Any = None,
    keep_rows: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> PlantedTable:
    """Plant a group of the cases, and the columns in which it differs, in a background.

    The background has columns of mean 0 and variance 1: independent normal numbers, or real data.
    Labels say nothing about it. Then the rows of a group, which are cases, are changed in the
    columns of its signature:

    - "shift": ``shift`` is added or subtracted, with a sign per column.
    - "coexpressed": all columns follow one row effect, with correlations of 0.91.
    - "tight": values have a standard deviation of 0.3 around a level of +1 or -1 per column.
    - "two_shifts": two groups without a common row, each with a shift. They share 30 % of the
      columns of their signatures.
    - "none": nothing is planted.

    Parameters
    ----------
    kind : {"shift", "coexpressed", "tight", "two_shifts", "none"}, default="shift"
    shift : float, default=2.0
        Size of a shift in standard deviations of the background; other kinds do not use it.
    n_cases, n_controls : int, default=50
    n_columns : int, default=2000
    share : float, default=0.3
        Rows of a group as a share of the cases.
    n_signature : int, default=10
        Columns of a signature.
    background : array-like of shape (n_background_rows, n_background_columns), default=None
        Real data to draw from; None for normal numbers. ``n_columns`` of its columns are drawn and
        standardised.
    keep_rows : bool, default=False
        If False, each column is drawn with replacement from the values of the same column of
        ``background``, with a little noise, independently of other columns: real distributions
        without correlations. If True, whole rows are drawn, each at most once: real correlations.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same table on each call.

    Returns
    -------
    PlantedTable
        Rows in random order.

    Examples
    --------
    >>> from bicneuron.datasets import make_subgroups
    >>> X, y, (group,) = make_subgroups("shift", shift=3.0, random_state=0)
    >>> X.shape, len(group.rows), len(group.columns), set(y[group.rows].tolist())
    ((100, 2000), 15, 10, {'case'})
    >>> sizes = abs(X[group.rows].mean(axis=0))
    >>> sorted(sizes.argsort()[-10:].tolist()) == group.columns.tolist()
    True
    """
    if kind not in N_GROUPS:
        raise ValueError(f"kind must be one of {', '.join(N_GROUPS)}, got {kind!r}.")
    check_magnitude("shift", shift)
    sizes = {"n_cases": n_cases, "n_controls": n_controls, "n_columns": n_columns}
    for name, size in {**sizes, "n_signature": n_signature}.items():
        check_scalar(size, name, Integral, min_val=1)
    check_scalar(share, "share", Real, min_val=0, max_val=1, include_boundaries="right")
    n_groups, group_size = N_GROUPS[kind], round(share * n_cases)
    if n_groups and not 0 < n_groups * group_size <= n_cases:
        raise ValueError(
            f"share={share} makes groups of {group_size} rows; {kind!r} has {n_groups} of them "
            f"among {n_cases} cases. Choose another share."
        )
    step = n_signature - round(COMMON * n_signature)  # neighbours overlap
    needed = (n_groups - 1) * step + n_signature
    if n_groups and n_columns < needed:
        raise ValueError(
            f"n_signature={n_signature} needs {needed} columns, got n_columns={n_columns}."
        )
    random = check_random_state(random_state)
    n_rows = n_cases + n_controls
    if background is None:
        X = random.standard_normal((n_rows, n_columns))
    else:
        X = _real_background(background, n_rows, n_columns, keep_rows, random)
    order = random.permutation(n_rows)
    y = np.full(n_rows, "control")
    y[order[:n_cases]] = "case"
    column_order, groups = random.permutation(n_columns), []
    for k in range(n_groups):
        rows = np.sort(order[k * group_size : (k + 1) * group_size])
        columns = np.sort(column_order[k * step : k * step + n_signature])
        block, shape = np.ix_(rows, columns), (len(rows), len(columns))
        if kind == "coexpressed":
            base = random.standard_normal((len(rows), 1)) * np.sqrt(1 - RESIDUAL**2)
        else:
            base = random.choice([-1.0, 1.0], len(columns))
        if kind.endswith(("shift", "shifts")):
            X[block] += shift * base
        else:
            X[block] = base + RESIDUAL * random.standard_normal(shape)
        groups.append(PlantedGroup(rows, columns))
    return PlantedTable(X, y, tuple(groups))


def _real_background(
    background: Any, n_rows: int, n_columns: int, keep_rows: bool, random: np.random.RandomState
) -> FloatArray:
    source = check_array(background, dtype=np.float64, input_name="background")
    if n_columns > source.shape[1]:
        raise ValueError(
            f"background has {source.shape[1]} columns, fewer than n_columns={n_columns}."
        )
    if keep_rows and n_rows > len(source):
        raise ValueError(
            f"background has {len(source)} rows, and {n_rows} are needed; choose fewer cases and "
            "controls, or keep_rows=False."
        )
    source = source[:, random.permutation(source.shape[1])[:n_columns]]
    if keep_rows:
        X = source[random.permutation(len(source))[:n_rows]]
    else:
        drawn = random.randint(len(source), size=(n_rows, n_columns))
        X = np.take_along_axis(source, drawn, axis=0)
        X = X + JITTER * source.std(axis=0) * random.standard_normal(X.shape)
    deviation = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0))
