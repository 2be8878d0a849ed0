"""Splits of an axis, with every density written out."""

import itertools
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


# --- Separation of two classes by scores, pair by pair and candidate by candidate


def naive_label_auc(scores, is_positive, threshold):
    on_positives = [
        score > threshold for score, yes in zip(scores, is_positive, strict=True) if yes
    ]
    on_negatives = [
        score <= threshold for score, yes in zip(scores, is_positive, strict=True) if not yes
    ]
    return (sum(on_positives) / len(on_positives) + sum(on_negatives) / len(on_negatives)) / 2


def naive_best_threshold(scores, is_positive):
    """For scores of moderate size, where the midpoint needs no care."""
    distinct = sorted(set(scores))
    candidates = [0.0] + [(low + high) / 2 for low, high in itertools.pairwise(distinct)]
    aucs = [naive_label_auc(scores, is_positive, t) for t in candidates]
    best = [t for t, auc in zip(candidates, aucs, strict=True) if math.isclose(auc, max(aucs))]
    return min(best, key=lambda t: (abs(t), t))


# --- Windows by trying every place for them


def naive_window(values, width):
    """Count and start of the first window with the most values; it begins at one of them."""
    counts = [(sum(0 <= v - start <= width for v in values), -start) for start in values]
    count, start = max(counts)
    return count, -start


def naive_pair_windows(columns_of, pairs, width):
    return [
        naive_window([b - a for a, b in zip(columns_of[j], columns_of[k], strict=True)], width)
        for j, k in pairs
    ]


def naive_growth(columns_of, pair, start, width, least):
    columns = list(pair)
    j, k = pair
    rows = [
        i
        for i, (a, b) in enumerate(zip(columns_of[j], columns_of[k], strict=True))
        if start <= b - a <= start + width
    ]
    while len(columns) < least[1]:
        means = {i: sum(columns_of[c][i] for c in columns) / len(columns) for i in rows}
        best = None
        for c in (c for c in range(len(columns_of)) if c not in columns):
            values = [columns_of[c][i] - means[i] for i in rows]
            if values:
                count, begin = naive_window(values, width)
                if count >= least[0] and (best is None or count > best[0]):
                    best = count, begin, c
        if best is None:
            break
        _, begin, c = best
        rows = [i for i in rows if begin <= columns_of[c][i] - means[i] <= begin + width]
        columns.append(c)
    return rows, columns
