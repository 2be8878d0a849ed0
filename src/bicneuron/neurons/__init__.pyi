from ._blocks import decide as decide
from ._blocks import fit_neurons as fit_neurons
from ._gaussian_neuron import GaussianNeuron as GaussianNeuron
from ._kernel_neuron import KernelNeuron as KernelNeuron
from ._perceptrons import KernelPerceptron as KernelPerceptron
from ._perceptrons import OnlinePerceptron as OnlinePerceptron
