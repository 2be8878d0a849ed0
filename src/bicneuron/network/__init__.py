"""Models of several patterns, each with a neuron of its own, and weights that add them up."""

from bicneuron.network._network import BicNeuronNetwork
from bicneuron.network._pattern_classifier import PatternClassifier

__all__ = ["BicNeuronNetwork", "PatternClassifier"]
