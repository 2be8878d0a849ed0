"""Groups that a model found without labels, though it was fitted with them."""

from typing import NamedTuple

from bicneuron._core._arrays import BoolArray, IndexArray


class BlindGroups(NamedTuple):
    """Groups that were found without labels, and which patterns are made of them.

    Parameters
    ----------
    rows : array of intp
        Rows of the training table that the fit looked at.
    carriers : bool array of shape (len(rows), n_groups)
        Of all groups that were found, chosen or not.
    of_patterns : array of shape (n_patterns,)
        Number of the group that each pattern is; -1 for patterns that were made with labels.
    """

    rows: IndexArray
    carriers: BoolArray
    of_patterns: IndexArray
