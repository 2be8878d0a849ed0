"""The paper's method: mine, find the contrast, pair, rank, train neurons, select one."""

from bicneuron.classifier._classifier import BicNeuronClassifier
from bicneuron.classifier._classifier_cv import BicNeuronClassifierCV
from bicneuron.classifier._diagnostics import FitDiagnostics
from bicneuron.classifier._problems import BinaryProblem

__all__ = ["BicNeuronClassifier", "BicNeuronClassifierCV", "BinaryProblem", "FitDiagnostics"]
