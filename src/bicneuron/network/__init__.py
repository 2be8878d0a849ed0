"""Networks of many neurons, each trained on a contrastive pair of its own."""

from bicneuron.network._network import BicNeuronNetwork
from bicneuron.network._patterns import Pattern

__all__ = ["BicNeuronNetwork", "Pattern"]
