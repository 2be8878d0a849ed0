"""A network to hold mining against: pairs of the same sizes, chosen at random."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._residue import block_residue
from bicneuron.biclustering import Bicluster
from bicneuron.contrast import ContrastivePair
from bicneuron.contrast._pairing import pair_biclusters
from bicneuron.experiments._protocols import Protocol
from bicneuron.network import BicNeuronNetwork
from bicneuron.network._draws import Side


class RandomPairsNetwork(BicNeuronNetwork):
    """`BicNeuronNetwork` in all but one thing: rows and columns of its pairs are random.

    Each pair is mined as usual and then replaced by random rows of the same class and random
    columns, as many as there were, with the nearest rows of the other side, as many as there were.
    """

    def _draw(
        self, Z: FloatArray, sides: Sequence[Side], rng: np.random.Generator
    ) -> tuple[ContrastivePair | None, int]:
        mined, target = super()._draw(Z, sides, rng)
        if mined is None:
            return None, target
        side = next(
            side for side in sides if (side.target, side.label) == (target, mined.anchor_class)
        )
        n_contrast = len(mined.contrast_rows)
        pool_size = min(len(side.others), max(self.max_rows, n_contrast))
        rows = np.sort(rng.choice(side.rows, len(mined.anchor_rows), replace=False))
        columns = np.sort(rng.choice(Z.shape[1], len(mined.columns), replace=False))
        pool = np.sort(rng.choice(side.others, pool_size, replace=False))
        found = Bicluster(rows, columns, block_residue(Z, rows, columns))
        return pair_biclusters(Z, [found], pool, side.label, n_contrast / len(rows))[0], target


def random_pairs(protocol: Protocol, dataset: str, seed: int, **changes: Any) -> Any:
    """Build a network of random pairs, with the default settings or changed ones."""
    return RandomPairsNetwork(**changes, random_state=seed)
