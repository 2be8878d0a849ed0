"""The order in which each epoch visits the rows."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state


def draw_seed(random_state: Any) -> int:
    """Turn a scikit-learn ``random_state`` into an integer seed; an integer stays itself."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def epoch_orders(
    sizes: Sequence[int], seeds: Sequence[int], max_iter: int, shuffle: bool
) -> npt.NDArray[np.int32]:
    """Visiting orders of many problems, side by side.

    Parameters
    ----------
    sizes : sequence of int
        Number of rows of each problem.
    seeds : sequence of int
        Seed of each problem: its orders depend on nothing else.
    max_iter : int
        Number of epochs.
    shuffle : bool
        Draw an order per epoch; otherwise one order, that of the rows, serves every epoch.

    Returns
    -------
    int32 array of shape (max_iter, sum(sizes)), or (1, sum(sizes)) without shuffling
        Row ``e`` holds, problem after problem, a permutation of the problem's row positions.

    Examples
    --------
    >>> from bicneuron.perceptron._orders import epoch_orders
    >>> epoch_orders([3, 2], [0, 0], max_iter=20, shuffle=False)
    array([[0, 1, 2, 0, 1]], dtype=int32)
    """
    orders = np.empty((max_iter if shuffle else 1, sum(sizes)), dtype=np.int32)
    start = 0
    for size, seed in zip(sizes, seeds, strict=True):
        problem = orders[:, start : start + size]
        problem[:] = np.arange(size)
        if shuffle:
            np.random.Generator(np.random.PCG64(seed)).permuted(problem, axis=1, out=problem)
        start += size
    return orders
