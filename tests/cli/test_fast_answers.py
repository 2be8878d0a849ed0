"""Help, and what is wrong with a command, are told before what takes long is loaded."""

import json
import subprocess
import sys

from bicneuron import __version__

# Run several commands in one process, and tell their exit codes and what was loaded.
SCRIPT = """
import json, sys
from bicneuron.cli import main
codes = [main(arguments) for arguments in json.loads(sys.argv[1])]
print(json.dumps([codes, [*sys.modules]]))
"""
HEAVY = {"sklearn", "numba", "scipy", "pandas"}


def run(commands):
    """Exit codes, what was loaded, and what was printed."""
    arguments = json.dumps([[str(word) for word in command] for command in commands])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, arguments], capture_output=True, text=True, check=True
    )
    codes, loaded = json.loads(done.stdout.splitlines()[-1])
    return codes, {*loaded}, done


def test_help_comes_without_the_heavy_libraries():
    commands = ([], ["fit"], ["predict"], ["find"], ["replicate"], ["explain"])
    codes, loaded, done = run([["--version"], *([*one, "--help"] for one in commands)])
    assert codes == [0] * 7
    assert not loaded & (HEAVY | {"numpy", "pyarrow", "rich"})
    assert done.stdout.startswith(f"bicneuron {__version__}\n")
    assert done.stdout.count("Usage: bicneuron") == len(commands)


def test_nothing_heavy_is_loaded_to_say_what_is_wrong(tmp_path):
    bad, out, model = (tmp_path / name for name in ("bad.csv", "out", "m.skops"))
    bad.write_text("a,b,class\n1,x,p\n2,3,q\n4,5,q\n")
    model.write_bytes(b"")
    commands = [
        ["fit"],
        ["fit", "none.csv", "--target", "class", "-o", f"{out}.skops"],
        ["fit", bad, "--target", "klass", "-o", f"{out}.doc"],
        ["find", "none.csv", "--target", "class", "-o", f"{out}.csv"],
        ["predict", "none.skops", bad, "-o", f"{out}.csv"],
        ["predict", model, "none.csv", "-o", f"{out}.csv"],
        ["explain", "none.skops", "-o", f"{out}.html"],
        ["replicate", "none.skops", bad, "-o", f"{out}.json"],
        ["replicate", model, bad, "--time", "a", "-o", f"{out}.csv"],
    ]
    codes, loaded, done = run(commands)
    assert codes == [2] * len(commands)
    assert not loaded & HEAVY
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("out*"))


def test_a_page_of_groups_loads_no_classifier():
    script = "import sys; from bicneuron.report import write_report; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert not {"bicneuron.classifier", "sklearn.metrics", "sklearn.model_selection"} & {*loaded}
