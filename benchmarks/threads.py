"""Speed-up by two threads."""

import time
from collections.abc import Iterator
from functools import partial

from benchmarks._bench import Bench, Size, fastest
from benchmarks._matrices import planted, shape_of
from bicneuron import BicNeuronClassifier

SECONDS_THAT_MATTER = 2.0
SHAPES = {"tiny": [(200, 10)], "usual": [(60_000, 50), (200, 5_000)]}
SHAPES["full"] = [(500_000, 50), (200, 10_000)]


def rows(size: Size) -> Iterator[Bench]:
    for shape in SHAPES[size]:
        X, y = planted(*shape)
        jobs = {
            str(n): partial(BicNeuronClassifier(search=None, n_jobs=n, random_state=0).fit, X, y)
            for n in (1, 2)
        }
        seconds = fastest(jobs, 2, time.perf_counter)
        is_long = seconds["1"] > SECONDS_THAT_MATTER
        yield Bench(
            "threads",
            "BicNeuronClassifier.fit, one thread / two",
            shape_of(X),
            seconds["1"] / seconds["2"],
            at_least=1.6 if is_long else None,
            threads=2,
            note="" if is_long else f"shorter than {SECONDS_THAT_MATTER:g} s: no bound",
        )
