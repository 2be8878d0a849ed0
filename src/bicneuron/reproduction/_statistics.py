"""The paper's tests between models, over their folds."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

SIGNIFICANCE_OF_THE_PAPER = 0.01


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation, as the paper prints them; one value has no spread.

    Examples
    --------
    >>> from bicneuron.reproduction._statistics import mean_and_spread
    >>> mean_and_spread([0.5, 1.0, 0.75])
    (0.75, 0.25)
    >>> mean_and_spread([0.5])
    (0.5, nan)
    """
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
    return float(np.mean(values)), spread


def rank_sum_p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """P-value of the Wilcoxon test that the paper used: rank sums, without regard to pairs.

    The text says "Wilcoxon test" only. Applied to the printed folds the unpaired rank-sum test
    gives every printed mark; the signed-rank test of its reference does not (KP on singh).

    Examples
    --------
    >>> from bicneuron.reproduction._statistics import rank_sum_p_value
    >>> round(rank_sum_p_value([1.0] * 10, [1.0] * 7 + [0.9] * 3), 2)
    0.26
    """
    return float(stats.ranksums(first, second).pvalue)


def paper_marks(folds: Mapping[str, Sequence[float]], reference: str) -> dict[str, frozenset[str]]:
    """Marks of Tables 2 and 3 for the models of one data set.

    Parameters
    ----------
    folds : mapping of str to sequence of float
        Model to its values in the test folds.
    reference : str
        The BicNeuron model that the others are compared with. No mark but the underline is given
        where it is missing from ``folds``.

    Returns
    -------
    dict of str to frozenset of str
        ``"bold"`` where the reference is significantly better, ``"italic"`` where it is
        significantly worse (p <= 0.01), ``"underline"`` for the best average of two decimals.

    Examples
    --------
    >>> from bicneuron.reproduction._statistics import paper_marks
    >>> folds = {"SP": [0.5] * 10, "KP_L": [0.8] * 10, "BN": [0.8] * 9 + [0.9]}
    >>> {model: sorted(marks) for model, marks in paper_marks(folds, "BN").items()}
    {'SP': ['bold'], 'KP_L': [], 'BN': ['underline']}
    """
    means = {model: float(np.mean(values)) for model, values in folds.items()}
    best = max(map(_two_decimals, means.values()))
    marks = {}
    for model, values in folds.items():
        own = {"underline"} if _two_decimals(means[model]) == best else set()
        p_value = rank_sum_p_value(folds[reference], values) if reference in folds else 1.0
        if p_value <= SIGNIFICANCE_OF_THE_PAPER:
            own.add("bold" if means[model] < means[reference] else "italic")
        marks[model] = frozenset(own)
    return marks


def p_values_against_best(folds: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """P-values of Table 5: every model against the one of the best average, which has 1.

    Examples
    --------
    >>> from bicneuron.reproduction._statistics import p_values_against_best
    >>> p = p_values_against_best({"BN_L": [1.0] * 10, "BN_RBF": [1.0] * 7 + [0.9] * 3})
    >>> {model: round(value, 2) for model, value in p.items()}
    {'BN_L': 1.0, 'BN_RBF': 0.26}
    """
    best = max(folds.values(), key=lambda values: float(np.mean(values)))
    return {model: rank_sum_p_value(best, values) for model, values in folds.items()}


def _two_decimals(mean: float) -> float:
    # Twelve decimals first: a mean of 0.125 must not depend on the order of its summands.
    return round(round(mean, 12), 2)
