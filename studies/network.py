"""The network with its default settings against strong rivals, over all data sets."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from reproduction._models import MODELS, Model, network
from reproduction._problems import PROBLEMS, is_eeg
from reproduction._protocols import FoldProtocol
from studies._classifiers import (
    NETWORK,
    MeanRow,
    Scores,
    classifier_study,
    locality,
    scores_of,
    scores_table,
)
from studies._comparison import (
    Comparison,
    check_can_draw,
    compare_models,
    critical_difference_svg,
)
from studies._report import markdown_table, svg_file


class RelativeSVC(SVC):
    """SVC with a gamma relative to ``"scale"``, so that one grid suits any number of columns.

    Parameters
    ----------
    C : float, default=1.0
    relative_gamma : float, default=1.0
        Multiple of ``1 / (n_columns * X.var())``.
    """

    def __init__(self, *, C: float = 1.0, relative_gamma: float = 1.0) -> None:
        super().__init__(C=C)
        self.relative_gamma = relative_gamma

    def fit(self, X: Any, y: Any) -> Self:
        """Set gamma for these rows and fit."""
        self.gamma = self.relative_gamma / (X.shape[1] * X.var())
        super().fit(X, y)
        return self


def tuned_svc(protocol: FoldProtocol, dataset: str, seed: int) -> Any:
    """SVC with C and gamma by inner cross-validation, on standardised columns."""
    return GridSearchCV(
        make_pipeline(StandardScaler(), RelativeSVC()),
        {
            "relativesvc__C": (0.1, 1.0, 10.0, 100.0),
            "relativesvc__relative_gamma": (0.1, 0.3, 1.0, 3.0),
        },
        cv=StratifiedKFold(5, shuffle=True, random_state=seed),
    )


DATASETS = PROBLEMS
OURS = Model("Network", network)
METHODS = (
    OURS,
    MODELS["BN_CV"],
    MODELS["LogisticRegression"],
    MODELS["SVC"],
    Model("TunedSVC", tuned_svc),
    MODELS["RandomForest"],
    MODELS["HistGradientBoosting"],
)
NAMES = tuple(model.name for model in METHODS)


def describe(rows: Sequence[MeanRow]) -> str:
    """Write scores, mean ranks and tests as Markdown."""
    brier = scores_of(rows, "brier")
    honest = [name for name in NAMES if all(name in own for own in brier.values())]
    return "\n".join(
        [
            "# The network against its rivals",
            "",
            f"Means over {NETWORK.n_folds} clean folds, the same for all models, with at most",
            f"{NETWORK.max_rows} rows of a data set, a stratified sample of larger ones. Network",
            "is `BicNeuronNetwork()`; TunedSVC chose C and gamma by inner cross-validation.",
            locality(rows, MODELS["BN_CV"].name),
            "",
            "p: exact Wilcoxon signed-rank test on the means of the data sets; Holm's correction",
            "is for all pairs of models. In the diagrams a bar joins models that these tests do",
            "not tell apart (p > 0.05).",
            *_compared("ACC", "network-acc.svg", scores_of(rows)),
            *_compared("Score AUC", "network-auc.svg", scores_of(rows, "score_auc")),
            "",
            "## Brier score",
            "",
            "Mean squared error of the probabilities, smaller is better; some models give none.",
            "",
            *scores_table(brier, honest),
            "",
        ]
    )


def plot(rows: Sequence[MeanRow]) -> dict[str, str]:
    """Draw critical-difference diagrams."""
    scores = {"acc": scores_of(rows), "auc": scores_of(rows, "score_auc")}
    return {
        f"network-{name}.svg": svg_file(critical_difference_svg(compare_models(own), name))
        for name, own in scores.items()
    }


def _compared(title: str, plot: str, scores: Scores) -> Iterator[str]:
    yield from ("", f"## {title}", "", *scores_table(scores, NAMES))
    twelve = {name: own for name, own in scores.items() if not is_eeg(name)}
    over_all = compare_models(scores)
    parts = {f"all {len(scores)}": over_all}
    if 0 < len(twelve) < len(scores):
        parts[f"the {len(twelve)} of Table 2"] = compare_models(twelve)
    yield from ("", "Mean ranks, 1 is best:", "")
    yield from markdown_table(
        ("data sets", *NAMES), [(name, *_ranks(part)) for name, part in parts.items()]
    )
    yield from ("", f"![Mean ranks over all data sets]({plot})", "")
    yield from markdown_table(
        ("over all data sets", "wins", "ties", "losses", "p", "p (Holm)"),
        [
            (
                f"{pair.first} against {pair.second}",
                *map(str, (pair.wins, pair.ties, pair.losses)),
                f"{pair.p_value:.4f}",
                f"{pair.p_holm:.4f}",
            )
            for pair in over_all.pairs
            if OURS.name in (pair.first, pair.second)
        ],
    )


def _ranks(comparison: Comparison) -> Iterator[str]:
    ranks = dict(zip(comparison.models, comparison.mean_ranks, strict=True))
    return (f"{ranks[name]:.2f}" for name in NAMES)


STUDY = replace(
    classifier_study("network", (NETWORK,), METHODS, describe, plot, DATASETS),
    check=check_can_draw,
)
