"""Run a study and write its table, its rows and its plots."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import typer

from bicneuron.cli._answer import track
from bicneuron.cli._cluster import on_cluster
from bicneuron.cli._interrupts import leave_at_once
from bicneuron.cli._messages import in_one_line, say
from bicneuron.cli._options import split_names

QUESTIONS = {
    "network": "many neurons against strong rivals, EEG pairs included",
    "ablation": "mined against random pairs of the same sizes",
    "noise": "up to 30 % wrong labels in the training rows",
    "missing": "up to half of the cells missing, in training and test rows",
    "small": "a few patterns beside rivals that use as many columns",
    "discovery": "groups hidden in made-up and real tables, beside other ways to find them",
    "calibration": "the significance test on noise, and on planted groups",
    "columns": "the columns that are listed for a planted group: false ones, and those missed",
    "replication": "patterns in a second cohort: level, power, three real cohorts",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit codes are those of ``bicneuron``."""
    if argv is None:  # the process is ours
        leave_at_once()
    try:
        _run(_parser().parse_args(argv))
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except typer.Exit as end:
        return end.exit_code
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Report a mistake in one line, without the usage."""
        self.exit(2, f"error: {message}\n")


def _run(given: argparse.Namespace) -> None:
    with in_one_line(), on_cluster(given.dask, given.jobs):
        from studies._study import run_study  # takes seconds, a wrong option does not

        written = run_study(
            import_module(f"studies.{given.study}").STUDY,
            given.out,
            datasets=split_names(given.datasets),
            seed=given.seed,
            n_jobs=given.jobs or -1,
            force=given.force,
            data_home=given.data,
            repeats=given.repeats,
            track=track,
        )
        for path in written:
            say(f"wrote {path}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m studies",
        description=__doc__,
        epilog="studies:\n" + "\n".join(f"  {name}: {text}" for name, text in QUESTIONS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study", choices=QUESTIONS, metavar="STUDY", help=", ".join(QUESTIONS))
    parser.add_argument(
        "--datasets", default="", metavar="A,B", help="only these data sets, tables or sections"
    )
    parser.add_argument("--seed", type=_natural, default=0, help="seed of all random draws")
    parser.add_argument(
        "--jobs", type=_natural, default=0, help="processes; 0, the default, takes all cores"
    )
    parser.add_argument(
        "--dask", default="", metavar="ADDRESS", help="run on a Dask cluster, not on this machine"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results"),
        metavar="FOLDER",
        help="output folder; an interrupted run continues there (default: results)",
    )
    parser.add_argument(
        "--force", action="store_true", help="run again what was run with other settings"
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="data files (default: $BICNEURON_DATA)"
    )
    parser.add_argument(
        "--repeats",
        type=_positive,
        help="at most this many tables of each kind (discovery, calibration, small) or folds "
        "(small); 5 to 200 by default",
    )
    return parser


def _natural(text: str) -> int:
    return _at_least(0, text)


def _positive(text: str) -> int:
    return _at_least(1, text)


def _at_least(least: int, text: str) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
