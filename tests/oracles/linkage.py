"""Average linkage of numbers in exact arithmetic: every pair of clusters, every pair of members."""

from fractions import Fraction


def naive_average_distance(one, other):
    return Fraction(sum(abs(x - y) for x in one for y in other), len(one) * len(other))


def naive_gap_heights(values):
    """Height at which each gap between neighbours in ``sorted(values)`` closes, as a fraction."""
    clusters = [[Fraction(value)] for value in sorted(values)]
    heights = {}
    while len(clusters) > 1:
        height, low, high = min(
            (naive_average_distance(clusters[a], clusters[b]), a, b)
            for b in range(len(clusters))
            for a in range(b)
        )
        assert high == low + 1, "only neighbours merge"
        heights[sum(len(cluster) for cluster in clusters[:high]) - 1] = height
        clusters[low : high + 1] = [clusters[low] + clusters[high]]
    return [heights[gap] for gap in range(len(heights))]


def naive_partition(values, cut_distance):
    """Sets of row numbers: neighbours on the line stay together up to the cut."""
    order = sorted(range(len(values)), key=lambda row: values[row])
    heights = naive_gap_heights(values)
    clusters = [{order[0]}]
    for row, height in zip(order[1:], heights, strict=True):
        if height > cut_distance:
            clusters.append(set())
        clusters[-1].add(row)
    return {frozenset(cluster) for cluster in clusters}
