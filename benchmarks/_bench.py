"""One row of the table, and measurements of time and memory."""

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Size = Literal["tiny", "usual", "full"]
Clock = Callable[[], float]

WIDTHS = {"question": 10, "what": 66, "size": 19, "threads": 7, "ratio": 9, "bound": 9, "holds": 5}


@dataclass(frozen=True)
class Bench:
    """A measured ratio, or a slope, and its bound; ``question`` is a file in this folder."""

    question: str
    what: str
    size: str
    ratio: float
    at_most: float | None = None
    at_least: float | None = None
    threads: int = 1
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """True if the ratio is within the bound; None without a bound."""
        if self.at_most is not None:
            return self.ratio <= self.at_most
        return None if self.at_least is None else self.ratio >= self.at_least

    def line(self) -> str:
        """Format the row for the table."""
        bound = "" if self.at_most is None else f"<= {self.at_most:g}"
        bound = bound if self.at_least is None else f">= {self.at_least:g}"
        holds = {None: "", True: "yes", False: "NO"}[self.holds]
        cells = (self.question, self.what, self.size, self.threads, f"{self.ratio:.3g}")
        return format_line(*cells, bound, holds, self.note)


def format_line(*cells: object) -> str:
    """Pad cells to columns of fixed width, so that each row can be printed at once."""
    padded = [f"{cell!s:<{width}}" for cell, width in zip(cells, WIDTHS.values(), strict=False)]
    return "  ".join([*padded, *map(str, cells[len(WIDTHS) :])]).rstrip()


def fastest(
    jobs: Mapping[str, Callable[[], object]], repeats: int, clock: Clock = time.process_time
) -> dict[str, float]:
    """Seconds of the fastest run of each job; in turn, which spreads disturbances over all.

    Processor time is reliable on a busy machine; to compare threads or processes, use wall time.
    """
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            gc.collect()
            start = clock()
            job()
            best[name] = min(best[name], clock() - start)
    return best


MEASURE = """
import sys
def memory(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(what))
def added(job):
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    before = memory("VmRSS")
    job()
    return memory("VmHWM") - before
"""


def peak_memory(script: str, *arguments: object) -> tuple[int, int] | None:
    """Bytes that a job adds at its peak, in a separate process, and bytes of its input.

    The script makes the input from ``sys.argv[1:]`` and prints both. None if the system does not
    report a peak (Linux does).
    """
    if not os.path.exists("/proc/self/clear_refs"):
        return None
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MEASURE + script, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    added, size = map(int, run.stdout.split())
    return added, size
