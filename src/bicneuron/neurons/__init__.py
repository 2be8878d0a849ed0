"""Neurons: classifiers that are trained on one block of a table, or on many blocks at once."""

from bicneuron.neurons._blocks import decide, fit_neurons
from bicneuron.neurons._gaussian_neuron import GaussianNeuron
from bicneuron.neurons._kernel_neuron import KernelNeuron
from bicneuron.neurons._perceptrons import KernelPerceptron, OnlinePerceptron

__all__ = [
    "GaussianNeuron",
    "KernelNeuron",
    "KernelPerceptron",
    "OnlinePerceptron",
    "decide",
    "fit_neurons",
]
