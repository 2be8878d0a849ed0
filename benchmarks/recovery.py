"""Recovery of planted blocks, to check that speed does not cost quality."""

from collections.abc import Iterator

import numpy as np

from benchmarks._bench import Bench, Size
from bicneuron import CoherentBiclustering
from bicneuron.datasets import make_additive_biclusters
from bicneuron.metrics import best_match

BLOCKS = {
    "levels +-3, row effects 0.1": {},
    "no levels, row effects 1": {"level": 0.0, "row_effect": 1.0},
}
WANTED = {
    ("levels +-3, row effects 0.1", "grow", False): 0.95,
    ("levels +-3, row effects 0.1", "prune", False): 0.80,
}


def rows(size: Size) -> Iterator[Bench]:
    n_seeds = {"tiny": 1, "usual": 3, "full": 10}[size]
    for name, block in BLOCKS.items():
        for search in ("grow", "prune"):
            for add_rows in (False, True):
                matches = []
                for seed in range(n_seeds):
                    X, members, columns = make_additive_biclusters(random_state=seed, **block)
                    miner = CoherentBiclustering(
                        cut_distance=0.5, search=search, add_rows=add_rows
                    ).fit(X)
                    matches.append(best_match(miner.patterns_, (members[0], columns[0])))
                yield Bench(
                    "recovery",
                    f"cells in common: {name}, {search}{' + rows' if add_rows else ''}",
                    "60 x 12 in 300 x 80",
                    float(np.mean(matches)),
                    at_least=WANTED.get((name, search, add_rows)),
                    note=f"mean of {n_seeds}, least {np.min(matches):.2f}",
                )
