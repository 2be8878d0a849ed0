"""Neurons: classifiers that are trained on one block of a table, or on many blocks at once."""

from bicneuron.neurons._blocks import decide, fit_neurons
from bicneuron.neurons._gaussian_neuron import GaussianNeuron
from bicneuron.neurons._kernel_neuron import KernelNeuron
from bicneuron.neurons._kernel_perceptron import KernelPerceptron
from bicneuron.neurons._online_perceptron import OnlinePerceptron

__all__ = [
    "GaussianNeuron",
    "KernelNeuron",
    "KernelPerceptron",
    "OnlinePerceptron",
    "decide",
    "fit_neurons",
]
