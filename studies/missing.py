"""The effect of missing cells, beside filling them in with medians."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from bicneuron import PatternClassifier
from reproduction._models import Model, network, rival
from reproduction._protocols import FoldProtocol
from studies._classifiers import NETWORK, MeanRow, classifier_study, cost_curves, cost_lines
from studies._report import curves_svg, markdown_table

PROTOCOLS = (
    NETWORK,
    *(
        replace(NETWORK, name=f"missing-{percent}", missing_cells=percent / 100)
        for percent in (20, 50)
    ),
)


def with_medians(
    build: Callable[[FoldProtocol, str, int], Any], protocol: FoldProtocol, dataset: str, seed: int
) -> Any:
    """Put medians of the training rows in the place of missing cells, then a model."""
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(imputer, build(protocol, dataset, seed))


def readable(protocol: FoldProtocol, dataset: str, seed: int) -> PatternClassifier:
    """Build a classifier of a few patterns."""
    return PatternClassifier(random_state=seed)


METHODS = (
    Model("Network", network),
    Model("Network+median", partial(with_medians, network)),
    Model("Readable", readable),
    Model("Readable+median", partial(with_medians, readable)),
    Model(
        "LogisticRegression+median",
        partial(
            with_medians,
            partial(rival, estimator=LogisticRegression(max_iter=1000), standardize=True),
        ),
    ),
    Model("SVC+median", partial(with_medians, partial(rival, estimator=SVC(), standardize=True))),
    Model("RandomForest", partial(rival, estimator=RandomForestClassifier(300))),
    Model("HistGradientBoosting", partial(rival, estimator=HistGradientBoostingClassifier())),
)
NAMES = tuple(model.name for model in METHODS)
LEVELS = [f"{protocol.missing_cells:.0%}" for protocol in PROTOCOLS]


def describe(rows: Sequence[MeanRow]) -> str:
    """Write the mean accuracy and Brier score at each share of missing cells as Markdown."""
    first = PROTOCOLS[0]
    n_datasets = len({row.dataset for row in rows})
    return "\n".join(
        [
            "# Missing cells",
            "",
            f"Mean ACC over {n_datasets} data sets, {first.n_folds} clean folds each, with at most",
            f"{first.max_rows} rows of a data set. Each cell was made missing with the probability",
            "above the column, in training and test rows, the same cells for all models. Models",
            "with medians get the table with the median of the training rows in the place of a",
            "missing cell; the others get it as it is. In brackets: the difference to no missing",
            "cell.",
            "",
            *markdown_table(("model", *LEVELS), cost_lines(rows, PROTOCOLS, NAMES)),
            "",
            "Mean Brier score:",
            "",
            *markdown_table(("model", *LEVELS), cost_lines(rows, PROTOCOLS, NAMES, "brier")),
            "",
            "![Mean accuracy against missing cells](missing.svg)",
            "",
        ]
    )


def plot(rows: Sequence[MeanRow]) -> dict[str, str]:
    """Draw mean accuracy against the share of missing cells."""
    curves = cost_curves(rows, PROTOCOLS, NAMES)
    return {"missing.svg": curves_svg(curves, LEVELS, x="missing cells", y="mean ACC")}


STUDY = classifier_study("missing", PROTOCOLS, METHODS, describe, plot)
