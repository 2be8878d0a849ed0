"""Counts of the candidates that each stage of a fit kept, and the reason where none is left."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from bicneuron.biclustering import BiclusterMiner
from bicneuron.patterns import Pattern


@dataclass(frozen=True, slots=True)
class FitDiagnostics:
    """Counts of the candidates that each stage of a fit kept.

    Parameters
    ----------
    n_seeds : int
        Starts of the search. With more than two classes, one search serves all problems.
    n_pairs, n_kept : int
        Contrastive pairs before and after the filter. Each bicluster of the anchor class gives
        one pair.
    best_ratio, worst_ratio : float or None
        Smallest and largest MSR ratio before the filter; None without pairs.
    """

    n_seeds: int
    n_pairs: int
    n_kept: int
    best_ratio: float | None
    worst_ratio: float | None

    def why_no_pair(self, sizes: dict[Any, int], miner: BiclusterMiner, max_ratio: float) -> str:
        """Reason and way out; ``sizes`` are the rows of each anchor class."""
        if self.n_pairs == 0:
            min_rows = getattr(miner, "min_rows", 0)
            for label, size in sizes.items():
                if size < min_rows:
                    return (
                        f"class {label!r} has {size} rows, fewer than the miner's "
                        f"min_rows={min_rows}. Lower min_rows or choose another anchor."
                    )
            anchors = ", ".join(
                f"class {label!r} with {size} rows" for label, size in sizes.items()
            )
            return (
                f"{type(miner).__name__} found no bicluster in {anchors} ({self.n_seeds} seeds); "
                f"{miner._advice}."
            )
        if self.best_ratio == inf:
            return (
                f"none of {self.n_pairs} biclusters has a contrast: the nearest rows of the "
                "other class are coherent themselves. Look for constant or repeated columns."
            )
        or_lower = " or lower the miner's cut_distance" if hasattr(miner, "cut_distance") else ""
        return (
            f"no pair has msr_ratio <= {max_ratio:g} (best found: {self.best_ratio:.3g}, "
            f"from {self.n_pairs} biclusters). Raise max_ratio{or_lower}."
        )


def diagnose(n_seeds: int, pairs: Sequence[Pattern], kept: Sequence[Pattern]) -> FitDiagnostics:
    """Count what mining and pairing gave and what the filter kept."""
    ratios = [pair.msr_ratio for pair in pairs]
    return FitDiagnostics(
        n_seeds=n_seeds,
        n_pairs=len(pairs),
        n_kept=len(kept),
        best_ratio=min(ratios, default=None),
        worst_ratio=max(ratios, default=None),
    )
