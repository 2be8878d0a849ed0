"""
Why was this tumour classified as malignant?
============================================

Every score can be decomposed into the contributions of columns or of patterns.
"""

# %%
# One neuron
# ----------
# The columns of the pair, with their values in the units of the table, largest contribution first.
# The bars add up to the score.

from sklearn.datasets import load_breast_cancer

from bicneuron import BicNeuronClassifier, PatternClassifier
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.inspection import ExplanationDisplay

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target.map({0: "malignant", 1: "benign"})
model = BicNeuronClassifier(
    search=None, miner=ContrastBiclustering(), max_ratio=float("inf"), random_state=0
).fit(X, y)
ExplanationDisplay.from_estimator(model, X, row=8)

# %%
# The same neuron decides about every row and can be written as a formula:

print(model.to_formula())

# %%
# A network
# ---------
# A `PatternClassifier` has a few patterns, and a bar is one of them. The strongest are listed,
# until they make up 90 % of the decision; ``pattern=0`` would show the columns of the first.

network = PatternClassifier(random_state=0).fit(X, y)
ExplanationDisplay.from_estimator(network, X, row=8)
