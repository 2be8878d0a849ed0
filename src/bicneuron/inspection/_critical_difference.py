"""Critical-difference diagram of models compared over data sets."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._writing._axes import open_axes, plain
from bicneuron._writing._svg import check_matplotlib
from bicneuron.metrics import Comparison, compare_models


class CriticalDifferenceDisplay:
    """Mean ranks of models over data sets, with bars over models that do not differ significantly.

    Parameters
    ----------
    names : sequence of str
        Names of the models, at least two.
    mean_ranks : float64 array of shape (n_models,)
        1 is best.
    p_values : float64 array of shape (n_models, n_models)
        Of the pairwise tests.
    alpha : float, default=0.05
        A bar joins models whose p-values all exceed it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    labels_ : list of matplotlib Text
        Names and mean ranks.
    bars_ : list of matplotlib Line2D

    Examples
    --------
    >>> from bicneuron.inspection import CriticalDifferenceDisplay
    >>> scores = {f"data {i}": {"one": 0.9, "two": 0.8 - i / 100} for i in range(6)}
    >>> display = CriticalDifferenceDisplay.from_scores(scores)
    >>> float(display.p_values[0, 1]), len(display.bars_)
    (0.03125, 0)
    """

    def __init__(
        self,
        names: Sequence[str],
        mean_ranks: FloatArray,
        p_values: FloatArray,
        *,
        alpha: float = 0.05,
    ) -> None:
        self.names = names
        self.mean_ranks = mean_ranks
        self.p_values = p_values
        self.alpha = alpha

    @classmethod
    def from_scores(cls, scores: Any, *, alpha: float = 0.05, ax: Any = None) -> Self:
        """Compare models by Wilcoxon signed-rank tests with Holm correction and draw the result.

        Parameters
        ----------
        scores : mapping of str to mapping of str to float, or DataFrame
            Data set to model to score; in a frame, rows are data sets and columns are models.
            Larger is better.
        alpha : float, default=0.05
            A bar joins models whose corrected p-values all exceed it.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        if hasattr(scores, "to_dict"):
            scores = scores.to_dict("index")
        models = {frozenset(by_model) for by_model in scores.values()}
        if len(models) != 1 or len(next(iter(models))) < 2:
            raise ValueError("scores needs the same models, two or more, for every data set.")
        return cls.from_comparison(compare_models(scores), alpha=alpha, ax=ax)

    @classmethod
    def from_comparison(
        cls, comparison: Comparison, *, alpha: float = 0.05, ax: Any = None
    ) -> Self:
        """Draw a comparison of models.

        Parameters
        ----------
        comparison : Comparison
        alpha : float, default=0.05
            A bar joins models whose corrected p-values all exceed it.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        names = comparison.models
        p_values = np.ones((len(names), len(names)))
        for pair in comparison.pairs:
            i, j = names.index(pair.first), names.index(pair.second)
            p_values[i, j] = p_values[j, i] = pair.p_holm
        return cls(names, np.array(comparison.mean_ranks), p_values, alpha=alpha).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the diagram, in the text colour of matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self : object
        """
        check_matplotlib()
        import matplotlib

        try:
            import pandas
            from scikit_posthocs import critical_difference_diagram
        except ImportError as error:
            raise ImportError(
                f"the diagram needs {error.name}; run pip install 'bicneuron[plot,stats]'."
            ) from error
        n_models = len(self.names)
        ax = open_axes(ax, figsize=(7, 1.2 + 0.25 * n_models))
        text_colour = matplotlib.rcParams["text.color"]
        # Numbers in place of names: scikit-posthocs puts them in sets, whose order for strings
        # differs between processes.
        drawn = critical_difference_diagram(
            dict(enumerate(self.mean_ranks)),
            pandas.DataFrame(self.p_values),
            alpha=self.alpha,
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
            text = f"{plain(self.names[number], 32)} {self.mean_ranks[number]:.2f}"
            label.set_text(f"\N{NO-BREAK SPACE}{text}\N{NO-BREAK SPACE}")
        ax.set_xticks(range(1, n_models + 1))
        self.labels_ = drawn["labels"]
        self.bars_ = [line for bar in drawn["crossbars"] for line in bar]
        self.ax_, self.figure_ = ax, ax.figure
        return self
