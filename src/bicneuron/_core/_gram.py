"""Gram matrices of many blocks of one matrix.

Every sum runs in a fixed order, without BLAS, as in `_perceptron`.
"""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_columns, block_rows, submatrix
from bicneuron._core._jit import kernel


@kernel
def flat_gram_starts(row_starts: IndexArray) -> IndexArray:
    """Start of the Gram matrix of each block in one flat array, and the end of the last."""
    starts = np.zeros(len(row_starts), np.intp)
    for b in range(len(row_starts) - 1):
        starts[b + 1] = starts[b] + (row_starts[b + 1] - row_starts[b]) ** 2
    return starts


@kernel
def linear_grams(Z: FloatArray, blocks: Blocks) -> FloatArray:
    """Gram matrices ``x . x'`` of the rows of each block, concatenated flat."""
    return rbf_grams(Z, blocks, 0.0)


@kernel
def rbf_grams(Z: FloatArray, blocks: Blocks, bandwidth: float) -> FloatArray:
    """Gram matrices ``exp(-|x - x'|^2 / (2 bandwidth^2))``, flat; products for bandwidth 0."""
    starts = flat_gram_starts(blocks.row_starts)
    grams = np.empty(starts[-1])
    for b in range(len(starts) - 1):
        block = submatrix(Z, block_rows(blocks, b), block_columns(blocks, b))
        transposed = np.ascontiguousarray(block.T)
        gram = grams[starts[b] : starts[b + 1]].reshape(len(block), len(block))
        for i in range(len(block)):
            if bandwidth > 0:
                _fill_rbf(gram[i, : i + 1], block[i], transposed, bandwidth)
            else:
                _fill_products(gram[i, : i + 1], block[i], transposed)
            for j in range(i):
                gram[j, i] = gram[i, j]
    return grams


@kernel
def rbf_gram(X: FloatArray, Y: FloatArray, bandwidth: float) -> FloatArray:
    """RBF kernel between the rows of two matrices, of shape (len(X), len(Y))."""
    gram = np.empty((len(X), len(Y)))
    transposed = np.ascontiguousarray(Y.T)
    for i in range(len(X)):
        _fill_rbf(gram[i], X[i], transposed, bandwidth)
    return gram


@kernel
def _fill_products(out: FloatArray, x: FloatArray, transposed: FloatArray) -> None:
    out[:] = 0.0
    for k in range(len(x)):
        others = transposed[k]
        for j in range(len(out)):
            out[j] += x[k] * others[j]


@kernel
def _fill_rbf(out: FloatArray, x: FloatArray, transposed: FloatArray, bandwidth: float) -> None:
    out[:] = 0.0
    for k in range(len(x)):
        others = transposed[k]
        for j in range(len(out)):
            difference = x[k] - others[j]
            out[j] += difference * difference
    for j in range(len(out)):
        # The square of a tiny bandwidth underflows to 0 (0 / 0), that of a huge one overflows.
        out[j] = np.exp(-(out[j] / bandwidth / bandwidth) / 2.0)
