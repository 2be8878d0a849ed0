"""Tables whose columns are as correlated as real ones, and whose rows form no groups."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from bicneuron._core._arrays import FloatArray
from bicneuron.datasets import make_subgroups
from bicneuron.datasets._planted import PlantedTable


def make_normal_rows(
    *, background: FloatArray, random_state: int | np.random.RandomState, **settings: Any
) -> PlantedTable:
    """As `make_subgroups` from normal rows with the covariance of a background, in its place."""
    random = check_random_state(random_state)
    deviations = background - background.mean(axis=0)
    n_rows = settings["n_cases"] + settings["n_controls"]
    # Random sums of the deviations have their covariance.
    factors = random.standard_normal((n_rows, len(deviations))) / np.sqrt(len(deviations) - 1)
    return make_subgroups(background=factors @ deviations, random_state=random, **settings)
