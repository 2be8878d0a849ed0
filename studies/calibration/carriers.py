"""How many carriers a group needs, whatever else is in the table."""

from collections.abc import Iterator

import numpy as np

from bicneuron._writing._p_values import LEVEL
from bicneuron.significance._enrichment import Enrichment
from studies._means import markdown_table

N_PER_CLASS = (10, 20, 31, 50, 100)
N_PATTERNS = (1, 2, 5, 20)


def fewest_carriers(n_per_class: int, n_patterns: int) -> int | None:
    """The smallest number of cases, with no control, that has a p of at most 0.05; None if none.

    The p is exact, and multiplied by the number of patterns. `significance_test` corrects less
    where patterns have rows in common.

    Parameters
    ----------
    n_per_class : int
        Cases, and controls.
    n_patterns : int
    """
    y = np.repeat([0, 1], n_per_class)
    rows, one_stratum = np.arange(len(y)), np.zeros_like(y)
    for n_carriers in range(1, n_per_class + 1):
        carriers = (rows < n_carriers)[:, None]
        if n_patterns * Enrichment(carriers, y, one_stratum).p_values(y)[0] <= LEVEL:
            return n_carriers
    return None


def describe_carriers() -> Iterator[str]:
    """Write the section as Markdown."""
    yield from ("", "## How many carriers are needed?", "")
    yield (
        f"The fewest cases that carry a pattern, with no control, for p <= {LEVEL:g}: the exact p "
        "times the number of patterns."
    )
    head = ("rows", *(f"{n} pattern{'s' if n > 1 else ''}" for n in N_PATTERNS))
    lines = []
    for n in N_PER_CLASS:
        needed = (fewest_carriers(n, n_patterns) for n_patterns in N_PATTERNS)
        lines.append((f"{n} cases, {n} controls", *(f"{k or '-'}" for k in needed)))
    yield from ("", *markdown_table(head, lines))
