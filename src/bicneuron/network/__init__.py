"""Networks of many neurons, each trained on a contrastive pair of its own."""

from bicneuron.network._network import BicNeuronNetwork

__all__ = ["BicNeuronNetwork"]
