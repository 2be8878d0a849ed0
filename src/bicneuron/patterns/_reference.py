"""What a model keeps of its training table, so that its patterns can be looked for elsewhere."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from scipy.stats import rankdata

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._two_normals import two_normals
from bicneuron.patterns._cohort import has_one_unit, row_ranks, standard_scores
from bicneuron.patterns._fingerprint import Hashes
from bicneuron.patterns._pattern import Pattern
from bicneuron.patterns._signature import Signature, signature_of

# Rows that a reference is learnt from: at least so many, and more if the table has few columns.
LEAST_ROWS, MOST_CELLS = 200, 2**22
# Quantiles that are kept of the values of rows.
N_QUANTILES = 101


class Reference(NamedTuple):
    """Patterns as they are in the training table.

    Parameters
    ----------
    effects : array of shape (n_columns_of_all_patterns,)
        Difference between rows that carry a pattern and rows that do not, in standard deviations,
        for the columns of the first pattern, the second, and so on.
    shares : array of shape (n_patterns,)
        Share of rows that carry a pattern.
    gaps : array of shape (n_patterns,)
        Distance of these from the others, in standard deviations within both.
    agreement : array of shape (n_patterns,)
        Probability that a row that carries a pattern has a larger value of its signature than one
        that does not.
    quantiles : array of shape (n_patterns, n_quantiles)
        Of the values of the signature.
    mean_ranks : array of shape (n_columns,)
        Mean rank of each column within rows, between 0 and 1; empty if columns have several units.
    rank_cuts, rank_spreads : arrays of shape (n_patterns,)
        Of the scores of single rows by ranks; NaN if there are none.
    names : array of uint64
        Hashes of the names of the training rows; empty if they have none.
    """

    effects: FloatArray
    shares: FloatArray
    gaps: FloatArray
    agreement: FloatArray
    quantiles: FloatArray
    mean_ranks: FloatArray
    rank_cuts: FloatArray
    rank_spreads: FloatArray
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
    most = max(LEAST_ROWS, MOST_CELLS // max(n_columns, 1))
    return np.arange(n_rows) if n_rows <= most else np.sort(np.argsort(hashes)[:most])


def learn_reference(
    X: Any, patterns: Sequence[Pattern], carriers: BoolArray, names: Hashes
) -> Reference:
    """Describe patterns in the training table.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_columns)
    patterns : sequence of Pattern
    carriers : bool array of shape (n_rows, n_patterns)
    names : array of uint64
        Hashes of the names of all training rows.
    """
    table = np.asarray(X.toarray() if issparse(X) else X, np.float64)
    ranks = row_ranks(table)
    is_ranked = has_one_unit(ranks)
    Z = standard_scores(table, ranks if is_ranked else None)
    effects = [
        difference(np.take(Z, pattern.columns, axis=1), own)
        for pattern, own in zip(patterns, carriers.T, strict=True)
    ]
    mean_ranks = np.nanmean(ranks, axis=0) if is_ranked else np.empty(0)
    shape = (len(patterns),)
    gaps, agreement = np.full(shape, np.nan), np.full(shape, np.nan)
    cuts, spreads = np.full(shape, np.nan), np.full(shape, np.nan)
    quantiles = np.zeros((len(patterns), N_QUANTILES))
    for k, (pattern, own) in enumerate(zip(patterns, carriers.T, strict=True)):
        signature = signature_of(pattern, effects[k])
        values = signature.values(np.take(Z, pattern.columns, axis=1))
        quantiles[k] = np.quantile(values, np.linspace(0, 1, N_QUANTILES))
        if own.any() and not own.all():
            gaps[k], agreement[k] = gap(values, own), _agreement(values, own)
        if is_ranked and signature.is_linear and signature.linear.any():
            of_rows = rank_scores(
                np.take(ranks, pattern.columns, axis=1), mean_ranks[pattern.columns], signature
            )
            split = two_normals(of_rows)
            cuts[k], spreads[k] = split.cut, split.spread
    shares = carriers.mean(axis=0)
    flat = np.concatenate([np.empty(0), *effects])
    means = np.nan_to_num(mean_ranks, nan=0.5)
    return Reference(flat, shares, gaps, agreement, quantiles, means, cuts, spreads, names)


def rank_scores(ranks: FloatArray, means: FloatArray, signature: Signature) -> FloatArray:
    """Mean rank of the columns that are higher, less that of those that are lower.

    Parameters
    ----------
    ranks : array of shape (n_rows, n_columns)
        Within rows; NaN for missing cells, which say nothing.
    means : array of shape (n_columns,)
        Ranks that are usual.
    signature : Signature
        Linear.
    """
    signs = np.sign(signature.linear)
    above = np.nan_to_num(ranks - means)
    scores: FloatArray = np.einsum("ij,j->i", above, signs) / max(np.count_nonzero(signs), 1)
    return scores


def gap(values: FloatArray, inside: BoolArray) -> float:
    """Distance of some rows from the others, in standard deviations within both."""
    high, low = values[inside], values[~inside]
    squares = high.var() * len(high) + low.var() * len(low)
    spread = float(np.sqrt(squares / len(values)))
    return float(high.mean() - low.mean()) / spread if spread > 0 else np.nan


def difference(Z: FloatArray, inside: BoolArray) -> FloatArray:
    """Difference of the means of two sets of rows; 0 if one of them is empty."""
    if not inside.any() or inside.all():
        return np.zeros(Z.shape[1])
    difference: FloatArray = Z[inside].mean(axis=0) - Z[~inside].mean(axis=0)
    return difference


def _agreement(values: FloatArray, inside: BoolArray) -> float:
    """Probability that a row inside has a larger value than one outside."""
    n_inside = int(inside.sum())
    ranks = rankdata(values)[inside]
    larger = float(ranks.sum()) - n_inside * (n_inside + 1) / 2
    return larger / (n_inside * (len(values) - n_inside))
