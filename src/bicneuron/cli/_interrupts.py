"""Ctrl-C at any moment: one line and exit code 130."""

import os
import signal
from types import FrameType

INTERRUPTED = "interrupted; what is finished is kept, nothing is half-written."
EXIT_CODE = 130
_SHOW_CURSOR = b"\x1b[?25h"


def leave_at_once() -> None:
    """Let Ctrl-C end the process there and then, for as long as there is nothing to clean up.

    A KeyboardInterrupt in the middle of an import can get lost or become another error, because
    some libraries catch whatever goes wrong while they load.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def clean_up_first() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, from when on there are workers and files to clean up."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, _raise_once)


def _leave(number: int, frame: FrameType | None) -> None:
    # Not print: it may be in the middle of another one. A spinner may have hidden the cursor.
    shown = _SHOW_CURSOR if os.isatty(2) else b""
    os.write(2, shown + f"error: {INTERRUPTED}\n".encode())
    os._exit(EXIT_CODE)


def _raise_once(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an impatient second one must not cut it short
    raise KeyboardInterrupt
