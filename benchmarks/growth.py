"""Growth of the fit time with rows and with columns: slopes on logarithmic axes."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks._bench import Bench, Size, fastest
from benchmarks._matrices import planted
from bicneuron import BicNeuronClassifier

ROWS = {
    "tiny": [100, 200, 400],
    "usual": [1_000, 10_000, 30_000, 100_000],
    "full": [1_000, 10_000, 30_000, 100_000, 300_000, 1_000_000],
}
COLUMNS = {
    "tiny": [10, 20, 40],
    "usual": [100, 500, 2_000, 5_000],
    "full": [100, 500, 2_000, 5_000, 20_000],
}


def rows(size: Size) -> Iterator[Bench]:
    with threadpool_limits(1):
        yield slope("n", [(n, 50) for n in ROWS[size]], first=10_000, at_most=1.15)
        yield slope("m", [(200, m) for m in COLUMNS[size]], first=100, at_most=2.0)


def slope(letter: str, shapes: list[tuple[int, int]], first: int, at_most: float) -> Bench:
    """Slope of the least-squares line over sizes from ``first`` on; smaller ones are only noted."""
    axis = 0 if letter == "n" else 1
    seconds = []
    for shape in shapes:
        X, y = planted(*shape)
        model = BicNeuronClassifier(search=None, random_state=0)
        seconds.append(fastest({"fit": partial(model.fit, X, y)}, 2)["fit"])
    lengths = [shape[axis] for shape in shapes]
    used = [k for k, length in enumerate(lengths) if length >= min(first, lengths[-2])]
    line = np.polyfit(np.log([lengths[k] for k in used]), np.log([seconds[k] for k in used]), 1)
    steps = ", ".join(
        f"{length:g}: {each / seconds[0]:.3g}"
        for length, each in zip(lengths, seconds, strict=True)
    )
    other = shapes[0][1 - axis]
    return Bench(
        "growth",
        f"slope of fit time over {letter}, {lengths[used[0]]:,} to {lengths[-1]:,}",
        f"n x {other}" if axis == 0 else f"{other} x m",
        max(float(line[0]), 0.0),  # noise of tiny tables
        at_most=at_most,
        note=f"time relative to the first, {steps}",
    )
