"""Log likelihoods of shares: of a class in a group, of a value in a column."""

import numpy as np
from scipy.special import gammaln, xlogy

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray


def log_rates(successes: AnyArray, trials: AnyArray | int) -> FloatArray:
    """Log likelihood of numbers of successes at their own rates; at most 0."""
    failures = trials - successes
    likelihood: FloatArray = (
        xlogy(successes, successes) + xlogy(failures, failures) - xlogy(trials, trials)
    )
    return likelihood


def rate_gains(
    inside: AnyArray, n_inside: AnyArray | int, outside: AnyArray, n_outside: AnyArray | int
) -> FloatArray:
    """Log likelihood ratio of two rates, one inside and one outside, and a single one."""
    gains: FloatArray = (
        log_rates(inside, n_inside)
        + log_rates(outside, n_outside)
        - log_rates(inside + outside, n_inside + n_outside)
    )
    return gains


def table_gains(inside: IndexArray, sizes: IndexArray, totals: IndexArray, n: int) -> FloatArray:
    """`rate_gains` of many groups and columns at once: each logarithm is computed once."""
    numbers = np.arange(n + 1)
    products = xlogy(numbers, numbers)
    gains: FloatArray = products[inside]
    gains += products[sizes - inside]
    gains += products[totals - inside]
    gains += products[n - sizes - totals + inside]
    gains -= products[sizes] + products[n - sizes]
    gains -= products[totals] + products[n - totals] - products[n]
    return gains


def class_information(in_class: BoolArray, groups: BoolArray) -> FloatArray:
    """Log likelihood ratio of different rates of a group inside and outside the class."""
    n, n_class = len(in_class), int(in_class.sum())
    inside = groups[:, in_class].sum(axis=1)
    outside = groups.sum(axis=1) - inside
    information = rate_gains(inside, n_class, outside, n - n_class)
    is_more_common = inside * (n - n_class) >= outside * n_class
    return np.where(is_more_common, information, -information)


def log_choices(n: int, k: AnyArray | int) -> FloatArray:
    """Logarithm of the number of ways to choose k of n: the cost of naming them."""
    choices: FloatArray = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return choices
