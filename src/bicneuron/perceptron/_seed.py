"""From a ``random_state`` to a seed."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def draw_seed(random_state: Any) -> int:
    """Turn a scikit-learn ``random_state`` into an integer seed; an integer stays itself."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
