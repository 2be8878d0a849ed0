"""The command ``bicneuron``: one file per command, with shared options, messages and files."""

import sys
from collections.abc import Sequence

from bicneuron.cli._interrupts import ends_with, leave_at_once

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line with some arguments or those of the process; return the exit code."""
    if argv is None:  # the process is ours
        leave_at_once()
    code = 1
    try:
        code = _run(sys.argv[1:] if argv is None else list(argv))
    finally:
        ends_with(code)
    return code


def _run(arguments: list[str]) -> int:
    try:
        from bicneuron.cli._app import app
    except ModuleNotFoundError as error:
        print(f"error: install {error.name}: pip install 'bicneuron[cli]'", file=sys.stderr)
        return 2
    try:
        app(args=arguments, prog_name="bicneuron", obj=arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except OSError as error:  # of the help or the version; commands catch their own
        from bicneuron.cli._messages import say

        say(f"error: standard output: {error.strerror}.", err=True)
        return 2
    return 0
