"""Rows that support a set of columns: subspace differential coexpression (Fang et al. 2010).

A row supports a set of columns if its values there have one sign and the largest size exceeds the
smallest by at most ``max_range`` times the smallest. It does so exactly if it supports each pair of
the set, because the smallest and the largest are a pair. So the rows of a set are those that its
pairs have in common; they are kept as bits.

The measure of a set S is

    share of the rows of the class that support S
    - largest share of the other rows that support a pair of S.

It never rises when a column is added. So every set that reaches a bound is the union of two such
sets with one column less, which differ in one column, and all such sets are found level by level.
"""

import numpy as np
import numpy.typing as npt

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

Words = npt.NDArray[np.uint64]


@kernel
def supports(a: float, b: float, max_range: float) -> bool:
    """True if two values have one sign and similar sizes."""
    if not a * b > 0:  # also if one is missing
        return False
    a, b = abs(a), abs(b)
    return abs(a - b) <= max_range * min(a, b)


@kernel
def count_supports(columns_of: FloatArray, first: int, second: int, max_range: float) -> int:
    """Number of rows that support a pair of columns; shape of the table (n_columns, n_rows)."""
    count = 0
    for i in range(columns_of.shape[1]):
        if supports(columns_of[first, i], columns_of[second, i], max_range):
            count += 1
    return count


@kernel
def differential_pairs(
    own: FloatArray, other: FloatArray, max_range: float, least: float
) -> tuple[IndexArray, FloatArray]:
    """Pairs of columns with a measure of at least ``least``."""
    n_columns = len(own)
    firsts, seconds, shares = [0], [0], [0.0]
    for first in range(n_columns):
        for second in range(first + 1, n_columns):
            share = count_supports(own, first, second, max_range) / own.shape[1]
            if share >= least:  # else the measure is below it, too
                against = count_supports(other, first, second, max_range) / other.shape[1]
                if share - against >= least:
                    firsts.append(first)
                    seconds.append(second)
                    shares.append(against)
    pairs = np.empty((len(firsts) - 1, 2), np.intp)
    for k in range(len(pairs)):
        pairs[k, 0], pairs[k, 1] = firsts[k + 1], seconds[k + 1]
    return pairs, np.array(shares)[1:]


@kernel
def pair_rows(columns_of: FloatArray, pairs: IndexArray, max_range: float) -> Words:
    """Rows that support each pair, as bits of words; shape (n_pairs, n_words)."""
    n_rows = columns_of.shape[1]
    words = np.zeros((len(pairs), (n_rows + 63) // 64), np.uint64)
    for k in range(len(pairs)):
        for i in range(n_rows):
            if supports(columns_of[pairs[k, 0], i], columns_of[pairs[k, 1], i], max_range):
                words[k, i // 64] |= np.uint64(1) << np.uint64(i % 64)
    return words


@kernel
def count_bits(word: np.uint64) -> int:
    """Number of ones."""
    count = 0
    while word != np.uint64(0):
        word &= word - np.uint64(1)
        count += 1
    return count


@kernel
def join_sets(
    sets: IndexArray,
    words: Words,
    other_shares: FloatArray,
    pair_of: tuple[IndexArray, IndexArray, Words, FloatArray],
    n_rows: int,
    least: float,
) -> tuple[IndexArray, Words, FloatArray]:
    """All sets with one column more, and a measure of at least ``least``."""
    n_sets, size = sets.shape
    starts, seconds, pair_words, pair_shares = pair_of
    lefts, rights, pairs = [0], [0], [0]
    for left in range(n_sets):
        a = sets[left, size - 1]
        pair, stop = starts[a], starts[a + 1]
        for right in range(left + 1, n_sets):
            if np.any(sets[left, : size - 1] != sets[right, : size - 1]):
                break
            b = sets[right, size - 1]
            while pair < stop and seconds[pair] < b:
                pair += 1
            if pair == stop:
                break
            if seconds[pair] == b:
                count = 0
                for w in range(words.shape[1]):
                    count += count_bits(words[left, w] & words[right, w] & pair_words[pair, w])
                against = max(other_shares[left], other_shares[right], pair_shares[pair])
                if count / n_rows - against >= least:
                    lefts.append(left)
                    rights.append(right)
                    pairs.append(pair)
    n_joined = len(lefts) - 1
    joined = np.empty((n_joined, size + 1), np.intp)
    common = np.empty((n_joined, words.shape[1]), np.uint64)
    shares = np.empty(n_joined)
    for k in range(n_joined):
        left, right, pair = lefts[k + 1], rights[k + 1], pairs[k + 1]
        for i in range(size):
            joined[k, i] = sets[left, i]
        joined[k, size] = sets[right, size - 1]
        common[k] = words[left] & words[right] & pair_words[pair]
        shares[k] = max(other_shares[left], other_shares[right], pair_shares[pair])
    return joined, common, shares
