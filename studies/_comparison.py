"""Models compared over data sets: mean ranks, significance tests and their diagram."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._plots import draw_svg, plain


@dataclass(frozen=True, slots=True)
class PairOfModels:
    """Two models compared over data sets.

    Parameters
    ----------
    first, second : str
    wins, ties, losses : int
        Data sets on which the first model is better, equal or worse.
    p_value : float
        Of the exact two-sided signed-rank test.
    p_holm : float
        The same with Holm's correction for all pairs of models.
    """

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    p_value: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Models compared over the same data sets, as `compare_models` returns them.

    Parameters
    ----------
    datasets : tuple of str
    models : tuple of str
        The best mean rank first.
    mean_ranks : tuple of float
        Of each model; 1 is best.
    friedman_p_value : float or None
        P-value of Friedman's test; None below 3 models or 2 data sets.
    pairs : tuple of PairOfModels
        Each pair of models: ``first``, ``second``, ``wins``, ``ties``, ``losses`` of the first,
        ``p_value`` and ``p_holm``.
    """

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    friedman_p_value: float | None
    pairs: tuple[PairOfModels, ...]


def compare_models(scores: Mapping[str, Mapping[str, float]]) -> Comparison:
    """Compare models by mean ranks, Friedman's test and signed-rank tests.

    The exact signed-rank tests are of all pairs of models, with Holm's correction.

    Parameters
    ----------
    scores : mapping of str to mapping of str to float
        Data set to model to score, larger is better. Every data set has the same models, at least
        two of them, and there is at least one data set.

    Returns
    -------
    Comparison
        Models of equal mean rank are sorted by name.

    Examples
    --------
    >>> from studies._comparison import compare_models
    >>> result = compare_models({"a": {"x": 0.7, "y": 0.9}, "b": {"x": 0.6, "y": 0.8}})
    >>> result.models, result.mean_ranks
    (('y', 'x'), (1.0, 2.0))
    >>> result.pairs[0].wins, result.pairs[0].p_holm
    (2, 0.5)
    """
    datasets, names = tuple(scores), sorted(next(iter(scores.values())))
    table = np.array([[scores[dataset][name] for name in names] for dataset in datasets])
    table = np.round(table, 12)  # means that differ by rounding only are equal
    ranks = mean_ranks(table)
    order = np.argsort(ranks, kind="stable")
    table, names = table[:, order], [names[i] for i in order]
    pairs = list(combinations(range(len(names)), 2))
    p_values = [signed_rank_p_value(table[:, i] - table[:, j]) for i, j in pairs]
    return Comparison(
        datasets=datasets,
        models=tuple(names),
        mean_ranks=tuple(float(rank) for rank in ranks[order]),
        friedman_p_value=friedman_p_value(table),
        pairs=tuple(
            PairOfModels(
                first=names[i],
                second=names[j],
                wins=int(np.sum(table[:, i] > table[:, j])),
                ties=int(np.sum(table[:, i] == table[:, j])),
                losses=int(np.sum(table[:, i] < table[:, j])),
                p_value=p,
                p_holm=corrected,
            )
            for (i, j), p, corrected in zip(pairs, p_values, holm(p_values), strict=True)
        ),
    )


def mean_ranks(scores: FloatArray) -> FloatArray:
    """Mean rank of each column over the rows; 1 is the largest score, equal scores share ranks.

    Examples
    --------
    >>> import numpy as np
    >>> from studies._comparison import mean_ranks
    >>> mean_ranks(np.array([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]])).tolist()
    [1.0, 2.25, 2.75]
    """
    ranks: FloatArray = stats.rankdata(-scores, axis=1).mean(axis=0)
    return ranks


def friedman_p_value(scores: FloatArray) -> float | None:
    """P-value of Friedman's test on (data sets, models); None below 3 models or 2 data sets.

    Examples
    --------
    >>> import numpy as np
    >>> from studies._comparison import friedman_p_value
    >>> round(friedman_p_value(np.array([[3.0, 2.0, 1.0]] * 4)), 4)
    0.0183
    """
    n_sets, n_models = scores.shape
    if n_models < 3 or n_sets < 2:
        return None
    if np.all(scores == scores[:, :1]):
        return 1.0  # every model is equal on every data set, where the statistic is 0/0
    return float(stats.friedmanchisquare(*scores.T).pvalue)


def signed_rank_p_value(differences: FloatArray) -> float:
    """Two-sided exact p-value of Wilcoxon's signed-rank test, also with equal differences.

    Zero differences are left out; if all are zero, p = 1. The distribution over all signs is
    computed exactly, because a normal approximation is poor with few data sets.

    Examples
    --------
    >>> import numpy as np
    >>> from studies._comparison import signed_rank_p_value
    >>> signed_rank_p_value(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.0]))
    0.0625
    """
    differences = np.round(differences, 12)  # 0.3 - 0.2 and 0.2 - 0.1 are equal differences
    differences = differences[differences != 0]
    doubled_ranks = np.rint(2 * stats.rankdata(np.abs(differences))).astype(int)
    share = np.ones(1)  # of the sign patterns, by the doubled rank sum of the positive ones
    for rank in doubled_ranks:
        share = (np.pad(share, (0, rank)) + np.pad(share, (rank, 0))) / 2
    positive = int(doubled_ranks[differences > 0].sum())
    smaller = min(positive, int(doubled_ranks.sum()) - positive)
    return min(1.0, 2 * float(share[: smaller + 1].sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction of p-values, in the given order.

    Examples
    --------
    >>> from studies._comparison import holm
    >>> holm([0.25, 0.01, 0.125])
    [0.25, 0.03, 0.25]
    """
    corrected, running = [0.0] * len(p_values), 0.0
    for step, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        running = max(running, min(1.0, (len(p_values) - step) * p_values[index]))
        corrected[index] = running
    return corrected


def critical_difference_svg(comparison: Comparison, name: str) -> str:
    """Draw mean ranks, with a bar over models that no test tells apart.

    A bar joins models whose signed-rank p-values exceed 0.05 after Holm's correction.

    Parameters
    ----------
    comparison : Comparison
        At least two models.
    name : str
        Unique on the page, so that ids inside the diagrams do not collide.

    Returns
    -------
    str
        An ``<svg>`` element in the text colour and font of its surroundings, without addresses,
        date or version; the same for the same arguments.
    """
    ranks = zip(comparison.models, comparison.mean_ranks, strict=True)
    label = "Mean ranks: " + ", ".join(f"{model} {rank:.2f}" for model, rank in ranks)
    draw = partial(_draw_mean_ranks, comparison)
    return draw_svg(draw, name, label=label, bbox_inches="tight")


def _draw_mean_ranks(comparison: Comparison, figure: Any) -> None:
    """Draw the critical-difference diagram of a comparison in a figure."""
    import matplotlib

    try:
        import pandas
        from scikit_posthocs import critical_difference_diagram
    except ImportError as error:
        raise ImportError(
            f"the diagram needs {error.name}; run pip install scikit-posthocs."
        ) from error
    n_models = len(comparison.models)
    p_values = pandas.DataFrame(1.0, index=range(n_models), columns=range(n_models))
    for pair in comparison.pairs:
        i, j = (comparison.models.index(model) for model in (pair.first, pair.second))
        p_values.loc[i, j] = p_values.loc[j, i] = pair.p_holm
    ax, text_colour = figure.subplots(), matplotlib.rcParams["text.color"]
    # Numbers in place of names: scikit-posthocs puts them in sets, whose order for strings differs
    # between processes.
    drawn = critical_difference_diagram(
        dict(enumerate(comparison.mean_ranks)),
        p_values,
        ax=ax,
        label_fmt_left="{label}",
        label_fmt_right="{label}",
        text_h_margin=0.1,
        elbow_props={"color": text_colour, "linewidth": 1},
        marker_props={"s": 12},
        crossbar_props={"color": text_colour, "linewidth": 3},
    )
    for label in drawn["labels"]:
        number = int(label.get_text())
        text = f"{plain(comparison.models[number], 32)} {comparison.mean_ranks[number]:.2f}"
        label.set_text(f"\N{NO-BREAK SPACE}{text}\N{NO-BREAK SPACE}")
    ax.set_xticks(range(1, n_models + 1))
    bottom, top = ax.get_ylim()
    figure.set_size_inches(6.5, 0.5 + 0.22 * (top - bottom))


def check_can_draw() -> None:
    """Raise an `ImportError` before a long run if its diagrams could not be drawn."""
    critical_difference_svg(compare_models({"any": {"first": 1.0, "second": 0.0}}), "check")
