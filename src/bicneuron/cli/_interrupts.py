"""Ctrl-C and SIGTERM at any moment: one line, exit code 130 or 143, and no file half-written."""

import atexit
import os
import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = "interrupted; finished files are kept, nothing is half-written."
EXIT_CODE, TERMINATED_CODE = 130, 143
_SHOW_CURSOR = b"\x1b[?25h"
_AGAIN = 0.02  # seconds after which an interrupt that got lost is raised again
_raised: list[KeyboardInterrupt] = []


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM."""


def leave_at_once() -> None:
    """Let Ctrl-C end the process at once: during imports a KeyboardInterrupt can get lost."""
    sys.unraisablehook = _raise_again
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
        atexit.register(_exit_as_interrupted)  # registered first, so that it runs last
    # By itself: a command in the background is often started with Ctrl-C ignored.
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _leave)


def ends_with(code: int) -> None:
    """Note the exit code that the process is about to end with."""
    if code != EXIT_CODE:
        atexit.unregister(_exit_as_interrupted)


def _exit_as_interrupted() -> None:
    """Exit with the code of an interrupt: CPython ends ``python -m`` by SIGINT after one."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(EXIT_CODE)


def clean_up_first() -> None:
    """Let Ctrl-C and SIGTERM raise an error, now that there are workers and files to clean up."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is _leave:
            signal.signal(number, _raise)


def exit_code_of(error: BaseException) -> int | None:
    """Exit code of an interrupt, also of one that became another error; None for any other."""
    interrupt = error if isinstance(error, KeyboardInterrupt) else next(iter(_raised), None)
    if interrupt is None:
        return None
    return TERMINATED_CODE if isinstance(interrupt, Terminated) else EXIT_CODE


def _raise_again(unraisable: "UnraisableHookArgs") -> None:
    """Repeat an interrupt that came where no error can be raised, such as in a finalizer."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt) and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _raise_last)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)
    else:
        sys.__unraisablehook__(unraisable)


def _raise_last(number: int, frame: FrameType | None) -> None:
    raise _raised[-1]


def _leave(number: int, frame: FrameType | None) -> None:
    if number == signal.SIGTERM:
        os._exit(TERMINATED_CODE)
    # Not print: it may be in the middle of another one. A spinner may have hidden the cursor.
    shown = _SHOW_CURSOR if os.isatty(2) else b""
    os.write(2, shown + f"error: {INTERRUPTED}\n".encode())
    os._exit(EXIT_CODE)


def _raise(number: int, frame: FrameType | None) -> None:
    if number == signal.SIGINT:
        signal.signal(number, signal.SIG_IGN)  # an impatient second one must not cut it short
    _raised.append(KeyboardInterrupt() if number == signal.SIGINT else Terminated())
    raise _raised[-1]
