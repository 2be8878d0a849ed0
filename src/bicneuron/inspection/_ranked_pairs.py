"""MSR ratios, sizes and scores of the pairs of a model."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._axes import legend_above
from bicneuron._shared._colours import COLOUR_MAP, MARK
from bicneuron.inspection._display import Display
from bicneuron.inspection._pair_display import check_has_contrast
from bicneuron.inspection._pattern import pattern_at


@dataclass(eq=False, repr=False)
class RankedPairsDisplay(Display):
    """MSR ratio of each pair over its size, with the score of its neuron as colour.

    Parameters
    ----------
    sizes : array of shape (n_pairs,)
        Cells of each bicluster: rows times columns.
    ratios : float64 array of shape (n_pairs,)
        MSR ratios. Infinite ones are drawn as triangles above the others.
    scores : float64 array of shape (n_pairs,)
        Score of each pair.
    score_name : str, default="score"
        Label of the colour scale.
    selected : int, default=None
        Position of the selected pair.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    points_ : matplotlib PathCollection
        Pairs with a finite ratio, the best drawn last.
    infinite_ : matplotlib PathCollection or None
    selected_ : matplotlib PathCollection or None
    colorbar_ : matplotlib Colorbar

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronClassifier
    >>> from bicneuron.inspection import RankedPairsDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BicNeuronClassifier(random_state=0).fit(X, y)
    >>> display = RankedPairsDisplay.from_estimator(model)
    >>> len(display.ratios) == len(model.pairs_)
    True
    """

    sizes: Any
    ratios: FloatArray
    scores: FloatArray
    _: KW_ONLY
    score_name: str = "score"
    selected: int | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the pairs of a fitted model.

        Parameters
        ----------
        estimator : BicNeuronClassifier, BicNeuronClassifierCV or BicNeuronNetwork
            Fitted. Of a classifier all pairs are drawn, coloured by the values of ``selection``;
            of more than two classes, and of a network, the patterns, coloured by their strength.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : object
        """
        check_has_contrast(pattern_at(estimator, 0), cls.__name__)
        # A classifier of two classes has more pairs than it decides by.
        every = [pattern for pattern in estimator.patterns_ if pattern.kind != "class"]
        pairs = getattr(estimator, "pairs_", every)
        if not pairs:
            raise ValueError(
                "there is nothing to draw: no contrastive pair survived, and one neuron on all "
                "columns decides. Raise max_ratio or change the miner, as the warning of fit says."
            )
        scores = getattr(estimator, "scores_", np.array([pair.strength for pair in pairs]))
        selected, name = None, "strength"
        if pairs is not every:
            selection = getattr(estimator, "best_estimator_", estimator).selection
            name = selection if isinstance(selection, str) else "selection"
            selected = int(np.argmax(scores))
            name = f"{name.replace('_', ' ')} on the training rows"
        sizes = np.array([len(pair.rows) * len(pair.columns) for pair in pairs])
        ratios = np.array([pair.msr_ratio for pair in pairs])
        return cls(sizes, ratios, scores, score_name=name, selected=selected).plot(ax)

    def _draw(self, ax: Any) -> None:
        from matplotlib.patheffects import withStroke

        sizes, ratios, scores = (np.asarray(a) for a in (self.sizes, self.ratios, self.scores))
        finite = np.isfinite(ratios)
        top = 1.15 * float(ratios[finite].max(initial=0.0)) or 1.0
        heights = np.where(finite, ratios, top)
        style = {"cmap": COLOUR_MAP, "vmin": scores.min(), "vmax": scores.max(), "linewidths": 0.4}
        style |= {"edgecolors": MARK, "s": 30 if len(scores) <= 500 else 12}
        order = np.argsort(scores, kind="stable")
        low, high = order[finite[order]], order[~finite[order]]
        self.points_ = ax.scatter(sizes[low], heights[low], c=scores[low], **style)
        self.infinite_ = None
        if len(high):
            self.infinite_ = ax.scatter(
                sizes[high],
                heights[high],
                c=scores[high],
                marker="^",
                label="infinite ratio",
                **style,
            )
        self.selected_ = None
        if self.selected is not None:
            self.selected_ = ax.scatter(
                sizes[self.selected],
                heights[self.selected],
                s=160,
                facecolors="none",
                edgecolors=MARK,
                linewidths=2.5,
                path_effects=[withStroke(linewidth=4.5, foreground="white")],
                label="selected",
            )
        if len(high) or self.selected is not None:
            legend_above(ax)
        if sizes.max() > 10 * sizes.min():
            ax.set_xscale("log")
        ax.set_ylim(bottom=0)
        ax.set(xlabel="cells of the bicluster (rows x columns)", ylabel="MSR ratio")
        self.colorbar_ = ax.figure.colorbar(self.points_, ax=ax, label=self.score_name)
