"""Blocks as pairs of sets, as tests write them, and as the kernels take them."""

import numpy as np

from bicneuron._core._blocks import pack_blocks, unpack_blocks


def packed(blocks):
    return pack_blocks(
        tuple(np.array(sorted(indices), dtype=np.intp) for indices in block) for block in blocks
    )


def unpacked(blocks):
    return [tuple(frozenset(part.tolist()) for part in block) for block in unpack_blocks(blocks)]
