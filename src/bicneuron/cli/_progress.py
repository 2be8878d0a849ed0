"""How far a run is: on a terminal a bar or a spinner, elsewhere two lines or nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bicneuron.cli._interrupts import clean_up_first
from bicneuron.cli._messages import say

if TYPE_CHECKING:
    from bicneuron.reproduction._records import Record


def unless_first_run(text: str) -> str:
    """What a spinner says; the first fit on a machine compiles the kernels."""
    from bicneuron._core._scale_columns import scale_columns

    stats = getattr(scale_columns, "stats", None)  # a plain function where numba is switched off
    folder = getattr(stats, "cache_path", None)
    if folder is None or any(Path(folder).glob("*.nbi")):
        return text
    return "first run on this machine: preparing, about half a minute"


@contextmanager
def spinner(text: str, *, hidden: bool) -> Iterator[None]:
    """Show that something is being done and for how long, where there is nothing to count."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    hidden = hidden or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        progress.add_task(text, total=None)
        yield


@contextmanager
def counting_bar(text: str, unit: str, *, hidden: bool) -> Iterator[Callable[[int, int], None]]:
    """Show how many folds, say, are done; what is given is called with this number and all."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
    )
    hidden = hidden or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        bar = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def track(records: Iterator["Record"], n_finished: int, n_folds: int) -> Iterator["Record"]:
    """Give the records on, and show how many there are and how long the rest will take."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    clean_up_first()
    console = Console(stderr=True)
    if not console.is_terminal:
        say(f"{n_finished} of {n_folds} folds are there", err=True)
        yield from records
        say(f"{n_folds} of {n_folds} folds are there", err=True)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("folds"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    # Folds differ in cost a thousandfold: the speed of the last seconds would say little.
    with Progress(*columns, console=console, speed_estimate_period=600) as progress:
        bar = progress.add_task("", total=n_folds, completed=n_finished)
        for record in records:
            progress.update(
                bar,
                advance=1,
                description=f"{record.protocol} {record.dataset} {record.model}",
            )
            yield record
