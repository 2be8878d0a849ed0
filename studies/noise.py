"""The effect of wrong training labels, which the paper leaves open."""

from collections.abc import Sequence

from bicneuron.reproduction._models import MODELS
from bicneuron.reproduction._protocols import NOISE
from studies._cost_curves import cost_curves, cost_lines
from studies._curves import curves_svg
from studies._means import MeanRow, locality, markdown_table
from studies.network import OURS

NOISE_MODELS = (
    MODELS["SP"],
    MODELS["LogisticRegression"],
    MODELS["SVC"],
    MODELS["RandomForest"],
    MODELS["BN_CV"],
    OURS,
)
NAMES = tuple(model.name for model in NOISE_MODELS)
LEVELS = [f"{protocol.label_noise:.0%}" for protocol in NOISE]


def describe_noise(rows: Sequence[MeanRow]) -> str:
    """Write the mean accuracy at each level of noise as Markdown."""
    first = NOISE[0]
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
            *markdown_table(("model", *LEVELS), cost_lines(rows, NOISE, NAMES)),
            "",
            "![Mean accuracy against label noise](noise.svg)",
            "",
        ]
    )


def plot_noise(rows: Sequence[MeanRow]) -> dict[str, str]:
    """Draw mean accuracy against noise."""
    curves = cost_curves(rows, NOISE, NAMES)
    return {"noise.svg": curves_svg(curves, LEVELS, x="wrong training labels", y="mean ACC")}
