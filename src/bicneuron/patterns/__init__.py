"""The pattern: one value for biclusters, groups, contrastive pairs and the parts of networks."""

from bicneuron.patterns._answer import (
    class_words,
    is_other_side,
    pattern_facts,
    proven_patterns,
    significant_patterns,
)
from bicneuron.patterns._evidence import Evidence
from bicneuron.patterns._model import (
    PatternModel,
    carrier_counts,
    check_patterns,
    class_masks,
    column_importance,
)
from bicneuron.patterns._pairing import contrastive_pairs, ranking
from bicneuron.patterns._pattern import (
    Axis,
    Differences,
    Pattern,
    TrainedNeuron,
    differences,
    direction_words,
    pattern_differences,
    sides_of,
)

__all__ = [
    "Axis",
    "Differences",
    "Evidence",
    "Pattern",
    "PatternModel",
    "TrainedNeuron",
    "carrier_counts",
    "check_patterns",
    "class_masks",
    "class_words",
    "column_importance",
    "contrastive_pairs",
    "differences",
    "direction_words",
    "is_other_side",
    "pattern_differences",
    "pattern_facts",
    "proven_patterns",
    "ranking",
    "sides_of",
    "significant_patterns",
]
