"""What do the models score, beside logistic regression on the same folds?

Prints the balanced accuracies of the table in the README: 5 shuffled folds, five times, or once for
the model that searches its parameters by cross-validation. It takes some minutes.
"""

from sklearn.datasets import load_breast_cancer

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronNetwork,
    PatternClassifier,
)
from bicneuron.datasets import make_subgroup
from bicneuron.metrics import cross_validated_scores

MODELS = {
    "BicNeuronClassifier(search=None)": (BicNeuronClassifier(search=None, random_state=0), 5),
    "BicNeuronClassifier()": (BicNeuronClassifier(random_state=0, n_jobs=-1), 1),
    "PatternClassifier()": (
        PatternClassifier(random_state=0, n_jobs=-1),
        5,
    ),
    "BicNeuronNetwork()": (BicNeuronNetwork(random_state=0, n_jobs=-1), 5),
}

X, y, _, _ = make_subgroup(random_state=0)
tables = {"subgroup": (X, y), "breast cancer": load_breast_cancer(return_X_y=True)}
for table, (X, y) in tables.items():
    for name, (model, n_repeats) in MODELS.items():
        print(f"{table}, {name}\n{cross_validated_scores(model, X, y, n_repeats=n_repeats)}\n")
