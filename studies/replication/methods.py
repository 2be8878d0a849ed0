"""Members of a group in a second cohort: by bicneuron, and what people do instead."""

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.replication import TransferredPattern

# A group of a new search is the pattern if this share of the columns of both is common.
SAME = 0.3


def balanced_accuracy(found: BoolArray, members: BoolArray) -> float:
    """Mean of the shares of members and of others that are told right."""
    return float((found[members].mean() + 1.0 - found[~members].mean()) / 2)


def clustered(pattern: TransferredPattern, Z: FloatArray) -> BoolArray:
    """Two clusters by k-means in the columns of the pattern; the one with higher scores."""
    block = Z[:, pattern.here]
    clusters: BoolArray = KMeans(2, n_init=10, random_state=0).fit_predict(block) == 1
    scores = pattern.scores
    return clusters if scores[clusters].mean() > scores[~clusters].mean() else ~clusters


def above_median(pattern: TransferredPattern, Z: FloatArray) -> BoolArray:
    """Mean of the columns that are higher less that of those that are lower, cut at the median."""
    signature = Z[:, pattern.here] @ np.sign(pattern.signature.linear)
    above: BoolArray = signature > np.median(signature)
    return above


def searched_again(
    pattern: TransferredPattern, names: IndexArray, second: pd.DataFrame
) -> tuple[float, BoolArray]:
    """Search the second cohort, and take the group with the most columns in common.

    Returns
    -------
    jaccard : float
        Of the columns; 0 if nothing is found.
    members : bool array of shape (n_rows,)
    """
    model = SubgroupBiclustering(kinds="shift", n_patterns=10).fit(second)
    own = {str(name) for name in names}
    best, carriers = 0.0, np.zeros(len(second), dtype=bool)
    for k, found in enumerate(model.patterns_):
        other = {str(name) for name in second.columns[found.columns]}
        overlap = len(own & other) / len(own | other)
        if overlap > best:
            best, carriers = overlap, model.carriers(second)[:, k]
    return best, carriers
