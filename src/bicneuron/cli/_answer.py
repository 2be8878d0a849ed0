"""The answer of a command, in words or as one JSON object, and its progress on a terminal."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli._interrupts import clean_up_first
from bicneuron.cli._messages import CommandError, in_one_line, print_warning, say
from bicneuron.cli._options import ResultOptions

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


class Answer:
    """Lines for people at once, facts for scripts at the end.

    Parameters
    ----------
    result : ResultOptions
    """

    def __init__(self, result: ResultOptions) -> None:
        self.facts: dict[str, Any] = {"notes": [], "warnings": []}
        self._as_json = result.as_json
        self._in_words = not (result.as_json or result.quiet)
        self._quiet = result.quiet
        self._why_lost: str | None = None

    def note(self, notes: Iterable[str]) -> None:
        """Print notes, such as what was guessed about a table."""
        for text in notes:
            self.facts["notes"].append(text)
            if self._in_words:
                say(f"note: {text}", err=True)

    def warn(self, text: str) -> None:
        """Print a warning."""
        self.facts["warnings"].append(text)
        if self._in_words:
            print_warning(text)

    def add(self, *lines: str, **facts: Any) -> None:
        """Print lines for people, and keep the same as facts for scripts."""
        self.facts.update(facts)
        if self._in_words:
            for line in lines:
                self._say(line)

    def load(self, *modules: str) -> None:
        """Import what a command needs, with a spinner on a terminal."""
        with self.working("loading"):
            for name in modules:
                import_module(name)

    @contextmanager
    def working(self, on: str) -> Iterator[None]:
        """Show a spinner on a terminal, and for how long it has been there."""
        with _progress(hidden=self._quiet) as progress:
            progress.add_task(on, total=None)
            yield

    @contextmanager
    def counting(self, on: str, unit: str) -> Iterator[Callable[[int, int], None]]:
        """Show a progress bar on a terminal; what is yielded takes the count and the total."""
        with _progress(unit, hidden=self._quiet) as progress:
            bar = progress.add_task(on, total=None)
            yield lambda done, total: progress.update(bar, completed=done, total=total)

    def end(self) -> None:
        """Print the facts, if --json asks for them.

        An answer that cannot be printed is an error unless a file has the result.
        """
        if self._as_json:
            self._say(json.dumps(plain(self.facts), ensure_ascii=False))
        if self._why_lost is not None:
            lost = f"the answer is incomplete, standard output: {self._why_lost}."
            if "output" not in self.facts:
                raise CommandError(lost)
            print_warning(lost)

    def _say(self, line: str) -> None:
        """Print a line on stdout."""
        reason = say(line)
        self._why_lost = self._why_lost or reason


@contextmanager
def answering(result: ResultOptions, *modules: str) -> Iterator[Answer]:
    """Load modules, run a command, print its answer, and report errors in one line."""
    answer = Answer(result)
    with in_one_line(answer.warn):
        answer.load(*modules)
        clean_up_first()
        yield answer
        answer.end()


def plain(value: Any) -> Any:
    """Convert to what JSON can hold: no numpy, and null for numbers that are not finite."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


def unless_first_run(text: str) -> str:
    """Return the text of a spinner; the first fit on a machine compiles the kernels."""
    from bicneuron._core._scale_columns import scale_columns

    stats = getattr(scale_columns, "stats", None)  # a plain function where numba is switched off
    folder = getattr(stats, "cache_path", None)
    if folder is None or any(Path(folder).glob("*.nbi")):
        return text
    return "first run on this machine: preparing, about half a minute"


def track(records: Iterator[Any], n_finished: int, n_folds: int) -> Iterator[Any]:
    """Yield the records of folds, and show how many there are and how long the rest will take."""
    clean_up_first()
    console = _stderr()
    if not console.is_terminal:
        say(f"{n_finished} of {n_folds} folds done", err=True)
        yield from records
        say(f"{n_folds} of {n_folds} folds done", err=True)
        return
    with _progress("folds", is_long=True) as progress:
        bar = progress.add_task("", total=n_folds, completed=n_finished)
        for record in records:
            current = f"{record.protocol} {record.dataset} {record.model}"
            progress.update(bar, advance=1, description=current)
            yield record


def _stderr() -> "Console":
    from rich.console import Console

    return Console(stderr=True)


def _progress(
    unit: str | None = None, *, hidden: bool = False, is_long: bool = False
) -> "Progress":
    """Make a progress bar that counts units, or a spinner without a unit, for a terminal."""
    from rich import progress

    columns: list[Any] = [progress.TextColumn("{task.description}")]
    if not unit:
        columns.insert(0, progress.SpinnerColumn())
    else:
        columns += [progress.BarColumn(), progress.MofNCompleteColumn(), progress.TextColumn(unit)]
    columns.append(progress.TimeElapsedColumn())
    if is_long:
        columns += [progress.TextColumn("left"), progress.TimeRemainingColumn()]
    console = _stderr()
    return progress.Progress(
        *columns,
        console=console,
        transient=not is_long,
        disable=hidden or not console.is_terminal,
        # Folds differ in cost a thousandfold: the speed of the last seconds would say little.
        speed_estimate_period=600,
    )
