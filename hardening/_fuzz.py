"""Many random cases; each follows from the seed and its number."""

import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from hardening._children import Children
from hardening._judge import BAD, OK, REFUSED, Outcome, judge

# Modules with a function draw_case, and how many of 20 cases are theirs.
SHARES = {"estimators": 8, "tables": 5, "models": 4, "records": 3}
_KINDS = [kind for kind, share in SHARES.items() for _ in range(share)]
_SECONDS = 120.0  # for one case


@dataclass(frozen=True)
class Fuzz:
    """Runs the case of a number.

    Parameters
    ----------
    seed : int
    kind : str or None
        A module with cases. None takes all of them in turn.
    """

    seed: int
    kind: str | None = None

    def kind_of(self, number: int) -> str:
        """Module that the case belongs to."""
        return self.kind or _KINDS[number % len(_KINDS)]

    def __call__(self, number: int, folder: Path) -> Outcome:
        """Run a case in this process."""
        kind = self.kind_of(number)
        random = np.random.default_rng([self.seed, number, [*SHARES].index(kind)])
        with TemporaryDirectory(dir=folder) as place:
            return judge(import_module(f"hardening._{kind}").draw_case, random, Path(place))

    def repeat(self, number: int) -> str:
        """Give the command that runs this one case."""
        kind = self.kind_of(number)
        return f"python -m hardening fuzz --kind {kind} --seed {self.seed} --case {number}"


def fuzz_one(fuzz: Fuzz, number: int) -> int:
    """Run one case in this process, where a debugger sees it; give the number of bad ones."""
    with TemporaryDirectory() as folder:
        return _report(fuzz, [(number, fuzz(number, Path(folder)))], show_all=True)


def fuzz_many(fuzz: Fuzz, n_cases: int, n_jobs: int) -> int:
    """Run cases in other processes and tell of bad ones; give their number."""
    with Children(fuzz, _SECONDS) as children, ThreadPoolExecutor(n_jobs) as threads:
        numbers = range(n_cases)
        return _report(fuzz, zip(numbers, threads.map(children, numbers), strict=True))


def _report(fuzz: Fuzz, outcomes: Iterable[tuple[int, Outcome]], show_all: bool = False) -> int:
    start, count = time.perf_counter(), Counter[tuple[str, str]]()
    for number, outcome in outcomes:
        kind = fuzz.kind_of(number)
        count[kind, outcome.kind] += 1
        if show_all or outcome.kind == BAD:
            print(f"{outcome.kind} {kind} {number}: {outcome.said}")
        if outcome.kind == BAD:
            print(f"  repeat: {fuzz.repeat(number)}", flush=True)
    print(f"{'':12}{OK:>10}{REFUSED:>10}{BAD:>10}")
    for kind in SHARES:
        if any(count[kind, way] for way in (OK, REFUSED, BAD)):
            row = (count[kind, OK], count[kind, REFUSED], count[kind, BAD])
            print(f"{kind:12}" + "".join(f"{number:10}" for number in row))
    print(f"{count.total()} cases, seed {fuzz.seed}, {time.perf_counter() - start:.0f} s")
    return sum(number for (_, way), number in count.items() if way == BAD)
