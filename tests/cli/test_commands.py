"""Commands: what they write, what they refuse, and with which exit code."""

import re
import sys
import warnings

import pytest
from typer.main import get_command

from bicneuron.cli import main
from bicneuron.cli._app import GONE, SEARCHED, app
from bicneuron.cli._messages import in_one_line
from bicneuron.cli._options import REMOVED


def test_without_typer_the_extra_is_named(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "typer", None)
    for name in [name for name in sys.modules if name.startswith("bicneuron.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["--help"]) == 2
    assert "pip install 'bicneuron[cli]'" in capsys.readouterr().err


def test_warnings_take_one_line_each(capsys):
    with in_one_line():
        warnings.simplefilter("always")
        warnings.warn("rows in\nanother order", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: rows in another order\n"


def test_a_mistake_of_ours_is_not_hidden():
    with pytest.raises(ValueError, match="a bug"), in_one_line():
        raise ValueError("a bug")


COMMANDS = {"find": 18, "fit": 16, "replicate": 15, "predict": 15, "explain": 15}


def options_in(shown):
    return {*re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.MULTILINE)}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_every_option(command, capsys):
    parameters = get_command(app).commands[command].params
    every = {max(one.opts, key=len) for one in parameters if one.param_type_name == "option"}
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert options_in(shown) == every | {"--help"}
    assert f"  Examples:\n    bicneuron {command}" in shown
    assert len(every) <= COMMANDS[command]


MISTYPED = {
    **{
        f"{typed} table.csv": f"no command {typed!r}; did you mean {meant!r}?"
        for typed, meant in {"fnid": "find", "FIT": "fit", "predcit": "predict"}.items()
    },
    "xyzzy": "no command 'xyzzy'; there are find, replicate",
    **{
        f"find t.csv {option} x -o p.csv": f"there is no option {option} any more: {instead}."
        for option, instead in REMOVED.items()
    },
    **{
        f"{command} --help": f"there is no command {command!r} any more: {instead}."
        for command, instead in GONE.items()
    },
    "fit t.csv --target x --model neuron-cv -o m.skops": (
        f"there is no --model neuron-cv any more: {SEARCHED}."
    ),
}


@pytest.mark.parametrize(("typed", "said"), MISTYPED.items())
def test_what_is_mistyped_or_gone_names_what_to_use(capsys, typed, said):
    assert main(typed.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert line.startswith(f"error: {said}")
