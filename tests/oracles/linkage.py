"""Average linkage of numbers in exact arithmetic: every pair of clusters, every pair of members."""

from fractions import Fraction

from oracles.residue import naive_msr, naive_submatrix


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


# --- Merging of blocks, each a pair of frozensets, with every pair looked at anew at every step


def naive_is_inside(one, other):
    return one[0] <= other[0] and one[1] <= other[1]


def naive_overlap(one, other):
    return bool(one[0] & other[0]) and bool(one[1] & other[1])


def naive_without_contained(blocks):
    return [
        block
        for a, block in enumerate(blocks)
        if not any(naive_is_inside(block, other) for b, other in enumerate(blocks) if b != a)
    ]


def naive_union_residue(matrix, one, other):
    rows, columns = sorted(one[0] | other[0]), sorted(one[1] | other[1])
    return naive_msr(naive_submatrix(matrix, rows, columns))


def naive_merge(matrix, blocks, max_residue, max_columns=float("inf")):
    blocks = naive_without_contained(blocks)
    while True:
        unions = [
            (naive_union_residue(matrix, blocks[a], blocks[b]), a, b)
            for b in range(len(blocks))
            for a in range(b)
            if naive_overlap(blocks[a], blocks[b])
            and len(blocks[a][1] | blocks[b][1]) <= max_columns
        ]
        residue, a, b = min(unions, default=(float("inf"), 0, 0))
        if residue > max_residue:
            return naive_without_contained(blocks)
        absorbed = blocks.pop(b)
        blocks[a] = (blocks[a][0] | absorbed[0], blocks[a][1] | absorbed[1])
