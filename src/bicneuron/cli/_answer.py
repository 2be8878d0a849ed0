"""The answer of a command, in words or as one JSON object, and the command to type next."""

import json
import logging
import math
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron._shared._steps import listening
from bicneuron.cli._interrupts import clean_up_first
from bicneuron.cli._messages import CommandError, in_one_line, print_warning, say
from bicneuron.cli._progress import showing

if TYPE_CHECKING:
    from bicneuron.tables import Table

OTHER_TABLE = "OTHER_TABLE"  # stands for one that only the user knows


class Answer:
    """Lines for people at once, facts for scripts at the end."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self.facts: dict[str, Any] = {"notes": [], "warnings": []}
        self.is_printed = as_json or not quiet
        self._as_json = as_json
        self._in_words = not (as_json or quiet)
        self._quiet = quiet
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

    def tell(self, read: "Table", *, show: bool = False) -> None:
        """Print what was read, what was guessed and what is doubtful."""
        self.facts["read"] = read.summary
        if self._in_words:
            say(f"read: {read.summary}", err=True)
        if show:
            self.add(*read.shown().splitlines(), reading=read.reading.to_dict("index"))
        self.note(read.notes)
        for question in read.questions:
            if question.rule == "changes":
                self.warn(question.text)
            else:
                self.note([question.text])

    def add(self, *lines: str, **facts: Any) -> None:
        """Print lines for people, and keep the same as facts for scripts."""
        self.facts.update(facts)
        if self._in_words:
            for line in lines:
                self._say(line)

    def suggest(self, *words: object, output: Path) -> None:
        """Print the command to type next, which writes an output that is not there yet."""
        ending = "".join(output.suffixes[-2:] if output.suffix.lower() == ".gz" else output.suffix)
        name, number = output.name.removesuffix(ending), 2
        while output.exists():
            output, number = output.with_name(f"{name}_{number}{ending}"), number + 1
        line = shlex.join(["bicneuron", *map(str, words), "-o", str(output)])
        self.add(f"next: {line}", next=line)

    def load(self, *modules: str) -> None:
        """Import what a command needs."""
        with self.working("loading"):
            for name in modules:
                import_module(name)

    @contextmanager
    def working(self, on: str, unit: str = "") -> Iterator[None]:
        """Show what is being done, and how much of it; lines in a log go with those in words."""
        if self._quiet:
            yield
        else:
            shown = showing(on, unit, in_log=self._in_words)
            with shown as advance, listening(advance if unit else None):
                yield

    def end(self) -> None:
        """Print the facts if --json asks for them; a lost answer is an error without a file."""
        if self._as_json:
            self._say(json.dumps(plain(self.facts), ensure_ascii=False))
        if self._why_lost is not None:
            lost = f"the answer is incomplete, standard output: {self._why_lost}."
            if "output" not in self.facts:
                raise CommandError(lost)
            print_warning(lost)

    def _say(self, line: str) -> None:
        """Print a line on stdout."""
        self._why_lost = say(line) or self._why_lost


@contextmanager
def answering(*, as_json: bool, quiet: bool) -> Iterator[Answer]:
    """Run a command, print its answer, and report errors in one line."""
    answer = Answer(as_json=as_json, quiet=quiet)
    logging.getLogger("bicneuron").disabled = as_json or quiet  # it tells that kernels are compiled
    with in_one_line(answer.warn):
        answer.load("bicneuron.tables")
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


def class_counts(labels: Any) -> tuple[dict[Any, int], str]:
    """How many rows each class has, also in words."""
    counts = dict(sorted(Counter(labels.tolist()).items()))
    return counts, ", ".join(f"{label}: {n}" for label, n in counts.items())
