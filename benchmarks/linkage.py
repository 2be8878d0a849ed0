"""Average linkage of one column: the whole dendrogram."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as scipy_linkage

from benchmarks._bench import Bench, Size, fastest
from bicneuron._core._linkage1d import cut_starts, dendrogram

CUTS = (0.05, 0.5, 1.0, 1.5)


def rows(size: Size) -> Iterator[Bench]:
    dendrogram(np.arange(3.0))  # loads kernels
    for n in {"tiny": [300], "usual": [20_000], "full": [10_000, 20_000]}[size]:
        column = np.random.default_rng(0).normal(size=n)
        tree = scipy_linkage(column[:, None], "average")
        seconds = fastest(
            {
                "ours": partial(dendrogram, column),
                "scipy": partial(scipy_linkage, column[:, None], "average"),
            },
            2,
        )
        equal = all(same_partition(dendrogram(column), tree, cut) for cut in CUTS)
        yield Bench(
            "linkage",
            "scipy's linkage / ours",
            f"{n:,}",
            seconds["scipy"] / seconds["ours"],
            at_least=500 if n == 20_000 else None,
            note=f"partitions {'equal' if equal else 'DIFFERENT'} at cuts {CUTS}",
        )
    for n in [1_000] if size == "tiny" else [10_000, 100_000, 1_000_000]:
        column = np.random.default_rng(0).normal(size=n)
        seconds = fastest(
            {
                "ours": partial(dendrogram, column),
                "argsort": partial(np.argsort, column),
            },
            7,
        )
        ratio = seconds["ours"] / seconds["argsort"]
        yield Bench("linkage", "ours / np.argsort", f"{n:,}", ratio, at_most=15)


def same_partition(ours, theirs, cut: float) -> bool:
    labels = fcluster(theirs, cut, "distance")
    order, heights = ours
    starts = cut_starts(heights, cut)
    clusters = np.split(labels[order], starts[1:-1])
    return len(clusters) == labels.max() and all(np.ptp(same) == 0 for same in clusters)
