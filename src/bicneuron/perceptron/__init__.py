"""Online perceptrons, for one problem or for many blocks of one matrix at a time."""

from bicneuron.perceptron._kernel import KernelPerceptron
from bicneuron.perceptron._online import OnlinePerceptron

__all__ = ["KernelPerceptron", "OnlinePerceptron"]
