"""The effect of missing cells, beside filling them in with medians."""

from collections.abc import Sequence
from functools import partial

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from bicneuron.reproduction._models import Model, network, rival, with_medians
from bicneuron.reproduction._protocols import MISSING
from studies._cost_curves import cost_curves, cost_lines
from studies._curves import curves_svg
from studies._means import MeanRow, markdown_table

MISSING_MODELS = (
    Model("Network", network),
    Model("Network+median", partial(with_medians, network)),
    Model("Readable", partial(network, design="readable")),
    Model("Readable+median", partial(with_medians, partial(network, design="readable"))),
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
NAMES = tuple(model.name for model in MISSING_MODELS)
LEVELS = [f"{protocol.missing_cells:.0%}" for protocol in MISSING]


def describe_missing(rows: Sequence[MeanRow]) -> str:
    """Write the mean accuracy and Brier score at each share of missing cells as Markdown."""
    first = MISSING[0]
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
            *markdown_table(("model", *LEVELS), cost_lines(rows, MISSING, NAMES)),
            "",
            "Mean Brier score:",
            "",
            *markdown_table(("model", *LEVELS), cost_lines(rows, MISSING, NAMES, "brier")),
            "",
            "![Mean accuracy against missing cells](missing.svg)",
            "",
        ]
    )


def plot_missing(rows: Sequence[MeanRow]) -> dict[str, str]:
    """Draw mean accuracy against the share of missing cells."""
    curves = cost_curves(rows, MISSING, NAMES)
    return {"missing.svg": curves_svg(curves, LEVELS, x="missing cells", y="mean ACC")}
