"""The paper's method: mine, find the contrast, pair, rank, train neurons, select one."""

from bicneuron.classifier._classifier import BicNeuronClassifier
from bicneuron.classifier._problems import BinaryProblem
from bicneuron.classifier._steps import FitDiagnostics

__all__ = ["BicNeuronClassifier", "BinaryProblem", "FitDiagnostics"]
