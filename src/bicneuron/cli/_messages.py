"""Lines that a command prints, and errors in one line that says what to do."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer

from bicneuron import exceptions
from bicneuron._shared._formats import visible
from bicneuron.cli._interrupts import INTERRUPTED, exit_code_of

NEXT_PROBLEM = "\n  "  # a table may have several, one in each line
NO_PAIR = (
    "no pattern tells the classes apart, so the model is one neuron on all rows and columns; try "
    "--model readable or --model accurate."
)
_NO_MEMORY = "there is not enough memory; take fewer rows or columns (--drop), or another machine."


class CommandError(Exception):
    """A command cannot be run as asked; the message says why and what to do."""


# Files that are missing, altered or cannot be written, and extras not installed.
EXPECTED = (CommandError, OSError, ImportError, exceptions.ModelFileError, exceptions.TableError)


def say(line: str, *, err: bool = False) -> str | None:
    """Print a line without control characters, or return the reason why that is not possible."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        return "it is closed"
    try:
        typer.echo(visible(line), err=err)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error.strerror or str(error)
    return None


def print_warning(message: str) -> None:
    """Show a warning on stderr."""
    say(f"warning: {message}", err=True)


@contextmanager
def in_one_line(warn: Callable[[str], None] = print_warning) -> Iterator[None]:
    """Turn expected errors into a line on stderr and an exit code; ``warn`` gets warnings."""

    def show(message: Warning | str, *details: Any, **more: Any) -> None:
        # The advice of this one is for Python.
        is_no_pair = isinstance(message, exceptions.NoContrastivePairWarning)
        warn(NO_PAIR if is_no_pair else " ".join(str(message).split()))

    with warnings.catch_warnings():
        warnings.showwarning = show
        # Commands keep such rows together, and say so.
        warnings.simplefilter("ignore", exceptions.DependentRowsWarning)
        try:
            yield
        except BaseException as error:  # a library may turn an interrupt into any other error
            code = exit_code_of(error)
            if code is not None:
                end(INTERRUPTED, code)
            if isinstance(error, MemoryError):
                end(_NO_MEMORY, 2)
            if not isinstance(error, EXPECTED):
                raise
            if isinstance(error, OSError) and error.filename is not None:
                end(f"{error.filename}: {error.strerror}.", 2)
            end(str(error), 2)


@contextmanager
def refusing_bad_values(**options: str) -> Iterator[None]:
    """Turn errors of the library about values into errors that name options, not parameters."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if isinstance(error, exceptions.ModelFileError | exceptions.TableError):
            raise
        name, *_ = str(error).split(" ", 1)
        raise CommandError(str(error).replace(name, options.get(name, name))) from error


def end(message: str, code: int) -> NoReturn:
    """End the command with an error and an exit code."""
    lines = (" ".join(line.split()) for line in message.split(NEXT_PROBLEM))
    say(f"error: {NEXT_PROBLEM.join(lines)}", err=True)
    raise typer.Exit(code)
