"""
What are the ten patterns of a readable network?
================================================

The readable network has ten neurons. Each uses a few columns, with one Gaussian per class.
"""

# %%
# Fit, and list the patterns with their share of the decision.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from bicneuron import BicNeuronNetwork
from bicneuron.inspection import ParallelCoordinatesDisplay, RankedPairsDisplay

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
network = BicNeuronNetwork(design="readable", random_state=0).fit(X_train, y_train)
print(f"accuracy on unseen rows {network.score(X_test, y_test):.3f}\n")
for pattern in network.patterns_:
    names = ", ".join(network.feature_names_in_[pattern.columns[:4]])
    print(f"{pattern.strength:4.0%}  {names}, ...")

# %%
# The two strongest patterns
# --------------------------
# A column in which the centroids are far apart separates the sides. Values are scaled.

figure, axes = plt.subplots(1, 2, figsize=(13, 5), layout="constrained", sharey=True)
for number, ax in enumerate(axes):
    ParallelCoordinatesDisplay.from_estimator(network, X_train, pattern=number, ax=ax)

# %%
# All ten patterns
# ----------------
# Pairs of a readable network are grown to be separable, not to be coherent: their MSR ratios need
# not be small.

RankedPairsDisplay.from_estimator(network)
