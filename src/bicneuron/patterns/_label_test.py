"""What a test needs of a model that chose its patterns by labels."""

from typing import NamedTuple

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray


class LabelTest(NamedTuple):
    """How the patterns of a model were chosen.

    Parameters
    ----------
    rows : array of intp
        Rows of the training table that the choice looked at.
    groups : bool array of shape (len(rows), n_groups)
        Carriers of the groups that were found without labels, chosen or not.
    group_of : array of shape (n_patterns,)
        Number of the group that each pattern is; -1 for patterns that were made with labels.
    statistics : float64 array of shape (n_patterns,)
        By which each was chosen, larger for clearer ones.
    """

    rows: IndexArray
    groups: BoolArray
    group_of: IndexArray
    statistics: FloatArray
