"""The effect of wrong training labels, which the paper leaves open."""

from collections.abc import Sequence
from dataclasses import replace

from reproduction._models import MODELS
from studies._classifiers import (
    NETWORK,
    MeanRow,
    classifier_study,
    cost_curves,
    cost_lines,
    locality,
)
from studies._report import curves_svg, markdown_table
from studies.network import OURS

PROTOCOLS = (
    NETWORK,
    *(
        replace(NETWORK, name=f"noise-{percent}", label_noise=percent / 100)
        for percent in (10, 20, 30)
    ),
)
METHODS = (
    MODELS["SP"],
    MODELS["LogisticRegression"],
    MODELS["SVC"],
    MODELS["RandomForest"],
    MODELS["BN_CV"],
    OURS,
)
NAMES = tuple(model.name for model in METHODS)
LEVELS = [f"{protocol.label_noise:.0%}" for protocol in PROTOCOLS]


def describe(rows: Sequence[MeanRow]) -> str:
    """Write the mean accuracy at each level of noise as Markdown."""
    first = PROTOCOLS[0]
    n_datasets = len({row.dataset for row in rows})
    return "\n".join(
        [
            "# Wrong labels in the training rows",
            "",
            f"Mean ACC over {n_datasets} data sets, {first.n_folds} clean folds each, with at most",
            f"{first.max_rows} rows of a data set. Each training label was flipped with the",
            "probability above the column, the same labels for all models; test labels are",
            "unchanged. In brackets: the difference to no noise.",
            locality(rows, MODELS["BN_CV"].name),
            "",
            *markdown_table(("model", *LEVELS), cost_lines(rows, PROTOCOLS, NAMES)),
            "",
            "![Mean accuracy against label noise](noise.svg)",
            "",
        ]
    )


def plot(rows: Sequence[MeanRow]) -> dict[str, str]:
    """Draw mean accuracy against noise."""
    curves = cost_curves(rows, PROTOCOLS, NAMES)
    return {"noise.svg": curves_svg(curves, LEVELS, x="wrong training labels", y="mean ACC")}


STUDY = classifier_study("noise", PROTOCOLS, METHODS, describe, plot)
