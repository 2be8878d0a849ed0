"""Forward selection of features."""

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray

# A feature is redundant if less than this share of its variance is left after projection on the
# complement of the features taken.
REDUNDANT_SHARE = 1e-3
# Of the sum of squares of a feature: what is left of a constant one after centring is less.
ROUNDING = 1e-24


def forward_selection(
    H: FloatArray, targets: FloatArray, weights: FloatArray, owner: IndexArray, most: int
) -> IndexArray:
    """Take the feature that explains most of the remaining targets, one at a time.

    Orthogonal least squares: after each step the features and the targets are projected on the
    complement of the feature taken. A feature is eligible only while its product with its own
    target is positive.

    Parameters
    ----------
    H : array of shape (n_rows, n_features)
    targets : array of shape (n_rows, n_targets)
    weights : array of shape (n_rows,)
        Positive; of the rows in the sums of squares.
    owner : array of shape (n_features,)
        Target that each feature belongs to.
    most : int
        Number of features to take.

    Returns
    -------
    taken : array of intp
        At most ``most`` features in the order they were taken; fewer if no other is eligible.
    """
    shares, roots = weights / weights.sum(), np.sqrt(weights)[:, None]
    H = np.asfortranarray(H)  # read by columns
    residual = roots * (H - shares @ H)
    unexplained = roots * (targets - shares @ targets)
    initial_size = np.einsum("ij,ij->j", residual, residual)
    least_size = np.maximum(REDUNDANT_SHARE * initial_size, ROUNDING * (weights @ H**2))
    taken: list[int] = []
    for _ in range(min(most, H.shape[1])):
        size = np.einsum("ij,ij->j", residual, residual)
        products = residual.T @ unexplained
        with_owner = products[np.arange(len(owner)), owner]
        eligible = (size > least_size) & (with_owner > 0)
        if not eligible.any():
            break
        gain = np.where(eligible, np.sum(products**2, axis=1) / np.where(eligible, size, 1.0), -1.0)
        best = int(np.argmax(gain))
        direction = residual[:, best] / np.sqrt(size[best])
        unexplained = unexplained - np.outer(direction, direction @ unexplained)
        residual = residual - np.outer(direction, direction @ residual)
        taken.append(best)
    return np.array(taken, dtype=np.intp)
