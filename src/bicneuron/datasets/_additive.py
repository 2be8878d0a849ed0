"""Additive biclusters planted in noise."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from bicneuron._core._arrays import BoolArray, FloatArray


def make_additive_biclusters(  # noqa: PLR0913  # each is one property of the tables
    shape: tuple[int, int] = (300, 80),
    *,
    n_biclusters: int = 1,
    bicluster_shape: tuple[int, int] = (60, 12),
    level: float = 3.0,
    row_effect: float = 0.1,
    noise: float = 0.1,
    background: float = 1.0,
    shuffle: bool = True,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Plant blocks of row effects plus column effects in a matrix of noise.

    An entry of a block is its column's level (``+level`` or ``-level``, at random), plus its row's
    effect, plus noise. So the expected mean squared residue of an n x m block is
    ``noise**2 * (1 - 1/n) * (1 - 1/m)``. Blocks share neither rows nor columns.

    Parameters
    ----------
    shape : (int, int), default=(300, 80)
        Rows and columns of the matrix.
    n_biclusters : int, default=1
        Number of planted blocks; 0 gives noise only.
    bicluster_shape : (int, int), default=(60, 12)
        Rows and columns of each block.
    level : float, default=3.0
        Absolute value of the column levels.
    row_effect : float, default=0.1
        Standard deviation of the row effects.
    noise : float, default=0.1
        Standard deviation of the noise inside the blocks.
    background : float, default=1.0
        Standard deviation of the entries outside the blocks.
    shuffle : bool, default=True
        If False, the blocks lie along the diagonal, from the top left.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same matrix on each call.

    Returns
    -------
    X : ndarray of shape ``shape``, float64
    rows, columns : ndarrays of shape (n_biclusters, shape[0]) and (n_biclusters, shape[1]), bool
        Indicators for each block, as in `sklearn.datasets.make_biclusters`.

    Examples
    --------
    >>> from bicneuron.datasets import make_additive_biclusters
    >>> from bicneuron.metrics import mean_squared_residue
    >>> X, rows, columns = make_additive_biclusters(random_state=0)
    >>> round(mean_squared_residue(X[rows[0]][:, columns[0]]), 3)
    0.009
    """
    check_shape("shape", shape, 1)
    check_shape("bicluster_shape", bicluster_shape, 1)
    check_scalar(n_biclusters, "n_biclusters", Integral, min_val=0)
    needed = tuple(n_biclusters * size for size in bicluster_shape)
    if needed[0] > shape[0] or needed[1] > shape[1]:
        raise ValueError(
            f"n_biclusters={n_biclusters} of bicluster_shape={bicluster_shape} need a shape of at "
            f"least {needed}, got shape={shape}; plant fewer or smaller ones."
        )
    names = "level", "row_effect", "noise", "background"
    for name, value in zip(names, (level, row_effect, noise, background), strict=True):
        check_magnitude(name, value)
    random = check_random_state(random_state)
    X = random.normal(0, background, shape)
    row_order, column_order = (
        random.permutation(size) if shuffle else np.arange(size) for size in shape
    )
    rows = np.zeros((n_biclusters, shape[0]), dtype=bool)
    columns = np.zeros((n_biclusters, shape[1]), dtype=bool)
    height, width = bicluster_shape
    for k in range(n_biclusters):
        rows[k, row_order[k * height : (k + 1) * height]] = True
        columns[k, column_order[k * width : (k + 1) * width]] = True
        levels = random.choice([-level, level], width)
        effects = random.normal(0, row_effect, (height, 1))
        X[np.ix_(rows[k], columns[k])] = levels + effects + random.normal(0, noise, bicluster_shape)
    return X, rows, columns


def check_shape(name: str, shape: tuple[int, int], least: int) -> None:
    """Raise unless the shape is two numbers from ``least`` on."""
    if len(shape) != 2:
        raise ValueError(f"{name} must be (rows, columns), got {shape!r}.")
    for size in shape:
        check_scalar(size, name, Integral, min_val=least)


def check_magnitude(name: str, value: float) -> None:
    """Raise unless the value is finite and not negative."""
    check_scalar(value, name, Real, min_val=0)
    if not np.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}.")
