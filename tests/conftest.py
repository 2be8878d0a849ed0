"""Data that the tests of the estimators share."""

import os

import numba
import numpy as np
import pytest
from data import make_one_factor
from hypothesis import settings

# How long an example takes is a matter of the machine and of what else it does.
settings.register_profile("untimed", max_examples=25, deadline=None)
settings.load_profile("untimed")
# For a run that asks which lines are reached, not whether they are right: each time the same ones.
settings.register_profile("traced", max_examples=10, derandomize=True, deadline=None)


def pytest_collection_modifyitems(items):
    """Skip what needs the real data sets where they are not, and what needs compiled kernels."""
    reasons = {}
    if not os.environ.get("BICNEURON_DATA"):
        reasons["real_data"] = "BICNEURON_DATA names no data folder"
    if numba.config.DISABLE_JIT:
        reasons["compiled_only"] = "kernels are not compiled"
    for item in items:
        for marker, reason in reasons.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def one_factor():
    return make_one_factor()


@pytest.fixture
def rng():
    """The same numbers for a test, whatever ran before it."""
    return np.random.default_rng(1)
