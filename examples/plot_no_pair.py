"""
What to do when no pair is found?
=================================

In some data no bicluster of one class is more coherent than its contrast. The classifier then warns
and falls back to one neuron on all columns, a usable model without a pattern.
"""

# %%
# A strict filter
# ---------------
# Two Gaussian clouds that differ a little in each of twenty columns have no local pattern, and
# ``max_ratio=0.05`` is strict.

import warnings

import numpy as np

from bicneuron import BicNeuronClassifier, BicNeuronNetwork, CoherentBiclustering
from bicneuron.datasets import make_twonorm
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.inspection import ContrastDisplay

X, y = make_twonorm(300, random_state=0)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", NoContrastivePairWarning)
    model = BicNeuronClassifier(search=None, max_ratio=0.05, random_state=0).fit(X, y)
print(caught[0].message)
print(model.diagnostics_)

# %%
# There is no pair. The pattern is the two whole classes:

ContrastDisplay.from_estimator(model, X)

# %%
# A looser filter
# ---------------
# ``max_ratio=inf`` keeps every pair, and a larger ``max_residue`` finds more of them. They are
# small, and the neurons trained on them do little better than chance (a label AUC of 0.5).

model = BicNeuronClassifier(
    search=None, miner=CoherentBiclustering(max_residue=0.1), max_ratio=np.inf, random_state=0
).fit(X, y)
sizes = [pair.rows.size * pair.columns.size for pair in model.pairs_]
print(f"{len(sizes)} pairs, median of {np.median(sizes):.0f} cells", end=", ")
print(f"best label AUC {model.scores_.max():.2f}")

# %%
# Many neurons
# ------------
# No single subspace separates these classes, but many together do.

X_new, y_new = make_twonorm(1000, random_state=1)
network = BicNeuronNetwork(n_neurons=100, random_state=0).fit(X, y)
print(f"accuracy on new rows: best pair {model.score(X_new, y_new):.2f}, ", end="")
print(f"network {network.score(X_new, y_new):.2f}")
