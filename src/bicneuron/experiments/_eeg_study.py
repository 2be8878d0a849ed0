"""The five EEG classes at once."""

from collections.abc import Sequence
from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

from bicneuron.experiments._means import MeanRow, scores_of, scores_table
from bicneuron.experiments._models import MODELS, Model
from bicneuron.experiments._network_study import OURS
from bicneuron.experiments._protocols import NETWORK, Protocol
from bicneuron.network import BicNeuronNetwork


def network_on_normal_scores(protocol: Protocol, dataset: str, seed: int) -> Any:
    """Ranks first: the energies of signals have heavy tails, which a forest does not feel."""
    ranks = QuantileTransformer(n_quantiles=100, output_distribution="normal", random_state=seed)
    return make_pipeline(ranks, BicNeuronNetwork(random_state=seed))


EEG_STUDY_MODELS = (
    OURS,
    Model("Network on normal scores", network_on_normal_scores),
    MODELS["RandomForest"],
)


def describe_eeg(rows: Sequence[MeanRow]) -> str:
    """Write the accuracies as Markdown."""
    return "\n".join(
        [
            "# Five EEG classes at once",
            "",
            f"Mean ACC over {NETWORK.n_folds} clean folds, the same for all models. Normal",
            "scores: each column's ranks on the training rows, as normal quantiles.",
            "",
            *scores_table(scores_of(rows), [model.name for model in EEG_STUDY_MODELS]),
            "",
        ]
    )
