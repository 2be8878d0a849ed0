"""Splits of an axis, with every density written out."""

import math


def naive_gain(values, group):
    """Log likelihood of two normal densities with shrunken variances, less that of one."""
    n = len(values)
    mean = sum(values) / n
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / n)
    scaled = [(v - mean) / deviation if deviation else 0.0 for v in values]
    sides = [
        [v for v, inside in zip(scaled, group, strict=True) if inside == side] for side in (1, 0)
    ]
    means = [sum(side) / len(side) for side in sides]
    squares = [sum((v - m) ** 2 for v in side) for side, m in zip(sides, means, strict=True)]
    pooled = max(sum(squares) / n, 1e-4)
    two = 0.0
    for side, m, square in zip(sides, means, squares, strict=True):
        variance = (square + 4 * pooled) / (len(side) + 4)
        two += sum(-0.5 * math.log(variance) - (v - m) ** 2 / (2 * variance) for v in side)
    return two + 0.5 * n


def naive_log_rate(successes, trials):
    if successes in (0, trials):
        return 0.0
    share = successes / trials
    return successes * math.log(share) + (trials - successes) * math.log(1 - share)


def naive_best_split(values, in_class, labelled, fewest, most):
    """Rows of the best split, the earlier row first among equal values, and its value."""
    n, n_class = len(values), sum(in_class)
    order = sorted(range(n), key=lambda row: (-values[row], row))
    best, rows = -math.inf, None
    for k in range(fewest, min(most, n - 1) + 1):
        taken = set(order[:k])
        value = naive_gain(values, [row in taken for row in range(n)])
        inside = sum(in_class[row] for row in taken)
        if labelled:
            value += naive_log_rate(inside, n_class) + naive_log_rate(k - inside, n - n_class)
            if inside * (n - n_class) < (k - inside) * n_class:
                value -= 1e6
        else:
            value += naive_log_rate(k, n)
        if value > best:
            best, rows = value, taken
    return rows, best


def naive_normal_gain(values):
    """Log likelihood ratio of a normal density and the standard one, with mean and variance."""
    n = len(values)
    mean = sum(values) / n
    spread = sum((v - mean) ** 2 for v in values)
    variance = max((spread + 2) / (n + 2), 0.02)
    gain = 0.0
    for v in values:
        inside = -0.5 * math.log(variance) - (v - mean) ** 2 / (2 * variance)
        gain += inside + v * v / 2
    return gain, mean, variance
