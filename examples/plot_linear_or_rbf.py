"""
Linear or RBF: which neuron for a pair?
=======================================

Any classifier with a ``decision_function`` can be trained on the pairs. The decision boundary of a
perceptron is a hyperplane; that of a kernel perceptron is nonlinear.
"""

# %%
# In ringnorm one class lies inside the other: no hyperplane separates them.

import matplotlib.pyplot as plt

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.datasets import make_ringnorm
from bicneuron.inspection import PairProjectionDisplay
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

X, y = make_ringnorm(400, random_state=0)
X_new, y_new = make_ringnorm(1000, random_state=1)
miner = CoherentBiclustering(max_residue=1.0, cut_distance=2.0)
models = [
    BicNeuronClassifier(
        search=None,
        miner=miner,
        neuron=neuron,
        anchor="both",
        max_ratio=float("inf"),
        random_state=0,
    ).fit(X, y)
    for neuron in (
        OnlinePerceptron(average=True),
        KernelPerceptron(bandwidth=0.5, average=True),
    )
]

# %%
# On the left, rows are at their distances to the hyperplane, which is at zero. On the right, the
# shade is the score in the plane of the plot, and the black line is the decision boundary.

figure, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
for model, ax in zip(models, axes, strict=True):
    PairProjectionDisplay.from_estimator(model, X, ax=ax)
    name = type(model.estimator_).__name__
    ax.set_title(f"{name}\naccuracy on new rows {model.score(X_new, y_new):.2f}", loc="right")
