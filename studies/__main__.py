"""Run a study and write its table, its rows and its plots."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from reproduction._command import Parser, common_arguments, positive, run_command

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
    return run_command(_parser(), _run, argv)


def _run(given: argparse.Namespace) -> Iterable[Path]:
    from studies._study import run_study  # takes seconds, a wrong option does not

    study = import_module(f"studies.{given.study}").STUDY
    out = given.out or Path("results")
    return run_study(study, out, repeats=given.repeats, **common_arguments(given))


def _parser() -> Parser:
    parser = Parser(
        prog="python -m studies",
        description=__doc__,
        epilog="studies:\n" + "\n".join(f"  {name}: {text}" for name, text in QUESTIONS.items()),
    )
    parser.add_argument("study", choices=QUESTIONS, metavar="STUDY", help=", ".join(QUESTIONS))
    parser.add_argument(
        "--repeats",
        type=positive,
        help="at most this many tables of each kind (discovery, calibration, small) or folds "
        "(small); 5 to 200 by default",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
