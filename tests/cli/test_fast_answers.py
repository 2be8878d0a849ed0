"""What is wrong with a command is told before what takes long is loaded."""

import json
import subprocess
import sys

from bicneuron import __version__

# Run several commands in one process, and tell their exit codes and what was loaded.
SCRIPT = """
import json, sys
from bicneuron.cli import main
codes = [main(arguments) for arguments in json.loads(sys.argv[1])]
heavy = [name for name in ("sklearn", "numba", "scipy", "pandas") if name in sys.modules]
print(json.dumps([codes, heavy]))
"""


def test_nothing_heavy_is_loaded_to_say_what_is_wrong(tmp_path):
    bad, out = tmp_path / "bad.csv", tmp_path / "out"
    bad.write_text("a,b,class\n1,x,p\n2,3,q\n4,5,q\n")
    model = tmp_path / "m.skops"
    model.write_bytes(b"")
    commands = [
        ["--version"],
        ["fit"],
        ["fit", "none.csv", "--target", "class", "-o", f"{out}.skops"],
        ["fit", bad, "--target", "class", "-o", f"{out}.skops"],
        ["fit", bad, "--target", "klass", "-o", f"{out}.doc"],
        ["find", bad, "--target", "class", "-o", f"{out}.csv"],
        ["find", "none.csv", "--target", "class", "-o", f"{out}.csv"],
        ["predict", "none.skops", bad, "-o", f"{out}.csv"],
        ["predict", model, "none.csv", "-o", f"{out}.csv"],
        ["explain", "none.skops", "-o", f"{out}.html"],
        ["replicate", "none.skops", bad, "-o", f"{out}.json"],
        ["replicate", model, bad, "--time", "a", "-o", f"{out}.csv"],
    ]
    arguments = json.dumps([[str(word) for word in command] for command in commands])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, arguments], capture_output=True, text=True, check=True
    )
    codes, heavy = json.loads(done.stdout.splitlines()[-1])
    assert codes == [0, *[2] * 11]
    assert heavy == []
    assert "Traceback" not in done.stderr
    assert "column 'b', row 1, is 'x', which is not a finite number" in done.stderr
    assert not list(tmp_path.glob("out*"))


def test_the_version(run):
    assert run("--version").out == f"bicneuron {__version__}\n"
