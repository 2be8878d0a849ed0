"""What is kept of a table, so that its groups can be looked for in another one."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from scipy.special import ndtri
from scipy.stats import rankdata

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._scaling import CLIP, observed_means, robust_scaling, zscore_scaling
from bicneuron.patterns._model import Hashes, PatternModel, text_hashes
from bicneuron.patterns._pattern import Axis, Pattern

# Rows that a reference is learnt from: at least so many, and more if the table has few columns.
LEAST_ROWS, MOST_CELLS = 200, 2**22
N_QUANTILES = 101  # that are kept of the values of rows
# Ranks within rows need so many columns, and in half of them they must vary by so much (standard
# deviation of their normal scores): where columns have units of their own, each keeps its rank.
LEAST_RANKED, LEAST_VARIED = 50, 0.2


class Reference(NamedTuple):
    """Groups in the table in which they were found: one value each, or one for each column.

    ``effects`` are differences between carriers and other rows, in standard scores; ``gaps`` those
    of their signatures, in deviations within both; ``shares`` of carriers; ``agreement`` how often
    one has a larger signature than another row. ``mean_ranks`` of columns within rows are empty
    where columns have several units; ``rank_quantiles`` are of scores by ranks; ``names`` hashes.
    """

    effects: list[FloatArray]
    shares: FloatArray
    gaps: FloatArray
    agreement: FloatArray
    mean_ranks: FloatArray
    rank_quantiles: FloatArray
    names: Hashes


def learn_reference(model: PatternModel, X: Any) -> Reference:
    """Describe the groups of a fitted model in its training table."""
    checked, patterns = model._checked(X), model.patterns_
    some = _sampled_rows(checked, model._fingerprint.rows)
    checked = (checked.tocsr() if issparse(checked) else checked)[some]
    carriers = model._scored(checked) > 0
    table = np.asarray(checked.toarray() if issparse(checked) else checked, np.float64)
    ranks = row_ranks(table)
    is_ranked = has_one_unit(ranks)
    Z = standard_scores(table, ranks if is_ranked else None)
    of_columns = np.where(np.isnan(ranks).all(axis=0), 0.5, observed_means(ranks))
    mean_ranks = of_columns if is_ranked else np.empty(0)
    effects = []
    values, of_ranks = np.zeros((2, *carriers.shape))
    for k, (pattern, own) in enumerate(zip(patterns, carriers.T, strict=True)):
        block, signature = np.take(Z, pattern.columns, axis=1), signature_of(pattern)
        effects.append(mean_difference(block, own))
        values[:, k] = signature.values(block)
        if is_ranked and signature.is_linear:
            means = mean_ranks[pattern.columns]
            of_ranks[:, k] = rank_scores(np.take(ranks, pattern.columns, axis=1), means, signature)
    quantiles = np.quantile(of_ranks, np.linspace(0, 1, N_QUANTILES), axis=0).T
    return Reference(
        effects,
        carriers.mean(axis=0),
        gaps(values, carriers),
        _agreement(values, carriers),
        mean_ranks,
        np.ascontiguousarray(quantiles),
        name_hashes(X),
    )


def _sampled_rows(X: Any, hashes: Hashes) -> IndexArray:
    """Rows to learn from, whatever their order: those of the smallest hashes."""
    n_rows, n_columns = X.shape
    most = max(LEAST_ROWS, MOST_CELLS // max(n_columns, 1))
    most //= 4 if issparse(X) else 1  # it may be too large to be made dense
    return np.arange(n_rows) if n_rows <= most else np.sort(np.argsort(hashes)[:most])


def signature_of(pattern: Pattern) -> Axis:
    """The function of standard scores, in any table, that scores rows for a group: its axis.

    A group of other means has the correlations of its columns with it in the place of factors.
    """
    assert pattern.axis is not None  # every group has one
    factors = pattern.axis[:3]
    if pattern.kind == "shift":
        none = np.zeros(len(pattern.columns))
        factors = (pattern.weights, none, none)
    return Axis(*factors, removed=np.empty(0), floor=-np.inf)


def name_hashes(X: Any) -> Hashes:
    """A hash for the name of each row of a frame; none if its rows have no names but numbers."""
    names = X.index.tolist() if hasattr(X, "iloc") else []
    return text_hashes(names if all(isinstance(name, str) for name in names) else [])


def row_ranks(X: FloatArray) -> FloatArray:
    """Rank of each value within its row, from 0 to 1, as if missing cells were the median."""
    is_missing = np.isnan(X)
    if is_missing.any():
        known = np.where(is_missing.all(axis=0), 0.0, X)
        # Not the median, whose two middle values may be too large to add.
        middle = np.nanquantile(known, 0.5, axis=0, method="lower")
        X = np.where(is_missing, middle, X)
    ranks = (rankdata(X, axis=1) - 0.5) / X.shape[1]
    return np.where(is_missing, np.nan, ranks)


def has_one_unit(ranks: FloatArray) -> bool:
    """True if ranks within rows say enough: most columns change theirs from row to row."""
    if ranks.shape[1] < LEAST_RANKED or len(ranks) < 2:
        return False
    scores = ndtri(np.where(np.isnan(ranks), 0.5, ranks))
    return bool(np.median(scores.std(axis=0)) >= LEAST_VARIED)


def standard_scores(X: FloatArray, ranks: FloatArray | None, clip: float = CLIP) -> FloatArray:
    """Robust scores of columns, of the normal scores of ranks if these are given; 0 for missing."""
    # Values of any magnitude: squares of scaled ones do not overflow.
    values = zscore_scaling(X).apply(X) if ranks is None else ndtri(ranks)
    return robust_scaling(values).apply(values, clip)


def rank_scores(ranks: FloatArray, means: FloatArray, signature: Axis) -> FloatArray:
    """Mean rank of the columns that are higher, less that of those that are lower."""
    signs = np.sign(signature.linear)
    sums = np.einsum("ij,j->i", np.nan_to_num(ranks - means), signs)
    return np.asarray(sums / max(np.count_nonzero(signs), 1))


def gaps(values: FloatArray, inside: BoolArray) -> FloatArray:
    """Distance of some rows from the others in each column, in standard deviations within both."""
    with np.errstate(divide="ignore", invalid="ignore"):
        high, low = ((values * side).sum(axis=0) / side.sum(axis=0) for side in (inside, ~inside))
        within = np.square(values - np.where(inside, high, low)).sum(axis=0) / len(values)
        distances = (high - low) / np.sqrt(within)
    return np.where(np.isfinite(distances), distances, np.nan)


def mean_difference(Z: FloatArray, inside: BoolArray) -> FloatArray:
    """Difference of the means of two sets of rows; 0 if one of them is empty."""
    if not inside.any() or inside.all():
        return np.zeros(Z.shape[1])
    return np.asarray(Z[inside].mean(axis=0) - Z[~inside].mean(axis=0))


def _agreement(values: FloatArray, inside: BoolArray) -> FloatArray:
    """Probability that a row inside has a larger value than one outside, in each column."""
    n_inside = inside.sum(axis=0)
    larger = (rankdata(values, axis=0) * inside).sum(axis=0) - n_inside * (n_inside + 1) / 2
    with np.errstate(invalid="ignore"):  # no rows inside, or all
        return np.asarray(larger / (n_inside * (len(inside) - n_inside)))
