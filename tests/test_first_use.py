"""Who uses the kernels first on a machine is told that they are compiled, and nobody else."""

import os
import subprocess
import sys

import pytest

LINE = "compiling kernels of bicneuron, once on this machine (up to half a minute)\n"
LIBRARY = """
from bicneuron._core._sorting import above
from bicneuron._core._splits import log_rate
above(1.0), log_rate(1.0, 2.0), above(2.0)
"""
COMMANDS = """
from bicneuron._core._sorting import above
from bicneuron._core._splits import log_rate
from bicneuron.cli._answer import answering
with answering(as_json=True, quiet=False):
    above(1.0)
with answering(as_json=False, quiet=True):
    log_rate(1.0, 2.0)
"""


@pytest.fixture
def printed(tmp_path):
    """Run a script in a process that keeps machine code in a folder of its own."""

    def run(script):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    return run


def test_one_line_tells_that_kernels_are_compiled_and_none_that_they_are_loaded(printed):
    assert printed(LIBRARY) == ("", LINE)
    assert printed(LIBRARY) == ("", "")


def test_commands_for_scripts_do_not_tell_it(printed):
    assert printed(COMMANDS) == ('{"notes": [], "warnings": []}\n', "")
