"""Cross-validated scores of classifiers, coherence of blocks, and recovery of biclusters."""

from bicneuron.metrics._coherence import mean_squared_residue, msr_ratio
from bicneuron.metrics._cross_validation import (
    CrossValidatedScores,
    FoldPatterns,
    MeanScore,
    cross_validated_scores,
)
from bicneuron.metrics._recovery import best_match, cell_jaccard
from bicneuron.metrics._rows_left_out import RowsLeftOut

__all__ = [
    "CrossValidatedScores",
    "FoldPatterns",
    "MeanScore",
    "RowsLeftOut",
    "best_match",
    "cell_jaccard",
    "cross_validated_scores",
    "mean_squared_residue",
    "msr_ratio",
]
