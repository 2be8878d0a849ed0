"""What a command has to say: in words, as one JSON object, or nothing."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from bicneuron.cli._interrupts import clean_up_first
from bicneuron.cli._messages import CommandError, in_one_line, print_warning, say
from bicneuron.cli._progress import counting_bar, spinner


class Answer:
    """Words for people as they come, facts for scripts at the end.

    Parameters
    ----------
    as_json, quiet : bool
        What --json and --quiet say.
    """

    def __init__(self, as_json: bool, quiet: bool) -> None:
        self.facts: dict[str, Any] = {"notes": [], "warnings": []}
        self._as_json = as_json
        self._in_words = not (as_json or quiet)
        self._quiet = quiet
        self._why_lost: str | None = None

    def note(self, notes: Iterable[str]) -> None:
        """Print what was guessed."""
        for text in notes:
            self.facts["notes"].append(text)
            if self._in_words:
                say(f"note: {text}", err=True)

    def warn(self, text: str) -> None:
        """Pass a warning on."""
        self.facts["warnings"].append(text)
        if self._in_words:
            print_warning(text)

    def tell(self, *lines: str, **facts: Any) -> None:
        """Lines for people, the same as facts for scripts."""
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
        """Show on a terminal how many folds, say, are done; what is given is called after each."""
        with counting_bar(on, unit, hidden=self._quiet) as advance:
            yield advance

    def end(self) -> None:
        """Print the facts, if they are wanted.

        An answer that cannot be printed is an error if there is no file that has the result.
        """
        if self._as_json:
            self._say(json.dumps(plain(self.facts), ensure_ascii=False))
        if self._why_lost is not None:
            lost = f"not all is printed, standard output: {self._why_lost}."
            if "output" not in self.facts:
                raise CommandError(lost)
            print_warning(lost)

    def _say(self, line: str) -> None:
        """A line on stdout."""
        reason = say(line)
        self._why_lost = self._why_lost or reason


@contextmanager
def answering(as_json: bool, quiet: bool, *modules: str) -> Iterator[Answer]:
    """Run a command: load what it needs, tell what it says, and in one line what goes wrong."""
    answer = Answer(as_json, quiet)
    with in_one_line(answer.warn):
        answer.load(*modules)
        clean_up_first()
        yield answer
        answer.end()


def plain(value: Any) -> Any:
    """What JSON can hold: no numpy, and null for numbers that are not finite."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)
