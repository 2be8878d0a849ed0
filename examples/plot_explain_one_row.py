"""
Why was this tumour called malignant?
=====================================

Every prediction can be taken apart into what each column, or each pattern, adds to the score.
"""

# %%
# One neuron
# ----------
# The columns of the pair, with their values in the units of the table, from the most telling one
# on. The bars add up to the score.

from sklearn.datasets import load_breast_cancer

from bicneuron import BicNeuronClassifier, BicNeuronNetwork, ContrastBiclustering
from bicneuron.inspection import ExplanationDisplay

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target.map({0: "malignant", 1: "benign"})
model = BicNeuronClassifier(
    miner=ContrastBiclustering(), max_ratio=float("inf"), random_state=0
).fit(X, y)
ExplanationDisplay.from_estimator(model, X, row=8)

# %%
# The same neuron decides about every row, so it can be written down once and for all:

print(model.to_formula())

# %%
# A network
# ---------
# Here a bar is a pattern. They are told from the strongest on until they make up 90 % of the
# decision; ``pattern=0`` would take the first of them apart.

network = BicNeuronNetwork(design="readable", random_state=0).fit(X, y)
ExplanationDisplay.from_estimator(network, X, row=8)
