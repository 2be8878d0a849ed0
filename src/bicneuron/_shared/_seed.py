"""From a ``random_state`` to a seed, and from a seed to an estimator."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state


def draw_seed(random_state: Any) -> int:
    """Turn a scikit-learn ``random_state`` into an integer seed; an integer stays itself."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def seeded(estimator: Any, seed: int) -> Any:
    """Clone an estimator and set every ``random_state`` in it to the seed."""
    copy = clone(estimator)
    keys = [key for key in copy.get_params() if key.split("__")[-1] == "random_state"]
    return copy.set_params(**dict.fromkeys(keys, seed))
