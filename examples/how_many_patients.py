"""How many patients does it take to find a hidden group, and to prove it?

Plants a group in 30 % of the cases of tables with 2,000 columns, ten of which are shifted, and
counts in how many tables it is found, with most of its rows, and proven at p <= .05. The table that
is printed is that of docs/questions/how_many.md.
"""

import sys
import warnings

import numpy as np

from bicneuron import SubgroupBiclustering
from bicneuron.datasets import make_subgroups
from bicneuron.significance import significance_test

SIZES, SHIFTS = (20, 30, 50, 80), (1.0, 1.5, 2.0, 3.0)


def is_found(n_rows, shift, seed):
    """True for a table in which the first proven group is the planted one."""
    X, y, (group,) = make_subgroups(
        shift=shift, n_cases=n_rows, n_controls=n_rows, random_state=seed
    )
    miner = SubgroupBiclustering(n_patterns=10).fit(X)
    if not miner.patterns_:
        return False
    p = significance_test(miner, X, y, n_permutations=199, random_state=0).family_p_values
    proven = [one for one, value in zip(miner.patterns_, p, strict=True) if value <= 0.05]
    if not proven:
        return False
    rows = proven[0].rows
    both = len(np.intersect1d(rows, group.rows))
    return both / len(np.union1d(rows, group.rows)) >= 0.5


def main(n_tables):
    """Print shares of tables."""
    warnings.simplefilter("ignore")
    print(f"| cases and controls | {' | '.join(f'shift {shift:g}' for shift in SHIFTS)} |")
    print("|---" * (1 + len(SHIFTS)) + "|")
    for n_rows in SIZES:
        shares = [
            np.mean([is_found(n_rows, shift, seed) for seed in range(n_tables)]) for shift in SHIFTS
        ]
        print(f"| {n_rows} each | {' | '.join(f'{share:.2f}' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
