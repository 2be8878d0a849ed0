"""What goes wrong is told in one line, with the way out."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from bicneuron.cli._interrupts import EXIT_CODE, INTERRUPTED
from bicneuron.exceptions import DatasetCorruptError


@contextmanager
def in_one_line() -> Iterator[None]:
    """Turn what is expected to go wrong into a line on stderr and an exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            yield
        except KeyboardInterrupt:
            _end(INTERRUPTED, EXIT_CODE)
        except (OSError, ImportError, DatasetCorruptError) as error:
            # Files that are missing, altered or cannot be written, and extras not installed.
            _end(str(error), 2)
        except ValueError as error:
            from bicneuron.experiments import ExperimentError, FailedFoldError

            if not isinstance(error, ExperimentError):
                raise
            _end(str(error), 1 if isinstance(error, FailedFoldError) else 2)


def _show_warning(message: Warning | str, *details: Any, **more: Any) -> None:
    typer.echo(f"warning: {' '.join(str(message).split())}", err=True)


def _end(message: str, code: int) -> None:
    typer.echo(f"error: {' '.join(message.split())}", err=True)
    raise typer.Exit(code)
