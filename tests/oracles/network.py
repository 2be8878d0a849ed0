"""A network of neurons from its definitions: output layer, self-test, folds, radius, coverage."""

import math

import numpy as np
from oracles.ridge import naive_ridge

# Penalties per row and neuron.
PENALTIES = [10 ** (quarter / 4) for quarter in range(-24, 9)]


# --- what neurons see and say


def naive_soft_scaling(X, X_new):
    """Arcsinh of robust scores, standardised; columns of ``X`` that are constant become 0."""
    scaled = np.zeros(np.shape(X_new))
    for j in range(X.shape[1]):
        column = X[:, j]
        low, median, high = np.quantile(column, [0.25, 0.5, 0.75])
        spread = high - low if high > low else column.std()
        if spread == 0:
            continue
        soft, soft_new = (
            np.arcsinh((values - median) / spread) for values in (column, X_new[:, j])
        )
        scaled[:, j] = (soft_new - soft.mean()) / soft.std()
    return scaled


def naive_hidden(scores):
    """Typical size of each neuron's scores, and its outputs: ``tanh(score / typical)``."""
    typical = [float(np.median(np.abs(column))) or 1.0 for column in scores.T]
    hidden = [[math.tanh(s / t) for s, t in zip(row, typical, strict=True)] for row in scores]
    return typical, np.array(hidden)


# --- output layer


def naive_output(H, signs, row_weights=None):
    """Weights, intercept and penalty, that of least error when each row is left out in turn."""
    if row_weights is None:
        row_weights = np.ones(len(H))
    penalties = np.array(PENALTIES) * H.shape[0] * H.shape[1]
    squares = np.zeros(len(penalties))
    for i in range(len(H)):
        others = np.arange(len(H)) != i
        own = row_weights[others, None]
        centre, level = (np.sum(own * A[others], axis=0) / own.sum() for A in (H, signs))
        centred = H[others] - centre
        normal = centred.T @ (own * centred) + penalties[:, None, None] * np.eye(H.shape[1])
        weights = np.linalg.solve(normal, centred.T @ (own * (signs[others] - level)))
        for k, some in enumerate(weights):
            left_out = level + (H[i] - centre) @ some
            squares[k] += row_weights[i] * np.sum((signs[i] - left_out) ** 2)
    penalty = penalties[int(np.argmin(squares))]
    return *naive_ridge(H, signs, penalty, row_weights), penalty


def naive_contributions(H, weights):
    """Share of each neuron in what moves the scores: size of its weights times its spread."""
    sizes = []
    for column, weight in zip(H.T, weights, strict=True):
        mean = sum(column) / len(column)
        spread = math.sqrt(sum((h - mean) ** 2 for h in column) / len(column))
        sizes.append(math.sqrt(sum(w * w for w in weight)) * spread)
    return [size / sum(sizes) for size in sizes]


# --- self-test


def naive_folds(strata, n_folds, rng):
    """Each stratum is shuffled and dealt out from where the last one ended.

    The largest comes first; of equally large ones, that of the earliest row.
    """
    folds = [-1] * len(strata)
    turn = 0
    strata = list(strata)
    for stratum in sorted(set(strata), key=lambda one: (-strata.count(one), strata.index(one))):
        rows = [i for i, other in enumerate(strata) if other == stratum]
        shuffled = rng.permutation(rows)
        if len(rows) > 1:
            for row in shuffled:
                folds[row] = turn % n_folds
                turn += 1
    return np.array(folds)


def naive_held_out(H, signs, folds, fold_of, choose, row_weights=None):
    """Scores of each fold by neurons that have not seen it, weighed on the other rows."""
    if row_weights is None:
        row_weights = np.ones(len(H))
    scores = np.full(signs.shape, np.nan)
    for fold in range(max(folds) + 1):
        inside = [i for i in range(len(H)) if folds[i] == fold]
        outside = [i for i in range(len(H)) if folds[i] != fold]
        unseen = [k for k in range(H.shape[1]) if fold_of[k] == fold]
        kept = choose(H[outside], signs[outside], unseen)
        if inside and kept:
            weights, intercept, _ = naive_output(
                H[np.ix_(outside, kept)], signs[outside], row_weights[outside]
            )
            for i in inside:
                scores[i] = intercept + sum(H[i, k] * w for k, w in zip(kept, weights, strict=True))
    return scores


def naive_errors(scores, signs):
    """Squared error of each row, mean over targets, with scores cut to [-1, 1]."""
    return [
        sum((s - min(1, max(-1, x))) ** 2 for s, x in zip(sign, score, strict=True)) / len(sign)
        for sign, score in zip(signs.tolist(), scores.tolist(), strict=True)
    ]


def naive_choice(tested, signs, errors_of=naive_errors):
    """Number of the choice of least error."""
    known = [
        i for i in range(len(signs)) if not any(np.isnan(scores[i]).any() for scores in tested)
    ]
    if not known:
        return 0
    errors = [errors_of(scores[known], signs[known]) for scores in tested]
    means = [sum(line) / len(line) for line in errors]
    return means.index(min(means))


def naive_log_loss(scores, signs, slope, shifts, exclusive, weights=None):
    """Weighted mean over what is known of the cross entropy with smoothed labels.

    The label of a row is taken for certain but for half a row of each other class, set against all
    rows of its own class.
    """
    known = [i for i in range(len(scores)) if not np.isnan(scores[i]).any()]
    signs = signs[known]
    total, mass = 0.0, 0.0
    for i, sign in zip(known, signs.tolist(), strict=True):
        log_odds = [slope * (score + shift) for score, shift in zip(scores[i], shifts, strict=True)]
        loss = 0.0
        if exclusive:
            own = sign.index(1.0)
            size = sum(line.index(1.0) == own for line in signs.tolist())
            top = max(log_odds)
            logs = [o - top - math.log(sum(math.exp(p - top) for p in log_odds)) for o in log_odds]
            for k, log in enumerate(logs):
                loss -= log * (size * (k == own) + 0.5) / (size + 0.5 * len(logs))
        else:
            for t, odds in enumerate(log_odds):
                size = sum(line[t] == sign[t] for line in signs.tolist())
                for outcome in (1.0, -1.0):
                    surprise = max(0.0, -outcome * odds) + math.log1p(math.exp(-abs(odds)))
                    loss += surprise * (size * (outcome == sign[t]) + 0.5) / (size + 1)
        weight = 1.0 if weights is None else weights[i]
        total, mass = total + weight * loss, mass + weight
    return total / mass


def naive_probabilities(scores, slope, exclusive):
    """Of each target: they add up to 1 if a row has one of them, else each is by itself."""
    chances = []
    for line in scores:
        odds = [math.exp(slope * score) for score in line]
        chances.append([o / sum(odds) for o in odds] if exclusive else [o / (1 + o) for o in odds])
    return np.array(chances)


# --- where a pattern is


def naive_distance(z, centres):
    """Root mean square distance to the nearer of two centres."""
    return min(
        math.sqrt(sum((a - c) ** 2 for a, c in zip(z, centre, strict=True)) / len(centre))
        for centre in centres
    )


def naive_region(Z, pair):
    """Centres of both sides of a pair, and the distance of its farthest row, of either side."""
    sides = [
        [[Z[i, j] for j in pair.columns] for i in rows] for rows in (pair.rows, pair.contrast_rows)
    ]
    centres = [[sum(column) / len(column) for column in zip(*side, strict=True)] for side in sides]
    return centres, max(naive_distance(row, centres) for side in sides for row in side)


def naive_coverage(z, patterns, regions):
    """Sum of the contributions of the patterns that a row is near to."""
    return sum(
        pattern.strength
        for pattern, (centres, radius) in zip(patterns, regions, strict=True)
        if naive_distance(z[pattern.columns], centres) <= radius * (1 + 1e-9)
    )
