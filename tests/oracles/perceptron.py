"""Perceptrons written from their definitions, one visit at a time, nothing kept up to date."""

import math

import numpy as np


def naive_prediction_is_wrong(sign, score, tie):
    if tie == "mistake":
        return sign * score <= 0
    return (score > 0) != (sign > 0)


def naive_primal(block, signs, orders, max_iter, learning_rate, fit_intercept, average, tie):
    """Weights, intercept and number of epochs; the average is that of the written-out history."""
    weights = [0.0] * len(block[0])
    intercept = 0.0
    history = []
    for epoch in range(max_iter):
        mistakes = 0
        for i in orders[epoch % len(orders)]:
            score = sum(w * x for w, x in zip(weights, block[i], strict=True)) + intercept
            if naive_prediction_is_wrong(signs[i], score, tie):
                mistakes += 1
                weights = [
                    w + learning_rate * signs[i] * x for w, x in zip(weights, block[i], strict=True)
                ]
                intercept += learning_rate * signs[i] if fit_intercept else 0.0
            history.append([*weights, intercept])
        if mistakes == 0:
            break
    final = np.mean(history, axis=0) if average else np.array(history[-1])
    return final[:-1], final[-1], epoch + 1


def naive_dual(gram, signs, orders, max_iter, average, tie):
    """Mistake counts (or their averages) and number of epochs."""
    alphas = [0.0] * len(signs)
    history = []
    for epoch in range(max_iter):
        mistakes = 0
        for i in orders[epoch % len(orders)]:
            score = sum(a * s * k for a, s, k in zip(alphas, signs, gram[i], strict=True))
            if naive_prediction_is_wrong(signs[i], score, tie):
                mistakes += 1
                alphas[i] += 1
            history.append(list(alphas))
        if mistakes == 0:
            break
    final = np.mean(history, axis=0) if average else np.array(history[-1])
    return final, epoch + 1


def naive_linear_gram(block):
    return np.array([[sum(a * b for a, b in zip(x, y, strict=True)) for y in block] for x in block])


def naive_rbf_gram(X, Y, bandwidth):
    return np.array(
        [[math.exp(-(math.dist(x, y) ** 2) / (2 * bandwidth**2)) for y in Y] for x in X]
    )


def naive_scores(X, columns, weights, intercept):
    return np.array(
        [sum(w * x[j] for w, j in zip(weights, columns, strict=True)) + intercept for x in X]
    )
