"""The answer of a command: in words, as one JSON object, or nothing."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from bicneuron.cli._interrupts import clean_up_first
from bicneuron.cli._messages import CommandError, in_one_line, print_warning, say
from bicneuron.cli._options import ResultOptions
from bicneuron.cli._progress import counting_bar, spinner


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

    def tell(self, *lines: str, **facts: Any) -> None:
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
        """Show a spinner on a terminal."""
        with spinner(on, hidden=self._quiet):
            yield

    @contextmanager
    def counting(self, on: str, unit: str) -> Iterator[Callable[[int, int], None]]:
        """Show a progress bar on a terminal; what is yielded takes the count and the total."""
        with counting_bar(on, unit, hidden=self._quiet) as advance:
            yield advance

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
