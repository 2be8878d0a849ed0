"""Exceptions and warnings beyond the usual ``ValueError`` and ``TypeError``."""

__all__ = [
    "DependentRowsWarning",
    "FewerFoldsWarning",
    "GivenGroupsWarning",
    "KnownStructureWarning",
    "MissingColumnsWarning",
    "ModelFileError",
    "ModelVersionWarning",
    "NoBiclusterWarning",
    "NoContrastivePairWarning",
    "NoPatternWarning",
    "ShiftedColumnsWarning",
    "TableError",
]


class NoContrastivePairWarning(UserWarning):
    """No contrastive pair survived: the classifier is one neuron on all rows and columns."""


class NoPatternWarning(UserWarning):
    """No pattern predicts better than none: `PatternClassifier` has none and names the majority."""


class NoBiclusterWarning(UserWarning):
    """A miner found no bicluster: ``patterns_`` is empty."""


class FewerFoldsWarning(UserWarning):
    """The inner cross-validation has fewer folds than asked for: a class is too small."""


class GivenGroupsWarning(UserWarning):
    """Groups that were given have rows or columns that the table lacks, or cannot be tested."""


class KnownStructureWarning(UserWarning):
    """Strata and covariates that are set aside nearly tell the class."""


class DependentRowsWarning(UserWarning):
    """Rows repeat others, or their ids are those of one patient, and no ``groups`` say so."""


class MissingColumnsWarning(UserWarning):
    """A table lacks columns that a model knows; its patterns are looked for by the others."""


class ShiftedColumnsWarning(UserWarning):
    """Columns of a new table no longer hold what the fit saw: other units, or codes."""


class ModelFileError(ValueError):
    """A model file is damaged, foreign or refused, or would replace one that is there."""


class ModelVersionWarning(UserWarning):
    """Another version of bicneuron wrote the model file; its predictions may differ."""


class TableError(ValueError):
    """A table cannot be read or written as asked."""
