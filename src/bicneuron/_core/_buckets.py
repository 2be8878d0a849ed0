"""Items in buckets by a number of theirs, so that those with small ones are found at once.

Each bucket is a list: ``heads`` holds its first item, ``following`` the next one of each item, and
-1 ends it.
"""

from typing import TypeAlias

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

# No bucket is narrower than this share of the greatest number, so that places are never too large
# for an integer, nor narrower than this: the inverse of its width could overflow.
NARROW, TINY = 1e-15, 1e-300

Buckets: TypeAlias = tuple[IndexArray, IndexArray]  # heads, following


@kernel
def fill_buckets(numbers: FloatArray, buckets: Buckets) -> tuple[float, float]:
    """Spread the items with finite numbers over buckets of equal width.

    Returns the least number and 1 / width.
    """
    heads = buckets[0]
    least, greatest = np.inf, 0.0
    for number in numbers:
        if number < np.inf:
            least, greatest = min(least, number), max(greatest, number)
    least = min(least, greatest)  # of none, too
    width = (greatest - least) / len(heads)
    scale = 1.0 / width if width > max(NARROW * greatest, TINY) else 0.0
    heads[:] = -1
    for j in range(len(numbers)):
        if numbers[j] < np.inf:
            put_into(bucket_of(numbers[j], least, scale, len(heads) - 1), buckets, j)
    return least, scale


@kernel
def bucket_of(number: float, base: float, scale: float, last: int) -> int:
    """The bucket of a number; the first and the last one take what lies beyond, too."""
    place = (number - base) * scale
    return max(0, int(place) if place < last else last)


@kernel
def put_into(bucket: int, buckets: Buckets, item: int) -> None:
    """Add an item to a bucket."""
    heads, following = buckets
    following[item], heads[bucket] = heads[bucket], item
