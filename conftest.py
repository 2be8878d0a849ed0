"""Pictures that tests and doctests draw: on no screen, and closed when the test ends."""

import os
import sys

import pytest

os.environ["MPLBACKEND"] = "Agg"


@pytest.fixture(autouse=True)
def close_figures():
    """Close what was drawn with pyplot, which keeps figures until then."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
