"""The five EEG classes at once."""

from collections.abc import Sequence

from bicneuron.experiments._means import MeanRow, scores_of, scores_table
from bicneuron.experiments._models import MODELS
from bicneuron.experiments._network_study import OURS
from bicneuron.experiments._protocols import NETWORK

EEG_STUDY_MODELS = (OURS, MODELS["RandomForest"])


def describe_eeg(rows: Sequence[MeanRow]) -> str:
    """Write the accuracies as Markdown."""
    return "\n".join(
        [
            "# Five EEG classes at once",
            "",
            f"Mean ACC over {NETWORK.n_folds} clean folds, the same for both models.",
            "",
            *scores_table(scores_of(rows), [model.name for model in EEG_STUDY_MODELS]),
            "",
        ]
    )
