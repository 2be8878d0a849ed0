"""Models that ``--model`` of ``bicneuron fit`` names."""

from typing import Any


def make_model(kind: str, *, seed: int, n_jobs: int) -> Any:
    """Make a model, not yet fitted."""
    from bicneuron.classifier import BicNeuronClassifier
    from bicneuron.network import BicNeuronNetwork, PatternClassifier

    make: Any = {
        "readable": PatternClassifier,
        "accurate": BicNeuronNetwork,
        "neuron": lambda **others: BicNeuronClassifier(None, **others),
        "neuron-cv": BicNeuronClassifier,
    }[kind]
    return make(random_state=seed, n_jobs=n_jobs)
