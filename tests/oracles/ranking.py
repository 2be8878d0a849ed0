"""Separation of two classes by scores, pair by pair and candidate by candidate."""

import itertools
import math


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
