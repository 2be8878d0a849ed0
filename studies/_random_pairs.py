"""A baseline for mining: a network on random pairs of the same sizes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._residue import block_residue
from bicneuron.biclustering import Bicluster
from bicneuron.contrast import ContrastivePair
from bicneuron.contrast._pairing import pair_biclusters
from bicneuron.network import BicNeuronNetwork
from bicneuron.network._designs import Design
from bicneuron.network._draws import Side
from bicneuron.reproduction._protocols import Protocol


class RandomPairsNetwork(BicNeuronNetwork):
    """`BicNeuronNetwork` with random rows and columns in its pairs.

    Each pair is mined as usual and then replaced: by as many random rows of the same class and
    random columns, and as many of the nearest rows of the other side.
    """

    def _resolved_design(self) -> Design:
        design = super()._resolved_design()
        return design._replace(draw=partial(draw_random, mine=design.draw))


def draw_random(
    Z: FloatArray,
    side: Side,
    max_draw_rows: int,
    contrast_size: float,
    rng: np.random.Generator,
    *,
    mine: Callable[..., ContrastivePair | None],
) -> ContrastivePair | None:
    """Draw a pair of the sizes that mining gives; parameters as in `draw_coherent`."""
    mined = mine(Z, side, max_draw_rows, contrast_size, rng)
    if mined is None:
        return None
    n_rows, n_contrast = len(mined.anchor_rows), len(mined.contrast_rows)
    rows = np.sort(rng.choice(side.rows, n_rows, replace=False))
    columns = np.sort(rng.choice(Z.shape[1], len(mined.columns), replace=False))
    pool_size = min(len(side.others), max_draw_rows)
    pool = np.sort(rng.choice(side.others, pool_size, replace=False))
    found = Bicluster(rows, columns, block_residue(Z, rows, columns))
    return pair_biclusters(Z, [found], pool, side.label, n_contrast / n_rows)[0]


def random_pairs(protocol: Protocol, dataset: str, seed: int, **changes: Any) -> Any:
    """Build a network on random pairs, with default or changed settings."""
    return RandomPairsNetwork(**changes, random_state=seed)
