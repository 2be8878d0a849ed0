"""The command ``bicneuron``."""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments without the name of the program; None takes those of the process.

    Returns
    -------
    int
        Exit code: 0, 1 for a fold that failed, 2 for what cannot be run as asked, 130 for Ctrl-C.
    """
    try:
        from bicneuron.cli._app import app
    except ModuleNotFoundError as error:
        print(f"error: install {error.name}: pip install 'bicneuron[cli]'", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("error: interrupted.", file=sys.stderr)
        return 130
    try:
        app(args=None if argv is None else list(argv), prog_name="bicneuron")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0
