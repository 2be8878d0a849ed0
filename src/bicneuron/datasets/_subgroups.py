"""Cases and controls, where a part of the cases differs in a few columns."""

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_array, check_random_state, check_scalar

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron.datasets._planted import PlantedGroup, PlantedTable

Kind = Literal["shift", "coexpressed", "tight", "two_shifts", "none"]
N_GROUPS = {"shift": 1, "coexpressed": 1, "tight": 1, "two_shifts": 2, "none": 0}
# Standard deviation of a column around the row effect (coexpressed) or around its level (tight).
RESIDUAL = 0.3
# Share of the columns of a signature that two groups have in common.
COMMON = 0.3
# Noise added to resampled values, in standard deviations of the column, so that none is repeated.
JITTER = 0.1


def make_subgroups(
    kind: Kind = "shift",
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
    - "coexpressed": all columns follow one row effect, with correlations of 0.91. Their means and
      variances are those of the background.
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
        ``X``, ``y`` ("case" or "control", in random order) and ``groups``, each with sorted
        ``rows`` and ``columns``.

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
    group_size = _check(kind, shift, n_cases, n_controls, n_columns, share, n_signature)
    random = check_random_state(random_state)
    n_rows = n_cases + n_controls
    if background is None:
        X = random.standard_normal((n_rows, n_columns))
    else:
        X = _real_background(background, n_rows, n_columns, keep_rows, random)
    order = random.permutation(n_rows)
    y = np.full(n_rows, "control")
    y[order[:n_cases]] = "case"
    signatures = _signatures(N_GROUPS[kind], n_signature, random.permutation(n_columns))
    groups = []
    for k, columns in enumerate(signatures):
        rows = np.sort(order[k * group_size : (k + 1) * group_size])
        block = np.ix_(rows, columns)
        X[block] = _changed(X[block], kind, shift, random)
        groups.append(PlantedGroup(rows, columns))
    return PlantedTable(X, y, tuple(groups))


def _check(
    kind: str,
    shift: float,
    n_cases: int,
    n_controls: int,
    n_columns: int,
    share: float,
    n_signature: int,
) -> int:
    """Refuse what cannot be planted; return the number of rows of a group."""
    if kind not in N_GROUPS:
        raise ValueError(f"kind must be one of {', '.join(N_GROUPS)}, got {kind!r}.")
    check_scalar(shift, "shift", Real, min_val=0)
    if not np.isfinite(shift):
        raise ValueError(f"shift must be finite, got {shift}.")
    check_scalar(n_cases, "n_cases", Integral, min_val=1)
    check_scalar(n_controls, "n_controls", Integral, min_val=1)
    check_scalar(n_columns, "n_columns", Integral, min_val=1)
    check_scalar(share, "share", Real, min_val=0, max_val=1, include_boundaries="right")
    check_scalar(n_signature, "n_signature", Integral, min_val=1)
    n_groups, group_size = N_GROUPS[kind], round(share * n_cases)
    if n_groups and not 0 < n_groups * group_size <= n_cases:
        raise ValueError(
            f"share={share} makes groups of {group_size} rows; {kind!r} has {n_groups} of them "
            f"among {n_cases} cases. Choose another share."
        )
    if n_groups and n_columns < _n_changed(n_groups, n_signature):
        raise ValueError(
            f"n_signature={n_signature} needs {_n_changed(n_groups, n_signature)} columns, got "
            f"n_columns={n_columns}."
        )
    return group_size


def _n_changed(n_groups: int, n_signature: int) -> int:
    return n_groups * n_signature - (n_groups - 1) * round(COMMON * n_signature)


def _signatures(n_groups: int, n_signature: int, order: IndexArray) -> list[IndexArray]:
    """Columns of each group, the first ones of a random order; neighbours overlap."""
    step = n_signature - round(COMMON * n_signature)
    return [np.sort(order[k * step : k * step + n_signature]) for k in range(n_groups)]


def _changed(
    block: FloatArray, kind: str, shift: float, random: np.random.RandomState
) -> FloatArray:
    n_rows, n_columns = block.shape
    changed: FloatArray
    if kind == "coexpressed":
        effects = random.standard_normal((n_rows, 1)) * np.sqrt(1 - RESIDUAL**2)
        changed = effects + RESIDUAL * random.standard_normal(block.shape)
        return changed
    signs = random.choice([-1.0, 1.0], n_columns)
    if kind == "tight":
        changed = signs + RESIDUAL * random.standard_normal(block.shape)
    else:
        changed = block + shift * signs
    return changed


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
    standardised: FloatArray = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return standardised
