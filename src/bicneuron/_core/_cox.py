"""Score test of Cox's model: do rows with higher values have events earlier or later?"""

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray

TINY = 1e-12


def cox_scores(S: FloatArray, time: FloatArray, event: BoolArray, strata: IndexArray) -> FloatArray:
    """Standardised score of each column of S; positive if high values have events early."""
    score, variance = np.zeros(S.shape[1]), np.zeros(S.shape[1])
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        rows = rows[np.argsort(-time[rows], kind="stable")]
        of_rows, late_first = S[rows], -time[rows]
        n_at_risk = np.searchsorted(late_first, late_first, side="right")[:, None]
        means = np.cumsum(of_rows, axis=0)[n_at_risk[:, 0] - 1] / n_at_risk
        squares = np.cumsum(of_rows**2, axis=0)[n_at_risk[:, 0] - 1] / n_at_risk
        died = event[rows]
        score += (of_rows - means)[died].sum(axis=0)
        variance += (squares - means**2)[died].sum(axis=0)
    standardised: FloatArray = score / np.sqrt(np.maximum(variance, TINY))
    return standardised
