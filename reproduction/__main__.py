"""Run the paper's Tables 2 to 5 again, beside the printed numbers, as Markdown and as a page."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bicneuron.cli._messages import CommandError, say
from bicneuron.cli._options import split_names
from reproduction._command import Parser, common_arguments, run_command

EXAMPLES = """examples:
  python -m reproduction --quick
  python -m reproduction --table 3 --protocol paper --datasets wdbc,sonar
  python -m reproduction --readings
  python -m reproduction --list
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    return run_command(_parser(), _run, argv)


def _run(given: argparse.Namespace) -> Iterable[Path]:
    if given.list:
        return _list_datasets(given.data)
    from reproduction._readings import reproduce_readings  # takes seconds, a wrong option does not
    from reproduction._reproduce import reproduce

    out = given.out or Path("results-quick" if given.quick else "results")
    common = common_arguments(given)
    if not given.readings:
        return reproduce(
            out,
            protocol=given.protocol or ("clean" if given.quick else "both"),
            tables=(2, 3, 4, 5) if given.table == "all" else (int(given.table),),
            models=given.models,
            rivals=given.rivals,
            grouped=given.grouped,
            quick=given.quick,
            **common,
        )
    chosen = (given.protocol, given.models, given.rivals, given.grouped, given.quick)
    if any(chosen) or given.table != "all":
        raise CommandError(
            "--readings runs BN under the paper protocol; leave out --protocol, --table, "
            "--models, --rivals, --grouped and --quick."
        )
    return reproduce_readings(out, **common)


def _list_datasets(folder: Path | None) -> list[Path]:
    from reproduction.datasets import dataset_info, list_datasets

    for info in map(dataset_info, list_datasets()):
        shape = "x".join(map(str, info.shape)) if info.shape else "-"
        classes = ", ".join(f"{label} {n}" for label, n in info.class_counts)
        say(f"{info.name:<11} {shape:>9}  {classes}")
        say(f"{'':<23}{info.location(folder)}")
    return []


def _parser() -> Parser:
    parser = Parser(prog="python -m reproduction", description=__doc__, epilog=EXAMPLES)
    add = parser.add_argument
    add(
        "--protocol",
        choices=("paper", "clean", "both"),
        help="the paper's way, a clean one (default: both)",
    )
    add("--table", choices=("2", "3", "4", "5", "all"), default="all", help="table of the paper")
    add("--models", default=[], type=split_names, metavar="A,B", help="only these models")
    add("--rivals", action="store_true", help="add scikit-learn's classifiers (clean protocol)")
    add("--grouped", action="store_true", help="keep a person's rows together (clean protocol)")
    add(
        "--quick",
        action="store_true",
        help="a minute, on data that need no file: clean protocol, into results-quick",
    )
    add(
        "--readings",
        action="store_true",
        help="not the tables: each reading of the paper's miner beside the printed rows",
    )
    add("--list", action="store_true", help="list the data sets, and where to get each")
    return parser


if __name__ == "__main__":
    sys.exit(main())
