"""Differential coexpression of every set of columns, from its definition."""

from itertools import combinations


def naive_supports(values, max_range):
    sizes = [abs(value) for value in values]
    one_sign = all(value > 0 for value in values) or all(value < 0 for value in values)
    return one_sign and max(sizes) - min(sizes) <= max_range * min(sizes)


def naive_rows(table, columns, max_range):
    return [
        i for i, row in enumerate(table) if naive_supports([row[j] for j in columns], max_range)
    ]


def naive_measure(own, other, columns, max_range):
    share = len(naive_rows(own, columns, max_range)) / len(own)
    pairs = combinations(columns, 2)
    return share - max(len(naive_rows(other, pair, max_range)) / len(other) for pair in pairs)


def naive_sets(own, other, max_range, least, max_columns):
    """Every set with a measure of at least ``least``, to its rows."""
    return {
        columns: naive_rows(own, columns, max_range)
        for size in range(2, max_columns + 1)
        for columns in combinations(range(len(own[0])), size)
        if naive_measure(own, other, columns, max_range) >= least
    }
