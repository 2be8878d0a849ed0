"""A few features out of many, one after the other."""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray

# A feature of which less than this share is left beside those taken is one of them in disguise.
REDUNDANT = 1e-3


def forward_selection(
    H: FloatArray, targets: FloatArray, owner: IndexArray, most: int
) -> IndexArray:
    """Take the feature that explains most of what is left of the targets, again and again.

    Orthogonal least squares: after each step the features and the targets are freed of what was
    taken. A feature counts only while it still speaks *for* its own target, not against it.

    Parameters
    ----------
    H : array of shape (n_rows, n_features)
    targets : array of shape (n_rows, n_targets)
    owner : array of shape (n_features,)
        The target that each feature was made for.
    most : int
        Features to take.

    Returns
    -------
    taken : array of intp
        At most ``most`` features, in the order taken; fewer when no other speaks for its target.
    """
    left = H - H.mean(axis=0)
    unexplained = targets - targets.mean(axis=0)
    size_at_first = np.einsum("ij,ij->j", left, left)
    taken: list[int] = []
    for _ in range(min(most, H.shape[1])):
        size = np.einsum("ij,ij->j", left, left)
        products = left.T @ unexplained
        usable = (size > REDUNDANT * size_at_first) & (products[np.arange(len(owner)), owner] > 0)
        if not usable.any():
            break
        gain = np.where(usable, np.sum(products**2, axis=1) / np.where(usable, size, 1.0), -1.0)
        best = int(np.argmax(gain))
        direction = left[:, best] / np.sqrt(size[best])
        unexplained = unexplained - np.outer(direction, direction @ unexplained)
        left = left - np.outer(direction, direction @ left)
        taken.append(best)
    return np.array(taken, dtype=np.intp)
