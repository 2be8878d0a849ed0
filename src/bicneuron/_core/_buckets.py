"""Items in buckets by a number of theirs, so that those with small ones are found at once.

Each bucket is a list: ``heads`` holds its first item, ``following`` the next one of each item, and
-1 ends it.
"""

from typing import TypeAlias

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

# Numbers lie far beyond if they differ from the least by more than this multiple of what they all
# do on average.
FAR = 16.0

# No bucket is narrower: the inverse of its width could overflow.
TINY = 1e-300

Buckets: TypeAlias = tuple[IndexArray, IndexArray]  # heads, following


@kernel
def fill_buckets(numbers: FloatArray, buckets: Buckets) -> tuple[float, float]:
    """Spread the items with finite numbers over buckets of equal width.

    A few numbers that lie far beyond do not make them wide: they wait in the last one. Returns the
    least number and 1 / width.
    """
    heads = buckets[0]
    least, greatest, total, count = np.inf, 0.0, 0.0, 0
    for number in numbers:
        if number < np.inf:
            least, greatest = min(least, number), max(greatest, number)
            total += number
            count += 1
    spread = greatest - least
    mean_gap = total / count - least if count else spread
    while spread > FAR * mean_gap > 0:
        spread = FAR * mean_gap
        mean_gap = mean_gap_within(numbers, least, spread)
    width = spread / len(heads)
    scale = 1.0 / width if width > TINY else 1.0
    heads[:] = -1
    for j in range(len(numbers)):
        if numbers[j] < np.inf:
            put_into(bucket_of(numbers[j], least, scale, len(heads) - 1), buckets, j)
    return least, scale


@kernel
def mean_gap_within(numbers: FloatArray, least: float, most: float) -> float:
    """Mean difference to the least number, of those that differ by no more than ``most``."""
    total, count = 0.0, 0
    for number in numbers:
        if number < np.inf and number - least <= most:
            total += number - least
            count += 1
    return total / count


@kernel
def bucket_of(number: float, base: float, scale: float, last: int) -> int:
    """The bucket of a number; the first and the last one take what lies beyond, too."""
    return int(max(0.0, min((number - base) * scale, float(last))))


@kernel
def put_into(bucket: int, buckets: Buckets, item: int) -> None:
    """Add an item to a bucket."""
    heads, following = buckets
    following[item], heads[bucket] = heads[bucket], item


@kernel
def empty_bucket(bucket: int, buckets: Buckets, items: IndexArray, size: int) -> int:
    """Move a bucket's items to ``items[size:]``; returns where they end."""
    heads, following = buckets
    item = heads[bucket]
    while item >= 0:
        items[size] = item
        size += 1
        item = following[item]
    heads[bucket] = -1
    return size
