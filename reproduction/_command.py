"""What the command lines of the reproduction and of the studies share."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import typer

from bicneuron.cli._interrupts import clean_up_first, ends_with, leave_at_once
from bicneuron.cli._messages import end, in_one_line, say
from bicneuron.cli._options import split_names
from bicneuron.cli._progress import is_terminal, terminal_progress
from reproduction._cluster import on_cluster
from reproduction.exceptions import DatasetCorruptError, ExperimentError, FailedFoldError


class Parser(argparse.ArgumentParser):
    """Parser of the options that all experiments have."""

    def __init__(self, **texts: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **texts)
        add = self.add_argument
        only: dict[str, Any] = {"default": [], "type": split_names, "metavar": "A,B"}
        add("--datasets", **only, help="only these data sets (of a study: or tables, or sections)")
        add("--seed", type=natural, default=0, help="seed of all random draws")
        add("--jobs", type=natural, default=0, help="processes; 0, the default, takes all cores")
        add("--dask", default="", metavar="ADDRESS", help="run on a Dask cluster, not here")
        out = "output folder; an interrupted run continues there (default: results)"
        add("--out", type=Path, metavar="FOLDER", help=out)
        add("--force", action="store_true", help="run again what was run with other settings")
        add("--data", type=Path, metavar="FOLDER", help="data files (default: $BICNEURON_DATA)")

    def error(self, message: str) -> NoReturn:
        """Report a mistake in one line, without the usage."""
        self.exit(2, f"error: {message}\n")


def common_arguments(given: argparse.Namespace) -> dict[str, Any]:
    """Arguments that `reproduce`, `reproduce_readings` and `run_study` take."""
    return {
        "datasets": given.datasets,
        "seed": given.seed,
        "n_jobs": given.jobs or -1,
        "force": given.force,
        "data_home": given.data,
        "track": track,
    }


def run_command(
    parser: Parser,
    run: Callable[[argparse.Namespace], Iterable[Path]],
    argv: Sequence[str] | None,
) -> int:
    """Parse, run and name the written files; the exit codes are those of ``bicneuron``.

    A fold that fails has exit code 1.
    """
    if argv is None:  # the process is ours
        leave_at_once()
    code = 1
    try:
        given = parser.parse_args(argv)
        with in_one_line(), _in_words(), on_cluster(given.dask, given.jobs):
            for path in run(given):
                say(f"wrote {path}")
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except typer.Exit as ended:
        code = ended.exit_code
    finally:
        ends_with(code)
    return code


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except (DatasetCorruptError, ExperimentError) as error:
        end(str(error), 1 if isinstance(error, FailedFoldError) else 2)


def track(records: Iterator[Any], n_finished: int, n_folds: int) -> Iterator[Any]:
    """Yield the records of folds, and show how many there are and how long the rest will take."""
    clean_up_first()
    if not is_terminal():
        say(f"{n_finished} of {n_folds} folds done", err=True)
        yield from records
        say(f"{n_folds} of {n_folds} folds done", err=True)
        return
    with terminal_progress("folds", is_kept=True) as progress:
        bar = progress.add_task("", total=n_folds, completed=n_finished)
        for record in records:
            current = f"{record.protocol} {record.dataset} {record.model}"
            progress.update(bar, advance=1, description=current)
            yield record


def natural(text: str, least: int = 0) -> int:
    """A whole number from 0 on."""
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
    return int(text)


positive = partial(natural, least=1)
