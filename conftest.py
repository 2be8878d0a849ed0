"""For tests and doctests: pictures on no screen, closed when the test ends, and few threads."""

import gc
import os
import sys

import pytest

os.environ["MPLBACKEND"] = "Agg"
# Read when numpy is first imported. The workers of pytest take all cores: more threads would wait
# for each other. Tests of what threads must not change set their own numbers.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")


def pytest_collection_finish():
    """Let the garbage collector look no more at what is loaded by now, and seldom at the rest."""
    gc.freeze()
    gc.set_threshold(50_000)


@pytest.fixture(autouse=True)
def close_figures():
    """Close what was drawn with pyplot, which keeps figures until then."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
