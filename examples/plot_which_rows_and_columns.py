"""
Which patients and which measurements distinguish malignant from benign?
========================================================================

A `BicNeuronClassifier` selects a few rows and a few columns, which can be listed by name.
"""

# %%
# `ContrastBiclustering`, a miner that uses the labels, searches for groups of patients and for the
# columns that separate them from the nearest patients of the other class.

from sklearn.datasets import load_breast_cancer

from bicneuron import BicNeuronClassifier
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.inspection import BiclusterDisplay, PairProjectionDisplay

data = load_breast_cancer(as_frame=True)
X = data.data.set_index("patient " + data.data.index.astype(str))
y = data.target.map({0: "malignant", 1: "benign"})

model = BicNeuronClassifier(
    search=None, miner=ContrastBiclustering(), max_ratio=float("inf"), random_state=0
).fit(X, y)
pair = model.selected_pair_
print(pair)
print("Columns:", ", ".join(model.feature_names_in_[pair.columns]))
print("First of the malignant patients:", ", ".join(X.index[pair.rows[:5]]))

# %%
# The whole table, reordered
# --------------------------
# Patients of the pair come first, then all others; columns of the pair come first, then all others.
# Each column is scaled to 0..1.

BiclusterDisplay.from_estimator(model, X)

# %%
# The decision of the neuron
# --------------------------
# Each patient is at the distance to the hyperplane of the perceptron, which is the line at zero.

PairProjectionDisplay.from_estimator(model, X)
