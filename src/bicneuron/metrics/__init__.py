"""Measures of classifiers (also cross-validated), of blocks, and of recovered biclusters."""

from bicneuron.metrics._classification import (
    label_auc,
    majority_accuracy,
    minority_accuracy,
    score_auc,
)
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
    "label_auc",
    "majority_accuracy",
    "mean_squared_residue",
    "minority_accuracy",
    "msr_ratio",
    "score_auc",
]
