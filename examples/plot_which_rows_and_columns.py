"""
Which patients and which measurements tell malignant from benign?
=================================================================

What comes out of a `BicNeuronClassifier` is a few rows and a few columns, and they have names.
"""

# %%
# A miner that sees the labels, `ContrastBiclustering`, looks for groups of patients and the columns
# that set them apart from their nearest others.

from sklearn.datasets import load_breast_cancer

from bicneuron import BicNeuronClassifier, ContrastBiclustering
from bicneuron.inspection import BiclusterDisplay, PairProjectionDisplay

data = load_breast_cancer(as_frame=True)
X = data.data.set_index("patient " + data.data.index.astype(str))
y = data.target.map({0: "malignant", 1: "benign"})

model = BicNeuronClassifier(
    miner=ContrastBiclustering(), max_ratio=float("inf"), random_state=0
).fit(X, y)
pair = model.selected_pair_
print(pair)
print("Columns:", ", ".join(model.feature_names_in_[pair.columns]))
print("First of the malignant patients:", ", ".join(X.index[pair.anchor_rows[:5]]))

# %%
# The whole table, moved together
# -------------------------------
# Patients of the pair come first, then all others; columns of the pair come first, then all others.
# Each column is scaled from its lowest to its highest value.

BiclusterDisplay.from_estimator(model, X)

# %%
# The pair as its neuron sees it
# ------------------------------
# Each patient lies at its distance to the hyperplane of the perceptron; the line is where it
# changes its mind.

PairProjectionDisplay.from_estimator(model, X)
