"""What a model keeps of its training table, so that its patterns can be looked for elsewhere."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from scipy.stats import rankdata

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._filling import observed_means
from bicneuron.patterns._cohort import has_one_unit, row_ranks, standard_scores
from bicneuron.patterns._fingerprint import Hashes
from bicneuron.patterns._pattern import Pattern
from bicneuron.patterns._signature import Signature, signature_of

# Rows that a reference is learnt from: at least so many, and more if the table has few columns.
LEAST_ROWS, MOST_CELLS = 200, 2**22
# Quantiles that are kept of the values of rows.
N_QUANTILES = 101


class Reference(NamedTuple):
    """Patterns as they are in the training table, and what is needed to score single rows by ranks.

    ``effects`` are those of the columns of the first pattern, the second, and so on.
    """

    effects: FloatArray
    shares: FloatArray
    gaps: FloatArray
    agreement: FloatArray
    mean_ranks: FloatArray
    rank_quantiles: FloatArray
    names: Hashes

    def effects_of(self, patterns: Sequence[Pattern]) -> list[FloatArray]:
        """Effects of the columns of each pattern."""
        ends = np.cumsum([len(pattern.columns) for pattern in patterns], dtype=np.intp)
        return np.split(self.effects, ends[:-1]) if len(patterns) else []

    def signatures(self, patterns: Sequence[Pattern]) -> list[Signature]:
        """Signature of each pattern."""
        return [
            signature_of(pattern, effects)
            for pattern, effects in zip(patterns, self.effects_of(patterns), strict=True)
        ]


def sampled_rows(X: Any, hashes: Any) -> IndexArray:
    """Rows to learn a reference from, whatever their order: those of the smallest hashes."""
    n_rows, n_columns = X.shape
    # Of a sparse table fewer: it may be too large to be made dense.
    part = 4 if issparse(X) else 1
    most = max(LEAST_ROWS, MOST_CELLS // max(n_columns, 1)) // part
    return np.arange(n_rows) if n_rows <= most else np.sort(np.argsort(hashes)[:most])


def learn_reference(
    X: Any, patterns: Sequence[Pattern], carriers: BoolArray, names: Hashes
) -> Reference:
    """Describe patterns in the training table."""
    table = np.asarray(X.toarray() if issparse(X) else X, np.float64)
    ranks = row_ranks(table)
    is_ranked = has_one_unit(ranks)
    Z = standard_scores(table, ranks if is_ranked else None)
    mean_ranks = np.empty(0)
    if is_ranked:
        is_empty = np.isnan(ranks).all(axis=0)
        mean_ranks = np.where(is_empty, 0.5, observed_means(ranks))
    effects = []
    values, of_ranks = np.zeros((2, *carriers.shape))
    for k, (pattern, own) in enumerate(zip(patterns, carriers.T, strict=True)):
        block = np.take(Z, pattern.columns, axis=1)
        effects.append(difference(block, own))
        signature = signature_of(pattern, effects[-1])
        values[:, k] = signature.values(block)
        if is_ranked and signature.is_linear:
            means = mean_ranks[pattern.columns]
            of_ranks[:, k] = rank_scores(np.take(ranks, pattern.columns, axis=1), means, signature)
    return Reference(
        np.concatenate([np.empty(0), *effects]),
        carriers.mean(axis=0),
        gaps(values, carriers),
        _agreement(values, carriers),
        mean_ranks,
        _quantiles(of_ranks),
        names,
    )


def _quantiles(values: FloatArray) -> FloatArray:
    quantiles: FloatArray = np.quantile(values, np.linspace(0, 1, N_QUANTILES), axis=0).T
    return np.ascontiguousarray(quantiles)


def rank_scores(ranks: FloatArray, means: FloatArray, signature: Signature) -> FloatArray:
    """Mean rank of the columns that are higher, less that of those that are lower."""
    signs = np.sign(signature.linear)
    above = np.nan_to_num(ranks - means)
    scores: FloatArray = np.einsum("ij,j->i", above, signs) / max(np.count_nonzero(signs), 1)
    return scores


def gaps(values: FloatArray, inside: BoolArray) -> FloatArray:
    """Distance of some rows from the others in each column, in standard deviations within both."""
    n_inside = inside.sum(axis=0)
    n_outside = len(inside) - n_inside
    high = (values * inside).sum(axis=0) / np.maximum(n_inside, 1)
    low = (values * ~inside).sum(axis=0) / np.maximum(n_outside, 1)
    within = np.square(values - np.where(inside, high, low)).sum(axis=0) / len(values)
    known = (n_inside > 0) & (n_outside > 0) & (within > 0)
    distances = np.full(len(known), np.nan)
    np.divide(high - low, np.sqrt(within), out=distances, where=known)
    return distances


def difference(Z: FloatArray, inside: BoolArray) -> FloatArray:
    """Difference of the means of two sets of rows; 0 if one of them is empty."""
    if not inside.any() or inside.all():
        return np.zeros(Z.shape[1])
    difference: FloatArray = Z[inside].mean(axis=0) - Z[~inside].mean(axis=0)
    return difference


def _agreement(values: FloatArray, inside: BoolArray) -> FloatArray:
    """Probability that a row inside has a larger value than one outside, in each column."""
    n_inside = inside.sum(axis=0)
    larger = (rankdata(values, axis=0) * inside).sum(axis=0) - n_inside * (n_inside + 1) / 2
    pairs = n_inside * (len(inside) - n_inside)
    probability = np.full(len(pairs), np.nan)
    np.divide(larger, pairs, out=probability, where=pairs > 0)
    return probability
