"""The method for one neuron: mine, pair, filter, train, select."""

from bicneuron.classifier._classifier import BicNeuronClassifier
from bicneuron.classifier._classifier_cv import BicNeuronClassifierCV
from bicneuron.classifier._diagnostics import FitDiagnostics
from bicneuron.classifier._problems import BinaryProblem

__all__ = ["BicNeuronClassifier", "BicNeuronClassifierCV", "BinaryProblem", "FitDiagnostics"]
