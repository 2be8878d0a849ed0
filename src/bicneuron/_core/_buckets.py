"""Items in buckets of equal width by their numbers, so that the smallest are found without sorting.

Each bucket is a linked list: ``heads`` holds its first item, ``following`` the next one after each
item, and -1 ends the list.
"""

from typing import TypeAlias

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._core._jit import kernel

# A width below this share of the greatest number is taken as zero: all items share one bucket.
# Numbers that close differ by rounding only, and quotients by the width stay within integers.
MIN_RELATIVE_WIDTH = 1e-15
# A width below this value is also taken as zero: its inverse could overflow.
MIN_WIDTH = 1e-300

Buckets: TypeAlias = tuple[IndexArray, IndexArray]  # heads, following


@kernel
def fill_buckets(numbers: FloatArray, buckets: Buckets) -> tuple[float, float]:
    """Put the items with finite numbers into the buckets; numbers are not negative.

    Returns the least number and 1 / width, the ``base`` and ``scale`` of `bucket_of`.
    """
    heads = buckets[0]
    least, greatest = np.inf, 0.0
    for number in numbers:
        if number < np.inf:
            least, greatest = min(least, number), max(greatest, number)
    least = min(least, greatest)  # also if no number is finite
    width = (greatest - least) / len(heads)
    scale = 1.0 / width if width > max(MIN_RELATIVE_WIDTH * greatest, MIN_WIDTH) else 0.0
    heads[:] = -1
    for j in range(len(numbers)):
        if numbers[j] < np.inf:
            put_into(bucket_of(numbers[j], least, scale, len(heads) - 1), buckets, j)
    return least, scale


@kernel
def bucket_of(number: float, base: float, scale: float, last: int) -> int:
    """Bucket of a number; numbers outside the range belong to the first or to the last bucket."""
    position = (number - base) * scale
    return max(0, int(position) if position < last else last)


@kernel
def put_into(bucket: int, buckets: Buckets, item: int) -> None:
    """Add an item to a bucket."""
    heads, following = buckets
    following[item], heads[bucket] = heads[bucket], item
