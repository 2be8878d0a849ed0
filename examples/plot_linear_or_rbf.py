"""
Straight or bent: which neuron for a pair?
==========================================

Any classifier with scores can be trained on the pairs. A perceptron cuts the subspace of a pair by
a hyperplane; a kernel perceptron bends it.
"""

# %%
# In ringnorm one class lies inside the other: no hyperplane parts them.

import matplotlib.pyplot as plt

from bicneuron import (
    BicNeuronClassifier,
    CoherentBiclustering,
    KernelPerceptron,
    OnlinePerceptron,
)
from bicneuron.datasets import make_ringnorm
from bicneuron.inspection import PairProjectionDisplay

X, y = make_ringnorm(400, random_state=0)
X_new, y_new = make_ringnorm(1000, random_state=1)
miner = CoherentBiclustering(max_residue=1.0, cut_distance=2.0)
models = [
    BicNeuronClassifier(
        miner=miner, neuron=neuron, anchor="both", max_ratio=float("inf"), random_state=0
    ).fit(X, y)
    for neuron in (
        OnlinePerceptron(average=True),
        KernelPerceptron(bandwidth=0.5, average=True),
    )
]

# %%
# On the left rows lie at their distances to the hyperplane, and the line is at zero. On the right
# the shade is the score in the plane of the picture, and the black line is where it changes sign.

figure, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
for model, ax in zip(models, axes, strict=True):
    PairProjectionDisplay.from_estimator(model, X, ax=ax)
    name = type(model.estimator_).__name__
    ax.set_title(f"{name}\naccuracy on new rows {model.score(X_new, y_new):.2f}", loc="right")
