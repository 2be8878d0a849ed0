"""Steps 2 to 6 of the method for one anchor class, from the text, with loops."""

import math
from fractions import Fraction

from oracles.perceptron import naive_primal
from oracles.residue import naive_msr, naive_profile, naive_submatrix

# On data scaled to [0, 1] rounding alone makes residues that are smaller still.
COHERENT = 1e-25


def naive_minmax(X):
    lows = [min(column) for column in zip(*X, strict=True)]
    highs = [max(column) for column in zip(*X, strict=True)]
    return [
        [
            (x - low) / (high - low) if high > low else 0.0
            for x, low, high in zip(row, lows, highs, strict=True)
        ]
        for row in X
    ]


def naive_contrast_rows(Z, rows, columns, others, size):
    """The ``size`` of the ``others`` nearest to the centroid; of equally near ones the first."""
    centre = naive_profile(naive_submatrix(Z, rows, columns))

    def square(other):
        return sum((Z[other][j] - c) ** 2 for j, c in zip(columns, centre, strict=True))

    return sorted(others, key=lambda other: (round(square(other), 9), other))[:size]


def naive_ratio(Z, rows, contrast, columns):
    denominator = naive_msr(naive_submatrix(Z, contrast, columns))
    if denominator < COHERENT:
        return math.inf
    return naive_msr(naive_submatrix(Z, rows, columns)) / denominator


def naive_neuron(Z, signs, rows, columns):
    """Weights and bias of a perceptron that visits ``rows`` in their order."""
    block, own = naive_submatrix(Z, rows, columns), [signs[i] for i in rows]
    order = [range(len(rows))]
    weights, bias, _ = naive_primal(block, own, order, 20, 0.1, True, False, "mistake")
    return weights, bias


def naive_score(z, columns, weights, bias):
    return sum(w * z[j] for w, j in zip(weights, columns, strict=True)) + bias


def naive_label_auc(signs, scores):
    """Exact, so that ties are ties."""
    right = {+1: [], -1: []}
    for sign, score in zip(signs, scores, strict=True):
        right[sign].append((score > 0) == (sign > 0))
    shares = [Fraction(sum(answers), len(answers)) for answers in right.values()]
    return sum(shares) / 2


def naive_fit(X, signs, anchor, blocks, max_ratio, contrast_size=1):
    """Kept pairs (ratio, rows, contrast, columns), their neurons, label AUCs and the best one.

    ``blocks`` are (rows, columns) of the class ``anchor`` (+1 or -1).
    """
    Z = naive_minmax(X)
    others = [i for i, sign in enumerate(signs) if sign != anchor]
    pairs = []
    for rows, columns in blocks:
        size = max(1, math.floor(contrast_size * len(rows) + 0.5))
        contrast = naive_contrast_rows(Z, rows, columns, others, size)
        pairs.append((naive_ratio(Z, rows, contrast, columns), rows, contrast, columns))
    kept = sorted((p for p in pairs if p[0] <= max_ratio), key=lambda pair: pair[0])
    neurons = [naive_neuron(Z, signs, [*rows, *other], columns) for _, rows, other, columns in kept]
    aucs = [
        naive_label_auc(signs, [naive_score(z, pair[3], *neuron) for z in Z])
        for pair, neuron in zip(kept, neurons, strict=True)
    ]
    best = max(range(len(aucs)), key=lambda k: (aucs[k], -k), default=None)
    return kept, neurons, aucs, best
