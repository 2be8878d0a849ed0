"""Progress of long work: a bar or a spinner on a terminal, a line from time to time in a log."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bicneuron.cli._messages import say

if TYPE_CHECKING:
    from rich.progress import Progress

SECONDS = 5.0  # between two lines in a log, and before the first
Advance = Callable[[int, int], None]  # with the number of steps that are done, and of all


@contextmanager
def showing(on: str, unit: str = "", *, in_log: bool = True) -> Iterator[Advance]:
    """Show on stderr what is being done, and how far it is."""
    if is_terminal():
        with terminal_progress(unit) as progress:
            bar = progress.add_task(on, total=None)
            yield lambda done, total: progress.update(bar, completed=done, total=total)
    elif in_log:
        with _lines(on, unit) as advance:
            yield advance
    else:
        yield lambda done, total: None


def is_terminal() -> bool:
    """True if stderr is one."""
    from rich.console import Console

    return Console(stderr=True).is_terminal


def terminal_progress(unit: str = "", *, is_kept: bool = False) -> "Progress":
    """A progress bar that counts units, or a spinner without a unit; it may stay when it ends."""
    from rich import progress
    from rich.console import Console

    count: list[Any] = [progress.SpinnerColumn()]
    if unit:
        count = [progress.BarColumn(), progress.MofNCompleteColumn(), progress.TextColumn(unit)]
        count += [progress.TimeRemainingColumn(), progress.TextColumn("left,")]
    return progress.Progress(
        *(progress.TextColumn("{task.description}"), *count, progress.TimeElapsedColumn()),
        console=Console(stderr=True),
        transient=not is_kept,
        # Folds differ in cost a thousandfold: the speed of the last seconds would say little.
        speed_estimate_period=600,
    )


@contextmanager
def _lines(on: str, unit: str) -> Iterator[Advance]:
    """Write lines in a log by a thread of its own while work is done."""
    start, ended, steps = time.monotonic(), threading.Event(), (0, 0)

    def write() -> None:
        while not ended.wait(SECONDS):
            say(progress_line(on, unit, *steps, time.monotonic() - start), err=True)

    def advance(done: int, total: int) -> None:
        nonlocal steps
        steps = done, total

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield advance
    finally:
        ended.set()
        thread.join()


def progress_line(on: str, unit: str, done: int, total: int, passed: float) -> str:
    """What is being done, the share that is done, and the time that has passed and is left."""
    parts = [on, f"{_duration(passed)} so far"]
    if total:
        parts.insert(1, f"{done} of {total} {unit} ({done / total:.0%})")
    if done:
        parts.append(f"about {_duration(passed * (total - done) / done)} left")
    return f"progress: {', '.join(parts)}"


def _duration(seconds: float) -> str:
    """Hours, minutes and seconds, as in "0:02:05"."""
    return str(timedelta(seconds=round(seconds)))
