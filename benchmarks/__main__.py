"""Run all benchmarks, or the given ones, and print one table."""

import argparse
import json
import os
import platform
import sys
import warnings
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from benchmarks._bench import WIDTHS, format_line

QUESTIONS = (
    "linkage",
    "miner",
    "models",
    "search",
    "growth",
    "memory",
    "threads",
    "cluster",
    "predict",
    "recovery",
    "sparse_signal",
    "start",
    "large",
    "export",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=", ".join(QUESTIONS))
    parser.add_argument("--size", choices=["tiny", "usual", "full"], default="usual")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows there")
    given = parser.parse_args()
    unknown = set(given.questions) - {*QUESTIONS}
    if unknown:
        parser.error(f"unknown question {min(unknown)!r}; there are {', '.join(QUESTIONS)}")
    from reproduction._records import versions  # takes seconds, a wrong name does not

    machine = {"machine": platform.machine(), "cores": os.cpu_count(), **versions()}
    print(", ".join(f"{name} {version}" for name, version in machine.items()))
    print(format_line(*WIDTHS, "note"))
    found = []
    for question in given.questions or QUESTIONS:
        for row in import_module(f"benchmarks.{question}").rows(given.size):
            print(row.line(), flush=True)
            found.append({**asdict(row), "holds": row.holds})
    broken = sum(row["holds"] is False for row in found)
    bound = sum(row["holds"] is not None for row in found)
    print(f"{bound - broken} of {bound} bounds hold")
    if given.json is not None:
        content = {"size": given.size, "machine": machine, "rows": found}
        given.json.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # rivals that do not converge, matrices without pairs
    main()
