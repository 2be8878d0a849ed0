"""Data that the tests of the estimators share."""

import os

import pytest
from data import make_one_factor


def pytest_collection_modifyitems(items):
    """Skip what needs the real data sets where they are not."""
    if not os.environ.get("BICNEURON_DATA"):
        skip = pytest.mark.skip(reason="BICNEURON_DATA names no data folder")
        for item in items:
            if item.get_closest_marker("real_data"):
                item.add_marker(skip)


@pytest.fixture(scope="session")
def one_factor():
    return make_one_factor()
