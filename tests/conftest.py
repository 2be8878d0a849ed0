"""Data that the tests of the estimators share."""

import pytest
from data import make_one_factor


@pytest.fixture(scope="session")
def one_factor():
    return make_one_factor()
