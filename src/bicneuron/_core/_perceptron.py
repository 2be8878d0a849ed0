"""Online perceptrons, primal and dual, on many blocks of one matrix, and their Gram matrices.

Every sum runs in a fixed order, without BLAS, so that the same input gives the same bits for any
number of threads. A block whose scores overflow gets NaN weights, which the caller checks. Each
block has equally many orders of its rows, one for each epoch; they are then repeated.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, block_columns, block_rows, starts_of, submatrix
from bicneuron._core._jit import kernel


class Rule(NamedTuple):
    """How a perceptron is trained; the dual one has neither a rate nor an intercept."""

    max_iter: int
    learning_rate: float
    fit_intercept: bool
    average: bool
    zero_is_mistake: bool


@kernel
def is_mistake(sign: float, score: float, zero_is_mistake: bool) -> bool:
    """True if a row of the class ``sign`` with this score requires an update."""
    if score == 0.0:
        return zero_is_mistake or sign > 0.0
    return sign * score < 0.0


@kernel
def train_primal(
    Z: FloatArray, blocks: Blocks, signs: FloatArray, orders: IndexArray, rule: Rule
) -> tuple[FloatArray, FloatArray, IndexArray]:
    """Train one linear neuron per block: ``w += learning_rate * sign * x`` on each mistake."""
    n_blocks = len(blocks.row_starts) - 1
    n_orders = len(orders) // max(len(signs), 1)
    weights = np.zeros(len(blocks.columns))
    intercepts = np.zeros(n_blocks)
    n_epochs = np.zeros(n_blocks, np.intp)
    for b in range(n_blocks):
        start, stop = blocks.row_starts[b], blocks.row_starts[b + 1]
        intercepts[b], n_epochs[b] = _train_primal_block(
            weights[blocks.column_starts[b] : blocks.column_starts[b + 1]],
            submatrix(Z, block_rows(blocks, b), block_columns(blocks, b)),
            signs[start:stop],
            orders[n_orders * start : n_orders * stop].reshape(n_orders, stop - start),
            rule,
        )
    return weights, intercepts, n_epochs


@kernel
def _train_primal_block(
    weights: FloatArray, block: FloatArray, signs: FloatArray, orders: IndexArray, rule: Rule
) -> tuple[float, int]:
    # An update made after t visits is missing from t of the averaged vectors. So the average is the
    # last vector minus (sum of t * update) / visits, and visits without a mistake cost nothing.
    missing = np.zeros(len(weights))
    intercept = missing_intercept = 0.0
    visits = n_epochs = 0
    mistaken = True
    while mistaken and n_epochs < rule.max_iter:
        mistaken = False
        for i in orders[n_epochs % len(orders)]:
            score = 0.0
            for k in range(len(weights)):
                score += weights[k] * block[i, k]
            score += intercept
            if not np.isfinite(score):
                weights[:] = np.nan
                return np.nan, n_epochs
            if is_mistake(signs[i], score, rule.zero_is_mistake):
                mistaken = True
                step = rule.learning_rate * signs[i]
                for k in range(len(weights)):
                    weights[k] += step * block[i, k]
                    missing[k] += visits * (step * block[i, k])
                if rule.fit_intercept:
                    intercept += step
                    missing_intercept += visits * step
            visits += 1
        n_epochs += 1
    if rule.average:
        for k in range(len(weights)):
            weights[k] -= missing[k] / visits
        intercept -= missing_intercept / visits
    return intercept, n_epochs


@kernel
def gram_matrices(Z: FloatArray, blocks: Blocks, bandwidth: float) -> FloatArray:
    """``exp(-|x - x'|^2 / (2 bandwidth^2))`` of the rows of each block, flat; x . x' for 0."""
    starts = starts_of((blocks.row_starts[1:] - blocks.row_starts[:-1]) ** 2)
    grams = np.empty(starts[-1])
    for b in range(len(starts) - 1):
        block = submatrix(Z, block_rows(blocks, b), block_columns(blocks, b))
        transposed = np.ascontiguousarray(block.T)
        gram = grams[starts[b] : starts[b + 1]].reshape(len(block), len(block))
        for i in range(len(block)):
            if bandwidth > 0:
                _fill_rbf(gram[i, : i + 1], block[i], transposed, bandwidth)
            else:
                gram[i, : i + 1] = 0.0
                for k in range(len(transposed)):
                    for j in range(i + 1):
                        gram[i, j] += block[i, k] * transposed[k, j]
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


@kernel
def train_dual(
    grams: FloatArray, row_starts: IndexArray, signs: FloatArray, orders: IndexArray, rule: Rule
) -> tuple[FloatArray, IndexArray]:
    """Train one kernel neuron per block: ``alpha += 1`` for the row of each mistake."""
    n_blocks = len(row_starts) - 1
    n_orders = len(orders) // max(len(signs), 1)
    alphas = np.zeros(len(signs))
    n_epochs = np.zeros(n_blocks, np.intp)
    at = 0
    for b in range(n_blocks):
        start, stop = row_starts[b], row_starts[b + 1]
        size = stop - start
        gram = grams[at : at + size * size].reshape(size, size)
        at += size * size
        n_epochs[b] = _train_dual_block(
            alphas[start:stop],
            gram,
            signs[start:stop],
            orders[n_orders * start : n_orders * stop].reshape(n_orders, stop - start),
            rule,
        )
    return alphas, n_epochs


@kernel
def _train_dual_block(
    alphas: FloatArray, gram: FloatArray, signs: FloatArray, orders: IndexArray, rule: Rule
) -> int:
    scores = np.zeros(len(alphas))
    missing = np.zeros(len(alphas))
    visits = n_epochs = 0
    mistaken = True
    while mistaken and n_epochs < rule.max_iter:
        mistaken = False
        for i in orders[n_epochs % len(orders)]:
            if is_mistake(signs[i], scores[i], rule.zero_is_mistake):
                mistaken = True
                alphas[i] += 1.0
                missing[i] += visits
                for j in range(len(scores)):
                    scores[j] += signs[i] * gram[i, j]
            visits += 1
        n_epochs += 1
    if rule.average:
        for k in range(len(alphas)):
            alphas[k] = (alphas[k] * visits - missing[k]) / visits
    # A sum that overflowed stays infinite or NaN, so one test at the end is enough.
    if not np.isfinite(scores).all():
        alphas[:] = np.nan
    return n_epochs
