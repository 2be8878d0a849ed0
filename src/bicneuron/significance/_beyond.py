"""Which groups belong to a class by columns of their own, and not by those of clearer groups.

Where a few columns differ between the classes, rows that are high in one of them and, by chance, in
others, are of one class too. Such a group adds nothing to the one that has the column already.
"""

from collections.abc import Callable

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._formats import LEVEL
from bicneuron.patterns import PatternModel, is_other_side


def p_beyond_clearer(
    model: PatternModel,
    family: FloatArray,
    order: IndexArray,
    values_without: Callable[[int, BoolArray], FloatArray],
    carriers: BoolArray,
    p_of: Callable[[BoolArray], float],
) -> FloatArray:
    """Corrected p of groups, not below the p that they have without the columns of clearer ones.

    That p is corrected for the groups that seem to belong to a class (Bonferroni).
    """
    family, n_asked = family.copy(), int(np.sum(family <= LEVEL))
    clearer: list[int] = []
    for k in order.tolist():
        one = model.patterns_[k]
        if family[k] > LEVEL or any(is_other_side(one, model.patterns_[j]) for j in clearer):
            continue
        told = np.isin(
            one.columns, [column for j in clearer for column in model.patterns_[j].columns]
        )
        if told.all():
            family[k] = 1.0
        elif told.any():
            values, inside = values_without(k, told), carriers[:, k]
            cut = (values[inside].mean() + values[~inside].mean()) / 2
            family[k] = max(family[k], min(n_asked * p_of(values > cut), 1.0))
        if family[k] <= LEVEL:
            clearer.append(k)
    return family
