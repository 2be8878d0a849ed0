"""Look a pattern up in the result of a replication."""

from typing import Any


def replicated_pattern(replication: Any, k: int) -> Any:
    """The pattern at a position of a result; refuse one that is not there."""
    n_patterns = len(replication.patterns)
    if not 0 <= k < n_patterns:
        raise ValueError(f"k={k}, but replication has {n_patterns} patterns.")
    return replication.patterns[k]
