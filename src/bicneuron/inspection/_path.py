"""Scores of an inner cross-validation over T_d and tau."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._axes import legend_above
from bicneuron._shared._colours import COLOUR_MAP, MARK
from bicneuron.classifier import BicNeuronClassifierCV
from bicneuron.inspection._display import HeatMapDisplay

CUT, RATIO = "param_miner__cut_distance", "param_max_ratio"
# Scores are written into the cells up to this number of cells.
MOST_WRITTEN = 80


@dataclass(eq=False, repr=False)
class PathDisplay(HeatMapDisplay):
    """Mean inner score per cut distance T_d and largest ratio tau, the best one framed.

    Points at which no pair survived in some fold are hatched: they cannot be chosen.

    Parameters
    ----------
    cut_distances, max_ratios : float64 arrays of shape (n_cuts,) and (n_ratios,)
        Values of T_d and tau.
    scores : float64 array of shape (n_cuts, n_ratios)
        Mean scores; -inf where no pair survived.
    best : (int, int), default=None
        Indices of the chosen point in ``scores``.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    im_ : matplotlib image
    texts_ : list of matplotlib Text
        The scores; empty if there are too many.
    missing_ : list of matplotlib Rectangle
        Points without a pair.
    best_ : matplotlib Rectangle or None
    colorbar_ : matplotlib Colorbar or None

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronClassifierCV
    >>> from bicneuron.inspection import PathDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BicNeuronClassifierCV(preset="paper", cv=3, random_state=0).fit(X, y)
    >>> PathDisplay.from_estimator(model).scores.shape
    (4, 5)
    """

    cut_distances: FloatArray
    max_ratios: FloatArray
    scores: FloatArray
    _: KW_ONLY
    best: tuple[int, int] | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw the path of a fitted search, with the other parameters at their best values.

        Parameters
        ----------
        estimator : BicNeuronClassifierCV
            Fitted. With more than two classes, one of its ``estimators_``.
        **options
            Arguments of `plot`.

        Returns
        -------
        display : object
        """
        if not isinstance(estimator, BicNeuronClassifierCV):
            raise TypeError(
                f"estimator is a {type(estimator).__name__}, which has no path; give a fitted "
                "BicNeuronClassifierCV, or the results of another search to from_cv_results."
            )
        if hasattr(estimator, "estimators_"):
            raise ValueError(
                f"the model has {len(estimator.classes_)} classes and a path for each of "
                f"{len(estimator.estimators_)} problems; give one of its estimators_."
            )
        return cls.from_cv_results(
            estimator.cv_results_, best_index=estimator.best_index_, **options
        )

    @classmethod
    def from_cv_results(
        cls, cv_results: dict[str, Any], *, best_index: int | None = None, **options: Any
    ) -> Self:
        """Draw the path through the results of a search.

        Parameters
        ----------
        cv_results : dict
            ``cv_results_`` of a `BicNeuronClassifierCV`, or of scikit-learn's `GridSearchCV` over
            ``miner__cut_distance`` and ``max_ratio`` of a `BicNeuronClassifier`.
        best_index : int, default=None
            Index of the chosen point; None is the one with the highest mean score. Parameters other
            than the two are fixed at its values.
        **options
            Arguments of `plot`.

        Returns
        -------
        display : object
        """
        for name in (CUT, RATIO):
            if name not in cv_results:
                raise ValueError(f"cv_results has no {name}; search over it too.")
        mean = np.array(cv_results["mean_test_score"], dtype=np.float64)
        mean[np.isnan(mean)] = -np.inf
        best = int(np.argmax(mean)) if best_index is None else best_index
        others = [key for key in cv_results if key.startswith("param_") and key not in (CUT, RATIO)]
        cuts, ratios = (
            np.unique(np.array(cv_results[name], dtype=np.float64)) for name in (CUT, RATIO)
        )
        scores = np.full((len(cuts), len(ratios)), np.nan)
        points = []
        for cut, ratio in zip(cv_results[CUT], cv_results[RATIO], strict=True):
            points.append((int(np.searchsorted(cuts, cut)), int(np.searchsorted(ratios, ratio))))
        # Compared by repr, because estimators among the parameters have no equality.
        for k, point in enumerate(points):
            if all(repr(cv_results[key][k]) == repr(cv_results[key][best]) for key in others):
                scores[point] = mean[k]
        return cls(cuts, ratios, scores, best=points[best]).plot(**options)

    def _draw(self, ax: Any, cmap: Any = COLOUR_MAP, colorbar: bool = True) -> None:
        from matplotlib.patches import Rectangle
        from matplotlib.patheffects import withStroke

        found = np.ma.masked_invalid(self.scores)
        self.im_ = ax.imshow(found, cmap=cmap, aspect="auto", origin="lower")
        self.missing_ = [
            ax.add_patch(
                Rectangle((t - 0.5, c - 0.5), 1, 1, facecolor="0.95", edgecolor="0.6", hatch="//")
            )
            for c, t in np.argwhere(np.isneginf(self.scores))
        ]
        self.best_ = None
        halo = [withStroke(linewidth=6, foreground="white")]
        handles = []
        if self.best is not None:
            c, t = self.best
            frame = Rectangle((t - 0.5, c - 0.5), 1, 1, fill=False, edgecolor=MARK, linewidth=3)
            frame.set(label="chosen", clip_on=False, zorder=3, path_effects=halo)
            self.best_ = ax.add_patch(frame)
            handles.append(self.best_)
        if self.missing_:
            self.missing_[0].set_label("no pair in some fold")
            handles.append(self.missing_[0])
        if handles:
            legend_above(ax, handles=handles)
        self._write_scores(ax, found)
        ax.set_xticks(range(len(self.max_ratios)), [_number(ratio) for ratio in self.max_ratios])
        ax.set_yticks(range(len(self.cut_distances)), [_number(cut) for cut in self.cut_distances])
        ax.set(xlabel="largest MSR ratio, tau", ylabel="cut distance, T_d")
        self.colorbar_ = None
        if colorbar and found.count():
            self.colorbar_ = ax.figure.colorbar(self.im_, ax=ax, label="mean inner score")

    def _write_scores(self, ax: Any, found: Any) -> None:
        self.texts_ = []
        if found.size > MOST_WRITTEN:
            return
        for c, t in np.argwhere(~np.ma.getmaskarray(found)):
            red, green, blue, _ = self.im_.to_rgba(found[c, t])
            is_dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
            self.texts_.append(
                ax.text(
                    t,
                    c,
                    f"{found[c, t]:.3f}",
                    ha="center",
                    va="center",
                    color="white" if is_dark else MARK,
                )
            )


def _number(value: float) -> str:
    return "none" if np.isinf(value) else f"{value:g}"
