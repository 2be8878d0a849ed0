"""Try to break the package; exit code 1 if something breaks."""

import argparse
import os
import sys
from collections.abc import Iterable
from itertools import chain

from hardening._fuzz import SHARES, Fuzz, fuzz_many, fuzz_one
from hardening._mutants import PARTS, mutants
from hardening._places import place_faults
from hardening._signals import COMMANDS, SIGNALS, signal_faults
from hardening._soak import soak


def main(arguments: list[str] | None = None) -> int:
    """Run one of the commands; give the exit code."""
    parser = argparse.ArgumentParser(prog="python -m hardening", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    fuzz = commands.add_parser("fuzz", help="random input of estimators and of all readers")
    fuzz.add_argument("--cases", type=int, default=3000)
    fuzz.add_argument("--seed", type=int, default=0)
    fuzz.add_argument("--kind", choices=[*SHARES], help="only these; all by default")
    fuzz.add_argument("--case", type=int, help="only the case of this number, in this process")
    fuzz.add_argument("--jobs", type=int, default=2)
    faults = commands.add_parser("faults", help="signals, full disks, shared folders, clocks")
    faults.add_argument("--moments", type=int, default=50, help="of each signal and command")
    faults.add_argument("--command", dest="name", choices=COMMANDS, help="only signals to this one")
    faults.add_argument("--signal", choices=SIGNALS, help="only this signal")
    soaking = commands.add_parser("soak", help="many fits, and processes that share caches")
    soaking.add_argument("--fits", type=int, default=2000)
    mutating = commands.add_parser("mutants", help="faults put into the source: do tests notice?")
    mutating.add_argument("--count", type=int, default=200)
    mutating.add_argument("--seed", type=int, default=0)
    mutating.add_argument("--part", choices=[*PARTS], help="only changes of these files")
    mutating.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args(arguments)
    if given.command == "soak":
        n_bad = _show(soak(given.fits))
    elif given.command == "mutants":
        n_bad = _show(mutants(given.count, given.seed, given.part, given.jobs))
    elif given.command == "faults":
        # Commands run in folders of their own and find the reproduction here.
        os.environ["PYTHONPATH"] = os.getcwd()
        names = [given.name] if given.name else COMMANDS
        signs = [given.signal] if given.signal else SIGNALS
        everything = not given.name and not given.signal
        signals = signal_faults(names, signs, given.moments)
        n_bad = _show(chain(place_faults() if everything else (), signals))
    elif given.case is not None:
        n_bad = fuzz_one(Fuzz(given.seed, given.kind), given.case)
    else:
        n_bad = fuzz_many(Fuzz(given.seed, given.kind), given.cases, given.jobs)
    return 1 if n_bad else 0


def _show(results: Iterable[tuple[str, int]]) -> int:
    """Print lines as they come; give the number of bad ones."""
    n_bad = 0
    for line, its_bad in results:
        print(f"{'BAD ' if its_bad else ''}{line}", flush=True)
        n_bad += its_bad
    return n_bad


if __name__ == "__main__":
    sys.exit(main())
