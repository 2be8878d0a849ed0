"""Growth against the contrast, from its definition."""

import numpy as np


def naive_grow_against(anchor, others, start, most, size, slack=0.1):
    taken = [] if start < 0 else [start]
    while len(taken) < min(most, anchor.shape[1]):
        if taken:
            centre = anchor[:, taken].mean(axis=0)
            far = [np.sum((row[taken] - centre) ** 2) for row in others]
            near = others[np.argsort(far, kind="stable")[:size]]
        else:
            near = others
        ratios = [
            (np.mean(a) - np.mean(b)) ** 2 / (np.var(a) + np.var(b) + slack)
            for a, b in zip(anchor.T, near.T, strict=True)
        ]
        free = [j for j in range(anchor.shape[1]) if j not in taken]
        taken.append(max(free, key=lambda j: ratios[j]))
    return taken
